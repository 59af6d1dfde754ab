// The lock-free lines of Sources/Baton in C++, under the names that they have there and with their orderings.
//
// What is atomic in the source is an rl::atomic, its Mutex an rl::mutex, and what the lock guards an rl::var: a plain
// variable that Relacy watches for races. So are `slot` and `hasSpoken`, which in the source are relaxed atomics because
// Swift wants proof that another object's lock guards them: here they show that it does.
#pragma once
#include <cstdint>

#include <relacy/relacy.hpp>

// Every ordering of the source that is stronger than relaxed; the driver weakens one at a time.
struct Orders {
  rl::memory_order finish = rl::mo_acq_rel;            // Baton.finish
  rl::memory_order subtractOne = rl::mo_acq_rel;       // Core.subtractOne
  rl::memory_order current = rl::mo_acquire;           // Core.current
  rl::memory_order insert = rl::mo_acq_rel;            // Core.insert
  rl::memory_order exchange = rl::mo_acq_rel;          // Core.exchange; in failure what is left of it without the release
  rl::memory_order hasToldStore = rl::mo_release;      // Core.spread
  rl::memory_order hasToldLoad = rl::mo_acquire;       // Core.stillTelling
  rl::memory_order arrive = rl::mo_acq_rel;            // Landing.arrive
  rl::memory_order listens = rl::mo_acq_rel;           // Pass.onCancel
  rl::memory_order settled = rl::mo_acq_rel;           // Pass.settleClaimed
};
inline Orders orders;

using Bits = std::uint64_t;

// BatonWord. `observed` is left out: such a baton does the same in its ledger.
constexpr Bits onePass = Bits(1) << 35 | 1;
constexpr Bits outstanding = (Bits(1) << 30) - 1;
constexpr Bits tripwire = Bits(1) << 28;
constexpr Bits sealed = Bits(1) << 31;
constexpr Bits cancelled = Bits(1) << 32;
constexpr Bits abandoned = Bits(1) << 33;
constexpr Bits registered = Bits(1) << 34;

struct Lock {
  rl::mutex& mutex;
  explicit Lock(rl::mutex& mutex) : mutex(mutex) { mutex.lock($); }
  ~Lock() { mutex.unlock($); }
};

struct Core {
  rl::atomic<Bits> word;
  rl::atomic<bool> hasTold;
  rl::mutex mutex;
  // Under the lock.
  rl::var<bool> isDelivering;
  rl::var<bool> hasChild;       // the list of children, which is one
  Core* parent = nullptr;
  // Under the parent's lock.
  rl::var<bool> isLinked;       // slot >= 0
  rl::var<bool> hasSpoken;

  // For `before`. A baton that has a parent begins unregistered, unless its parent knows it.
  void make(int passes, Core* parent = nullptr, bool isKnown = false) {
    word($) = onePass * Bits(passes) | (parent && !isKnown ? 0 : registered);
    hasTold($) = false;
    isDelivering($) = false;
    hasChild($) = false;
    hasSpoken($) = false;
    isLinked($) = isKnown;
    this->parent = parent;
    if (isKnown) parent->hasChild($) = true;
  }

  Bits current() { return word.load(orders.current, $); }
  Bits add(Bits amount) { return word($).fetch_add(amount, rl::mo_relaxed); }
  Bits subtractOne() { return word($).fetch_sub(1, orders.subtractOne); }
  Bits insert(Bits flags) { return word($).fetch_or(flags, orders.insert); }
  bool exchange(Bits& expected, Bits desired) {
    return word($).compare_exchange_strong(expected, desired, orders.exchange);
  }

  // MARK: Counting

  void pass() {
    Bits old = word($).fetch_add(onePass, rl::mo_relaxed);
    if (old & abandoned) word($).fetch_sub(onePass, rl::mo_relaxed);
    else RL_ASSERT(!(old & sealed));
  }

  bool tryPass() {
    Bits old = current();
    while (!(old & sealed))
      if (exchange(old, old + onePass)) return true;
    return false;
  }

  // Each returns whether this thread has to complete the baton.
  bool finish() { return finishSettling(word($).fetch_sub(1, orders.finish)); }
  bool settle() { return finishSettling(subtractOne()); }

  bool finishSettling(Bits old) {
    if (old & abandoned) {
      add(1);
      return false;
    }
    RL_ASSERT(old & outstanding);
    return (old & outstanding) == 1 && sealAtZero();
  }

  // MARK: Completing

  bool sealAtZero() {
    Lock lock(mutex);
    Bits word = current();
    while (!(word & outstanding) && !(word & sealed))
      if (exchange(word, word | sealed | (isCancelledFromAbove(word) ? cancelled : 0))) return seal();
    return false;
  }

  bool sealAbandoned() {
    Lock lock(mutex);
    Bits word = current();
    while (!(word & sealed))
      if (exchange(word, (word & ~outstanding) | sealed | cancelled | abandoned | tripwire)) return seal();
    return false;
  }

  bool seal() {
    RL_ASSERT(!isDelivering($));
    isDelivering($) = true;
    hasChild($) = false;
    return true;
  }

  bool isCancelledFromAbove(Bits word) { return !(word & registered) && parent && parent->current() & cancelled; }
  bool isComplete() { return current() & sealed; }

  // MARK: Cancelling, of a baton with at most one child

  bool isCancelled() {
    Bits word = current();
    if (word & (cancelled | sealed | registered)) return word & cancelled;
    if (parent) registerWithParent();
    return current() & cancelled;
  }

  void cancelAll(Core* child = nullptr) {
    bool tells;
    {
      Lock lock(mutex);
      Bits word = current();
      if (word & sealed) return;
      bool isFirst = !(word & cancelled) && !isCancelledFromAbove(word);
      if (word & cancelled) {
        tells = !hasTold.load(orders.hasToldLoad, $) && hasChild($);
      } else {
        insert(cancelled);
        tells = isFirst && hasChild($);
        if (isFirst && !hasChild($)) child = nullptr, tells = true;
      }
    }
    if (!tells) return;
    if (child) child->cancelFromAbove();
    hasTold.store(true, orders.hasToldStore, $);
  }

  void cancelFromAbove() {
    Lock lock(mutex);
    if (!(current() & (sealed | cancelled))) insert(cancelled);
  }

  // MARK: Nesting

  void registerWithParent() {
    if (current() & registered) return;
    bool isNews;
    {
      Lock lock(parent->mutex);
      Bits word = parent->current();
      if (!isLinked($) && !(word & sealed)) isLinked($) = true, parent->hasChild($) = true;
      isNews = word & cancelled;
    }
    {
      Lock lock(mutex);
      isNews = isNews && !(current() & (sealed | cancelled));
      insert(isNews ? registered | cancelled : registered);
    }
    if (current() & sealed) {
      Lock lock(parent->mutex);
      parent->unlink(*this);
    }
  }

  void unlink(Core& child) {
    if (child.isLinked($) && hasChild($)) child.isLinked($) = false, hasChild($) = false;
  }

  // A completed child's way up: welcome, without failures, and its pass. Returns whether this thread completes the parent.
  bool climb(bool propagates) {
    bool climbs = propagates && current() & cancelled;
    if (climbs || current() & registered) {
      Lock lock(parent->mutex);
      Bits word = parent->current();
      if (climbs && !(word & sealed) && !hasSpoken($)) {
        hasSpoken($) = true;
        if (!(word & cancelled)) parent->insert(cancelled);
      }
      parent->unlink(*this);
    }
    return parent->settle();
  }
};

// Landing
struct Landing {
  rl::atomic<int> arrivals;
  rl::mutex mutex;
  rl::var<bool> isOwed;

  void make() {
    arrivals($) = 0;
    isOwed($) = true;
  }

  bool arrive() {
    if (arrivals($).fetch_add(1, orders.arrive) + 1 != 2) return false;
    Lock lock(mutex);
    bool wasOwed = isOwed($);
    isOwed($) = false;
    return wasOwed;
  }
};

// Pass, and its PassCancelHandlers
struct Pass {
  static constexpr int isClaimed = 1, listens = 8, isSettled = 16;
  struct Handlers {
    rl::mutex mutex;
    rl::var<int> count;
    rl::var<bool> isClosed;
    void make() { count($) = 0, isClosed($) = false; }
    void add() {
      Lock lock(mutex);
      if (!isClosed($)) count($) = count($) + 1;
    }
    void close() {
      Lock lock(mutex);
      isClosed($) = true, count($) = 0;
    }
  };

  Core* baton = nullptr;
  rl::atomic<int> flags;
  rl::atomic<Handlers*> cancelHandlers;    // AtomicLazyReference: stored acquiring and releasing, loaded acquiring

  void make(Core& baton) {
    this->baton = &baton;
    flags($) = 0;
    cancelHandlers($) = (Handlers*)nullptr;
  }

  bool claim() { return !(flags($).fetch_or(isClaimed, rl::mo_relaxed) & isClaimed); }

  bool settleClaimed() { return handBack(flags($).fetch_or(isSettled, orders.settled)); }

  // claimToSettle, and what follows. Returns whether this thread settled it; `ends`, whether it has to complete the baton.
  bool tryFinish(bool& ends) {
    int old = flags.load(rl::mo_relaxed, $);
    while (!(old & isClaimed))
      if (flags($).compare_exchange_strong(old, old | isClaimed | isSettled, orders.settled)) {
        ends = handBack(old);
        return true;
      }
    return false;
  }

  bool handBack(int old) {
    if (old & listens)
      if (Handlers* handlers = cancelHandlers.load(rl::mo_acquire, $)) handlers->close();
    return baton->settle();
  }

  // Makes `fresh` the pass's handlers, unless it has some.
  void onCancel(Handlers& fresh) {
    fresh.make();
    Handlers* handlers = nullptr;
    if (cancelHandlers($).compare_exchange_strong(handlers, &fresh, rl::mo_acq_rel)) handlers = &fresh;
    if (flags($).fetch_or(listens, orders.listens) & isSettled) return handlers->close();
    handlers->add();
  }
};
