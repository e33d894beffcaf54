#include "data/formats/ndjson_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>

#include "data/formats/csv_cells.h"
#include "data/formats/dialect_reader.h"
#include "data/formats/ndjson_grammar.h"
#include "data/formats/sparse_line.h"
#include "data/records/cell.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

struct NdjsonReader::Parser {
  explicit Parser(std::size_t dimension, std::size_t labels)
      : json(boost::json::parse_options(), dimension, labels) {}

  boost::json::basic_parser<NdjsonGrammar> json;
};

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Status NdjsonReader::read_value(const NdjsonFeature& feature, bool learns, double& value) {
  const Categories& categories = names_.categories();
  if (has_marks_ && is_mark(feature.word.empty() ? feature.number : trimmed(feature.word),
                            form_of(feature.attribute).missing)) {
    value = kMissing;
    return {};
  }
  const bool is_word = !feature.word.empty() || (!categories.empty() && !feature.number.empty() &&
                                                 categories.holds(feature.attribute));
  if (!feature.word.empty() && categories.is_number(feature.attribute) &&
      read_in_form(feature.word, form_of(feature.attribute), value))
    return {};
  if (!feature.word.empty() && is_missing_number(feature.word) && !categories.holds(feature.attribute)) {
    value = kMissing;
  } else if (is_word) {
    GLIMPSE_TRY_ASSIGN(value, names_.read_word(feature.attribute,
                                               feature.word.empty() ? feature.number : feature.word, learns));
  } else if (feature.number.empty()) {
    value = kMissing;
  } else if (!read_number(feature.number, value)) {
    return not_a_number("value", feature.number);
  }
  return {};
}

namespace {

// Whether `record`, of which the line reader made nothing, is an object without "values". One pass, no
// memory.
bool is_flat_object(std::string_view record) {
  bool has_column = false;
  std::size_t keys = 0;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < record.size(); ++at) {
    const char c = record[at];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (c != '"') continue;
    const std::size_t begin = ++at;
    while (at < record.size() && record[at] != '"') at += record[at] == '\\' ? 2 : 1;
    if (at >= record.size()) break;
    const std::string_view key = record.substr(begin, at - begin);
    const std::size_t next = record.find_first_not_of(" \t\r\n", at + 1);
    if (depth != 1 || next == std::string_view::npos || record[next] != ':') continue;
    if (key == "values") return false;
    ++keys;
    has_column = has_column || (key != "label" && key != "labels" && key != "importance" && key != "tag");
  }
  // As with keys in single quotes.
  const bool has_other = keys == 0 && record.find_first_not_of("{} \t\r\n") != std::string_view::npos;
  return has_column || (has_other && record.find("\"values\"") == std::string_view::npos);
}

// The word at `place`, or next to it.
std::string_view word_at(std::string_view text, std::size_t place) {
  const auto is_letter = [&](std::size_t i) {
    return i < text.size() && ((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z');
  };
  std::size_t begin = std::min(place, text.size());
  if (!is_letter(begin) && begin > 0) --begin;
  std::size_t end = begin;
  while (begin > 0 && is_letter(begin - 1)) --begin;
  while (is_letter(end)) ++end;
  return text.substr(begin, end - begin);
}

// What other programs write in place of JSON.
std::string spelling_hint(std::string_view record, std::size_t place) {
  constexpr std::string_view kMissing[] = {"NaN", "nan", "NaT", "None", "NA", "Infinity", "inf", "undefined"};
  const std::string_view word = word_at(record, place);
  if (std::ranges::find(kMissing, word) != std::end(kMissing))
    return fmt::format("{} is no JSON: write null where a value is missing", word);
  if (word == "True" || word == "False")
    return fmt::format("{} is no JSON: write {}", word, word == "True" ? "true" : "false");
  if (record.substr(place).starts_with('\''))
    return "strings and keys stand in double quotes in JSON: json.dumps() writes them so";
  return {};
}

}  // namespace

std::string_view json_element(std::string_view record) {
  if (record.starts_with('{') && record.ends_with('}')) return record;
  std::string_view text = trimmed(record);
  while (text.ends_with('\n')) text = trimmed(text.substr(0, text.size() - 1));
  if (text == "[" || text == "]" || text == "],") return {};
  const std::string_view behind =
      text.starts_with('[') || text.starts_with(',') ? trimmed(text.substr(1)) : std::string_view();
  const bool begins = behind.starts_with('{');
  if (begins) text = behind;
  const bool is_object = text.starts_with('{');
  const bool may_end = text.ends_with(',') || (is_object && text.ends_with(']'));
  if (may_end && (is_object || text.starts_with('['))) {
    const std::string_view before = trimmed(text.substr(0, text.size() - 1));
    if (before.ends_with(is_object ? '}' : ']')) return before;
  }
  return begins ? text : record;
}

NdjsonReader::NdjsonReader(std::size_t dimension, AttributeNames& names, Absent absent,
                           const TableOptions& table, const TableLayout* known, const TextKernel& kernel,
                           std::shared_ptr<const TableForm> form)
    : names_(names),
      absent_(absent),
      label_names_(table.label_names()),
      label_choice_(table.label),
      weight_(table.weight ? table.weight->name : ""),
      known_(known),
      strings_(std::move(form)),
      has_marks_(strings_ && !std::ranges::all_of(strings_->columns, &std::vector<std::string>::empty,
                                                  &ColumnForm::missing)),
      parser_(std::make_unique<Parser>(dimension, label_names_.size())),
      line_(dimension, label_names_.size(), kernel) {
  for (const ColumnChoice& choice : table.ignored)
    if (choice.kind == ColumnChoice::Kind::kName) ignored_.push_back(choice.name);
  if (!ignored_.empty()) parser_->json.handler().ignore(&ignored_);
}

NdjsonReader::~NdjsonReader() = default;

std::string NdjsonReader::flat_label() const {
  if (label_choice_.kind == ColumnChoice::Kind::kName) return label_choice_.name;
  if (known_ != nullptr && !known_->chosen_names().empty() && !known_->chosen_names().front().empty())
    return known_->chosen_names().front();
  return label_choice_.name.empty() ? "label" : label_choice_.name;
}

bool NdjsonReader::ignores(std::string_view key) const {
  return std::ranges::find(ignored_, key) != ignored_.end() ||
         (is_flat() && !weight_.empty() && key == weight_);
}

Status NdjsonReader::open(std::string_view record) {
  has_example_ = false;
  names_found_ = false;
  head_ = {};
  names_.keep();
  const char* const begin = record.data();
  record = without_mark(record);
  if (is_blank_or_comment(record)) return {};
  const std::string_view element = json_element(record);
  in_array_ = in_array_ || (element.data() != record.data() && trimmed(record).front() == '[');
  if (element.empty()) return {};
  offset_ = static_cast<std::size_t>(element.data() - begin);
  record = element;

  if (checked_ != names_.fixed()) note_numbers();
  bool is_plain = !has_numbers_ && line_.read(record, names_);
  const bool is_object = (!is_plain || form_ == Form::kUnknown) && trimmed(record).starts_with('{');
  is_flat_ =
      !is_plain && is_object && (form_ == Form::kFlat || (form_ == Form::kUnknown && is_flat_object(record)));
  if (is_flat_) is_plain = line_.read_flat(record);
  if (!is_plain) GLIMPSE_TRY(read_by_grammar(record, is_flat_));
  is_found_ = is_plain && !is_flat_ && line_.are_found();
  example_ = is_plain ? &line_.example() : &parser_->json.handler().example();
  if (is_flat_) GLIMPSE_TRY(take_labels());
  if (auto status = read_head(); !status) {
    head_ = {};
    return status;
  }
  if (!ignored_.empty() && !is_found_ && !example_->is_dense)
    std::erase_if(example_->features, [this](const NdjsonFeature& feature) { return ignores(feature.name); });
  if (form_ == Form::kUnknown && is_object) form_ = is_flat_ ? Form::kFlat : Form::kNested;
  has_example_ = true;
  return {};
}

// The labels and the weight of a flat object stand among the values.
Status NdjsonReader::take_labels() {
  const std::string single = label_names_.empty() ? flat_label() : std::string();
  bool is_given = false;
  Status status;
  std::erase_if(example_->features, [&](const NdjsonFeature& feature) {
    if (!weight_.empty() && feature.name == weight_) {
      example_->importance = feature.word.empty() ? feature.number : feature.word;
      return true;
    }
    if (!label_names_.empty()) {
      if (std::ranges::find(label_names_, feature.name) == label_names_.end()) return false;
      if (!feature.word.empty() && status)
        status =
            failure(ErrorCode::kInvalidInput, "the label {} is {}, and of several labels none holds words",
                    in_quotes(feature.name), in_quotes(feature.word));
      example_->labels.push_back({feature.name, feature.number});
      return true;
    }
    if (feature.name != single) return false;
    if (is_given) status = failure(ErrorCode::kInvalidInput, "the key {} is given twice", in_quotes(single));
    is_given = true;
    example_->label = feature.number;
    example_->label_word = feature.word;
    return true;
  });
  return status;
}

// Only a file and a header give names of digits.
void NdjsonReader::note_numbers() {
  has_numbers_ = false;
  for (checked_ = 0; checked_ < names_.fixed(); ++checked_) {
    const auto attribute = static_cast<Attribute>(checked_);
    std::uint64_t index = 0;
    has_numbers_ = has_numbers_ || (read_index(names_.name(attribute), index) && index != attribute);
  }
  parser_->json.handler().prefer_names(has_numbers_ ? &names_ : nullptr);
  if (!strings_) return;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < strings_->names.size(); ++i) places.emplace(strings_->names[i], i);
  columns_.assign(checked_, strings_->columns.size());
  for (std::size_t a = 0; a < checked_; ++a)
    if (const auto place = places.find(names_.name(static_cast<Attribute>(a))); place != places.end())
      columns_[a] = place->second;
  if (strings_->is_of_json()) declare_dates(*strings_, {}, names_);
}

// How a string of an attribute that holds numbers is read.
const ColumnForm& NdjsonReader::form_of(Attribute attribute) const {
  static const ColumnForm kPlain;
  if (!strings_) return kPlain;
  const bool is_by_number = strings_->names.empty() && strings_->is_of_json();
  const std::size_t column = is_by_number                  ? attribute
                             : attribute < columns_.size() ? columns_[attribute]
                                                           : strings_->columns.size();
  return column < strings_->columns.size() ? strings_->columns[column] : kPlain;
}

// `place`: in the record, where a parser stopped.
Error NdjsonReader::no_json(std::string_view record, std::size_t place, const std::string& why) const {
  const std::string hint = spelling_hint(record, place);
  return failure(ErrorCode::kInvalidInput, "not valid JSON at byte {}: {}", offset_ + place + 1,
                 hint.empty() ? why : hint);
}

Status NdjsonReader::read_by_grammar(std::string_view record, bool is_flat) {
  auto& json = parser_->json;
  json.handler().set_flat(is_flat);
  json.handler().begin(record);
  json.reset();
  boost::json::error_code code;
  const std::size_t used = json.write_some(false, record.data(), record.size(), code);
  if (code) {
    const std::string& complaint = json.handler().complaint();
    if (!complaint.empty()) return Error{ErrorCode::kInvalidInput, complaint};
    if (code != boost::json::error::incomplete) return no_json(record, used, code.message());
    return failure(
        ErrorCode::kInvalidInput, "not valid JSON: {}{}", code.message(),
        in_array_ || trimmed(record).starts_with('[')
            ? ": each line is an example, but this array goes on: jq -c '.[]' makes a line of each "
              "of its elements"
            : ": each line is an example, but this object goes on: jq -c . makes it one line");
  }
  if (const auto rest = trimmed(record.substr(used)); !rest.empty()) {
    if (trimmed(rest.substr(1)).starts_with('{') && rest.front() == ',')
      return failure(ErrorCode::kInvalidInput,
                     "several examples stand in one line, and each needs its own: jq -c '.[]' makes lines of "
                     "an array");
    return failure(ErrorCode::kInvalidInput, "text behind the example: {}", in_quotes(rest));
  }
  return {};
}

// All of several labels, or none: then the example asks for predictions.
Status NdjsonReader::read_labels() {
  const NdjsonExample& example = *example_;
  if (!example.label.empty() || !example.label_word.empty())
    return failure(
        ErrorCode::kInvalidInput,
        "'label' is one, but there are {} labels: give {{\"labels\": {{\"{}\": ..., \"{}\": ...}}}}",
        label_names_.size(), label_names_[0], label_names_[1]);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  labels_.assign(label_names_.size(), kNone);
  label_given_.assign(label_names_.size(), false);
  for (const NdjsonLabel& label : example.labels) {
    const auto place = std::ranges::find(label_names_, label.name);
    if (place == label_names_.end())
      return failure(
          ErrorCode::kInvalidInput, "no label is called {}{}", in_quotes(label.name),
          did_you_mean(label.name, std::vector<std::string_view>(label_names_.begin(), label_names_.end())));
    const auto l = static_cast<std::size_t>(place - label_names_.begin());
    if (label_given_[l])
      return failure(ErrorCode::kInvalidInput, "the label {} is given twice", in_quotes(label.name));
    label_given_[l] = true;
    if (label.number.empty()) continue;
    if (!read_number(label.number, labels_[l])) return not_a_number("label", label.number);
  }
  return head_.set_labels(labels_, label_names_);
}

Status NdjsonReader::read_head() {
  const NdjsonExample& example = *example_;
  if (label_names_.empty() && example.has_labels)
    return failure(ErrorCode::kInvalidInput,
                   "'labels' is for several labels, which --label NAME,NAME names: one is 'label'");
  GLIMPSE_TRY(label_names_.empty() ? read_label() : read_labels());
  const bool is_question = is_flat_ && !head_.label;  // its weight says nothing
  if (is_flat_ && !weight_.empty() && head_.label && example.importance.empty())
    return failure(
        ErrorCode::kInvalidInput,
        "the weight {} of an example with a label must be a finite number of at least 0, and it is "
        "missing",
        in_quotes(weight_));
  if (!example.importance.empty() && !is_question &&
      (!read_number(example.importance, head_.importance) || head_.importance < 0)) {
    return failure(ErrorCode::kInvalidInput, "importance {} is not a finite number of at least 0",
                   in_quotes(example.importance));
  }
  head_.tag = example.tag;
  return {};
}

Status NdjsonReader::read_label() {
  const NdjsonExample& example = *example_;
  Categories& categories = names_.categories();
  const bool has_words = categories.has_label_words();
  const std::string_view in_quotes = trimmed(example.label_word);
  const std::string_view word = !in_quotes.empty() ? in_quotes
                                : has_words        ? example.label
                                                   : std::string_view();
  double number = 0;
  const bool has_forms = strings_ && strings_->is_of_json();
  if (has_forms && has_marks_ &&
      is_mark(in_quotes.empty() ? example.label : in_quotes, strings_->columns.back().missing))
    return {};
  const bool has_form = has_forms && categories.is_label_number();
  if (!has_words && (read_number(in_quotes, number) ||
                     (has_form && read_in_form(in_quotes, strings_->columns.back(), number)))) {
    head_.label = number;  // in quotes it is one as well, as values are
  } else if (!word.empty() && !is_missing_cell(word) &&
             !(categories.is_label_number() && is_missing_number(word))) {
    GLIMPSE_TRY_ASSIGN(head_.label, categories.read_label(word, names_.is_open()));
  } else if (!example.label.empty()) {
    if (!read_number(example.label, number)) return not_a_number("label", example.label);
    head_.label = number;
  }
  return {};
}

bool NdjsonReader::absent_is_missing() const {
  return absent_ == Absent::kUnknown || (absent_ == Absent::kAuto && (is_flat_ || names_.are_all_named()));
}

// None: it counts for nothing.
Result<std::optional<Attribute>> NdjsonReader::find_name(std::string_view name) {
  const auto attribute = names_.find(name);
  if (attribute) return attribute;
  std::uint64_t index = 0;
  // Names of digits come from a header or a file alone.
  if (is_flat_ && (names_.are_all_named() || read_index(name, index))) {
    const Error error = names_.no_such_name(name);
    return Error{error.code, error.message + ": --ignore " + in_quotes(name) + " passes it over"};
  }
  if (head_.label) {
    GLIMPSE_TRY_ASSIGN(const auto added, names_.find_or_add(name));
    return std::optional(added);
  }
  if (names_.are_complete() || absent_is_missing() || names_.is_mistaken_number(name))
    return names_.no_such_name(name);
  return attribute;
}

// Gives every feature its attribute, and drops those whose unknown names count for nothing. This waits for
// the first reveal since only then the example is learned from or predicted, and since the label, which
// decides, may stand behind the values.
Status NdjsonReader::find_names() {
  if (names_found_) return {};
  // Before names are given indices beside them.
  GLIMPSE_TRY(use_numbers());
  if (is_found_ || example_->is_dense) return {};
  auto& features = example_->features;
  scratch_.clear();
  std::size_t known = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    NdjsonFeature feature = features[i];
    if (!feature.name.empty()) {
      GLIMPSE_TRY_ASSIGN(const auto attribute, find_name(feature.name));
      if (!attribute) continue;
      feature.attribute = *attribute;
    }
    scratch_.push_back(feature.attribute);
    features[known++] = feature;
  }
  features.resize(known);
  if (const auto twice = repeated_attribute(scratch_)) {
    has_example_ = false;
    return failure(ErrorCode::kInvalidInput, "attribute {} is given twice", *twice);
  }
  names_found_ = true;
  return {};
}

Status NdjsonReader::use_numbers() {
  if (!head_.label) return {};
  if (is_found_) return line_.use_numbers(names_);
  if (example_->is_dense) return names_.use_all_numbers();
  for (const NdjsonFeature& feature : example_->features) {
    if (!feature.name.empty()) continue;
    GLIMPSE_TRY(names_.use_number(feature.attribute));
  }
  return {};
}

Status NdjsonReader::kept_if_fine(Status status) {
  if (!status) {
    names_.take_back();
    names_found_ = false;
  }
  return status;
}

Status NdjsonReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  return kept_if_fine(read_planned(attributes, values));
}

Status NdjsonReader::reveal_all(std::vector<Entry>& entries) { return kept_if_fine(read_all(entries)); }

Status NdjsonReader::read_planned(std::span<const Attribute> attributes, std::span<double> values) {
  if (!has_example_) return no_example();
  planned_.resize(attributes.size());
  GLIMPSE_TRY(find_names());
  const auto& features = example_->features;
  if (example_->is_dense && !is_found_) {
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      GLIMPSE_TRY(read_value(features[attributes[i]], head_.label.has_value(), values[i]));
    }
    return {};
  }
  std::fill(values.begin(), values.end(), absent_is_missing() ? kMissing : 0.0);
  if (!names_.categories().empty())  // which have no 0
    for (std::size_t i = 0; i < attributes.size(); ++i)
      if (names_.categories().holds(attributes[i])) values[i] = kMissing;
  if (is_found_) return read_found(attributes, values);
  PlanCursor plan(attributes);
  for (const NdjsonFeature& feature : features) {
    const std::size_t i = plan.find(feature.attribute);
    if (i == PlanCursor::kNotPlanned) continue;
    GLIMPSE_TRY(read_value(feature, head_.label.has_value(), values[i]));
  }
  return {};
}

// What is no number as it stands, or may be a word.
Status NdjsonReader::read_member(std::uint32_t member, bool learns, double& value) {
  const Categories& categories = names_.categories();
  if (!std::isnan(value) && !has_marks_ && (categories.empty() || !categories.holds(line_.attribute(member))))
    return {};
  return read_value(line_.feature(member), learns, value);
}

Status NdjsonReader::read_found(std::span<const Attribute> attributes, std::span<double> values) {
  line_.find(attributes, planned_.data());
  std::array<std::uint32_t, NdjsonLine::kAtOnce> members;
  std::array<std::size_t, NdjsonLine::kAtOnce> wanted_by;
  std::array<double, NdjsonLine::kAtOnce> numbers;
  for (std::size_t i = 0; i < planned_.size();) {
    std::size_t count = 0;
    for (; i < planned_.size() && count < members.size(); ++i) {
      members[count] = planned_[i];
      wanted_by[count] = i;
      count += static_cast<std::size_t>(planned_[i] != kNoToken);
    }
    line_.read_numbers({members.data(), count}, numbers.data());
    for (std::size_t j = 0; j < count; ++j) {
      if (!read_member(members[j], head_.label.has_value(), numbers[j])) return first_wrong();
      values[wanted_by[j]] = numbers[j];
    }
  }
  return {};
}

// Of the planned values the first that is wrong, in the order of the record.
Status NdjsonReader::first_wrong() {
  std::ranges::sort(planned_);
  Status status;
  double value = 0;
  for (std::size_t i = 0; i < planned_.size() && planned_[i] != kNoToken && status; ++i)
    status = read_value(line_.feature(planned_[i]), head_.label.has_value(), value);
  return status;
}

Status NdjsonReader::read_all_found(std::vector<Entry>& entries) {
  std::array<std::uint32_t, NdjsonLine::kAtOnce> members;
  std::array<double, NdjsonLine::kAtOnce> numbers;
  entries.resize(line_.count());
  for (std::size_t first = 0; first < entries.size(); first += members.size()) {
    const std::size_t count = std::min(members.size(), entries.size() - first);
    std::iota(members.begin(), members.end(), static_cast<std::uint32_t>(first));
    line_.read_numbers({members.data(), count}, numbers.data());
    for (std::size_t j = 0; j < count; ++j) {
      GLIMPSE_TRY(read_member(members[j], false, numbers[j]));
      entries[first + j] = Entry{line_.attribute(first + j), numbers[j]};
    }
  }
  return {};
}

Status NdjsonReader::read_all(std::vector<Entry>& entries) {
  entries.clear();
  if (!has_example_) return no_example();
  GLIMPSE_TRY(find_names());
  if (is_found_) GLIMPSE_TRY(read_all_found(entries));
  for (const NdjsonFeature& feature : example_->features) {
    Entry& entry = entries.emplace_back(Entry{feature.attribute, 0});
    GLIMPSE_TRY(read_value(feature, false, entry.value));
  }
  const bool some_are_missing = absent_is_missing() || !names_.categories().empty();
  if (some_are_missing && entries.size() < names_.dimension()) add_missing(entries);
  return {};
}

void NdjsonReader::add_missing(std::vector<Entry>& entries) {
  is_given_.resize(names_.dimension());
  const std::size_t given = entries.size();
  for (const Entry& entry : entries) is_given_[entry.attribute] = true;
  const bool all = absent_is_missing();
  for (std::size_t i = 0; i < names_.dimension(); ++i)
    if (!is_given_[i] && (all || names_.categories().holds(static_cast<Attribute>(i))))
      entries.push_back({static_cast<Attribute>(i), kMissing});
  for (std::size_t i = 0; i < given; ++i) is_given_[entries[i].attribute] = false;
}

}  // namespace glimpse
