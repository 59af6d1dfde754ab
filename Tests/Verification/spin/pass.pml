/* Pass.onCancel against the settling of the same pass and the cancelling of its baton (Pass.swift,
 * PassCancelHandlers.swift). One pass of a baton that stays open, so that nothing is let go by its completion. Two
 * processes add a handler each, of which the first settles the pass when it runs, one settles, one cancels the baton or doesn't; with
 * -DPROCS=3 there is only one that adds. The bits of the flags are those of the source. */

#ifndef PROCS
#define PROCS 4
#endif
#define CLAIMED 1
#define LISTENS 8
#define SETTLED 16

byte flags;
bit stored;                      /* the lazy reference */
/* PassCancelHandlers, under its lock: one step each. */
byte handlers, places;
bit isClosed;
/* Core, under its lock: one step each. A key waits in the line; it is the bit of the handler that came with it. */
bit cancelled;
byte line;
/* Ghosts. */
bit isSettled;                   /* the call that settles has returned */
byte came, late, ran;            /* handlers: taken in, added after that, run */

inline CLOSE(keys) {
  atomic { keys = places; handlers = 0; places = 0; isClosed = 1 }
  line = line & ~keys;
  keys = 0
}

inline SETTLE(keys, old) {
  /* At once, or in two steps with a callback's handler between them. Who comes too late changes nothing. */
  if
  :: atomic { old = flags & CLAIMED; keys = flags & LISTENS; flags = (old == 0 -> flags | CLAIMED | SETTLED : flags) }
  :: atomic { old = flags & CLAIMED; flags = flags | CLAIMED };
    if
    :: old == 0 -> atomic { keys = flags & LISTENS; flags = flags | SETTLED }
    :: else
    fi
  fi;
  if
  :: old == 0 ->
    old = keys;
    keys = 0;
    if
#ifdef BUG_LISTENS_UNSEEN
    :: true ->
#else
    :: old != 0 ->
#endif
      if
      :: stored -> CLOSE(keys)
      :: else
      fi
#ifndef BUG_LISTENS_UNSEEN
    :: else
#endif
    fi;
    isSettled = 1
  :: else
  fi;
  keys = 0;
  old = 0
}

/* One after another, looking each time: the first of them settles the pass. */
inline RUNALL(f, keys, old) {
  do
  :: atomic { handlers != 0 -> f = handlers & -handlers; handlers = handlers & ~f; assert(!isClosed) }
    atomic { assert(!(ran & f) && !(late & f)); ran = ran | f }
    if
    :: f == 1 -> SETTLE(keys, old)
    :: else
    fi
  :: handlers == 0 -> break
  od;
  f = 0
}

proctype Adder(byte id) {
  byte f, keys, old;
  late = late | (isSettled -> id : 0);
#ifdef BUG_LISTENS_UNSEEN
  old = flags & CLAIMED;
  stored = 1;
#else
  stored = 1;
  atomic { old = flags & SETTLED; flags = flags | LISTENS }
#endif
  if
  :: old != 0 ->
    old = 0;
    if
    :: stored -> CLOSE(keys)
    :: else
    fi
  :: else ->
    atomic {
      if
#ifdef BUG_ADDS_TO_CLOSED
      :: true -> handlers = handlers | id; came = came | id
#else
      :: !isClosed -> handlers = handlers | id; came = came | id
      :: else -> goto done
#endif
      fi
    }
    atomic {
      old = cancelled;
      line = line | (old -> 0 : id)
    }
    if
    :: old -> old = 0; RUNALL(f, keys, old)
    :: else ->
      atomic { old = isClosed; places = places | (old -> 0 : id) }
#ifndef BUG_WAITS_IN_CLOSED
      if
      :: old -> line = line & ~id
      :: else
      fi
#endif
    fi
  fi;
done:
  skip
}

proctype Settler() {
  byte keys, old;
  SETTLE(keys, old)
}

proctype Canceller() {
  byte f, keys, old, taken;
  atomic { cancelled = 1; taken = line; line = 0 }
  if
  :: taken != 0 -> RUNALL(f, keys, old)
  :: else
  fi
}

init {
  atomic {
    run Adder(1);
    if
    :: PROCS > 3 -> run Adder(2)
    :: else
    fi;
    run Settler();
    if
    :: run Canceller()
    :: true
    fi
  }
  (_nr_pr == 1);
  assert(isSettled && (ran & late) == 0 && (ran & ~came) == 0);
  /* A settled pass holds no captures, and neither does its baton's line (rule 9). */
  assert(handlers == 0 && places == 0 && line == 0)
}
