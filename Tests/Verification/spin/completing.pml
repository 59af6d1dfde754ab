/* Baton.swift, Counting.swift, Hearing.swift and Completing.swift: passing, settling, sealing, handing out. */

/* MARK: Passing and settling */

inline ADD(x) {
  w = word[x];
  assert(!(w & SEALED) || (w & ABANDONED));                        /* else it would trap */
  word[x] = w + 1;
  pc = (w & ABANDONED -> UNDO_PASS : PASSED);
  w = 0
}

/* pass has added what counts; makeChild goes on to register. */
inline PASSES(x, counts) {
  if
  :: op == PASS -> hold[x] = hold[x] + counts; REST()
  :: else -> counting = counts; pc = (word[x] & REGISTERED -> MAKE : GET_PARENT)
  fi
}

/* tryPass's compare-and-swap, again with what it found if that was something else. */
inline SWAPSPASS(x) {
#ifdef BUG_BLIND_TRY_PASS
  word[x] = word[x] + 1;
  hold[x]++;
  w = 0;
  REST()
#else
  if
  :: w & SEALED -> w = 0; REST()
  :: !(w & SEALED) && word[x] == w -> word[x] = w + 1; hold[x]++; w = 0; REST()
  :: !(w & SEALED) && word[x] != w -> w = word[x]
  fi
#endif
}

/* finish, and what it makes of what it found. */
inline SUBTRACTS(x) {
  w = word[x];
  assert((w & OUT) > 0 && (!(w & SEALED) || (w & ABANDONED)));     /* else it would trap */
  word[x] = w - 1;
  if
#ifdef BUG_REREAD
  :: !(w & ABANDONED) -> pc = SEAL_BLINDLY
#else
  :: !(w & ABANDONED) && (w & OUT) == 1 -> pc = SEAL
#endif
#ifndef BUG_ABSORBS_NOTHING
  :: w & ABANDONED -> pc = ABSORB
#endif
  :: else -> REST()
  fi;
  w = 0
}

/* MARK: Sealing */

/* Lifecycle.seal */
inline TAKEALL(x) {
  stage[x] = DELIVERING;
  owes = hasParent[x];
  hasParent[x] = 0;
  assert(!(word[x] & CANCELLED) || cancelHandlers[x] == 0);
  cancelHandlers[x] = 0;
  children[x] = 0;
  must = 0;
  above = 0;
  w = 0;
  UNLOCK(x);
#ifdef BUG_HANDS_BACK_EARLY
  pc = (owes -> CLIMB : COMPLETE)
#else
  pc = COMPLETE
#endif
}

/* sealAtZero's loop, when w is what was seen last. */
inline SEALSON(x) {
  if
  :: (w & OUT) == 0 && !(w & SEALED) ->
#ifdef BUG_LOOKS_NOT_UP
    pc = SEAL_SWAP
#else
    pc = (!(w & REGISTERED) && hasParent[x] -> SEAL_LOOK_UP : SEAL_SWAP)
#endif
  :: else -> w = 0; above = 0; must = 0; UNLOCK(x); REST()
  fi
}

inline SEALS(x) {
  LOCK(x);
  w = word[x];
#if NB > 1
  /* Its parent's cancellation had been told to all before this looked. */
  must = (hasParent[x] && announced[PARENT(x)] -> 1 : 0);
#endif
  SEALSON(x)
}

inline SEALSWAPS(x) {
  if
#ifdef BUG_TWO_STEP_SEAL
  :: true -> w = word[x];
#else
  :: word[x] == w ->
#endif
    SETFLAGS(x, SEALED | (above -> CANCELLED : 0));
    assert(!must || (word[x] & CANCELLED));
    TAKEALL(x)
#ifndef BUG_TWO_STEP_SEAL
  :: else -> w = word[x]; SEALSON(x)
#endif
  fi
}

inline ABANDONS(x) {
  if
#ifndef BUG_ABANDONS_TWICE
  :: w & SEALED -> w = 0; UNLOCK(x); REST()
  :: !(w & SEALED) && word[x] == w ->
#else
  :: word[x] == w ->
#endif
#ifdef BUG_NO_TRIPWIRE
    word[x] = w & ~OUT;
#else
    word[x] = (w & ~OUT) | TRIPWIRE;
#endif
    SETFLAGS(x, SEALED | CANCELLED | ABANDONED);
    TAKEALL(x)
  :: else -> w = word[x]
  fi
}

/* MARK: Handing out */

inline DELIVERS(x) {
  LOCK(x);
  assert(stage[x] == DELIVERING);
  mine = handlers[x];
  handlers[x] = 0;
#ifdef BUG_PLAIN_DRAIN
  UNLOCK(x);
  pc = (mine == 0 -> END_DRAIN : RUN_HANDLERS)
#else
  stage[x] = (mine == 0 -> OVER : DELIVERING);
  UNLOCK(x);
  if
  :: mine == 0 -> HANDEDOUT(x)
  :: else -> pc = RUN_HANDLERS
  fi
#endif
}

inline HANDEDOUT(x) {
  if
#ifdef HOP
  :: x > 0 && owes -> pc = LAND
  :: !(x > 0 && owes) -> REST()
#elif defined(BUG_HANDS_BACK_EARLY)
  :: true -> REST()
#else
  :: owes -> pc = CLIMB
  :: !owes -> REST()
#endif
  fi
}

/* onCompletion */
inline ADDS(x, which) {
  LOCK(x);
#ifndef BUG_CHECK_THEN_PUSH
  w = stage[x];
#endif
  added[x] = added[x] | which;
  if
  :: w == OVER -> w = 0; UNLOCK(x); pc = RUN_LATE
  :: else -> handlers[x] = handlers[x] | which; w = 0; UNLOCK(x); REST()
  fi
}

/* Core.add */
inline ADDSCANCEL(x, which) {
  LOCK(x);
#ifndef BUG_CHECK_CANCEL_THEN_PUSH
  w = word[x];
#endif
  if
  :: w & CANCELLED -> cancelAdded[x] = cancelAdded[x] | which; w = 0; UNLOCK(x); pc = RUN_CANCEL_LATE
  :: !(w & CANCELLED) && (w & SEALED) -> w = 0; UNLOCK(x); REST()
  :: else ->
    cancelAdded[x] = cancelAdded[x] | which;
    cancelHandlers[x] = cancelHandlers[x] | which;
    w = 0;
    UNLOCK(x);
    REST()
  fi
}
