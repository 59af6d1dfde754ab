// Tells the thread sanitizer about the slow paths of Swift's `Mutex`. For tests only; preloaded by .ci/run.
//
// Mutex's fast paths (one compare-and-swap) are inlined into the code that uses it, so the sanitizer sees them.
// Its slow paths (spin, then futex) are in libswiftSynchronization.so, which isn't built for the sanitizer, so a
// lock that had to wait looks like no lock at all, and what it protects is reported as a race. This library stands
// in front of the three slow paths and states what they do: a lock acquires what the unlock before it released.
// Nothing is suppressed: a genuine race has no such pair and is reported as before.
//
//   clang -shared -fPIC -O1 -o mutex_shim.so mutex_shim.c
//   LD_PRELOAD=$PWD/mutex_shim.so swift test --skip-build …       (after `swift build --build-tests --sanitize=thread`)
//
// A preload reaches every process that `swift test` starts, most of them without the sanitizer: there the weak
// `__tsan_` symbols are null and the calls only pass through. Nor is this linked with libswiftSynchronization:
// dlsym finds it where it is loaded, and where it isn't nobody calls.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// Swift's calling convention: `self`, here the handle's address, travels in the context register (r13 on x86-64,
// x20 on arm64), which these attributes make a parameter of.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Synchronization._MutexHandle, borrowing: _lockSlow(_ selfId: UInt32), _tryLockSlow() -> Bool, _unlockSlow().
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// The next definition of a symbol that stands in front of; looked up at each call, as slow paths are rare and slow.
static void *next(const char *symbol) {
  void *found = dlsym(RTLD_NEXT, symbol);
  if (!found) {
    fprintf(stderr, "mutex_shim: %s is not where this toolchain's Mutex should have it\n", symbol);
    abort();
  }
  return found;
}

SWIFT void lockSlow(uint32_t selfId, SELF void *handle) __asm__(LOCK_SLOW);
SWIFT void lockSlow(uint32_t selfId, SELF void *handle) {
  ((SWIFT void (*)(uint32_t, SELF void *))next(LOCK_SLOW))(selfId, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool tryLockSlow(SELF void *handle) __asm__(TRY_LOCK_SLOW);
SWIFT bool tryLockSlow(SELF void *handle) {
  bool locked = ((SWIFT bool (*)(SELF void *))next(TRY_LOCK_SLOW))(handle);
  if (locked && __tsan_acquire) __tsan_acquire(handle);
  return locked;
}

SWIFT void unlockSlow(SELF void *handle) __asm__(UNLOCK_SLOW);
SWIFT void unlockSlow(SELF void *handle) {
  if (__tsan_release) __tsan_release(handle);
  ((SWIFT void (*)(SELF void *))next(UNLOCK_SLOW))(handle);
}
