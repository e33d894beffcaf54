#include "daemon/support/heap.h"

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace glimpse {

// Blocks that are read at once are kept by their pools (BufferPool). Few heaps, as no thread allocates where
// speed matters, and each keeps pieces.
void tune_heap() {
#if defined(__GLIBC__)
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);  // bytes
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

void give_pieces_back() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace glimpse
