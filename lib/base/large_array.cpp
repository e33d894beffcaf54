#include "base/large_array.h"

#include <new>
#include <sys/mman.h>

namespace glimpse::detail {

void* allocate_large(std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes >= kHugePage) madvise(data, bytes, MADV_HUGEPAGE);  // a wish: it works without
  return data;
}

void free_large(void* data, std::size_t bytes) noexcept { munmap(data, bytes); }

}  // namespace glimpse::detail
