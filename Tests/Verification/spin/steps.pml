  /* The steps, included in the loop of `Runner`. x is the baton that a step is about; b the one that was called. */

  /* Passing. */
  :: atomic { pc == SWAP_PASS -> SWAPSPASS(b) }
  :: atomic { pc == UNDO_PASS -> word[b] = word[b] - 1; PASSES(b, 0) }
  :: atomic { pc == PASSED -> PASSES(b, 1) }

  /* Adding handlers. */
  :: atomic { pc == ADD_HANDLER && FREE(b) -> ADDS(b, f) }
  :: atomic { pc == RUN_LATE -> RUNHANDLERS(b, f); REST() }
  :: atomic { pc == ADD_CANCEL_HANDLER && FREE(b) -> ADDSCANCEL(b, f) }
  :: atomic { pc == RUN_CANCEL_LATE -> RUNCANCELHANDLERS(b, f); REST() }

  /* Cancelling. */
  :: atomic { pc == LOOK_UP -> above = (word[PARENT(x)] & CANCELLED -> 1 : 0); pc = MARK_LATER }
  :: atomic { pc == MARK_LATER -> MARK(x, f) }
  :: atomic { pc == TELL_UP && FREE(up) ->
      c = up;
      up = NONE;
      LOCK(c);
      w = word[c];
      HEARS(c, from, heard[from]);
      below = below & ~(1 << from);
      w = 0;
      UNLOCK(c);
      from = c;
      SPREADON()
    }
  :: atomic { pc == TELL_DOWN ->
      LOWEST(c, below);
      FREE(c);
      below = below & ~(1 << c);
      HEARSFROMABOVE(c);
      SPREADON()
    }
  :: atomic { pc == HAS_TOLD -> LOWEST(c, told); told = told & ~(1 << c); hasTold[c] = 1; SPREADON() }
  :: atomic { pc == RUN ->
#ifdef BUG_RUN_LOCKED
      LOCK(c);
#endif
      assert(ALLKNOW(c));
      RUNCANCELHANDLERS(c, take[c]);
#ifdef BUG_RUN_LOCKED
      UNLOCK(c);
#endif
      take[c] = 0;
      SPREADON()
    }
#ifdef BUG_FLAG_AFTER_HANDLERS
#define NOTLATE (late == 0)
  :: atomic { pc == ret && late != 0 -> LOWEST(c, late); late = late & ~(1 << c); word[c] = word[c] | CANCELLED; c = 0 }
#else
#define NOTLATE true
#endif
#ifdef BUG_FLAG_AFTER_HAND_BACK
  :: atomic { pc == CHOOSE && late != 0 -> LOWEST(c, late); late = late & ~(1 << c); word[c] = word[c] | CANCELLED; c = 0 }
#endif
  :: atomic { pc == CANCELLED_ALL && NOTLATE ->
      assert(ALLKNOW(b));
      announced[b] = (word[b] & CANCELLED -> 1 : announced[b]);
      if
      :: op == CANCEL -> assert(word[b] & CANCELLED); SUBTRACTS(b)
      :: op == ABANDON -> pc = ABANDON_LOCK
      :: op == CANCEL_ALL -> REST()
      fi
    }

#if NB > 1
  /* Registering. */
  :: atomic { pc == GET_PARENT && FREE(x) ->
      pc = (hasParent[x] -> LINK_CHILD : IS_REGISTERED);
#ifdef BUG_REGISTERED_FIRST
      word[x] = word[x] | (hasParent[x] -> REGISTERED : 0)
#endif
    }
  :: atomic { pc == LINK_CHILD && FREE(PARENT(x)) ->
      LOCK(PARENT(x));
      w = word[PARENT(x)] & CANCELLED;
      LINK(PARENT(x), x);
      UNLOCK(PARENT(x));
      pc = REGISTER
    }
#ifdef BUG_CATCH_UP_LATER
  :: atomic { pc == REGISTER -> word[x] = word[x] | REGISTERED; pc = CATCH_UP }
  :: atomic { pc == CATCH_UP && FREE(x) ->
      if
      :: w -> w = 0; HEARSFROMABOVE(x)
      :: else
      fi;
      ret = IS_REGISTERED;
      pc = SEE_SEAL
    }
#else
  :: atomic { pc == REGISTER && FREE(x) -> KNOWN(x) }
#endif
#ifndef BUG_REGISTER_KEEPS
  :: atomic { pc == SEE_SEAL && (word[x] & SEALED) -> pc = UNLINK_CHILD }
  :: atomic { pc == SEE_SEAL && !(word[x] & SEALED) -> SPREADON() }
#else
  :: atomic { pc == SEE_SEAL -> SPREADON() }
#endif
  :: atomic { pc == UNLINK_CHILD && FREE(PARENT(x)) ->
      LOCK(PARENT(x));
      UNLINK(PARENT(x), x);
      UNLOCK(PARENT(x));
      SPREADON()
    }
  :: atomic { pc == MAKE ->
      x = b + 1;
      exists[x] = 1;
      hasParent[x] = counting;
      word[x] = 1 | (counting -> 0 : CANCELLED | REGISTERED);
      hold[x]++;
      if
      :: propagates[x] = 1
      :: propagates[x] = 0
      fi;
      /* With a name or without. */
      if
      :: counting -> counting = 0; pc = GET_PARENT
      :: counting = 0; REST()
      fi
    }
#endif
  :: atomic { pc == IS_REGISTERED ->
      if
      :: op == ON_CANCEL -> pc = ADD_CANCEL_HANDLER
#ifdef BUG_CHECK_CANCEL_THEN_PUSH
        ; w = word[b]
#endif
      :: op == MAKE_CHILD && x == b -> pc = MAKE
      :: op == LOOK ->
        /* Whoever looks after a cancellation of the parent was told to all sees it. */
        assert(!must || (word[b] & (SEALED | CANCELLED)));
        must = 0;
        REST()
      :: else -> REST()
      fi
    }

  /* Settling and sealing. */
  :: atomic { pc == ABSORB -> word[x] = word[x] + 1; REST() }
  :: atomic { pc == SEAL && FREE(x) -> SEALS(x) }
#if NB > 1
  :: atomic { pc == SEAL_LOOK_UP -> above = (word[PARENT(x)] & CANCELLED -> 1 : 0); pc = SEAL_SWAP }
#endif
  :: atomic { pc == SEAL_SWAP -> SEALSWAPS(x) }
  :: atomic { pc == ABANDON_LOCK && FREE(x) -> LOCK(x); w = word[x]; pc = ABANDON_SWAP }
  :: atomic { pc == ABANDON_SWAP -> ABANDONS(x) }
#ifdef BUG_REREAD
  :: atomic { pc == SEAL_BLINDLY && FREE(x) ->
      if
      :: (word[x] & OUT) == 0 -> LOCK(x); SETFLAGS(x, SEALED); TAKEALL(x)
      :: else -> REST()
      fi
    }
#endif

  /* Completing. */
  :: atomic { pc == COMPLETE ->
#ifdef HOP
      if
      :: x > 0 && owes -> executor!x
      :: else -> COMPLETION(x)
      fi;
#else
      COMPLETION(x);
#endif
      pc = DELIVER
    }
  :: atomic { pc == DELIVER && FREE(x) -> DELIVERS(x) }
  :: atomic { pc == RUN_HANDLERS ->
      RUNHANDLERS(x, mine);
      mine = 0;
#ifdef BUG_PLAIN_DRAIN
      pc = END_DRAIN
#else
      pc = DELIVER
#endif
    }
#ifdef BUG_PLAIN_DRAIN
  :: atomic { pc == END_DRAIN -> stage[x] = OVER; HANDEDOUT(x) }
#endif

#if NB > 1
  /* Climbing. */
#ifdef HOP
  :: atomic { pc == LAND ->
      arrivals[x]++;
#ifdef BUG_FIRST_LANDS
      if
      :: arrivals[x] == 1 -> pc = CLIMB
#else
      if
      :: arrivals[x] == 2 -> pc = CLIMB
#endif
      :: else -> owes = 0; REST()
      fi
    }
#endif
  :: atomic { pc == CLIMB ->
      owes = 0;
      ret = HAND_BACK;
      if
      :: (propagates[x] && (word[x] & CANCELLED)) || (word[x] & REGISTERED) -> pc = WELCOME_CHILD
      :: else -> pc = HAND_BACK
      fi
    }
  :: atomic { pc == WELCOME_CHILD && FREE(PARENT(x)) -> WELCOME(PARENT(x), x) }
  :: atomic { pc == HAND_BACK ->
      handedBack[x]++;
      assert(handedBack[x] == 1 && returned[x]);
      x = PARENT(x);
      SUBTRACTS(x)
    }
#endif
