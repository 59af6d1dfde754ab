// Stacks of their own for threads of control that one operating system thread runs in turn.
#pragma once

#include <stddef.h>

/// Where a fiber that doesn't run goes on: its stack pointer. What else it needs is on its stack.
typedef struct {
  void *_Nullable stack_pointer;
} fiber_t;

/// Makes a stack with a guard page below it, never freed. Returns its upper end; null when there is no memory.
void *_Nullable fiber_make_stack(size_t size);

/// Makes the fiber begin at `entry`, which must never return, on an empty stack with this upper end.
void fiber_prepare(fiber_t *_Nonnull fiber, void *_Nonnull stack_end, void (*_Nonnull entry)(void));

/// Goes on with `to`; returns when somebody switches back to `from`.
void fiber_switch(fiber_t *_Nonnull from, const fiber_t *_Nonnull to);
