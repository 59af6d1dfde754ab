// How many bytes of the heap are in use, its own bookkeeping included.
#include "CMemory.h"

#if defined(__GLIBC__) || defined(__linux__)
#include <malloc.h>
#endif

size_t bytes_in_use(void) {
#if defined(__GLIBC__)
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}
