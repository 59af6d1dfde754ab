/* Cancelling.swift and Children.swift, under the names that the routines have there. The locals are `Runner`'s. */

/* MARK: Noting what is to be told */

/* Lifecycle.cancel: in `take` the handlers, in `below` the children, in `told` who will have told, in `up` the parent. */
inline TAKE(x, f) {
  heard[x] = heard[x] | (f);
  take[x] = cancelHandlers[x];
  cancelHandlers[x] = 0;
  below = below | children[x];
  told = told | (1 << x);
  up = ((propagates[x] && hasParent[x]) -> PARENT(x) : NONE)
}

inline STILLTELLING(x) {
#ifndef BUG_NO_HAS_TOLD
  if
  :: !hasTold[x] && children[x] != 0 -> below = below | children[x]; told = told | (1 << x)
  :: else
  fi
#else
  skip
#endif
}

inline FLAG(x) {
#if defined(BUG_FLAG_AFTER_HANDLERS) || defined(BUG_FLAG_AFTER_HAND_BACK)
  late = late | (1 << x)
#else
  SETFLAGS(x, CANCELLED)
#endif
}

/* MARK: Core.cancel */

/* From the look at the parent on; w is what was seen of the word. */
inline MARK(x, f) {
  if
  :: w & SEALED
  :: else ->
    RECORD(x, f);
    if
    :: w & CANCELLED -> STILLTELLING(x)
    :: else ->
      FLAG(x);
      if
      :: above -> assert(cancelHandlers[x] == 0 && children[x] == 0)
      :: else -> TAKE(x, f)
      fi
    fi
  fi;
  above = 0;
  w = 0;
  UNLOCK(x);
  from = x;
  SPREADON()
}

/* The first step. A baton that its parent doesn't know looks upward, in a step of its own. */
inline CANCELS(x, f) {
  LOCK(x);
  w = word[x];
  ret = CANCELLED_ALL;
  if
  :: (w & (SEALED | REGISTERED)) || !hasParent[x] -> MARK(x, f)
  :: else -> pc = LOOK_UP
  fi
}

/* MARK: spread, of what TAKE and STILLTELLING noted */

inline SPREADON() {
  if
  :: up != NONE -> pc = TELL_UP
  :: up == NONE && below != 0 -> pc = TELL_DOWN
  :: up == NONE && below == 0 && told != 0 -> pc = HAS_TOLD
  :: up == NONE && below == 0 && told == 0 -> from = 0; TAKEN(c); pc = (c == NONE -> ret : RUN)
  fi;
  c = (pc == RUN -> c : 0)
}

inline LOWEST(x, set) {
  x = 0;
  do
  :: (set) & (1 << x) -> break
  :: else -> x++
  od
}

/* Whose handlers are to be run next. */
inline TAKEN(x) {
  x = 0;
  do
  :: x == NB -> x = NONE; break
  :: x < NB && take[x] != 0 -> break
  :: x < NB && take[x] == 0 -> x++
  od
}

/* hear, when p's word was w: a baton that has a child is registered. */
inline HEARS(p, x, f) {
#ifdef BUG_NO_HAS_SPOKEN
  if
  :: w & SEALED
#else
  if
  :: (w & SEALED) || hasSpoken[x]
#endif
  :: else ->
    assert(w & REGISTERED);
    hasSpoken[x] = 1;
    RECORD(p, f);
    if
    :: w & CANCELLED
    :: else -> FLAG(p); TAKE(p, f)
    fi
  fi
}

/* cancelFromAbove */
inline HEARSFROMABOVE(x) {
  LOCK(x);
  if
  :: word[x] & SEALED
  :: !(word[x] & SEALED) && (word[x] & CANCELLED) -> STILLTELLING(x)
  :: else -> FLAG(x); TAKE(x, 0)
  fi;
  up = NONE;
  UNLOCK(x)
}

/* MARK: Children.swift */

inline LINK(p, x) {
  if
  :: !linked[x] && !(word[p] & SEALED) -> linked[x] = 1; children[p] = children[p] | (1 << x)
  :: else
  fi
}

/* Abandonment empties the list, and leaves the slots as they are. */
inline UNLINK(p, x) {
#ifndef BUG_NO_UNLINK
  if
  :: linked[x] && (children[p] & (1 << x)) -> linked[x] = 0; children[p] = children[p] & ~(1 << x)
  :: else -> assert(!linked[x] || (word[p] & SEALED))
  fi
#else
  skip
#endif
}

/* Marks a child as known; what follows from it is told when it has looked for a seal. w is what the parent's flag was when the child was linked. */
inline KNOWN(x) {
  LOCK(x);
  if
  :: w && !(word[x] & (SEALED | CANCELLED)) -> SETFLAGS(x, REGISTERED | CANCELLED); TAKE(x, 0)
  :: else -> SETFLAGS(x, REGISTERED)
  fi;
  up = NONE;
  w = 0;
  UNLOCK(x);
  ret = IS_REGISTERED;
  pc = SEE_SEAL
}

/* MARK: Completing.swift, the way up */

inline WELCOME(p, x) {
  LOCK(p);
  w = word[p];
  if
  :: propagates[x] && (word[x] & CANCELLED) ->
#ifndef BUG_NO_WELCOME
    HEARS(p, x, heard[x]);
#endif
#ifndef BUG_REST_IS_LOST
    if
    :: !(w & SEALED) -> RECORD(p, failures[x] & ~heard[x])
    :: else
    fi;
#endif
  :: else
  fi;
  UNLINK(p, x);
  w = 0;
  UNLOCK(p);
  from = p;
  SPREADON()
}
