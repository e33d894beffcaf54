#include "data/sparse_line.h"

#include <limits>

#include "data/text.h"

namespace glimpse {

SparseLine::SparseLine(std::size_t dimension, unsigned index_base, const TextKernel& kernel)
    : kernel_(kernel), index_base_(index_base), dimension_(dimension) {}

void SparseLine::reserve(std::size_t text_bytes, std::size_t planned) {
  if (begins_.size() < token_room(text_bytes)) {
    begins_.resize(token_room(text_bytes));
    name_ends_.resize(token_room(text_bytes));
    numbers_.resize(token_room(text_bytes));
  }
  found_.resize(planned);
}

bool SparseLine::read(std::string_view text, char stop, bool colons_optional,
                      std::span<const Attribute> planned) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return false;
  reserve(text.size(), planned.size());
  const TokenMarks marks =
      kernel_.mark_tokens(text.data(), text.size(), stop, begins_.data(), name_ends_.data());
  if (marks.has_stop || (!marks.all_pairs && !colons_optional)) return false;
  if (!kernel_.read_names(text.data(), begins_.data(), name_ends_.data(), marks.count, index_base_,
                          numbers_.data()) ||
      (marks.count > 0 && numbers_[marks.count - 1] - index_base_ >= dimension_))
    return false;
  kernel_.find_numbers(numbers_.data(), marks.count, planned, index_base_, found_.data());
  text_ = text;
  count_ = marks.count;
  return true;
}

std::string_view SparseLine::value_text(std::size_t i) const {
  const std::size_t begin = name_ends_[i];
  std::size_t end = i + 1 < count_ ? begins_[i + 1] : text_.size();
  while (end > begin && is_blank(text_[end - 1])) --end;
  return text_.substr(begin, end - begin);
}

}  // namespace glimpse
