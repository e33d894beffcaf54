#include "data/formats/sparse_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/records/record_framer.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {
constexpr std::size_t kAtOnce = 64;  // values, whose places are kept on the stack
}

SparseLine::SparseLine(std::size_t dimension, unsigned index_base, const TextKernel& kernel)
    : kernel_(kernel), index_base_(index_base), dimension_(dimension) {}

void SparseLine::reserve(std::size_t text_bytes, std::size_t planned) {
  if (own_numbers_.size() < token_room(text_bytes)) {  // the last to grow: memory may not suffice for it
    own_begins_.resize(token_room(text_bytes));
    own_name_ends_.resize(token_room(text_bytes));
    own_numbers_.resize(token_room(text_bytes));
  }
  found_.resize(planned);
}

void SparseLine::use_marks(const LineMarks* marks) {
  found_tokens_ = marks != nullptr ? &marks->tokens : nullptr;
  found_begin_ = marks != nullptr ? marks->text : nullptr;
  next_found_ = 0;
  found_line_ = nullptr;
}

std::size_t SparseLine::line_length(std::string_view rest) {
  found_line_ = nullptr;
  if (found_begin_ != rest.data() || found_tokens_ == nullptr || next_found_ == found_tokens_->lines.size())
    return length_of_line(rest);
  found_line_ = &found_tokens_->lines[next_found_++];
  found_begin_ += found_line_->length + std::size_t{1};
  return found_line_->length;
}

bool SparseLine::read(std::string_view text, char stop, bool colons_optional,
                      std::span<const Attribute> planned) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return false;
  const bool is_found =
      found_line_ != nullptr && found_line_->begin == text.data() && found_line_->size == text.size();
  reserve(is_found ? 0 : text.size(), planned.size());
  if (!(is_found ? use_tokens(colons_optional) : find_tokens(text, stop, colons_optional))) return false;
  if (count_ > 0 && numbers_[count_ - 1] - index_base_ >= dimension_) return false;
  kernel_.find_numbers(numbers_, count_, planned, index_base_, found_.data());
  text_ = text;
  return true;
}

bool SparseLine::use_tokens(bool colons_optional) {
  const TokenLines::Line& line = *found_line_;
  if (!line.is_plain || (!line.all_pairs && !colons_optional)) return false;
  begins_ = found_tokens_->begins.data() + line.first;
  numbers_ = found_tokens_->numbers.data() + line.first;
  name_sizes_ = found_tokens_->name_sizes.data() + line.first;
  count_ = line.count;
  return true;
}

bool SparseLine::find_tokens(std::string_view text, char stop, bool colons_optional) {
  const TokenMarks marks =
      kernel_.mark_tokens(text.data(), text.size(), stop, own_begins_.data(), own_name_ends_.data());
  if (marks.has_stop || (!marks.all_pairs && !colons_optional)) return false;
  if (!kernel_.read_names(text.data(), own_begins_.data(), own_name_ends_.data(), marks.count, index_base_,
                          own_numbers_.data()))
    return false;
  begins_ = own_begins_.data();
  name_ends_ = own_name_ends_.data();
  name_sizes_ = nullptr;
  numbers_ = own_numbers_.data();
  count_ = marks.count;
  return true;
}

// values[i] becomes the value of features[i], and NaN where it is no number; at most kAtOnce of them.
void SparseLine::read_values(std::span<const std::uint32_t> features, double* values) {
  std::array<Place, kAtOnce> places{};
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::size_t feature = features[i];
    std::size_t end = feature + 1 < count_ ? begins_[feature + 1] : text_.size();
    while (is_blank(text_[end - 1])) --end;
    places[i] = Place{std::min(name_end(feature) + 1, end), end};
  }
  kernel_.read_numbers(text_.data(), places.data(), features.size(), values);
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (!std::isnan(values[i])) continue;
    const auto [begin, end] = places[i];
    if (name_end(features[i]) == end) {
      values[i] = 1;  // no colon
    } else if (!read_number(text_.data(), text_.data() + begin, text_.data() + end, values[i])) {
      values[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

bool SparseLine::read_planned(double scale, std::span<double> values) {
  std::array<std::uint32_t, kAtOnce> features;
  std::array<std::size_t, kAtOnce> wanted_by;
  std::array<double, kAtOnce> numbers;
  bool all_finite = true;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t count = 0;
    for (; i < values.size() && count < kAtOnce; ++i) {
      values[i] = 0;
      features[count] = found_[i];
      wanted_by[count] = i;
      count += static_cast<std::size_t>(found_[i] != kNoToken);
    }
    read_values({features.data(), count}, numbers.data());
    for (std::size_t j = 0; j < count; ++j) {
      values[wanted_by[j]] = numbers[j] * scale;
      all_finite = all_finite && std::isfinite(numbers[j] * scale);
    }
  }
  return all_finite;
}

bool SparseLine::read_all(double scale, std::vector<Entry>& entries) {
  std::array<std::uint32_t, kAtOnce> features;
  std::array<double, kAtOnce> numbers;
  bool all_finite = true;
  entries.resize(count_);
  for (std::size_t first = 0; first < count_; first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, count_ - first);
    for (std::size_t j = 0; j < count; ++j) features[j] = static_cast<std::uint32_t>(first + j);
    read_values({features.data(), count}, numbers.data());
    for (std::size_t j = 0; j < count; ++j) {
      entries[first + j] = Entry{numbers_[first + j] - index_base_, numbers[j] * scale};
      all_finite = all_finite && std::isfinite(numbers[j] * scale);
    }
  }
  return all_finite;
}

Status SparseLine::use_numbers(AttributeNames& names) const {
  if (count_ == 0) return {};
  if (names.takes_every_number()) {
    const std::uint32_t* const end = numbers_ + count_;
    const std::uint32_t* const first =
        names.fixed() == 0 ? numbers_ : std::lower_bound(numbers_, end, names.fixed() + index_base_);
    if (first != end) names.use_numbers(*first - index_base_, *(end - 1) - index_base_);
    return {};
  }
  for (std::size_t i = 0; i < count_; ++i) GLIMPSE_TRY(names.use_number(numbers_[i] - index_base_));
  return {};
}

std::optional<Attribute> repeated_attribute(std::vector<Attribute>& attributes) {
  if (!std::is_sorted(attributes.begin(), attributes.end())) std::sort(attributes.begin(), attributes.end());
  const auto repeat = std::adjacent_find(attributes.begin(), attributes.end());
  if (repeat == attributes.end()) return std::nullopt;
  return *repeat;
}

void add_up_repeats(std::vector<Entry>& entries, std::vector<std::uint32_t>& scratch) {
  const auto not_ascending = [](const Entry& a, const Entry& b) { return a.attribute >= b.attribute; };
  if (std::adjacent_find(entries.begin(), entries.end(), not_ascending) == entries.end()) return;
  scratch.clear();
  for (std::uint32_t i = 0; i < entries.size(); ++i) scratch.push_back(i);
  std::sort(scratch.begin(), scratch.end(), [&](std::uint32_t a, std::uint32_t b) {
    return entries[a].attribute != entries[b].attribute ? entries[a].attribute < entries[b].attribute : a < b;
  });
  // Equal attributes now stand together, the first of the record in front. Those behind it give their value
  // to it and then carry the mark of being superfluous: the number of entries, which is no position.
  const auto superfluous = static_cast<std::uint32_t>(entries.size());
  for (std::size_t first = 0, i = 1; i < scratch.size(); ++i) {
    if (entries[scratch[i]].attribute == entries[scratch[first]].attribute) {
      entries[scratch[first]].value += entries[scratch[i]].value;
      scratch[i] = superfluous;
    } else {
      first = i;
    }
  }
  std::sort(scratch.begin(), scratch.end());
  std::size_t kept = 0;
  for (const std::uint32_t i : scratch) {
    if (i == superfluous) break;
    entries[kept++] = entries[i];
  }
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end());
}

}  // namespace glimpse
