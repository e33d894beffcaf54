#include <algorithm>
#include <limits>
#include <utility>

#include "data/formats/csv_cells.h"
#include "data/formats/csv_reader.h"
#include "data/text/foreign_file.h"
#include "data/text/text.h"

// How CsvReader finds out what the columns of a table are: by its first row.

namespace glimpse {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

// A row of another width is no first row; it is refused before it is divided, however many fields it has.
Status CsvReader::open_first_row() {
  if (const std::string other = foreign_file(record_); !other.empty() && !options_.goes_on)
    return refuse(Error{ErrorCode::kInvalidInput, other});
  std::size_t most = std::numeric_limits<std::size_t>::max();
  if (const std::size_t dimension = names_.dimension(); dimension > 0) {
    const std::size_t beside = TableLayout::beside_attributes(options_);
    most = dimension + beside + kFieldsTooMany;
    // Before it is divided, however many fields it has. Behind the last delimiter there may be nothing.
    if (!marks_.has_quote &&
        marks_.delimiters >= dimension + beside + static_cast<std::size_t>(last_is_empty()))
      return wrong_width(marks_.delimiters + 1);
  }
  GLIMPSE_TRY(split_.split(record_, delimiter_, most));
  const std::size_t width = split_.fields().size();
  if (is_header()) {
    const std::size_t named = columns_named(options_, split_.fields());
    const std::size_t least = names_.dimension() + (names_.are_complete() ? 0 : options_.ignored.size());
    const std::size_t labels = 1 + options_.further_labels.size();
    const bool is_wide = names_.dimension() > 0 && !names_.are_complete() && named > least + labels;
    if (named < least || is_wide) return wrong_width(width);
    return read_header();
  }
  GLIMPSE_TRY(begin_without_header());
  if (!layout_.fits(width) && !(width == layout_.width() + 1 && last_is_empty())) return wrong_width(width);
  at_first_row_ = false;
  return open_row(width);
}

Status CsvReader::begin_without_header() {
  if (known_ != nullptr && known_->dimension() > 0 && options_.has_names()) {
    layout_ = *known_;
    return {};
  }
  const std::size_t beside = TableLayout::beside_attributes(options_);
  const std::size_t width = split_.fields().size();
  if (names_.dimension() == 0 && width <= beside)
    return failure(ErrorCode::kInvalidInput,
                   "the first row has {} field{}, which leaves no attribute beside the label{}{}", width,
                   width == 1 ? "" : "s", options_.ignored.empty() ? "" : " and what is ignored",
                   delimiter_hint());
  GLIMPSE_TRY_ASSIGN(
      auto layout,
      TableLayout::without_header(options_, names_.dimension() > 0 ? names_.dimension() : width - beside));
  begin(std::move(layout));
  return {};
}

// What the first table is, others are that bring no header. One of another order says nothing of these.
void CsvReader::begin(TableLayout layout) {
  if (names_.dimension() == 0) names_.set_dimension(layout.dimension());
  layout_ = std::move(layout);
  if (!has_new_names_) note_known();
}

void CsvReader::note_known() {
  if (known_ != nullptr && known_->dimension() == 0 && names_.is_open() && layout_.label() &&
      layout_.is_in_order())
    *known_ = layout_;
}

// A word where words are expected tells nothing, unless the row has the names of all attributes. A row with a
// number that nobody calls a column is an example.
bool CsvReader::is_header() const {
  if (options_.header != HeaderChoice::kAuto) return options_.header == HeaderChoice::kYes;
  const Categories& categories = names_.categories();
  const bool has_words = !categories.empty() || categories.has_label_words();
  std::optional<TableLayout> layout;
  if (has_words) {
    if (known_ != nullptr && known_->dimension() > 0)
      layout = *known_;
    else if (auto plain = TableLayout::without_header(options_, names_.dimension()); plain)
      layout = *plain;
  }
  std::size_t names = 0;
  bool is_word = false;  // where none is expected
  const auto& fields = split_.fields();
  std::size_t width = fields.size();
  if (layout && width == layout->width() + 1 && trimmed(fields.back()).empty()) --width;
  const bool fits = layout && layout->fits(width);
  for (std::size_t column = 0; column < width; ++column) {
    const std::string_view field = trimmed(fields[column]);
    if (names_.find(field)) ++names;
    const CellKind kind = cell_kind(field, options_.decimal_comma);
    if (kind == CellKind::kNumber && !may_be_name(field)) return false;
    if (kind != CellKind::kWord || is_word) continue;
    is_word = !fits;
    if (is_word) continue;
    const bool with_label = layout->has_label(width);
    const auto attribute = layout->attribute(column, with_label);
    const bool is_expected = attribute
                                 ? categories.holds(*attribute)
                                 : !(with_label && column == layout->label()) || categories.has_label_words();
    is_word = !is_expected;
  }
  return is_word || (names > 0 && names >= names_.dimension());
}

Status CsvReader::read_header() {
  at_first_row_ = false;
  std::vector<std::string_view> fields;
  for (const std::string_view field : split_.fields()) {
    fields.push_back(trimmed(field));
    // Noise that happens to have the right number of commas must not name the attributes for good.
    if (std::any_of(field.begin(), field.end(), is_control))
      return refuse(failure(ErrorCode::kInvalidInput,
                            "the row would be a header, but the name of column {} has control characters: {}",
                            fields.size(), quoted(field)));
  }
  TableOptions options = options_;
  if (known_ != nullptr) known_->name_choices(options);
  auto layout = TableLayout::with_header(options, fields, names_);
  if (!layout) return refuse(layout.error());
  if (names_.dimension() == 0) names_.set_dimension(layout->dimension());
  // Names for a model that has none stay with a row that is learned from: the header may be no table's.
  has_new_names_ = names_.is_open() && names_.empty() && !layout->names().empty();
  const bool was_open = names_.set_open(!has_new_names_ && names_.is_open());
  const Status named = names_.fix(layout->names());
  names_.set_open(was_open);
  if (!named) return refuse(named.error());
  has_header_ = true;
  if (columns_named(options_, fields) < fields.size()) header_ends_behind_ = fields.size();
  begin(std::move(*layout));
  return {};
}

Error CsvReader::refuse(const Error& error) {
  refusal_ = error.message;
  return error;
}

// Rows of several labels have a place for each, which is empty where they ask for predictions.
std::string CsvReader::widths_told(std::size_t without, bool has_label) const {
  if (!has_label) return fmt::format("{} (attributes alone, to get a prediction)", without);
  const std::size_t further = layout_.width() > 0 ? 0 : options_.further_labels.size();
  if (!options_.further_labels.empty())
    return fmt::format("{} (labels and attributes; empty labels get predictions)", without + 1 + further);
  return fmt::format("{} (label and attributes) or {} (attributes alone, to get a prediction)", without + 1,
                     without);
}

Error CsvReader::wrong_width(std::size_t width) const {
  const bool is_known = layout_.width() > 0;
  const bool has_label = !is_known || layout_.label();
  const std::size_t without =
      is_known ? layout_.width() - (has_label ? 1 : 0) : names_.dimension() + options_.ignored.size();
  // Of a first row it may be the dimension that is wrong.
  std::string fits;
  const std::size_t beside = TableLayout::beside_attributes(options_);
  if (!is_known && width > beside)
    fits = fmt::format(", which with their label{} are of dimension {}",
                       options_.further_labels.empty() ? "" : "s", width - beside);
  const bool lacks_name = has_header_ && width == layout_.width() + 1;
  return failure(ErrorCode::kInvalidInput, "row has {} fields{}; a model of dimension {} needs {}{}{}{}",
                 width, fits, names_.dimension(), widths_told(without, has_label),
                 options_.ignored.empty() ? "" : ", with the columns that are ignored",
                 lacks_name ? ": the header has a name less, as R writes it, whose write.table names row "
                              "names with col.names = NA"
                            : "",
                 delimiter_hint());
}

// What to do where a row seems to be divided otherwise.
std::string CsvReader::delimiter_hint() const {
  if (trimmed(record_).find('\r') != std::string_view::npos)
    return ": it holds CR, which ends no line: tr '\\r' '\\n' makes lines of it";
  if (delimiter_ == ' ' && trimmed(record_).find("  ") != std::string_view::npos)
    return ": several blanks stand between fields, and each single one divides: sed 's/  */ /g' FILE leaves "
           "one";
  const char other = delimiter_of(record_, options_.decimal_comma);
  if (other == delimiter_ || record_.find(delimiter_) != std::string_view::npos) return {};
  if (record_.find(other) == std::string_view::npos) return {};
  return fmt::format(": its fields seem to be divided by {0}: --delimiter {0}", delimiter_word(other));
}

}  // namespace glimpse
