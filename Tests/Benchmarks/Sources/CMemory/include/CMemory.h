// How many bytes of the heap are in use, its own bookkeeping included.
#ifndef CMEMORY_H
#define CMEMORY_H
#include <stddef.h>

/// The bytes that malloc has given out, with what it adds to each block; 0 where the C library doesn't tell.
size_t bytes_in_use(void);

#endif
