#include "data/records/table_layout.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>

#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr auto kNone = static_cast<std::uint32_t>(-1);

using Fields = std::span<const std::string_view>;

std::size_t count_of(Fields fields, std::string_view name) {
  return static_cast<std::size_t>(std::count(fields.begin(), fields.end(), name));
}

std::string given(std::string_view option, const ColumnChoice& choice) {
  return fmt::format("--{}{}", option, as_argument(text_of(choice)));
}

// The nearest, or those that there are.
Error no_such_column(const char* option, const ColumnChoice& choice, Fields fields) {
  const std::string& name = choice.in_header.empty() ? choice.name : choice.in_header;
  constexpr std::size_t kMostTold = 8;
  std::string hint = did_you_mean(name, fields);
  if (hint.empty()) {
    hint = "; it has ";
    for (std::size_t i = 0; i < std::min(kMostTold, fields.size()); ++i)
      hint += (i > 0 ? ", " : "") + in_quotes(fields[i]);
    if (fields.size() > kMostTold) hint += fmt::format(" and {} more", fields.size() - kMostTold);
    if (name.starts_with('-')) hint += ", and the last is called last as well";
  }
  return failure(ErrorCode::kInvalidInput, "--{} {}: the header has no such column{}", option, name, hint);
}

Error beyond(const char* option, const ColumnChoice& choice, std::size_t width) {
  return failure(ErrorCode::kInvalidInput, "{}: a row has {} columns, which count from 1",
                 given(option, choice), width);
}

Error label_twice(const std::string& name) {
  return failure(ErrorCode::kInvalidInput, "--label: names the column {} twice", name);
}

Error label_ignored(std::size_t column, std::string_view name) {
  return failure(ErrorCode::kInvalidInput,
                 "--ignore{}: is the label's column: leave it out of --ignore, or give another --label",
                 column_argument(column, name));
}

Error weight_taken(const ColumnChoice& choice) {
  return failure(ErrorCode::kInvalidInput, "{}: is a label, an attribute or in --ignore as well",
                 given("weight", choice));
}

// Finds the column of a header. None: it has no such name.
Result<std::optional<std::size_t>> find_column(const char* option, const ColumnChoice& choice,
                                               Fields fields) {
  if (!choice.in_header.empty()) {
    const auto named = std::find(fields.begin(), fields.end(), choice.in_header);
    return named != fields.end() ? std::optional(static_cast<std::size_t>(named - fields.begin()))
                                 : std::nullopt;
  }
  const auto found = std::find(fields.begin(), fields.end(), choice.name);
  if (found != fields.end() && !choice.name.empty()) {
    const auto column = static_cast<std::size_t>(found - fields.begin());
    if (const auto other = std::find(found + 1, fields.end(), choice.name); other != fields.end())
      return failure(ErrorCode::kInvalidInput,
                     "--{} {}: {} columns are called so: #{} and #{}: give --{}=#{}", option, choice.name,
                     count_of(fields, choice.name), column + 1, other - fields.begin() + 1, option,
                     column + 1);
    return std::optional(column);
  }
  if (choice.kind == ColumnChoice::Kind::kName) return std::optional<std::size_t>();
  const std::size_t number = choice.kind == ColumnChoice::Kind::kLast ? fields.size() - 1 : choice.number;
  if (number >= fields.size()) return beyond(option, choice, fields.size());
  return std::optional(number);
}

}  // namespace

std::optional<std::string_view> word_of_delimiter(char delimiter) {
  const auto* const found = std::ranges::find(kDelimiters, delimiter, &Delimiter::character);
  return found != std::end(kDelimiters) ? std::optional(found->word) : std::nullopt;
}

std::optional<char> delimiter_of_word(std::string_view word) {
  const auto* const found = std::ranges::find(kDelimiters, word, &Delimiter::word);
  return found != std::end(kDelimiters) ? std::optional(found->character) : std::nullopt;
}

ColumnChoice parse_column(std::string_view text) {
  ColumnChoice choice{ColumnChoice::Kind::kName, 0, std::string(text)};
  std::uint64_t number = 0;
  if (text == "last") {
    choice.kind = ColumnChoice::Kind::kLast;
  } else if (text.starts_with('#') && read_index(text.substr(1), number) && number > 0) {
    choice.kind = ColumnChoice::Kind::kNumber;
    choice.number = number - 1;
  }
  return choice;
}

std::string text_of(const ColumnChoice& choice) {
  return choice.kind == ColumnChoice::Kind::kNumber ? fmt::format("#{}", choice.number + 1) : choice.name;
}

std::optional<std::size_t> bare_number(const ColumnChoice& choice) {
  std::uint64_t number = 0;
  const bool is_bare = choice.kind == ColumnChoice::Kind::kName && read_index(choice.name, number);
  return is_bare ? std::optional<std::size_t>(number) : std::nullopt;
}

Error counts_from_1(std::string_view option, std::string_view text, std::size_t column,
                    std::string_view name) {
  return failure(ErrorCode::kInvalidInput, "--{} {}: columns count from 1 now: {}", option, text,
                 name.empty() ? fmt::format("give #{0}, as --{1}=#{0}", column + 1, option)
                              : fmt::format("#{} is {}", column + 1, in_quotes(name)));
}

std::string column_text(std::size_t column, std::string_view name) {
  return name.empty() ? fmt::format("column #{}", column + 1)
                      : fmt::format("column #{} ({})", column + 1, in_quotes(name));
}

std::string column_argument(std::size_t column, std::string_view name) {
  return as_argument(name.empty() ? fmt::format("#{}", column + 1) : name);
}

std::vector<std::string> TableOptions::label_names() const {
  if (further_labels.empty()) return {};
  std::vector<std::string> names{label.name};
  for (const ColumnChoice& choice : further_labels) names.push_back(choice.name);
  return names;
}

std::vector<std::pair<const char*, const ColumnChoice*>> TableOptions::choices() const {
  std::vector<std::pair<const char*, const ColumnChoice*>> all{{"label", &label}};
  for (const ColumnChoice& choice : further_labels) all.emplace_back("label", &choice);
  for (const ColumnChoice& choice : ignored) all.emplace_back("ignore", &choice);
  if (weight) all.emplace_back("weight", &*weight);
  return all;
}

bool TableOptions::has_names() const {
  return std::ranges::any_of(choices(),
                             [](const auto& one) { return one.second->kind == ColumnChoice::Kind::kName; });
}

std::size_t columns_named(const TableOptions& options, Fields fields) {
  if (fields.size() < 2 || !fields.back().empty()) return fields.size();
  const std::size_t last = fields.size() - 1;
  const auto is_last = [last](const ColumnChoice& choice) {
    return choice.kind == ColumnChoice::Kind::kNumber && choice.number == last;
  };
  const bool is_ignored = std::ranges::any_of(options.ignored, [&](const ColumnChoice& choice) {
    return is_last(choice) || choice.kind == ColumnChoice::Kind::kLast;
  });
  const bool is_label = is_last(options.label) || (options.weight && is_last(*options.weight)) ||
                        std::ranges::any_of(options.further_labels, is_last);
  return is_ignored || is_label ? fields.size() : last;
}

bool TableLayout::is_in_order() const {
  return !is_partial_ && std::is_sorted(columns_.begin(), columns_.end());
}

// `columns`: of each attribute, with the label.
void TableLayout::finish(std::vector<std::uint32_t> columns) {
  std::sort(ignored_.begin(), ignored_.end());
  dimension_ = columns.size();
  is_partial_ = std::ranges::find(columns, kNone) != columns.end();
  if (!is_partial_ && ignored_.empty() && std::is_sorted(columns.begin(), columns.end())) return;
  attributes_.assign(width_, kNone);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != kNone) attributes_[columns[i]] = static_cast<std::uint32_t>(i);
  columns_ = std::move(columns);
}

void TableLayout::find_columns(std::span<const Attribute> attributes, bool with_label,
                               Attribute* columns) const {
  if (!columns_.empty()) {
    for (const Attribute attribute : attributes)
      *columns++ = static_cast<Attribute>(column(attribute, with_label));
    return;
  }
  const auto label = static_cast<Attribute>(with_label ? *label_ : dimension_);
  for (const Attribute attribute : attributes)
    *columns++ = attribute + static_cast<Attribute>(attribute >= label);
}

std::optional<Attribute> TableLayout::attribute(std::size_t field, bool with_label) const {
  if (with_label && field == label_) return std::nullopt;
  if (columns_.empty())
    return static_cast<Attribute>(field - static_cast<std::size_t>(with_label && field > *label_));
  const std::size_t column = field + static_cast<std::size_t>(!with_label && label_ && field >= *label_);
  if (attributes_[column] == kNone) return std::nullopt;
  return attributes_[column];
}

Result<TableLayout> TableLayout::without_header(const TableOptions& options, std::size_t dimension) {
  TableLayout layout;
  layout.width_ = dimension + beside_attributes(options);
  const auto place = [&](const char* option, const ColumnChoice& choice) -> Result<std::size_t> {
    if (const auto number = bare_number(choice)) return counts_from_1(option, choice.name, *number);
    if (choice.kind == ColumnChoice::Kind::kName)
      return failure(
          ErrorCode::kInvalidInput,
          "--{} {}: the table has no header that says which column this is: give its number, from 1, as "
          "--{}=#4, or --header yes where the first row is one",
          option, choice.name, option);
    const std::size_t number = choice.kind == ColumnChoice::Kind::kLast ? layout.width_ - 1 : choice.number;
    if (number >= layout.width_) return beyond(option, choice, layout.width_);
    return number;
  };
  GLIMPSE_TRY_ASSIGN(const auto label, place("label", options.label));
  layout.label_ = label;
  std::vector<bool> is_used(layout.width_);
  is_used[label] = true;
  for (const ColumnChoice& choice : options.further_labels) {
    GLIMPSE_TRY_ASSIGN(const auto column, place("label", choice));
    if (is_used[column]) return label_twice(choice.name);
    is_used[column] = true;
    layout.further_labels_.push_back(column);
    layout.ignored_.push_back(column);
  }
  for (const ColumnChoice& choice : options.ignored) {
    GLIMPSE_TRY_ASSIGN(const auto column, place("ignore", choice));
    if (is_used[column])
      return failure(
          ErrorCode::kInvalidInput, "{}: is {}", given("ignore", choice),
          column == label || std::ranges::find(layout.further_labels_, column) != layout.further_labels_.end()
              ? "the label's column"
              : "given twice");
    is_used[column] = true;
    layout.ignored_.push_back(column);
  }
  if (options.weight) {
    GLIMPSE_TRY_ASSIGN(const auto column, place("weight", *options.weight));
    if (is_used[column]) return weight_taken(*options.weight);
    is_used[column] = true;
    layout.weight_ = column;
    layout.ignored_.push_back(column);
  }
  std::vector<std::uint32_t> columns;
  for (std::size_t column = 0; column < layout.width_; ++column)
    if (!is_used[column]) columns.push_back(static_cast<std::uint32_t>(column));
  layout.finish(std::move(columns));
  return layout;
}

namespace {

// The columns of a header, each put to one use.
class HeaderColumns {
 public:
  explicit HeaderColumns(Fields fields) : fields_(fields), is_used_(fields.size()) {}

  bool is_used(std::size_t column) const { return is_used_[column]; }
  void use(std::size_t column) { is_used_[column] = true; }
  std::vector<std::size_t> left() const {
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < fields_.size(); ++column)
      if (!is_used_[column]) columns.push_back(column);
    return columns;
  }

 private:
  Fields fields_;
  std::vector<bool> is_used_;
};

Error neither(std::string_view name, bool has_label) {
  return failure(
      ErrorCode::kMismatch,
      "the header has a column {} that is no attribute of this model{}: leave it out with --ignore {}",
      in_quotes(name), has_label ? " and not the label" : "", name);
}

// Attributes need names, each its own.
Status check_names(Fields fields, const std::vector<std::size_t>& columns) {
  std::map<std::string_view, std::size_t> seen;
  for (const std::size_t column : columns) {
    if (fields[column].empty())
      return failure(
          ErrorCode::kInvalidInput,
          "column #{0} has no name in the header: --ignore=#{0} leaves it out (pandas writes its index so)",
          column + 1);
    const auto [other, is_new] = seen.emplace(fields[column], column);
    if (!is_new)
      return failure(ErrorCode::kInvalidInput,
                     "columns #{0} and #{1} are both called {2}: --ignore=#{1} leaves one out",
                     other->second + 1, column + 1, in_quotes(fields[column]));
  }
  return {};
}

// Of each attribute of `names`; of those that the table lacks none.
Result<std::vector<std::uint32_t>> columns_by_name(Fields fields, const AttributeNames& names,
                                                   HeaderColumns& use) {
  std::vector<std::uint32_t> columns(names.dimension(), kNone);
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const auto attribute = names.find(fields[column]);
    if (!attribute) continue;
    if (columns[*attribute] != kNone)
      return failure(ErrorCode::kInvalidInput, "the header has two columns {}", in_quotes(fields[column]));
    columns[*attribute] = static_cast<std::uint32_t>(column);
    use.use(column);
  }
  return columns;
}

// Where all that is left is the label, the others are missing. Else a column may be one of them, misspelled.
Status check_lacking(Fields fields, const AttributeNames& names, const std::vector<std::uint32_t>& columns,
                     bool has_others) {
  const auto missing = std::ranges::find(columns, kNone);
  const bool has_some = std::ranges::any_of(columns, [](std::uint32_t column) { return column != kNone; });
  if (missing == columns.end() || (has_some && !has_others)) return {};
  const auto name = std::string(names.name(static_cast<Attribute>(missing - columns.begin())));
  return failure(ErrorCode::kMismatch, "the header has no column {}, which is an attribute of this model{}",
                 in_quotes(name), did_you_mean(name, fields));
}

// None: it is not in this table, which may be one of questions.
Result<std::optional<std::size_t>> find_weight(const TableOptions& options, Fields fields,
                                               HeaderColumns& use) {
  if (!options.weight) return std::optional<std::size_t>();
  GLIMPSE_TRY_ASSIGN(const auto column, find_column("weight", *options.weight, fields));
  if (column && use.is_used(*column)) return weight_taken(*options.weight);
  if (column) use.use(*column);
  return column;
}

}  // namespace

// By their names, in any order: what is left is the label, if it is where, or called as, the option says.
Result<TableLayout> TableLayout::by_names(const TableOptions& options, Fields fields,
                                          const AttributeNames& names) {
  TableLayout layout;
  layout.width_ = fields.size();
  HeaderColumns use(fields);
  GLIMPSE_TRY_ASSIGN(auto columns, columns_by_name(fields, names, use));
  const auto label = find_column("label", options.label, fields);
  for (const ColumnChoice& choice : options.ignored) {
    const auto column = find_column("ignore", choice, fields);
    if (!column || !*column || use.is_used(**column)) continue;  // it is not in this table
    if (label && *column == *label) return label_ignored(**column, fields[**column]);
    use.use(**column);
    layout.ignored_.push_back(**column);
  }
  GLIMPSE_TRY_ASSIGN(layout.weight_, find_weight(options, fields, use));
  if (layout.weight_) layout.ignored_.push_back(*layout.weight_);
  bool lacks_labels = false;
  for (const ColumnChoice& choice : options.further_labels) {
    const auto column = find_column("label", choice, fields);
    if (!column || !*column || use.is_used(**column)) {
      lacks_labels = true;
      continue;
    }
    use.use(**column);
    layout.further_labels_.push_back(**column);
    layout.ignored_.push_back(**column);
  }
  if (options.ignores_others)
    for (const std::size_t column : use.left()) {
      if (label && *label && column == **label) continue;
      use.use(column);
      layout.ignored_.push_back(column);
    }
  const std::vector<std::size_t> left = use.left();
  const bool is_label = label && *label && left.size() == 1 && left.front() == **label;
  GLIMPSE_TRY(check_lacking(fields, names, columns, !left.empty() && !is_label));
  if (!left.empty()) {
    const std::string& name = options.label.in_header;
    if (label && !*label && !name.empty())
      return failure(
          ErrorCode::kMismatch,
          "the header has no column {}, which is the label of this model, and has a column {} that "
          "is no attribute of it: call the label {}, or leave the other out with --ignore {}",
          in_quotes(name), in_quotes(fields[left.front()]), in_quotes(name), fields[left.front()]);
    if (!label || !*label || use.is_used(**label)) return neither(fields[left.front()], false);
    if (left.size() > 1) return neither(fields[left[left.front() == **label ? 1 : 0]], true);
    layout.label_ = **label;
  } else if (options.further_labels.empty()) {
    layout.insert_label(options.label, columns);
  }
  if (options.weight && !layout.weight_ && layout.label_ && layout.width_ == fields.size())
    return no_such_column("weight", *options.weight, fields);
  GLIMPSE_TRY(layout.check_labels(options, lacks_labels));
  layout.finish(std::move(columns));
  return layout;
}

// A table has all of several labels, or none: then it asks for predictions.
Status TableLayout::check_labels(const TableOptions& options, bool lacks_some) const {
  if (options.further_labels.empty()) return {};
  const bool has_some = label_ || !further_labels_.empty();
  if (!has_some || (label_ && !lacks_some)) return {};
  return failure(ErrorCode::kInvalidInput,
                 "the header has some of the columns that --label names and lacks others: a table has all of "
                 "them, or none to get predictions");
}

// The header leaves the label out, and rows behind it may have it all the same, where a number says which.
void TableLayout::insert_label(const ColumnChoice& choice, std::vector<std::uint32_t>& columns) {
  if (choice.kind == ColumnChoice::Kind::kName) return;
  label_ = choice.kind == ColumnChoice::Kind::kLast ? width_ : choice.number;
  if (*label_ > width_) label_.reset();
  if (!label_) return;
  ++width_;
  const auto behind = [this](auto column) { return column >= *label_ ? 1 : 0; };
  for (std::size_t& column : ignored_) column += behind(column);
  if (weight_) *weight_ += behind(*weight_);
  for (std::uint32_t& column : columns)
    if (column != kNone) column += behind(column);
}

// The columns in order are the attributes, beside the label and what is ignored.
Result<TableLayout> TableLayout::in_order(const TableOptions& options, Fields fields, std::size_t dimension) {
  TableLayout layout;
  layout.width_ = fields.size();
  HeaderColumns use(fields);
  for (const ColumnChoice& choice : options.ignored) {
    GLIMPSE_TRY_ASSIGN(const auto column, find_column("ignore", choice, fields));
    if (!column) return no_such_column("ignore", choice, fields);
    if (use.is_used(*column))
      return failure(ErrorCode::kInvalidInput, "{}: is given twice", given("ignore", choice));
    use.use(*column);
    layout.ignored_.push_back(*column);
  }
  GLIMPSE_TRY_ASSIGN(layout.weight_, find_weight(options, fields, use));
  if (layout.weight_) layout.ignored_.push_back(*layout.weight_);
  const bool has_label = dimension == 0 || fields.size() != dimension + layout.ignored_.size();
  if (has_label && options.weight && !layout.weight_)
    return no_such_column("weight", *options.weight, fields);
  for (const ColumnChoice& choice : options.further_labels) {
    if (!has_label) break;
    GLIMPSE_TRY_ASSIGN(const auto column, find_column("label", choice, fields));
    if (!column) return no_such_column("label", choice, fields);
    if (use.is_used(*column))
      return std::ranges::find(layout.further_labels_, *column) != layout.further_labels_.end()
                 ? label_twice(choice.name)
             : column == layout.weight_ ? weight_taken(*options.weight)
                                        : failure(ErrorCode::kInvalidInput, "--ignore{}: is a label's column",
                                                  column_argument(*column, fields[*column]));
    use.use(*column);
    layout.further_labels_.push_back(*column);
    layout.ignored_.push_back(*column);
  }
  if (has_label) {
    GLIMPSE_TRY_ASSIGN(const auto label, find_column("label", options.label, fields));
    if (!label) return no_such_column("label", options.label, fields);
    if (std::ranges::find(layout.further_labels_, *label) != layout.further_labels_.end())
      return label_twice(options.label.name);
    if (label == layout.weight_) return weight_taken(*options.weight);
    if (use.is_used(*label)) return label_ignored(*label, fields[*label]);
    use.use(*label);
    layout.label_ = *label;
  }
  GLIMPSE_TRY(check_names(fields, use.left()));
  std::vector<std::uint32_t> columns;
  for (const std::size_t column : use.left()) {
    columns.push_back(static_cast<std::uint32_t>(column));
    layout.names_.emplace_back(fields[column]);
  }
  if (!has_label && options.further_labels.empty()) layout.insert_label(options.label, columns);
  if (dimension > 0 && columns.size() != dimension)
    return failure(ErrorCode::kInvalidInput,
                   "the header has {} columns; a model of dimension {} needs {} (label and attributes) or {} "
                   "(attributes alone){}",
                   fields.size(), dimension, dimension + 1 + layout.ignored_.size(),
                   dimension + layout.ignored_.size() - layout.further_labels_.size(),
                   layout.ignored_.empty() ? "" : ", with those that are ignored");
  layout.finish(std::move(columns));
  return layout;
}

namespace {

Status refuse_bare_numbers(const TableOptions& options, Fields fields) {
  for (const auto& [option, choice] : options.choices()) {
    const auto number = bare_number(*choice);
    if (number && choice->in_header.empty() && count_of(fields, choice->name) == 0)
      return counts_from_1(option, choice->name, *number, *number < fields.size() ? fields[*number] : "");
  }
  return {};
}

}  // namespace

Result<TableLayout> TableLayout::with_header(const TableOptions& options, Fields fields,
                                             const AttributeNames& names) {
  fields = fields.first(columns_named(options, fields));
  GLIMPSE_TRY(refuse_bare_numbers(options, fields));
  const std::size_t dimension = names.dimension();
  auto layout = dimension > 0 && names.fixed() == dimension ? by_names(options, fields, names)
                                                            : in_order(options, fields, dimension);
  if (layout) layout->note_chosen(options, fields);
  return layout;
}

void TableLayout::note_chosen(const TableOptions& options, Fields fields) {
  const auto note = [&](const ColumnChoice& choice, const char* option) {
    const auto column = find_column(option, choice, fields);
    const bool is_one = column && *column && count_of(fields, fields[**column]) == 1;
    chosen_names_.emplace_back(is_one ? fields[**column] : std::string_view());
  };
  if (!label_ || width_ > fields.size())  // it was left out
    chosen_names_.emplace_back();
  else
    note(options.label, "label");
  for (const ColumnChoice& choice : options.ignored) note(choice, "ignore");
  if (weight_) note(*options.weight, "weight");
}

void TableLayout::name_choices(TableOptions& options) const {
  const auto name = [this](ColumnChoice& choice, std::size_t place) {
    const bool is_found = choice.kind != ColumnChoice::Kind::kName || bare_number(choice);
    if (is_found && place + (weight_ ? 1 : 0) < chosen_names_.size()) choice.in_header = chosen_names_[place];
  };
  name(options.label, 0);
  for (std::size_t i = 0; i < options.ignored.size(); ++i) name(options.ignored[i], i + 1);
  if (options.weight && weight_ && !chosen_names_.empty()) options.weight->in_header = chosen_names_.back();
}

// What checkpoints know of tables.

std::string TableLayout::describe() const {
  std::string text = fmt::format("width={} label=", width_);
  if (label_) text += fmt::format("{}", *label_);
  text += " ignored=";
  for (std::size_t i = 0; i < ignored_.size(); ++i)
    text += fmt::format("{}{}", i > 0 ? "," : "", ignored_[i]);
  for (std::size_t i = 0; i < further_labels_.size(); ++i)
    text += fmt::format("{}{}", i > 0 ? "," : " further=", further_labels_[i]);
  if (weight_) text += fmt::format(" weight={}", *weight_);
  return text;
}

Result<TableLayout> TableLayout::parse(std::string_view description, std::size_t dimension) {
  const Error corrupt =
      failure(ErrorCode::kCorrupt, "inputs.table is no layout of a table with {} attributes: {}", dimension,
              in_quotes(description));
  const auto part_of = [&](std::string_view name) {
    const std::size_t place = description.find(name);
    if (place == std::string_view::npos) return std::string_view();
    const std::string_view rest = description.substr(place + name.size());
    return rest.substr(0, rest.find(' '));
  };
  TableLayout layout;
  std::uint64_t number = 0;
  if (!read_index(part_of("width="), number)) return corrupt;
  layout.width_ = number;
  std::vector<bool> is_used(std::min<std::uint64_t>(number, dimension + description.size()));
  const auto use = [&](std::string_view text) {
    if (!read_index(text, number) || number >= is_used.size() || is_used[number]) return false;
    is_used[number] = true;
    return true;
  };
  if (const std::string_view label = part_of("label="); !label.empty()) {
    if (!use(label)) return corrupt;
    layout.label_ = number;
  }
  for (std::string_view rest = part_of("ignored="); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (!use(one)) return corrupt;
    layout.ignored_.push_back(number);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  for (std::string_view rest = part_of("further="); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (!read_index(one, number) || std::ranges::find(layout.ignored_, number) == layout.ignored_.end())
      return corrupt;
    layout.further_labels_.push_back(number);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  if (const std::string_view weight = part_of("weight="); !weight.empty()) {
    if (!read_index(weight, number) || std::ranges::find(layout.ignored_, number) == layout.ignored_.end())
      return corrupt;
    layout.weight_ = number;
  }
  std::vector<std::uint32_t> columns;
  for (std::size_t column = 0; column < is_used.size(); ++column)
    if (!is_used[column]) columns.push_back(static_cast<std::uint32_t>(column));
  if (columns.size() != dimension || is_used.size() != layout.width_) return corrupt;
  layout.finish(std::move(columns));
  return layout;
}

void TableLayout::save(State& state) const {
  if (width_ > 0) state.put_text("inputs.table", describe());
  if (chosen_names_.empty()) return;
  std::string names;
  for (const std::string& name : chosen_names_) names.append(name).push_back('\0');
  std::ranges::copy(names, state.put<std::uint8_t>("inputs.table_names", names.size()).begin());
}

Result<TableLayout> TableLayout::restore(const State& state, std::size_t dimension) {
  const auto text = state.get_text("inputs.table");
  auto layout = text ? parse(*text, dimension) : TableLayout();
  if (!layout || state.find("inputs.table_names") == nullptr) return layout;
  GLIMPSE_TRY_ASSIGN(const auto bytes, state.get<std::uint8_t>("inputs.table_names"));
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto end = std::find(at, bytes.end(), std::uint8_t{0});
    layout->chosen_names_.emplace_back(at, end);
    at = end == bytes.end() ? end : end + 1;
  }
  return layout;
}

namespace {

constexpr std::array<std::string_view, 3> kAbsentNames{"auto", "unknown", "zero"};

}  // namespace

Result<Absent> parse_absent(std::string_view name) {
  const auto* const place = std::find(kAbsentNames.begin(), kAbsentNames.end(), name);
  if (place != kAbsentNames.end()) return static_cast<Absent>(place - kAbsentNames.begin());
  return failure(ErrorCode::kInvalidOption, "absent {} is unknown: auto, unknown or zero", in_quotes(name));
}

std::string_view name_of(Absent absent) { return kAbsentNames[static_cast<std::size_t>(absent)]; }

}  // namespace glimpse
