#include "daemon/ingest/mapped_window.h"

#include <csignal>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace glimpse {

namespace {

// Linux 5.14; older headers lack the name.
constexpr int kPopulateRead = 22;

std::uintptr_t page_bytes() {
  static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

MappedWindow::Slot MappedWindow::slots[kSlots];

// Async-signal-safe: system calls and lock-free atomics alone.
bool MappedWindow::replace_page(std::uintptr_t address) {
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address >= slot.end.load(std::memory_order_relaxed)) continue;
    void* const page = reinterpret_cast<void*>(address - address % page_bytes());
    if (::mmap(page, page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      return false;
    slot.lost.store(true, std::memory_order_relaxed);
    return true;
  }
  return false;
}

struct BusErrorHandler {
  static void install() {
    static std::once_flag once;
    std::call_once(once, [] {
      page_bytes();  // not for the first time in the handler
      struct sigaction action{};
      action.sa_sigaction = [](int signal, siginfo_t* info, void*) {
        // Any other bus error ends the program when the instruction is tried again.
        if (!MappedWindow::replace_page(reinterpret_cast<std::uintptr_t>(info->si_addr)))
          ::signal(signal, SIG_DFL);
      };
      action.sa_flags = SA_SIGINFO;
      ::sigaction(SIGBUS, &action, nullptr);
    });
  }
};

MappedWindow::Slot* MappedWindow::take_slot() {
  for (Slot& slot : slots) {
    std::uintptr_t free = 0;
    if (slot.end.compare_exchange_strong(free, 1)) return &slot;
  }
  return nullptr;
}

std::shared_ptr<const MappedWindow> MappedWindow::open(int descriptor, std::uint64_t position,
                                                       std::size_t size) {
  BusErrorHandler::install();
  Slot* const slot = take_slot();
  if (slot == nullptr) return nullptr;
  const auto before = static_cast<std::size_t>(position % page_bytes());
  void* const memory = ::mmap(nullptr, before + size, PROT_READ, MAP_SHARED, descriptor,
                              static_cast<off_t>(position - before));
  if (memory == MAP_FAILED) {
    slot->end = 0;
    return nullptr;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  slot->lost = false;
  slot->end = begin + before + size;
  slot->begin.store(begin, std::memory_order_release);
  return std::shared_ptr<const MappedWindow>(
      new MappedWindow(*slot, {static_cast<const char*>(memory) + before, size}));
}

MappedWindow::~MappedWindow() {
  const std::uintptr_t begin = slot_.begin;
  const std::uintptr_t end = slot_.end;
  slot_.begin = 0;
  ::munmap(reinterpret_cast<void*>(begin), end - begin);
  slot_.end = 0;
}

void MappedWindow::bring_in(std::string_view part) const {
  const auto at = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = at - at % page_bytes();
  ::madvise(reinterpret_cast<void*>(begin), at + part.size() - begin, kPopulateRead);
}

}  // namespace glimpse
