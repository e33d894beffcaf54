#include "glimpsectl/input/line_chunks.h"

#include <algorithm>

namespace glimpse::ctl {

Result<std::optional<LineChunks::Chunk>> LineChunks::next() {
  std::size_t searched = 0;  // no newline before
  for (;;) {
    std::size_t cut = 0;
    if (held_.size() >= size_) {
      const auto last = held_.rfind('\n', size_ - 1);
      const auto newline = last != std::string::npos ? last : held_.find('\n', std::max(searched, size_));
      if (newline != std::string::npos) cut = newline + 1;
      searched = held_.size();
    }
    if (cut == 0 && in_.eof()) cut = held_.size();
    if (cut > 0) {
      Chunk chunk{held_.substr(0, cut), lines_};
      held_.erase(0, cut);
      lines_ += static_cast<std::uint64_t>(std::count(chunk.text.begin(), chunk.text.end(), '\n'));
      return chunk;
    }
    if (in_.eof()) return std::optional<Chunk>();

    const std::size_t before = held_.size();
    held_.resize(before + size_);
    in_.read(held_.data() + before, static_cast<std::streamsize>(size_));
    held_.resize(before + static_cast<std::size_t>(in_.gcount()));
    if (in_.bad() || (in_.fail() && !in_.eof()))
      return failure(ErrorCode::kSystem, "the input cannot be read");
  }
}

}  // namespace glimpse::ctl
