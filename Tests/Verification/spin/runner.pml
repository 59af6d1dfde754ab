/* The processes: each makes any OPS of the calls that the scenario allows, on any baton, and then hands back what it
 * holds. The search goes through all choices and all interleavings. A step that needs a lock waits for it. */

#include "state.pml"

/* What a process may call. */
mtype = { TRY_PASS, PASS, CANCEL_ALL, ABANDON, HEAR, ON_CANCEL, LOOK, MAKE_CHILD, FINISH, CANCEL, WORK };

/* Where it is in that: the step that comes next. */
mtype:at = {
  CHOOSE, SWAP_PASS, UNDO_PASS, PASSED, ADD_HANDLER, ADD_CANCEL_HANDLER, RUN_LATE, RUN_CANCEL_LATE,
  LOOK_UP, MARK_LATER, TELL_UP, TELL_DOWN, HAS_TOLD, RUN, CANCELLED_ALL,
  GET_PARENT, LINK_CHILD, REGISTER, CATCH_UP, SEE_SEAL, UNLINK_CHILD, IS_REGISTERED, MAKE,
  ABSORB, SEAL, SEAL_LOOK_UP, SEAL_SWAP, SEAL_BLINDLY, ABANDON_LOCK, ABANDON_SWAP,
  COMPLETE, DELIVER, RUN_HANDLERS, END_DRAIN, LAND, CLIMB, WELCOME_CHILD, HAND_BACK
};

/* One of the names that are left, or 0. */
inline FRESH(name) { name = ids & -ids; ids = ids & ~name }

/* A call is over. */
inline REST() { pc = CHOOSE; op = 0; b = 0; f = 0; x = 0 }

#include "cancelling.pml"
#include "completing.pml"

proctype Runner(byte ids; byte own; byte ops) {
  byte hold[NB], take[NB];
  byte b, f, w, c, x, from, below, told, late, mine;
  byte up = NONE;
  mtype op;
  mtype:at pc = CHOOSE, ret;
  bit above, must, owes, counting;
#ifdef HOP
  bit works = (own == WORKER -> 1 : 0);
#define MAYSETTLE !works || ops == 0
#else
#define MAYSETTLE true
#endif
  if
  :: own < NB -> hold[own] = 1
  :: else
  fi;
  own = 0;
  do
  :: atomic { pc == CHOOSE ->
      /* What to do next, all that is well-formed, and its first step. */
      if
      :: ops > 0 ->
        if
        :: b = 0
#if NB > 1
        :: exists[1] -> b = 1
#endif
#if NB > 2
        :: exists[2] -> b = 2
#endif
        fi;
        if
        CALLS
        fi;
        ops--
      :: MAYSETTLE ->
        do
        :: b < NB && hold[b] == 0 -> b++
        :: else -> break
        od;
        if
        :: b == NB -> b = 0; break
        :: b < NB -> hold[b]--;
          if
          :: op = FINISH
          :: op = CANCEL
          fi
        fi
      fi;
      x = b;
      if
      :: op == TRY_PASS -> w = word[b]; pc = SWAP_PASS
      :: op == PASS || op == MAKE_CHILD -> ADD(b)
      :: op == HEAR -> FRESH(f);
        pc = ADD_HANDLER
#ifdef BUG_CHECK_THEN_PUSH
        ; w = stage[b]
#endif

      :: op == LOOK || op == ON_CANCEL ->
        if
        :: op == ON_CANCEL -> FRESH(f)
#if NB > 1
        :: op == LOOK -> must = (hasParent[b] && announced[PARENT(b)] -> 1 : 0)
#endif
        :: else
        fi;
        pc = (word[b] & REGISTERED -> IS_REGISTERED : GET_PARENT)
      :: op == CANCEL || op == CANCEL_ALL || op == ABANDON -> FRESH(f); FREE(b); CANCELS(b, f)
      :: op == FINISH -> SUBTRACTS(b)
#ifdef HOP
      :: op == WORK -> executor?b; x = b; COMPLETION(x); owes = 1; pc = LAND
#endif
      fi
    }
#include "steps.pml"
  od
}

/* MARK: The scenario: who is there at the beginning. */

#ifdef KEPT
#define LASTS(x) (x == 0)
#else
#define LASTS(x) false
#endif

inline BORN(x, passes, known) {
  exists[x] = 1;
  word[x] = (passes) + (known -> REGISTERED : 0);
  hasParent[x] = (x > 0 -> 1 : 0);
#if NB > 1
  if
  :: x > 0 && known -> linked[x] = 1; children[PARENT(x)] = children[PARENT(x)] | (1 << x)
  :: else
  fi
#endif
}

init {
  byte i;
  atomic { BEGIN }
  (_nr_pr == 1);
  d_step {
    for (i : 0 .. NB - 1) {
      if
      :: exists[i] && ((word[i] & SEALED) || !LASTS(i)) -> ENDED(i)
      :: exists[i] && !(word[i] & SEALED) && LASTS(i) -> assert(children[i] == 0)
      :: else
      fi
    }
  }
}
