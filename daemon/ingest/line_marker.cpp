#include "daemon/ingest/line_marker.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "data/records/record_framer.h"

namespace glimpse {

namespace {
constexpr std::size_t kLeastText = std::size_t{16} << 10;  // requests are not kept waiting
constexpr std::size_t kMostKept = 8;
constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;  // of the marks of one text
}  // namespace

struct LineMarker::Kept {
  std::mutex mutex;
  std::vector<std::unique_ptr<LineMarks>> marks;  // under mutex

  void put(std::unique_ptr<LineMarks> done) {
    const std::lock_guard lock(mutex);
    if (marks.size() < kMostKept && done->memory_bytes() <= kMostKeptBytes) marks.push_back(std::move(done));
  }
  std::unique_ptr<LineMarks> take() {
    const std::lock_guard lock(mutex);
    if (marks.empty()) return std::make_unique<LineMarks>();
    auto taken = std::move(marks.back());
    marks.pop_back();
    return taken;
  }
};

LineMarker::LineMarker() : kept_(std::make_shared<Kept>()) { kept_->marks.reserve(kMostKept); }

std::shared_ptr<const LineMarks> LineMarker::mark(const Feed& feed, std::string_view text) {
  const char delimiter = feed.delimiter.load(std::memory_order_relaxed);
  const TokenRule* const rule = feed.token_rule.load(std::memory_order_relaxed);
  if ((delimiter == 0 && rule == nullptr) || text.size() < kLeastText) return nullptr;
  try {
    auto marks = kept_->take();
    const bool is_worth_it = rule != nullptr ? mark_lines(text, *rule, text_kernel(), *marks)
                                             : mark_lines(text, delimiter, text_kernel(), *marks);
    std::shared_ptr<LineMarks> shared(
        marks.release(), [kept = kept_](LineMarks* done) { kept->put(std::unique_ptr<LineMarks>(done)); });
    return is_worth_it ? shared : nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;  // the lines can be read without
  }
}

std::shared_ptr<const std::vector<std::uint32_t>> LineMarker::measure(const Feed& feed,
                                                                      std::string_view text) {
  if (!feed.wants_lengths.load(std::memory_order_relaxed) || text.size() < kLeastText ||
      text.size() > std::numeric_limits<std::uint32_t>::max())
    return nullptr;
  try {
    auto lengths = std::make_shared<std::vector<std::uint32_t>>();
    while (!text.empty()) {
      const std::size_t length = length_of_line(text);
      lengths->push_back(static_cast<std::uint32_t>(length));
      text.remove_prefix(std::min(length + 1, text.size()));
    }
    return lengths;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace glimpse
