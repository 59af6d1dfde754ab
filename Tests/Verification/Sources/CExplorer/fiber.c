// A switch saves what a C function must preserve, and nothing else: a few nanoseconds, no system call.

#include "fiber.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__APPLE__)
#define SYMBOL(name) "_" name
#else
#define SYMBOL(name) name
#endif

void *fiber_make_stack(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size = (size + page - 1) / page * page;
  char *low = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (low == MAP_FAILED) return NULL;
  mprotect(low, page, PROT_NONE);
  return low + page + size;
}

#if defined(__x86_64__)

__asm__(
    ".text\n"
    ".globl " SYMBOL("fiber_switch") "\n"
    SYMBOL("fiber_switch") ":\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq (%rsi), %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  retq\n");

void fiber_prepare(fiber_t *fiber, void *stack_end, void (*entry)(void)) {
  uintptr_t *top = (uintptr_t *)((uintptr_t)stack_end & ~(uintptr_t)15);
  *--top = 0;  // the return address of `entry`, so that the stack is aligned as after a call
  *--top = (uintptr_t)entry;
  for (int saved = 0; saved < 6; saved++) *--top = 0;
  fiber->stack_pointer = top;
}

#elif defined(__aarch64__)

__asm__(
    ".text\n"
    ".p2align 2\n"
    ".globl " SYMBOL("fiber_switch") "\n"
    SYMBOL("fiber_switch") ":\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp, #0]\n"
    "  stp x21, x22, [sp, #16]\n"
    "  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n"
    "  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n"
    "  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n"
    "  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  ldr x9, [x1]\n"
    "  mov sp, x9\n"
    "  ldp x19, x20, [sp, #0]\n"
    "  ldp x21, x22, [sp, #16]\n"
    "  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n"
    "  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n"
    "  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n"
    "  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n");

void fiber_prepare(fiber_t *fiber, void *stack_end, void (*entry)(void)) {
  uintptr_t *top = (uintptr_t *)((uintptr_t)stack_end & ~(uintptr_t)15) - 20;
  for (int saved = 0; saved < 20; saved++) top[saved] = 0;
  top[11] = (uintptr_t)entry;  // x30, to which the switch returns
  fiber->stack_pointer = top;
}

#else
#error "The explorer's fibers are written for x86-64 and AArch64."
#endif
