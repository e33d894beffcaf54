#include "data/sparse_line.h"

#include <limits>

#include "data/text.h"

namespace glimpse {

namespace {
constexpr std::size_t kKeys = 100'000'000;
}

SparseLine::SparseLine(std::size_t dimension, unsigned index_base, const TextKernel& kernel)
    : kernel_(kernel),
      index_base_(index_base),
      has_keys_(dimension > 0 && dimension - 1 + index_base < kKeys),
      first_(digit_key(index_base)),
      last_(has_keys_ ? digit_key(static_cast<std::uint32_t>(dimension - 1 + index_base)) : 0) {}

void SparseLine::reserve(std::size_t text_bytes, std::size_t planned) {
  if (begins_.size() < token_room(text_bytes)) {
    begins_.resize(token_room(text_bytes));
    name_ends_.resize(token_room(text_bytes));
    keys_.resize(token_room(text_bytes));
  }
  planned_.resize(planned);
  found_.resize(planned);
}

bool SparseLine::read(std::string_view text, char stop, bool colons_optional,
                      std::span<const Attribute> planned) {
  if (!has_keys_ || text.size() >= std::numeric_limits<std::uint32_t>::max()) return false;
  reserve(text.size(), planned.size());
  const TokenMarks marks =
      kernel_.mark_tokens(text.data(), text.size(), stop, begins_.data(), name_ends_.data());
  if (marks.has_stop || (!marks.all_pairs && !colons_optional)) return false;
  if (!kernel_.read_names(text.data(), begins_.data(), name_ends_.data(), marks.count, first_,
                          keys_.data()) ||
      (marks.count > 0 && keys_[marks.count - 1] > last_))
    return false;
  for (std::size_t i = 0; i < planned.size(); ++i) planned_[i] = digit_key(planned[i] + index_base_);
  kernel_.find_keys(keys_.data(), marks.count, planned_.data(), planned_.size(), found_.data());
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
