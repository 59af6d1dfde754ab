// The one hot loop of the memory model, in the language whose compiler makes vectors of it.
#pragma once

#include <stdint.h>

/// Raises each of the 64 places of `view` to that of `other`.
static inline void view_join(uint8_t *_Nonnull view, const uint8_t *_Nonnull other) {
  for (int place = 0; place < 64; place++) view[place] = view[place] < other[place] ? other[place] : view[place];
}
