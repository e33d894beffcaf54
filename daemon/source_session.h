#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <string>

namespace glimpse {

/// What a stream door needs of the daemon to carry named sources. Immutable once doors are open.
struct SourceSupport {
  std::string refusal;                    ///< why sources cannot be named; empty: they can
  std::function<void()> make_checkpoint;  ///< of what is inside now, soon; I/O thread
};

/// What a connection tells its peer of the source that it carries (SOURCES.md), without I/O: events in, whole
/// lines out, empty where there is nothing to tell. Thread-safety: none.
class SourceSession {
 public:
  /// The source is open: `inside` records are in the model, and `durable` of them in a checkpoint.
  std::string open(std::uint64_t inside, std::uint64_t durable) {
    inside_ = inside;
    return fmt::format("resume {}\n", inside) + note_durable(durable);
  }

  /// A block was worked through.
  void note_inside(std::uint64_t records) { inside_ = std::max(inside_, records); }

  /// A checkpoint holds so many; told where that is more than was told.
  std::string note_durable(std::uint64_t records) {
    if (records <= durable_) return {};
    durable_ = records;
    return fmt::format("durable {}\n", records);
  }

  /// The peer has yet to be told that everything it sent is durable.
  bool awaits_durable() const { return inside_ > durable_; }

 private:
  std::uint64_t inside_ = 0;
  std::uint64_t durable_ = 0;
};

}  // namespace glimpse
