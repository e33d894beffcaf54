#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "daemon/feeds/block.h"
#include "data/text/line_marks.h"

namespace glimpse {

/// Finds the fields or tokens of a block's lines on the thread that reads it, so that the trainer, which is
/// what a stream waits for, need not look at every byte. Its memory is used again and again. Thread-safety:
/// none; what it gives may be used, and let go, on any thread, also after its end.
class LineMarker {
 public:
  LineMarker();

  /// The marks of `text`, lines of `feed`; nullptr where they would be of no use, or there is
  /// no memory for them. They take up to twice the text's memory and half a megabyte, which --queue
  /// does not count.
  std::shared_ptr<const LineMarks> mark(const Feed& feed, std::string_view text);
  /// The lengths of its lines, without newlines; nullptr as well.
  static std::shared_ptr<const std::vector<std::uint32_t>> measure(const Feed& feed, std::string_view text);

 private:
  struct Kept;
  const std::shared_ptr<Kept> kept_;
};

}  // namespace glimpse
