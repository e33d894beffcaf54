#include "data/formats/ndjson_line.h"

#include <algorithm>
#include <array>
#include <limits>

#include "data/formats/csv_cells.h"
#include "data/text/encoding.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

enum Member : unsigned { kLabel = 1, kImportance = 2, kTag = 4, kValues = 8, kSeveral = 16 };

// Behind the string whose opening quote is at `at`, or nullptr: it is not plain.
const char* end_of_string(const char* at, const char* end) {
  bool has_high = false;
  const char* const begin = ++at;
  for (; at != end && *at != '"'; ++at) {
    if (*at == '\\' || static_cast<unsigned char>(*at) < 0x20) return nullptr;
    has_high = has_high || static_cast<unsigned char>(*at) >= 0x80;
  }
  if (at == end || (has_high && !is_utf8(between(begin, at)))) return nullptr;
  return at + 1;
}

const char* end_of_digits(const char* at, const char* end) {
  while (at != end && is_digit(*at)) ++at;
  return at;
}

// Behind the number at `at`, or nullptr: it is none of JSON, or has a long exponent.
const char* end_of_number(const char* at, const char* end) {
  constexpr std::ptrdiff_t kMostExponent = 4;
  if (at != end && *at == '-') ++at;
  const char* digits = at;
  at = end_of_digits(at, end);
  if (at == digits || (*digits == '0' && at - digits > 1)) return nullptr;
  if (at != end && *at == '.') {
    digits = ++at;
    at = end_of_digits(at, end);
    if (at == digits) return nullptr;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    digits = at;
    at = end_of_digits(at, end);
    if (at == digits || at - digits > kMostExponent) return nullptr;
  }
  return at;
}

// What a value beside "values" is.
struct Scalar {
  enum class Kind { kNumber, kString, kNull } kind = Kind::kNull;
  std::string_view text;
  const char* end = nullptr;  // nullptr: it is none of them, or not plain
};

Scalar read_scalar(const char* at, const char* end) {
  if (at == end) return {};
  if (*at == '"') {
    const char* const behind = end_of_string(at, end);
    if (behind == nullptr) return {};
    return {Scalar::Kind::kString, between(at + 1, behind - 1), behind};
  }
  if (*at == 'n')
    return {Scalar::Kind::kNull, {}, end - at >= 4 && between(at, at + 4) == "null" ? at + 4 : nullptr};
  const char* const behind = end_of_number(at, end);
  if (behind == nullptr) return {};
  return {Scalar::Kind::kNumber, between(at, behind), behind};
}

}  // namespace

// False: it is too long.
bool NdjsonLine::begin(std::string_view record) {
  const std::size_t size = record.size();
  if (size >= std::numeric_limits<std::uint32_t>::max()) return false;
  if (attributes_.size() < token_room(size)) {  // the last to grow: memory may not suffice for it
    blocks_.resize(field_blocks(size));
    key_begins_.resize(token_room(size));
    key_ends_.resize(token_room(size));
    attributes_.resize(token_room(size));
  }
  example_.clear();
  members_ = 0;
  way_ = Way::kFeatures;
  end_ = record.data() + size;
  return true;
}

bool NdjsonLine::read_flat(std::string_view record) {
  if (!begin(record)) return false;
  const char* at = skip_blanks(record.data(), end_);
  if (at == end_ || *at != '{') return false;
  const JsonMarks marks = mark_members(++at);
  if (marks.length == 0 || skip_blanks(at + marks.length, end_) != end_) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    example_.features.push_back(named_feature(i));
    if (example_.features.back().name.empty()) return false;
  }
  return true;
}

bool NdjsonLine::read(std::string_view record, const AttributeNames& names) {
  if (!begin(record)) return false;
  const char* at = skip_blanks(record.data(), end_);
  if (at == end_) return false;
  if (*at == '{') return read_example(at + 1, names);
  if (*at != '[') return false;
  at = read_elements(at + 1);
  return at != nullptr && skip_blanks(at, end_) == end_;
}

bool NdjsonLine::read_example(const char* at, const AttributeNames& names) {
  for (;;) {
    at = skip_blanks(at, end_);
    if (at == end_ || *at != '"') return false;
    const char* const key = at + 1;
    at = end_of_string(at, end_);
    if (at == nullptr) return false;
    const char* const key_end = at - 1;
    at = skip_blanks(at, end_);
    if (at == end_ || *at != ':') return false;
    at = read_member(key, key_end, skip_blanks(at + 1, end_), names);
    if (at == nullptr) return false;
    at = skip_blanks(at, end_);
    if (at == end_) return false;
    if (*at == '}') break;
    if (*at++ != ',') return false;
  }
  return (members_ & kValues) != 0 && skip_blanks(at + 1, end_) == end_;
}

// Behind the value at `at`, or nullptr.
const char* NdjsonLine::read_member(const char* key, const char* key_end, const char* at,
                                    const AttributeNames& names) {
  const std::string_view name = between(key, key_end);
  const Member member = name == "values"       ? kValues
                        : name == "label"      ? kLabel
                        : name == "importance" ? kImportance
                        : name == "tag"        ? kTag
                                               : kSeveral;
  if ((members_ & member) != 0 || at == end_ || (member == kSeveral && name != "labels")) return nullptr;
  members_ |= member;
  if (member == kValues)
    return *at == '{' ? read_values(at + 1, names) : *at == '[' ? read_elements(at + 1) : nullptr;
  if (member == kSeveral && *at == '{') return read_labels(at + 1);
  const Scalar scalar = read_scalar(at, end_);
  using Kind = Scalar::Kind;
  switch (member) {
    case kLabel:
      if (scalar.kind == Kind::kNumber) example_.label = scalar.text;
      if (scalar.kind == Kind::kString) give_text(scalar.text, example_.label, example_.label_word);
      return scalar.end;
    case kImportance:
      example_.importance = scalar.text;
      return scalar.kind == Kind::kNumber ? scalar.end : nullptr;
    case kTag:
      example_.tag = scalar.text;
      return scalar.kind != Kind::kNumber ? scalar.end : nullptr;
    default:
      return scalar.kind == Kind::kNull ? scalar.end : nullptr;
  }
}

const char* NdjsonLine::read_labels(const char* at) {
  example_.has_labels = true;
  at = skip_blanks(at, end_);
  if (at != end_ && *at == '}') return at + 1;
  for (;;) {
    at = skip_blanks(at, end_);
    if (at == end_ || *at != '"' || example_.labels.size() > labels_) return nullptr;
    const char* const name = at + 1;
    at = end_of_string(at, end_);
    if (at == nullptr) return nullptr;
    NdjsonLabel label{between(name, at - 1), {}};
    at = skip_blanks(at, end_);
    if (at == end_ || *at != ':') return nullptr;
    const Scalar scalar = read_scalar(skip_blanks(at + 1, end_), end_);
    if (scalar.end == nullptr) return nullptr;
    std::string_view word;
    if (scalar.kind == Scalar::Kind::kNumber) label.number = scalar.text;
    if (scalar.kind == Scalar::Kind::kString) give_text(scalar.text, label.number, word);
    if (!word.empty()) return nullptr;
    example_.labels.push_back(label);
    at = skip_blanks(scalar.end, end_);
    if (at == end_) return nullptr;
    if (*at == '}') return at + 1;
    if (*at++ != ',') return nullptr;
  }
}

const char* NdjsonLine::read_elements(const char* at) {
  const auto size = static_cast<std::size_t>(end_ - at);
  const JsonMarks marks = kernel_.mark_elements(at, size, blocks_.data());
  if (marks.length == 0 || marks.count != dimension_) return nullptr;
  if (marks.has_high && !is_utf8(between(at, at + marks.length))) return nullptr;
  values_ = at;
  values_size_ = marks.length - 1;
  count_ = marks.count;
  way_ = Way::kElements;
  example_.is_dense = true;
  return at + marks.length;
}

// Of an object's members behind its bracket; length 0: they are not plain.
JsonMarks NdjsonLine::mark_members(const char* at) {
  const auto size = static_cast<std::size_t>(end_ - at);
  const JsonMarks marks = kernel_.mark_members(at, size, key_begins_.data(), key_ends_.data());
  if (marks.length == 0 || (marks.has_high && !is_utf8(between(at, at + marks.length)))) return {};
  values_ = at;
  values_size_ = marks.length - 1;
  count_ = marks.count;
  return marks;
}

const char* NdjsonLine::read_values(const char* at, const AttributeNames& names) {
  const JsonMarks marks = mark_members(at);
  if (marks.length == 0) return nullptr;
  if (kernel_.read_names(at, key_begins_.data(), key_ends_.data(), count_, 0, attributes_.data())) {
    if (count_ == 0 || attributes_[count_ - 1] < dimension_) way_ = Way::kNumbers;
    ascend_ = true;
  } else if (find_names(names) && are_different()) {
    way_ = Way::kNames;
  }
  return way_ != Way::kFeatures || list_features() ? at + marks.length : nullptr;
}

// False where one of them is a number or not known. A record that refers to attributes in the order of the
// one before finds each without a look at the dictionary.
bool NdjsonLine::find_names(const AttributeNames& names) {
  if (followers_.size() < names.size()) followers_.resize(names.size());
  ascend_ = true;
  Attribute guess = first_;
  Attribute before = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const char* const begin = values_ + key_begins_[i];
    const char* const end = values_ + key_ends_[i];
    const std::string_view name = between(begin, end);
    if (!names.is_called(guess, name, AttributeNames::tail_of(values_, begin, end))) {
      std::uint64_t index = 0;
      const auto found = read_index(name, index) ? std::nullopt : names.find(name);
      if (!found) return false;
      guess = *found;
      (i == 0 ? first_ : followers_[before]) = guess;
    }
    ascend_ = ascend_ && (i == 0 || before < guess);
    attributes_[i] = before = guess;
    guess = followers_[guess];
  }
  return true;
}

bool NdjsonLine::are_different() {
  if (ascend_) return true;
  members_of_.resize(followers_.size());
  if (++record_ == 0) {
    std::ranges::fill(members_of_, 0);
    record_ = 1;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    std::uint64_t& member = members_of_[attributes_[i]];
    if (member >> 32 == record_) return false;
    member = std::uint64_t{record_} << 32 | i;
  }
  return true;
}

// What NdjsonGrammar makes of the members. False where it would refuse one.
bool NdjsonLine::list_features() {
  constexpr std::size_t kTooMany = 1000;  // as there
  std::size_t numbered = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    NdjsonFeature next = named_feature(i);
    if (std::uint64_t index = 0; read_index(next.name, index)) {
      if (index >= dimension_ || ++numbered > dimension_ + kTooMany) return false;
      next.name = {};
      next.attribute = static_cast<Attribute>(index);
    }
    example_.features.push_back(next);
  }
  return true;
}

NdjsonFeature NdjsonLine::named_feature(std::size_t member) const {
  NdjsonFeature named = feature(member);
  named.name = between(values_ + key_begins_[member], values_ + key_ends_[member]);
  named.attribute = 0;
  return named;
}

// Of an object: what is between a colon and a comma, of which the one is behind the key and the other before
// the next one.
Place NdjsonLine::place_of(std::size_t member) const {
  std::size_t begin = key_ends_[member] + std::size_t{1};
  while (values_[begin] != ':') ++begin;
  std::size_t end = values_size_;
  if (member + 1 < count_) {
    end = key_begins_[member + 1] - std::size_t{2};
    while (values_[end] != ',') --end;
  }
  ++begin;
  while (is_blank(values_[begin])) ++begin;
  while (is_blank(values_[end - 1])) --end;
  return {begin, end};
}

void NdjsonLine::find(std::span<const Attribute> attributes, std::uint32_t* members) {
  if (way_ == Way::kElements) {
    std::copy(attributes.begin(), attributes.end(), members);
  } else if (ascend_) {
    kernel_.find_numbers(attributes_.data(), count_, attributes, 0, members);
  } else {
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      const std::uint64_t member = attributes[i] < members_of_.size() ? members_of_[attributes[i]] : 0;
      members[i] = member >> 32 == record_ ? static_cast<std::uint32_t>(member) : kNoToken;
    }
  }
}

void NdjsonLine::read_numbers(std::span<const std::uint32_t> members, double* numbers) {
  std::array<Place, kAtOnce> places{};
  if (way_ == Way::kElements) {
    kernel_.locate_fields(blocks_.data(), values_size_, count_ - 1, members, places.data());
    for (std::size_t i = 0; i < members.size(); ++i) {
      while (is_blank(values_[places[i].begin])) ++places[i].begin;
      while (is_blank(values_[places[i].end - 1])) --places[i].end;
    }
  } else {
    for (std::size_t i = 0; i < members.size(); ++i) places[i] = place_of(members[i]);
  }
  kernel_.read_numbers(values_, places.data(), members.size(), numbers);
}

NdjsonFeature NdjsonLine::feature(std::size_t member) const {
  Place place;
  if (way_ == Way::kElements) {
    const auto column = static_cast<Attribute>(member);
    kernel_.locate_fields(blocks_.data(), values_size_, count_ - 1, {&column, 1}, &place);
  } else {
    place = place_of(member);
  }
  const std::string_view text = trimmed(between(values_ + place.begin, values_ + place.end));
  NdjsonFeature feature{{}, way_ == Way::kFeatures ? Attribute{0} : attribute(member), {}};
  if (text.front() == '"')
    give_text(text.substr(1, text.size() - 2), feature.number, feature.word);
  else if (text.front() != 'n')
    feature.number = text;
  return feature;
}

Status NdjsonLine::use_numbers(AttributeNames& names) const {
  if (way_ == Way::kElements) return names.use_all_numbers();
  if (way_ != Way::kNumbers || count_ == 0) return {};
  const auto begin = attributes_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(count_);
  if (names.takes_every_number()) {
    const auto first = names.fixed() == 0 ? begin : std::lower_bound(begin, end, names.fixed());
    if (first != end) names.use_numbers(*first, *(end - 1));
    return {};
  }
  for (auto at = begin; at != end; ++at) GLIMPSE_TRY(names.use_number(*at));
  return {};
}

}  // namespace glimpse
