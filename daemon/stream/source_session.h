#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/durability/checkpoint_desk.h"

namespace glimpse {

/// What a stream door needs of the daemon to carry named sources. Immutable once doors are open.
struct SourceSupport {
  std::string refusal;  ///< why sources cannot be named; empty: they can
  /// CheckpointDesk::ask(); I/O thread.
  std::function<void(std::weak_ptr<CheckpointWaiter>)> ask_for_checkpoint;
};

/// What a connection tells its peer of the source that it carries (SOURCES.md), without I/O: events in, whole
/// lines out, empty where there is nothing to tell. Thread-safety: none.
class SourceSession {
 public:
  /// The source is open: `inside` records are in the model, and `durable` of them in a checkpoint. `memory`:
  /// bytes that the peer can keep until they are durable; 0: it need not keep any; none: it did not say, and
  /// is told of no checkpoints.
  std::string open(std::uint64_t inside, std::uint64_t durable,
                   std::optional<std::uint64_t> memory = std::nullopt) {
    inside_ = inside;
    memory_ = memory;
    // How many bytes they have is not known: they may fill the peer's memory.
    if (inside > durable) bytes_ = threshold();
    return fmt::format("resume {}\n", inside) + note_durable(durable);
  }

  /// A block of so many bytes was worked through.
  void note_inside(std::uint64_t records, std::uint64_t bytes) {
    inside_ = std::max(inside_, records);
    bytes_ += bytes;
  }

  /// A checkpoint holds so many; told where that is more than was told.
  std::string note_durable(std::uint64_t records) {
    if (records <= durable_) return {};
    durable_ = records;
    if (records >= asked_inside_) durable_bytes_ = std::max(durable_bytes_, asked_bytes_);
    if (records >= inside_) durable_bytes_ = bytes_;
    return fmt::format("durable {}\n", records);
  }

  std::uint64_t inside() const { return inside_; }

  /// The peer has yet to be told that everything it sent is durable.
  bool awaits_durable() const { return inside_ > durable_; }

  /// Whether a checkpoint is to be asked for: at the end of the source for what is not durable, before it
  /// once that fills half of the peer's memory.
  bool wants_checkpoint(bool at_end) const {
    if (!awaits_durable()) return false;
    return at_end || (threshold() > 0 && bytes_ - durable_bytes_ >= threshold());
  }
  /// The one that was asked for begins: it holds what is inside.
  void note_checkpoint() {
    asked_inside_ = inside_;
    asked_bytes_ = bytes_;
  }
  /// It is still to come.
  std::string note_pending() const { return memory_ ? "checkpoint pending\n" : ""; }
  /// It could not be written.
  std::string note_failed(std::string why) const {
    std::replace(why.begin(), why.end(), '\n', ' ');  // of a folder's name, say
    return memory_ ? fmt::format("checkpoint failed: {}\n", why) : "";
  }

 private:
  std::uint64_t threshold() const { return memory_.value_or(0) / 2 + memory_.value_or(0) % 2; }

  std::uint64_t inside_ = 0;
  std::uint64_t durable_ = 0;
  std::optional<std::uint64_t> memory_;
  std::uint64_t bytes_ = 0;          // worked through
  std::uint64_t durable_bytes_ = 0;  // of these, at least
  std::uint64_t asked_inside_ = 0;   // when the checkpoint began
  std::uint64_t asked_bytes_ = 0;
};

}  // namespace glimpse
