#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace glimpse {

/// A part of a regular file as memory, of which only the pages that are looked at are brought in, and nothing
/// is copied. Where the file is cut short meanwhile, its pages are gone, which would end the program
/// (SIGBUS). Here zeros take their place, and is_lost() is true from then on: callers ask it before they
/// believe the bytes. Thread-safety: full.
class MappedWindow {
 public:
  /// `size` > 0 bytes from `position` of the file. nullptr where that is not to be had: too many windows are
  /// open, or the system refuses.
  static std::shared_ptr<const MappedWindow> open(int descriptor, std::uint64_t position, std::size_t size);
  ~MappedWindow();
  MappedWindow(const MappedWindow&) = delete;
  MappedWindow& operator=(const MappedWindow&) = delete;

  std::string_view bytes() const { return bytes_; }
  /// Brings a part of bytes() in from the disk and into the page table: waits for it.
  void bring_in(std::string_view part) const;
  /// Whether bytes were looked at that the file does not have any more.
  const std::atomic<bool>& is_lost() const { return slot_.lost; }

 private:
  /// What the handler of SIGBUS knows of a window.
  struct Slot {
    std::atomic<std::uintptr_t> begin{0};  // 0: free
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> lost{false};
  };
  static constexpr std::size_t kSlots = 64;
  static Slot slots[kSlots];
  static Slot* take_slot();
  static bool replace_page(std::uintptr_t address);
  friend struct BusErrorHandler;

  MappedWindow(Slot& slot, std::string_view bytes) : slot_(slot), bytes_(bytes) {}

  Slot& slot_;
  const std::string_view bytes_;
};

}  // namespace glimpse
