/* The scenarios: `spin -a -DCOUNT baton.pml`. Each says how many batons there are, what a process may call, and who holds
 * what at the beginning: `Runner(names, baton, calls)` holds a pass of a baton, or none, and makes so many calls. */

#ifndef OPS
#define OPS 1
#endif
/* A fourth process holds a pass as well, and hands it back either way; it makes no call before that. */
#if PROCS > 3
#define FOURTH(b) ; run Runner(192, b, 0)
#define MORE 1
#else
#define FOURTH(b)
#define MORE 0
#endif

#if defined(COUNT)
/* One baton, two runners and somebody who holds nothing: all that can be called on it. */
#define NB 1
#define CALLS :: op = TRY_PASS :: hold[b] > 0 -> op = PASS :: op = CANCEL_ALL :: op = ABANDON :: op = HEAR :: op = ON_CANCEL
#define BEGIN BORN(0, 2 + MORE, 1); run Runner(3, 0, OPS); run Runner(12, 0, OPS); run Runner(48, NONE, OPS) FOURTH(0)

#elif defined(NEST)
/* A root with a runner of its own, and a child with one: all ways to cancel, to end, and to look. */
#define NB 2
#define CALLS :: op = CANCEL_ALL :: op = ABANDON :: op = ON_CANCEL :: op = LOOK
#define BEGIN \
  BORN(0, 2, 1); KNOWNORNOT(1, 1 + MORE); \
  run Runner(3, 0, OPS - 1); run Runner(12, 1, OPS); run Runner(48, NONE, OPS) FOURTH(1)

#elif defined(TREE)
/* Three generations: cancellation that meets cancellation on its way up or down. */
#define NB 3
#define CALLS :: op = CANCEL_ALL :: op = ON_CANCEL :: b > 0 -> op = LOOK
#define BEGIN \
  BORN(0, 1, 1); BORN(1, 1, 1); EITHERPOLICY(1); KNOWNORNOT(2, 1 + MORE); \
  run Runner(3, 2, OPS - 1); run Runner(12, NONE, OPS); run Runner(48, NONE, OPS) FOURTH(2)

#elif defined(GROW)
/* A child that is given a child of its own, while somebody cancels or abandons one of them, and a root that ends. */
#define NB 3
#define CALLS :: hold[1] > 0 && !exists[2] -> b = 1; op = MAKE_CHILD :: hold[1] > 0 && exists[2] -> op = LOOK \
  :: hold[1] == 0 -> op = CANCEL_ALL :: hold[1] == 0 -> op = ABANDON
#define BEGIN \
  BORN(0, 2 + MORE, 1); KNOWNORNOT(1, 1); \
  run Runner(3, 1, OPS); run Runner(12, NONE, OPS); run Runner(48, 0, OPS - 1) FOURTH(0)

#elif defined(KEPT)
/* A root with a pass that never comes back: it lasts longer than its child, and must not keep it. */
#define NB 2
#define CALLS :: op = CANCEL_ALL :: op = LOOK
#define BEGIN \
  BORN(0, 2, 1); KNOWNORNOT(1, 1 + MORE); \
  run Runner(3, 1, OPS); run Runner(12, NONE, OPS); run Runner(48, NONE, OPS) FOURTH(1)

#elif defined(HOP)
/* A child whose completion runs on an executor, which is the third process. */
#define NB 2
#define CALLS :: works -> op = WORK :: !works -> op = CANCEL_ALL :: !works -> op = ABANDON :: !works -> op = HEAR
#define BEGIN \
  BORN(0, 1, 1); KNOWNORNOT(1, 1 + MORE); \
  run Runner(3, 1, OPS); run Runner(12, NONE, OPS); run Runner(0, WORKER, 1) FOURTH(1)
#endif

#define EITHERPOLICY(x) if :: propagates[x] = 0 :: propagates[x] = 1 fi
#define KNOWNORNOT(x, passes) if :: BORN(x, passes, 0) :: BORN(x, passes, 1) fi; EITHERPOLICY(x)

#include "runner.pml"
