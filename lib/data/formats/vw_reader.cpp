#include "data/formats/vw_reader.h"

#include <array>
#include <cmath>

#include "data/formats/csv_cells.h"
#include "data/formats/sparse_line.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

// What attribute_of() returns for a name that counts for nothing: no attribute, since there are at most 2^32
// − 1.
constexpr Attribute kUnknown = static_cast<Attribute>(-1);

const char* find_name_end(const char* at, const char* end) {
  while (at != end && *at != ':' && *at != '|' && !is_blank(*at)) ++at;
  return at;
}

const char* find_field_end(const char* at, const char* end) {
  while (at != end && *at != '|' && !is_blank(*at)) ++at;
  return at;
}

// The value of a feature whose name ended at `colon` (or at the end of the field when it has none).
// It is part of `record`.
Status read_value(std::string_view record, std::string_view text, double scale, double& value) {
  value = 1;
  if (!text.empty()) {
    text.remove_prefix(1);
    if (!read_number(record.data(), text.data(), text.data() + text.size(), value))
      return not_a_number("value", text);
  }
  const double product = value * scale;
  if (!std::isfinite(product)) {
    return failure(ErrorCode::kInvalidInput, "value {} times the namespace's scale {} is not a finite number",
                   value, scale);
  }
  value = product;
  return {};
}

// What stands behind the name of the first namespace.
std::string_view behind_namespace(std::string_view line) {
  const char* const end = line.data() + line.size();
  const std::size_t bar = line.find('|');
  const char* const at = bar == std::string_view::npos ? end : find_field_end(line.data() + bar + 1, end);
  return between(at, end);
}
constexpr TokenRule kRule{'|', 0, behind_namespace};

Error infinite_sum(Attribute attribute) {
  return failure(ErrorCode::kInvalidInput, "the values given for attribute {} add up to no finite number",
                 attribute);
}

}  // namespace

VwReader::VwReader(std::size_t dimension, AttributeNames& names, const TextKernel& kernel)
    : dimension_(dimension), names_(names), line_(dimension, 0, kernel) {}

const TokenRule* VwReader::token_rule() const { return &kRule; }

Status VwReader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  names_.keep();
  record = without_mark(record);
  if (is_blank_or_comment(record)) return {};
  GLIMPSE_TRY(names_.check_no_words("VW text"));
  const std::size_t bar = record.find('|');
  if (bar == std::string_view::npos) {
    return failure(ErrorCode::kInvalidInput, "no '|' before the features in {}", in_quotes(record));
  }
  if (auto status = read_head(record.substr(0, bar), bar > 0 && !is_blank(record[bar - 1])); !status) {
    head_ = {};
    return status;
  }
  features_ = record.substr(bar);
  has_example_ = true;
  return {};
}

Status VwReader::read_head(std::string_view head, bool touches_bar) {
  constexpr std::size_t kMostWords = 4;
  std::array<std::string_view, kMostWords> words;
  std::size_t count = 0;
  const char* at = head.data();
  const char* const end = at + head.size();
  for (at = skip_blanks(at, end); at != end; at = skip_blanks(at, end)) {
    if (count == kMostWords) {
      return failure(ErrorCode::kInvalidInput, "too many words before the '|': {}", in_quotes(head));
    }
    const char* const word_end = find_blank(at, end);
    words[count++] = between(at, word_end);
    at = word_end;
  }
  if (count > 0 && (touches_bar || words[count - 1].front() == '\'')) {
    head_.tag = words[--count];
    if (head_.tag.front() == '\'') head_.tag.remove_prefix(1);
  }
  if (count == kMostWords) {
    return failure(ErrorCode::kInvalidInput, "too many words before the '|': {}", in_quotes(head));
  }
  if (count > 0) {
    double label = 0;
    const bool is_number = read_number(words[0], label);
    if (!is_number && !names_.categories().has_label_words()) return label_is_no_number(words[0]);
    GLIMPSE_TRY_ASSIGN(head_.label, is_number ? names_.categories().read_label(label, names_.is_open())
                                              : names_.categories().read_label(words[0], names_.is_open()));
  }
  if (count > 1 && (!read_number(words[1], head_.importance) || head_.importance < 0)) {
    return failure(ErrorCode::kInvalidInput, "importance {} is not a finite number of at least 0",
                   in_quotes(words[1]));
  }
  double initial = 0;
  if (count > 2 && (!read_number(words[2], initial) || initial != 0)) {
    return failure(ErrorCode::kInvalidInput,
                   "initial prediction {} is not 0: glimpse does not support others", in_quotes(words[2]));
  }
  return {};
}

// Reads what touches a bar: a namespace and its scale, which is NaN when it is no number. Returns where the
// features begin.
const char* VwReader::read_namespace(const char* at, const char* end, double& scale) {
  const char* const name_end = find_name_end(at, end);
  const char* const field_end = find_field_end(name_end, end);
  key_.assign(at, name_end);
  if (!key_.empty()) key_ += '^';
  namespace_length_ = key_.size();
  scale = 1;
  if (name_end != field_end && !read_number(between(name_end + 1, field_end), scale)) scale = std::nan("");
  return field_end;
}

Result<Attribute> VwReader::attribute_of(std::string_view feature) {
  std::uint64_t index = 0;
  if (read_index(feature, index)) {
    if (index >= dimension_) return index_out_of_range(feature, dimension_, "VW", 0);
    if (head_.label) {
      GLIMPSE_TRY(names_.use_number(static_cast<Attribute>(index)));
    }
    return static_cast<Attribute>(index);
  }
  key_.resize(namespace_length_);
  key_ += feature;
  if (const auto known = names_.find(key_)) return *known;
  if (names_.is_mistaken_number(key_)) return names_.no_such_name(key_);
  if (!head_.label) return kUnknown;
  if (!numbers_are_said_) use_numbers_said();
  return names_.find_or_add(key_);
}

// New names get indices beside the numbers of their line, also of those behind them. What is wrong with one
// is said when its turn comes.
void VwReader::use_numbers_said() {
  const char* at = features_.data();
  const char* const end = at + features_.size();
  while (at != end) {
    if (is_blank(*at)) {
      ++at;
      continue;
    }
    const bool is_feature = *at != '|';
    if (!is_feature) ++at;
    const char* const field_end = find_field_end(at, end);
    std::uint64_t index = 0;
    if (is_feature && read_index(between(at, find_name_end(at, field_end)), index) && index < dimension_)
      (void)names_.use_number(static_cast<Attribute>(index));
    at = field_end;
  }
  numbers_are_said_ = true;
}

// Calls visit(attribute, scale, ":value" or nothing), which returns a Status, for every feature.
template <class Visit>
Status VwReader::for_each_feature(Visit visit) {
  numbers_are_said_ = false;
  auto status = visit_features(visit);
  if (!status) names_.take_back();
  return status;
}

template <class Visit>
Status VwReader::visit_features(Visit visit) {
  const char* at = features_.data();
  const char* const end = at + features_.size();
  double scale = 1;
  while (at != end) {
    if (*at == '|') {
      const char* const begin = at + 1;
      at = read_namespace(begin, end, scale);
      if (std::isnan(scale)) return not_a_number("scale of namespace", between(begin, at));
      continue;
    }
    if (is_blank(*at)) {
      ++at;
      continue;
    }
    const char* const name_end = find_name_end(at, end);
    const char* const field_end = find_field_end(name_end, end);
    if (name_end == at) {
      return failure(ErrorCode::kInvalidInput, "feature {} has no name", in_quotes(between(at, field_end)));
    }
    GLIMPSE_TRY_ASSIGN(const auto attribute, attribute_of(between(at, name_end)));
    if (attribute != kUnknown) {
      GLIMPSE_TRY(visit(attribute, scale, between(name_end, field_end)));
    }
    at = field_end;
  }
  return {};
}

// False when the features are not those of one namespace, all by number, that SparseLine reads: then they are
// read one by one.
bool VwReader::read_ascending(std::span<const Attribute> planned, double& scale) {
  line_.reserve(features_.size(), planned.size());  // here, since other lines may come first
  const char* const end = features_.data() + features_.size();
  const char* const at = read_namespace(features_.data() + 1, end, scale);
  return !std::isnan(scale) && line_.read(between(at, end), '|', true, planned);
}

// Of a line that was read without an error. False when one of them is a number that may not be said, which
// the slower way names.
bool VwReader::uses_numbers_of_line() { return !head_.label || line_.use_numbers(names_); }

bool VwReader::reveal_ascending(std::span<const Attribute> attributes, std::span<double> values) {
  double scale = 1;
  if (!read_ascending(attributes, scale) || !line_.read_planned(scale, values)) return false;
  for (double& value : values) value += 0.0;  // values add up from 0, also those of −0
  return uses_numbers_of_line();
}

bool VwReader::reveal_all_ascending(std::vector<Entry>& entries) {
  double scale = 1;
  return read_ascending({}, scale) && line_.read_all(scale, entries) && uses_numbers_of_line();
}

Status VwReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  if (!has_example_) return no_example();
  if (reveal_ascending(attributes, values)) return {};
  for (double& value : values) value = 0;
  PlanCursor plan(attributes);
  return for_each_feature([&](Attribute attribute, double scale, std::string_view text) -> Status {
    const std::size_t i = plan.find(attribute);
    if (i == PlanCursor::kNotPlanned) return {};
    double value = 0;
    GLIMPSE_TRY(read_value(features_, text, scale, value));
    values[i] += value;
    if (!std::isfinite(values[i])) return infinite_sum(attribute);
    return {};
  });
}

Status VwReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  if (!has_example_) return no_example();
  if (reveal_all_ascending(entries)) return {};
  entries.clear();
  auto status = for_each_feature([&](Attribute attribute, double scale, std::string_view text) -> Status {
    return read_value(features_, text, scale, entries.emplace_back(Entry{attribute, 0}).value);
  });
  if (!status) return status;
  add_up_repeats(entries, scratch_);
  for (const Entry& entry : entries) {
    if (std::isfinite(entry.value)) continue;
    names_.take_back();
    return infinite_sum(entry.attribute);
  }
  return {};
}

}  // namespace glimpse
