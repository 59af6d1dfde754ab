// The tests, each a few threads over one protocol: `orders TEST full|bound:N|random:N [ORDERING=weaker]`.
//
// Prints the number of executions and what came of them, and with `trace` at the end of the line a failing one. A test
// fails by a race on what a runner left for the completion, or by an assertion.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "core.hpp"

static rl::test_params params;
static long long executionsUntilTraced = std::getenv("TRACED") ? std::atoll(std::getenv("TRACED")) : -1;

// Some threads, each with a place to leave something for others.
template <typename Derived, int threads>
struct Test : rl::test_suite<Derived, threads> {
  Core root, child;
  rl::var<int> left[threads];
  rl::var<bool> passed;

  void before() {
    if (executionsUntilTraced-- == 0) params.collect_history = true;
    for (int i = 0; i < threads; i++) left[i]($) = 0;
    passed($) = false;
    static_cast<Derived*>(this)->begin();
  }
  void leave(unsigned index) { left[index]($) = 1; }
  void find(unsigned index) { RL_ASSERT(left[index]($) == 1); }
};

// Runners leave something and finish; the completion finds it all (rule 6). One settles by way of a `Pass`.
template <int threads>
struct Settling : Test<Settling<threads>, threads> {
  void begin() { this->root.make(threads); }
  void thread(unsigned index) {
    this->leave(index);
    if (index == 2 ? this->root.settle() : this->root.finish())
      for (int i = 0; i < threads; i++) this->find(i);
  }
};

// The count touches zero while another tries to get in, and somebody looks whether all is complete.
template <int threads>
struct TouchingZero : Test<TouchingZero<threads>, threads> {
  rl::var<int> late[threads];
  void begin() {
    this->root.make(1);
    for (int i = 0; i < threads; i++) late[i]($) = 0;
  }
  void findAll() {
    this->find(0);
    for (int i = 0; i < threads; i++) (void)int(late[i]($));
  }
  void thread(unsigned index) {
    if (index == 0) {
      this->leave(0);
      if (this->root.finish()) findAll();
    } else if (index == 2) {
      if (this->root.isComplete()) findAll();
    } else if (this->root.tryPass()) {
      late[index]($) = 1;
      if (this->root.finish()) findAll();
    }
  }
};

// Whoever learns that a baton is cancelled finds what the canceller did before.
template <int threads>
struct Cancelling : Test<Cancelling<threads>, threads> {
  void begin() { this->root.make(1); }
  void thread(unsigned index) {
    if (index == 0) {
      this->leave(0);
      this->root.cancelAll();
    } else if (index == 1) {
      if (this->root.isCancelled()) this->find(0);
    } else if (index == 2) {
      this->root.pass();
      this->root.finish();
      if (this->root.finish() && this->root.isCancelled()) this->find(0);
    } else if (this->root.isCancelled()) {
      this->find(0);
    }
  }
};

// Whoever has called `cancelAll` finds the child cancelled, also if another was first and is still at it. Whoever finds the
// child cancelled by that finds the root cancelled.
template <int threads>
struct Telling : Test<Telling<threads>, threads> {
  void begin() {
    this->root.make(1);
    this->child.make(1, &this->root, true);
  }
  void thread(unsigned index) {
    if (index > 1) {
      RL_ASSERT(!this->child.isCancelled() || this->root.isCancelled());
    } else {
      this->root.cancelAll(&this->child);
      RL_ASSERT(this->child.current() & cancelled);
    }
  }
};

// Who abandons a cancelled baton leaves something to those who see it complete; what comes late is absorbed.
template <int threads>
struct Abandoning : Test<Abandoning<threads>, threads> {
  void begin() { this->root.make(1); }
  void thread(unsigned index) {
    if (index == 0) {
      this->root.cancelAll();
      (void)this->root.finish();
    } else if (index == 2) {
      if (this->root.current() & abandoned) this->find(1);
    } else if (index == 1) {
      this->leave(1);
      this->root.cancelAll();
      (void)this->root.sealAbandoned();
    } else {
      this->root.tryPass() && this->root.finish();
    }
  }
  void after() {
    Bits word = this->root.current();
    RL_ASSERT(word & sealed && (word & outstanding) == (word & abandoned ? tripwire : 0));
  }
};

// A child's completion that runs on an executor, a thread that delivers, and a runner of the parent.
template <int threads>
struct Landed : Test<Landed<threads>, threads> {
  Landing landing;
  void begin() {
    this->root.make(threads - 1);
    this->child.make(0, &this->root);
    landing.make();
  }
  void completed() {
    for (int i = 1; i < threads; i++) this->find(i);
  }
  void thread(unsigned index) {
    if (index == 0) {
      if (landing.arrive() && this->root.settle()) completed();
    } else if (index == 1) {
      this->leave(1);
      if (landing.arrive() && this->root.settle()) completed();
    } else {
      this->leave(index);
      if (this->root.finish()) completed();
    }
  }
};

// An honest race for one pass, beside another runner.
template <int threads>
struct Claiming : Test<Claiming<threads>, threads> {
  Pass pass;
  rl::var<int> winner;
  void begin() {
    this->root.make(2);
    pass.make(this->root);
    winner($) = -1;
  }
  void completed() {
    this->find(2);
    if (winner($) >= 0) this->find(0);
    else if (threads == 3) this->find(1);
  }
  void thread(unsigned index) {
    this->leave(index);
    if (index == 2) {
      if (this->root.finish()) completed();
    } else if (index == 0) {
      // In two steps, as what runs a callback between them.
      if (!pass.claim()) return;
      winner($) = 0;
      if (pass.settleClaimed()) completed();
    } else {
      bool ends = false;
      if (pass.tryFinish(ends) && ends) completed();
    }
  }
};

// Adding cancel handlers to a pass that settles: none is kept.
template <int threads>
struct Listening : Test<Listening<threads>, threads> {
  Pass pass;
  Pass::Handlers handlers[threads];
  void begin() {
    this->root.make(2);
    pass.make(this->root);
  }
  void thread(unsigned index) {
    bool ends;
    if (index == 0) {
      (void)pass.tryFinish(ends);
    } else if (index == 3) {
      if (pass.claim()) (void)pass.settleClaimed();
    } else {
      pass.onCancel(handlers[index]);
    }
  }
  void after() {
    Pass::Handlers* stored = pass.cancelHandlers.load(rl::mo_acquire, $);
    RL_ASSERT(stored && stored->count($) == 0 && stored->isClosed($));
  }
};

// A child that becomes known to its parent, while it completes, and while the parent is cancelled.
template <int threads>
struct Registering : Test<Registering<threads>, threads> {
  void begin() {
    this->root.make(2);
    this->child.make(1, &this->root);
  }
  void thread(unsigned index) {
    if (index == 0) {
      (void)this->child.isCancelled();
    } else if (index == 1) {
      if (!this->child.finish()) return;
      if (this->child.current() & cancelled) this->find(2);
      (void)this->child.climb(true);
    } else if (index == 2) {
      this->leave(2);
      this->root.cancelAll(&this->child);
      // Who isn't known yet asks the parent, which is flagged.
      Bits word = this->child.current();
      RL_ASSERT(word & (cancelled | sealed) || !(word & registered));
    } else if (this->child.isCancelled()) {
      this->find(2);
    }
  }
  void after() { RL_ASSERT(!this->root.hasChild($) && !this->child.isLinked($)); }
};

// The same two by two, so that they can be searched in full: a child becomes known while it completes, and somebody looks.
template <int threads>
struct KnownAtItsEnd : Test<KnownAtItsEnd<threads>, threads> {
  void begin() {
    this->root.make(2);
    this->child.make(1, &this->root);
  }
  void thread(unsigned index) {
    if (index == 0) {
      (void)this->child.isCancelled();
    } else if (index == 1) {
      this->leave(1);
      if (this->child.finish()) (void)this->child.climb(true);
    } else if (this->child.isComplete()) {
      this->find(1);
    }
  }
  void after() { RL_ASSERT(!this->root.hasChild($) && !this->child.isLinked($)); }
};

// And a child becomes known while its parent is cancelled, and somebody looks.
template <int threads>
struct KnownTooLate : Test<KnownTooLate<threads>, threads> {
  void begin() {
    this->root.make(2);
    this->child.make(1, &this->root);
  }
  void thread(unsigned index) {
    if (index == 0) {
      (void)this->child.isCancelled();
    } else if (index == 1) {
      this->leave(1);
      this->root.cancelAll(&this->child);
    } else if (this->child.current() & cancelled) {
      this->find(1);
    }
  }
  void after() { RL_ASSERT(this->child.isCancelled() && this->root.hasChild($)); }
};

// Leaves the process at once: after a failure Relacy's own clearing up mixes two allocators. To trace it, a second process
// goes the same way, and notes what happens in the execution that fails.
template <typename T, typename Scheduler>
[[noreturn]] void searchBy(char** tracing) {
  typename Scheduler::shared_context_t shared;
  rl::context_impl<T, Scheduler> context(params, shared);
  auto result = context.simulate2(false);
  std::printf("%llu %s\n", (unsigned long long)params.stop_iteration, rl::test_result_str(result));
  std::fflush(stdout);
  if (result != rl::test_result_success && tracing && !std::getenv("TRACED")) {
    static char number[32];
    std::snprintf(number, sizeof number, "%llu", (unsigned long long)params.stop_iteration - 1);
    setenv("TRACED", number, 1);
    execv("/proc/self/exe", tracing);
  }
  std::_Exit(result == rl::test_result_success ? 0 : 1);
}

// Three threads in full or within a bound, four at random.
template <template <int> class T>
[[noreturn]] void search(char** tracing) {
  switch (params.search_type) {
    case rl::sched_full: searchBy<T<3>, rl::full_search_scheduler<T<3>::params::thread_count>>(tracing);
    case rl::sched_bound: searchBy<T<3>, rl::context_bound_scheduler<T<3>::params::thread_count>>(tracing);
    default: searchBy<T<4>, rl::random_scheduler<T<4>::params::thread_count>>(tracing);
  }
}

static rl::memory_order orderNamed(std::string const& name) {
  for (int i = rl::mo_relaxed; i <= rl::mo_seq_cst; i++)
    if (name == rl::format(rl::memory_order(i))) return rl::memory_order(i);
  throw std::runtime_error("no ordering " + name);
}

static void weaken(std::string const& change) {
  auto equals = change.find('=');
  auto name = change.substr(0, equals);
  auto order = orderNamed(change.substr(equals + 1));
#define ORDER(field) if (name == #field) { orders.field = order; return; }
  ORDER(finish) ORDER(subtractOne) ORDER(current) ORDER(insert) ORDER(exchange)
  ORDER(hasToldStore) ORDER(hasToldLoad) ORDER(arrive) ORDER(listens) ORDER(settled)
  throw std::runtime_error("no operation " + name);
}

int main(int count, char** arguments) {
  std::string test = arguments[1], kind = arguments[2];
  std::ostringstream nothing;
  params.progress_stream = &nothing;
  params.search_type = kind == "full" ? rl::sched_full : kind.rfind("bound", 0) == 0 ? rl::sched_bound : rl::sched_random;
  params.execution_depth_limit = 500;
  auto number = kind.find(':') == std::string::npos ? 0 : std::stol(kind.substr(kind.find(':') + 1));
  params.context_bound = unsigned(number);
  params.iteration_count = params.search_type == rl::sched_random ? rl::iteration_t(number) : rl::iteration_t(1) << 40;
  char** tracing = nullptr;
  for (int i = 3; i < count; i++) {
    if (std::string(arguments[i]) == "trace") tracing = arguments;
    else weaken(arguments[i]);
  }
#define TEST(name) if (test == #name) search<name>(tracing);
  TEST(Settling) TEST(TouchingZero) TEST(Cancelling) TEST(Telling) TEST(Abandoning)
  TEST(Landed) TEST(Claiming) TEST(Listening) TEST(Registering) TEST(KnownAtItsEnd) TEST(KnownTooLate)
  std::cerr << "no test " << test << std::endl;
  return 2;
}
