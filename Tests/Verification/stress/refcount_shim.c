// Tells the thread sanitizer what Swift's reference counting promises. For the stress only; preloaded by `run`.
//
// An array that was shared may be changed in place by who finds that nobody else holds it any more: whoever let it go
// released, and the question whether it is unique acquires. Both are in libswiftCore.so, which isn't built for the
// sanitizer, so optimised code, in which arrays are inlined, is reported for a race that isn't one. So is a `deinit`, which
// may look at what everybody did who let go of the object before: the last release acquires. This library stands in front
// of the two calls and states just that. Nothing is suppressed: only who finds an object unique, or is in its deinit,
// acquires, and only from those who let go of that very object.
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

// What this thread is just now letting go of. Whatever is let go of meanwhile is let go of by its deinit, so that release
// was the last one. From outside that can't be told any earlier; a deinit that is of interest here lets go of something
// before it does anything else that matters.
static __thread __attribute__((tls_model("initial-exec"))) void *under_way;

KEEPS_REGISTERS void swift_release(void *object);
KEEPS_REGISTERS void swift_release(void *object) {
  static void (*next)(void *);
  if (!next) next = (void (*)(void *))find("swift_release");
  void *outer = under_way;
  if (outer && __tsan_acquire) __tsan_acquire(outer);
  if (object && __tsan_release) __tsan_release(object);
  under_way = object;
  next(object);
  under_way = outer;
}

bool swift_isUniquelyReferenced_nonNull_native(const void *object);
bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
  static bool (*next)(const void *);
  if (!next) next = (bool (*)(const void *))find("swift_isUniquelyReferenced_nonNull_native");
  bool unique = next(object);
  if (unique && __tsan_acquire) __tsan_acquire((void *)object);
  return unique;
}
