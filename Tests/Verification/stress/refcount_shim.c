// Tells the thread sanitizer what Swift's reference counting promises. For the stress only; preloaded by `run`.
//
// An array that was shared may be changed in place by who finds that nobody else holds it any more: whoever let it go
// released, and the question whether it is unique acquires. Both are in libswiftCore.so, which isn't built for the
// sanitizer, so optimised code, in which arrays are inlined, is reported for a race that isn't one. This library stands in
// front of the two calls and states just that. Nothing is suppressed: only who finds an object unique acquires, and only
// from those who let go of that very object.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static void *find(const char *symbol) {
  void *found = dlsym(RTLD_NEXT, symbol);
  if (!found) {
    fprintf(stderr, "refcount_shim: %s is not in this toolchain's runtime\n", symbol);
    abort();
  }
  return found;
}

// Whichever convention the caller uses, it finds its registers as they were.
#define KEEPS_REGISTERS __attribute__((preserve_most))

KEEPS_REGISTERS void swift_release(void *object);
KEEPS_REGISTERS void swift_release(void *object) {
  static void (*next)(void *);
  if (!next) next = (void (*)(void *))find("swift_release");
  if (object && __tsan_release) __tsan_release(object);
  next(object);
}

bool swift_isUniquelyReferenced_nonNull_native(const void *object);
bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
  static bool (*next)(const void *);
  if (!next) next = (bool (*)(const void *))find("swift_isUniquelyReferenced_nonNull_native");
  bool unique = next(object);
  if (unique && __tsan_acquire) __tsan_acquire((void *)object);
  return unique;
}
