#include "base/large_array.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace glimpse::detail {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

void* map(std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return data;
}

}  // namespace

// What is as large as a huge page begins at a multiple of one: else three of four arrays of some megabytes
// would hold none, and their pages come one by one.
void* allocate_large(std::size_t bytes) {
  if (bytes < kHugePage) return map(bytes);
  const std::size_t all = bytes + kHugePage;
  if (all < bytes) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(map(all));
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % kHugePage;
  std::byte* const data = begin + before;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t kept = (bytes + page - 1) / page * page;
  if (before > 0) munmap(begin, before);
  if (before + kept < all) munmap(data + kept, all - before - kept);
  madvise(data, bytes, MADV_HUGEPAGE);  // a wish: it works without
  return data;
}

void free_large(void* data, std::size_t bytes) noexcept { munmap(data, bytes); }

}  // namespace glimpse::detail
