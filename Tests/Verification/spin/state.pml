/* The state of the batons, as it is in Sources/Baton: the word, what is under the lock, and the ghosts that only the
 * checks look at.
 *
 * How the steps are cut: a step is atomic, and holds one access to what others reach without the lock (a word, a
 * `hasTold`); around it only the taking and the giving back of a lock, and what that lock guards. Taking a lock moves to
 * the right, giving it back to the left past anything that others do, so no behaviour is lost by that (Lipton's reduction).
 * Flags are set under the lock only, which `SETFLAGS` asserts; so a region that reads flags and sets flags is one step, but
 * the seal, which depends on the count, is two, with the look at the parent three.
 *
 * Left out:
 * - the number ever passed: without it a compare-and-swap succeeds where the real one would fail, look again, and find the
 *   same: more behaviours, not fewer; with it the folding of that number, which `BatonWordTests` and `CountingTests` check;
 * - the tripwire word of an observed baton, which does the same in its ledger;
 * - the waiters: taken in and let in by the same looks at the same stage as the handlers (`Lifecycle.add`);
 * - the handle's deinit (`sealDropped`): the looks and the abandonment of the model, by whoever is the last to hold it;
 * - an executor that lets its work go (`giveUp`), `CancellationError` as noise, the failures of who had not come back when
 *   a baton was abandoned, and the limiter, which is a pure struct under one lock. */

#define NONE 255
#define WORKER 254
#define PARENT(x) ((x) - 1)      /* a chain: 0 is the root */

/* The word. No process brings the tripwire's 8 to either end. */
#define OUT        15
#define TRIPWIRE   8
#define SEALED     16
#define CANCELLED  32
#define ABANDONED  64
#define REGISTERED 128
byte word[NB];

/* Under the lock. Handlers and failures are bits: each process has names of its own for what it adds. */
#define OPEN       0
#define DELIVERING 1
#define OVER       2
byte lock[NB];                   /* who holds it */
byte stage[NB];
bit hasParent[NB];               /* until the seal */
byte handlers[NB];               /* onCompletion */
byte cancelHandlers[NB];
byte failures[NB];
byte heard[NB];                  /* the failure which came with the first cancellation */
byte children[NB];               /* linked ones */
bit hasTold[NB];
bit propagates[NB];
/* Under the parent's lock. */
bit linked[NB];                  /* slot >= 0 */
bit hasSpoken[NB];
#ifdef HOP
/* The completions of children run on an executor. */
byte arrivals[NB];
chan executor = [1] of { byte };
#endif

/* Ghosts. */
bit exists[NB];
byte completions[NB];
bit returned[NB];                /* the completion has */
byte handedBack[NB];
bit announced[NB];               /* a cancellation of it has been told to all */
byte added[NB];
byte ran[NB];
byte cancelAdded[NB];
byte cancelRan[NB];

/* MARK: Locks. Never two at once, and none over user code (rule 7). */

#define FREE(x)   (lock[x] == 0)
#define LOCK(x)   HOLDSNONE(); lock[x] = _pid
#define UNLOCK(x) assert(lock[x] == _pid); lock[x] = 0
#if NB == 1
#define HOLDSNONE() assert(lock[0] != _pid)
#elif NB == 2
#define HOLDSNONE() assert(lock[0] != _pid && lock[1] != _pid)
#else
#define HOLDSNONE() assert(lock[0] != _pid && lock[1] != _pid && lock[2] != _pid)
#endif

inline SETFLAGS(x, flags) {
  assert(lock[x] == _pid);
  word[x] = word[x] | (flags)
}

/* MARK: What must hold */

/* Whether x is cancelled, or complete, as whoever asks would learn: an unregistered baton asks its parent. */
#define KNOWS(x) (!exists[x] || (word[x] & (SEALED | CANCELLED)) \
                  || (!(word[x] & REGISTERED) && (word[PARENT(x)] & CANCELLED)))
#if NB == 1
#define ALLKNOW(x) true
#elif NB == 2
#define ALLKNOW(x) (x > 0 || KNOWS(1))
#else
#define ALLKNOW(x) ((x > 0 || KNOWS(1)) && (x > 1 || KNOWS(2)))
#endif

/* One failure more. Kept once. */
inline RECORD(x, f) {
  assert(lock[x] == _pid && !(failures[x] & (f)));
  failures[x] = failures[x] | (f)
}

#ifdef HOP
#define ONEXECUTOR(x) (x > 0)
#else
#define ONEXECUTOR(x) false
#endif

/* User code. */
inline RUNCANCELHANDLERS(x, which) {
  HOLDSNONE();
  assert(word[x] & CANCELLED);
  assert(!(cancelRan[x] & (which)));
  cancelRan[x] = cancelRan[x] | (which)
}

inline RUNHANDLERS(x, which) {
  HOLDSNONE();
  assert(completions[x] == 1 || ONEXECUTOR(x));
  assert(!(ran[x] & (which)));
  ran[x] = ran[x] | (which)
}

/* The completion, from its beginning to its return. */
inline COMPLETION(x) {
  HOLDSNONE();
  assert(completions[x] == 0);
  completions[x]++;
  assert((word[x] & SEALED) && ((word[x] & ABANDONED) || (word[x] & OUT) == 0));
  returned[x] = 1
}

/* When all processes have ended. */
inline ENDED(x) {
  assert(stage[x] == OVER && completions[x] == 1 && returned[x]);
  assert(ran[x] == added[x]);
  assert(cancelRan[x] == ((word[x] & CANCELLED) -> cancelAdded[x] : 0));
  assert(failures[x] == 0 || (word[x] & CANCELLED));
  /* What late calls did to an abandoned baton's count is undone. */
  assert((word[x] & OUT) == ((word[x] & ABANDONED) -> TRIPWIRE : 0));
  /* Nothing is kept (rule 9). */
  assert(handlers[x] == 0 && cancelHandlers[x] == 0 && children[x] == 0 && !hasParent[x] && lock[x] == 0);
  if
  :: x > 0 && handedBack[x] > 0 ->
    assert(handedBack[x] == 1);
    if
    :: propagates[x] && !(word[PARENT(x)] & ABANDONED) ->
      assert(!(word[x] & CANCELLED) || (word[PARENT(x)] & CANCELLED));
      assert((failures[x] & ~failures[PARENT(x)]) == 0)
    :: else
    fi
  :: else
  fi
}
