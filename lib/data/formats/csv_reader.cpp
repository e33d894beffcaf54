#include "data/formats/csv_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "data/formats/csv_cells.h"
#include "data/records/cell.h"
#include "data/records/record_framer.h"
#include "data/text/arff.h"
#include "data/text/foreign_file.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

CsvReader::CsvReader(const TableOptions& options, AttributeNames& names, TableLayout* known,
                     const TextKernel& kernel)
    : options_(options),
      label_names_(options.label_names()),
      delimiter_(options.delimiter),
      names_(names),
      known_(known),
      kernel_(kernel) {}

// Only the first row, and the first below a header, tell something of the others.
std::unique_ptr<ExampleReader> CsvReader::twin(AttributeNames& names) const {
  if (at_first_row_ || !has_rows_ || has_new_names_ || !refusal_.empty() || layout_.is_partial())
    return nullptr;
  auto twin = std::make_unique<CsvReader>(options_, names, nullptr, kernel_);
  twin->delimiter_ = delimiter_;
  twin->at_first_row_ = false;
  twin->has_header_ = has_header_;
  twin->is_twin_ = true;
  twin->header_width_ = header_width_;
  twin->names_in_header_ = names_in_header_;
  twin->sorted_names_ = sorted_names_;
  twin->header_ends_behind_ = header_ends_behind_;
  twin->has_rows_ = true;
  twin->rows_end_with_delimiter_ = rows_end_with_delimiter_;
  twin->layout_ = layout_;
  return twin;
}

void CsvReader::mark(std::string_view text) {
  if (own_blocks_.size() < field_blocks(text.size())) own_blocks_.resize(field_blocks(text.size()));
  marks_ = kernel_.mark_fields(text.data(), text.size(), delimiter_, own_blocks_.data());
  blocks_ = own_blocks_.data();
}

void CsvReader::use_marks(const LineMarks* marks) {
  measured_ = nullptr;  // other lines may come to lie there
  given_ = marks;
  given_line_ = 0;
  given_begin_ = marks != nullptr ? marks->text : nullptr;
}

std::size_t CsvReader::line_length(std::string_view rest) {
  if (given_begin_ == rest.data() && given_ != nullptr && given_line_ < given_->lines.size()) {
    const LineMarks::Line& line = given_->lines[given_line_++];
    marks_ = line.marks;
    blocks_ = given_->blocks.data() + line.first_block;
    measured_ = rest.data();
    given_begin_ += marks_.length + 1;
    return marks_.length;
  }
  measured_ = nullptr;  // also when there is no memory for the marks
  const std::string_view window = rest.substr(0, window_);
  mark(window);
  if (marks_.length < window.size() || window.size() == rest.size()) {
    measured_ = rest.data();
    return marks_.length;
  }
  const std::size_t length = window.size() + length_of_line(rest.substr(window.size()));
  window_ = 2 * length;
  return length;
}

Status CsvReader::open(std::string_view record) {
  const char* measured = std::exchange(measured_, nullptr);
  has_example_ = false;
  head_ = {};
  names_.keep();
  if (open_quote_.is_open()) return open_quote_.take(record);
  if (at_first_row_ && !options_.goes_on) record = without_mark(record);
  const bool may_be_blank = record.empty() || static_cast<unsigned char>(record.front()) <= '#' ||
                            record.front() == delimiter_ || delimiter_ == 0;
  if (may_be_blank && is_blank_row(record)) return {};
  if (!refusal_.empty()) {
    return failure(ErrorCode::kInvalidInput, "row refused, as the header was: {}", refusal_);
  }
  record_ = record;
  if (delimiter_ == 0) {
    delimiter_ = delimiter_of(record, options_.decimal_comma);
    measured = nullptr;  // the marks are of no delimiter
  }
  // Without the '\r' before a newline there are as many delimiters.
  if (measured != record.data() || marks_.length - record.size() > 1) mark(record);
  if (at_first_row_) return open_first_row();
  std::size_t width = marks_.delimiters + 1;
  if (marks_.has_quote) {
    GLIMPSE_TRY(divide(layout_.width() + kFieldsTooMany));
    width = split_.fields().size();
  }
  return open_row(width);
}

// By RFC 4180, or as RecordSplitter does.
Status CsvReader::divide(std::size_t most) {
  Status status = split_.split(record_, delimiter_, most);
  if (status || !marks_.has_quote || split_.fields().size() == most) return status;
  dialect_.delimiter.assign(1, delimiter_);
  dialect_.width = layout_.width();
  if (options_.are_lines) GLIMPSE_TRY(open_quote_.take(record_));
  loose_.split(record_, true);
  if (loose_.fields().size() > most) return status;
  split_.assign(loose_.fields());
  return {};
}

bool CsvReader::last_is_empty() const {
  return marks_.has_quote ? trimmed(split_.fields().back()).empty() : ends_empty(record_, delimiter_);
}

Status CsvReader::open_row(std::size_t width) {
  if (!has_rows_)
    rows_end_with_delimiter_ =
        (width == layout_.width() + 1 || width == header_ends_behind_) && last_is_empty();
  if (rows_end_with_delimiter_ && fits(width - 1) && last_is_empty()) --width;
  if (options_.reads_short_rows && width < layout_.width() && !fits(width)) return open_padded(width);
  if (!fits(width)) return width < full_width() ? lacks_field(width) : wrong_width(width);
  has_rows_ = true;
  if (has_new_names_ && names_.is_open()) {
    if (names_.fixed() < layout_.names().size()) {
      GLIMPSE_TRY(names_.fix(layout_.names(), false));
    } else {
      has_new_names_ = false;
      note_known();
    }
  }
  has_label_column_ = layout_.has_label(width);
  if (!has_label_column_ && is_header_again(cell_at(0))) return read_header_again();
  if (has_label_column_) {
    GLIMPSE_TRY(layout_.further_labels().empty() ? read_label(cell_at(*layout_.label()))
                                                 : read_several_labels());
    if (std::exchange(is_header_row_, false)) return read_header_again();
    if (layout_.weight() && head_.label) GLIMPSE_TRY(read_weight());
  }
  const bool learns = head_.label && names_.is_open();
  if (learns && layout_.is_partial() && !options_.learns_partial) return lacks_columns();
  has_example_ = true;
  return {};
}

// A twin leaves it to the reader of the stream.
Status CsvReader::read_header_again() { return is_twin_ ? Status() : read_header(); }

// Fields that no row may lack; 0: a row may leave the label out.
std::size_t CsvReader::full_width() const {
  return header_width_ > 0 ? header_width_ : options_.rows_have_label ? layout_.width() : 0;
}

// Where the header or the sample has the label no row leaves it out.
bool CsvReader::fits(std::size_t width) const {
  return width == layout_.width() || (full_width() < layout_.width() && layout_.fits(width));
}

// Fields that a row lacks at its end are missing.
Status CsvReader::open_padded(std::size_t width) {
  padded_.assign(record_);
  const std::size_t full = header_width_ > 0 ? header_width_ : layout_.width();
  if (layout_.label() && full == layout_.width() && *layout_.label() >= width) return lacks_field(width);
  padded_.append(full - width, delimiter_);
  record_ = padded_;
  mark(record_);
  if (marks_.has_quote) GLIMPSE_TRY(divide(full));
  head_.is_filled = true;
  return open_row(full);
}

Error CsvReader::lacks_field(std::size_t width) const {
  return failure(ErrorCode::kInvalidInput, "row has {} field{}, and {} {}{}{}{}", width,
                 width == 1 ? "" : "s", header_width_ > 0 ? "the header" : "the other rows",
                 header_width_ > 0 ? header_width_ : layout_.width(),
                 layout_.label() && width + 1 == layout_.width() ? "; a question has an empty label" : "",
                 options_.reads_short_rows
                     ? ": the label is one of those that it lacks"
                     : ": --short-rows missing takes fields that lack at the end for missing values",
                 delimiter_hint());
}

// Blank, a comment, or of delimiters alone, unless these are more than a row has. A mark for a missing value
// in the first field, as #N/A, makes no comment.
bool CsvReader::is_blank_row(std::string_view record) const {
  if (record.empty()) return true;
  const char delimiter = delimiter_ != 0 ? delimiter_ : delimiter_of(record, options_.decimal_comma);
  const char dividing[] = {' ', '\t', '\r', delimiter};
  if (record.find_first_not_of(std::string_view(dividing, sizeof dividing)) == std::string_view::npos) {
    const std::size_t most = !at_first_row_ ? layout_.width()
                             : names_.dimension() > 0
                                 ? names_.dimension() + TableLayout::beside_attributes(options_)
                                 : std::numeric_limits<std::size_t>::max();
    return delimiter == ' ' || static_cast<std::size_t>(std::ranges::count(record, delimiter)) <= most;
  }
  if (record.front() != '#' || !options_.has_comments) return false;
  const std::string_view field = trimmed(record.substr(0, record.find(delimiter)));
  return !is_missing_cell(field) && !is_missing_number(field);
}

// Whether the record, of which one field is `one`, is the header once more; with its columns in another order
// where a word stands in a column of numbers, as else its words may be values.
bool CsvReader::is_header_again(std::string_view one) {
  if (!std::ranges::binary_search(sorted_names_, one)) return false;
  if (!marks_.has_quote && !split_.split(record_, delimiter_)) return false;
  std::vector<std::string> fields;
  for (const std::string_view field : split_.fields()) fields.push_back(one_line(trimmed(field)));
  if (fields == names_in_header_) return true;
  bool has_word = false;
  for (std::size_t i = 0; i < fields.size() && !has_word; ++i) {
    const auto attribute = layout_.attribute(i, layout_.has_label(fields.size()));
    const bool holds_numbers = attribute              ? names_.categories().has_numbers(*attribute)
                               : layout_.label() == i ? names_.categories().is_label_number()
                                                      : false;
    has_word = holds_numbers && classify_cell(fields[i]).type == CellType::kWord;
  }
  std::ranges::sort(fields);
  return has_word && fields == sorted_names_;
}

std::string_view CsvReader::field_of(const Place& place) const {
  return std::string_view(record_.data() + place.begin, place.end - place.begin);
}

std::string_view CsvReader::field_at(std::size_t place_of_field) const {
  if (marks_.has_quote) return split_.fields()[place_of_field];
  Place place{0, record_.size()};
  if (place_of_field == 0) {
    for (const FieldBlock* block = blocks_; marks_.delimiters > 0; ++block) {
      if (block->delimiters == 0) continue;
      place.end = static_cast<std::size_t>(block - blocks_) * 64 +
                  static_cast<std::size_t>(std::countr_zero(block->delimiters));
      break;
    }
    return field_of(place);
  }
  const auto column = static_cast<Attribute>(place_of_field);
  kernel_.locate_fields(blocks_, record_.size(), marks_.delimiters, {&column, 1}, &place);
  return field_of(place);
}

// The cell of a column in a table of plain numbers.
std::string_view CsvReader::plain(std::size_t column, std::string_view field) const {
  field = trimmed(field);
  if (column >= forms_.size()) return field;
  const ColumnForm& form = forms_[column];
  if (is_mark(field, form.missing) || (form.is_read_as_number() && is_missing_number(field))) return "NA";
  if (form.is_plain()) return field;
  cell_.clear();
  if (append_in_form(field, form, cell_)) return cell_;
  double number = 0;
  if (!form.is_read_as_number() || !read_number(field, number)) return field;
  return cell_.append("'").append(field);  // not of the form: an odd cell
}

// A column of the row as messages call it, which goes without its label where it has none.
std::string CsvReader::column_at(std::size_t column) const {
  std::string_view name;
  if (column >= layout_.width()) return column_text(column);
  if (has_label_column_ && column == layout_.label() && !layout_.chosen_names().empty())
    name = layout_.chosen_names().front();
  else if (has_label_column_ && column == layout_.weight() && !layout_.chosen_names().empty())
    name = layout_.chosen_names().back();
  else if (const auto attribute = layout_.attribute(column, has_label_column_))
    name = names_.name(*attribute);
  return column_text(column, name);
}

Status CsvReader::read_weight() {
  const std::size_t column = *layout_.weight();
  const std::string_view field = cell_at(column);
  const bool is_number = read_cell(field, options_.decimal_comma, head_.importance);
  if (is_number && head_.importance >= 0) return {};
  return failure(ErrorCode::kInvalidInput,
                 "{}: the weight of a row with a label must be a finite number of at least 0, and it is {}{}",
                 column_at(column), is_missing_cell(field) ? "missing" : in_quotes(field),
                 is_number || is_missing_cell(field) ? "" : cell_mend(field, options_.decimal_comma));
}

// Many at once; what is no number, or needs more work, is NaN.
void CsvReader::read_fields(const Place* places, std::size_t count, double* values) const {
  if (options_.decimal_comma)
    std::fill_n(values, count, std::numeric_limits<double>::quiet_NaN());
  else
    kernel_.read_numbers(record_.data(), places, count, values);
}

Status CsvReader::read_label(std::string_view field) {
  double label = 0;
  const bool has_words = names_.categories().has_label_words();
  if (!has_words && read_cell(field, options_.decimal_comma, label)) {
    head_.label = label;
  } else if (const auto truth = truth_value(field); truth && names_.categories().is_label_number()) {
    head_.label = *truth;
  } else if (is_header_again(field)) {
    is_header_row_ = true;
  } else if (!is_missing_cell(field) &&
             !(names_.categories().is_label_number() && is_missing_number(field))) {
    if (!has_words && (is_not_finite_cell(field) || looks_like_odd_number(field)))
      return failure(ErrorCode::kInvalidInput, "{}: {}{}", column_at(*layout_.label()),
                     not_a_number("label", field).message, cell_mend(field, options_.decimal_comma));
    // Of numbers 0,5 is the class 0.5 then.
    const bool has_comma = has_words && options_.decimal_comma && field.find(',') != std::string_view::npos &&
                           read_cell(field, true, label);
    const auto code = has_comma ? names_.categories().read_label(label, names_.is_open())
                                : names_.categories().read_label(on_one_line(field), names_.is_open());
    if (!code)
      return failure(code.error().code, "{}: {}{}", column_at(*layout_.label()), code.error().message,
                     cell_mend(field, options_.decimal_comma));
    head_.label = *code;
  }
  return {};
}

// All of them, or none: then the row asks for predictions.
Status CsvReader::read_several_labels() {
  const std::vector<std::size_t>& further = layout_.further_labels();
  labels_.clear();
  for (std::size_t l = 0; l <= further.size(); ++l) {
    const std::size_t column = l == 0 ? *layout_.label() : further[l - 1];
    const std::string_view field = cell_at(column);
    double& label = labels_.emplace_back(0);
    if (read_cell(field, options_.decimal_comma, label)) continue;
    label = std::numeric_limits<double>::quiet_NaN();
    is_header_row_ = is_header_again(field);
    if (is_header_row_) return {};
    if (!is_missing_cell(field))
      return failure(ErrorCode::kInvalidInput,
                     "label {} in {} is not a finite number, and of several labels none holds words{}",
                     in_quotes(field), column_text(column, label_names_[l]),
                     cell_mend(field, options_.decimal_comma));
  }
  return head_.set_labels(labels_, label_names_);
}

// A word of a quoted field, as names in replies are of one line.
std::string_view CsvReader::on_one_line(std::string_view field) const {
  if (!marks_.has_quote || field.find_first_of("\r\n") == std::string_view::npos) return field;
  word_ = one_line(field);
  return trimmed(word_);
}

// Of an attribute that holds words, and of others where their number was not read yet.
Status CsvReader::read_value(std::size_t column, Attribute attribute, std::string_view field, bool learns,
                             double& value) const {
  const bool holds_words = names_.categories().holds(attribute);
  const bool is_date =
      column < forms_.size() && forms_[column].holds_days() && forms_[column].missing.empty();
  if (is_date && !holds_words && read_in_form(trimmed(field), forms_[column], value)) return {};
  field = plain(column, field);
  if (!holds_words && read_cell(field, options_.decimal_comma, value)) return {};
  const bool is_number = names_.categories().is_number(attribute);
  if (is_number && !options_.decimal_comma && read_in_form(field, {}, value))
    return {};  // (5), no-break blanks
  if (is_missing_cell(field) || (!holds_words && is_missing_number(field))) {
    value = std::numeric_limits<double>::quiet_NaN();
    return {};
  }
  const auto no_number = [&](const std::string& mend) {
    return failure(ErrorCode::kInvalidInput, "value {} in {} is not a finite number{}", in_quotes(field),
                   column_at(column), mend);
  };
  if (!holds_words && is_not_finite_cell(field) && !names_.categories().takes_odd(attribute))
    return no_number(cell_mend(field, options_.decimal_comma));
  const auto code = names_.read_word(attribute, on_one_line(field), learns, column);
  if (!code) {
    const std::string mend = holds_words ? std::string() : cell_mend(field, options_.decimal_comma);
    if (!mend.empty()) return no_number(mend);
    return failure(code.error().code, "{}: {}", column_at(column), code.error().message);
  }
  value = *code;
  return {};
}

// Fields one by one.
Status CsvReader::reveal_partial(std::span<const Attribute> attributes, std::span<double> values) const {
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    values[i] = std::numeric_limits<double>::quiet_NaN();
    if (layout_.lacks(attributes[i])) continue;
    const std::size_t column = layout_.column(attributes[i], has_label_column_);
    GLIMPSE_TRY(read_value(column, attributes[i], field_at(column), head_.label.has_value(), values[i]));
  }
  return {};
}

Status CsvReader::use_numbers() { return head_.label ? names_.use_all_numbers() : Status(); }

Status CsvReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  if (!has_example_) return no_example();
  if (layout_.is_partial()) {
    GLIMPSE_TRY(reveal_partial(attributes, values));
    return use_numbers();
  }
  columns_.resize(attributes.size());
  layout_.find_columns(attributes, has_label_column_, columns_.data());
  places_.resize(columns_.size());
  const bool learns = head_.label.has_value();
  if (marks_.has_quote) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view field = split_.fields()[columns_[i]];
      GLIMPSE_TRY(read_value(columns_[i], attributes[i], field, learns, values[i]));
    }
    return use_numbers();
  }
  kernel_.locate_fields(blocks_, record_.size(), marks_.delimiters, columns_, places_.data());
  // Numbers are read many at once; the other fields, which are words, missing, padded or wrong, one by one.
  read_fields(places_.data(), places_.size(), values.data());
  const bool has_words = !names_.categories().empty();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool is_read = !std::isnan(values[i]) && !is_formed(columns_[i]);
    if (is_read && !(has_words && names_.categories().holds(attributes[i]))) continue;
    GLIMPSE_TRY(read_value(columns_[i], attributes[i], field_of(places_[i]), learns, values[i]));
  }
  return use_numbers();
}

Status CsvReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  if (!has_example_) return no_example();
  const std::size_t width = layout_.width() - static_cast<std::size_t>(layout_.label() && !has_label_column_);
  const std::size_t label = has_label_column_ ? *layout_.label() : width;
  const bool is_in_order = layout_.has_all_columns_in_order();
  const bool has_words = !names_.categories().empty();
  entries.resize(names_.dimension());
  if (layout_.is_partial())
    for (std::size_t a = 0; a < entries.size(); ++a)
      entries[a] = {static_cast<Attribute>(a), std::numeric_limits<double>::quiet_NaN()};
  constexpr std::size_t kAtOnce = 64;
  std::array<Place, kAtOnce> places{};
  std::array<double, kAtOnce> values;
  const FieldBlock* block = blocks_;
  std::uint64_t ends = block->delimiters;  // those of the block that are left
  std::size_t begin = 0;
  for (std::size_t first = 0; first < width; first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, width - first);
    if (marks_.has_quote) {
      values.fill(std::numeric_limits<double>::quiet_NaN());
    } else {
      const std::size_t delimited = std::min(count, marks_.delimiters - first);
      for (std::size_t i = 0; i < delimited; ++i) {
        while (ends == 0) ends = (++block)->delimiters;
        places[i].begin = begin;
        places[i].end =
            static_cast<std::size_t>(block - blocks_) * 64 + static_cast<std::size_t>(std::countr_zero(ends));
        begin = places[i].end + 1;
        ends &= ends - 1;
      }
      if (delimited < count) places[delimited] = Place{begin, record_.size()};
      read_fields(places.data(), count, values.data());
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t column = first + i;
      if (column == label) continue;  // it was read with the head
      auto attribute = static_cast<Attribute>(column - static_cast<std::size_t>(column > label));
      if (!is_in_order) {
        const auto mapped = layout_.attribute(column, has_label_column_);
        if (!mapped) continue;
        attribute = *mapped;
      }
      if (std::isnan(values[i]) || is_formed(column) || (has_words && names_.categories().holds(attribute))) {
        const std::string_view field = marks_.has_quote ? split_.fields()[column] : field_of(places[i]);
        GLIMPSE_TRY(read_value(column, attribute, field, false, values[i]));
      }
      entries[attribute] = Entry{attribute, values[i]};
    }
  }
  return use_numbers();
}

// How CsvReader finds out what the columns of a table are: by its first row.

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

// A row of another width is no first row; it is refused before it is divided, however many fields it has.
Status CsvReader::open_first_row() {
  if (const std::string other = foreign_file(record_); !other.empty() && !options_.goes_on)
    return refuse(Error{ErrorCode::kInvalidInput, other});
  if (ArffHeader::is_line(record_))
    return refuse(
        failure(ErrorCode::kInvalidInput,
                "{} begins a table of ARFF, which the model's table is not, or where each line is answered "
                "(--replies all) or counted (a named source): --input FILE reads it",
                in_quotes(record_)));
  std::size_t most = std::numeric_limits<std::size_t>::max();
  if (const std::size_t dimension = names_.dimension(); dimension > 0) {
    const std::size_t beside = TableLayout::beside_attributes(options_);
    most = dimension + beside + kFieldsTooMany;
    // Before it is divided, however many fields it has. Behind the last delimiter there may be nothing.
    const std::size_t more = names_.are_complete() ? kFieldsTooMany : 0;  // a header may have others
    if (!marks_.has_quote &&
        marks_.delimiters >= dimension + beside + more + static_cast<std::size_t>(last_is_empty()))
      return wrong_width(marks_.delimiters + 1);
  }
  GLIMPSE_TRY(divide(most));
  const std::size_t width = split_.fields().size();
  if (is_header()) {
    const std::size_t named = columns_named(options_, split_.fields());
    const std::size_t least = names_.dimension() + (names_.are_complete() ? 0 : options_.ignored.size());
    const std::size_t labels = TableLayout::beside_attributes(options_) - options_.ignored.size();
    const bool is_wide = names_.dimension() > 0 && !names_.are_complete() && named > least + labels;
    const bool may_lack = names_.are_complete() && std::ranges::any_of(split_.fields(), [&](auto field) {
                            return names_.find(trimmed(field)).has_value();
                          });
    if ((named < least && !may_lack) || is_wide) return wrong_width(width);
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
                   width == 1 ? "" : "s", beside == 1 ? "" : " and what other options name",
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
    const bool is_missing = is_missing_cell(field) || is_missing_number(field);
    double number = 0;
    const bool is_number = read_cell(field, options_.decimal_comma, number);
    if (is_number && !may_be_name(field)) return false;
    if (is_number || is_missing || is_word || is_not_finite_cell(field) || truth_value(field)) continue;
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
  std::vector<std::string> lines;
  for (const std::string_view field : split_.fields()) lines.push_back(one_line(trimmed(field)));
  std::vector<std::string_view> fields;
  for (const std::string_view field : lines) {
    fields.push_back(field);
    // Noise that happens to have the right number of commas must not name the attributes for good.
    if (std::any_of(field.begin(), field.end(), is_control))
      return refuse(
          failure(ErrorCode::kInvalidInput,
                  "the row would be a header, but the name of column #{} has control characters: {}",
                  fields.size(), in_quotes(field)));
  }
  TableOptions options = options_;
  if (known_ != nullptr) known_->name_choices(options);
  auto layout = TableLayout::with_header(options, fields, names_);
  if (!layout) return refuse(layout.error());
  if (const Status status = names_.check_header(layout->names()); !status) return refuse(status.error());
  if (names_.dimension() == 0) names_.set_dimension(layout->dimension());
  // Names for a model that has none stay with a row that is learned from: the header may be no table's.
  has_new_names_ = names_.is_open() && names_.empty() && !layout->names().empty();
  const bool was_open = names_.set_open(!has_new_names_ && names_.is_open());
  const Status named = names_.fix(layout->names());
  names_.set_open(was_open);
  if (!named) return refuse(named.error());
  has_header_ = true;
  header_width_ = columns_named(options_, fields);
  names_in_header_.assign(fields.begin(), fields.end());
  sorted_names_ = names_in_header_;
  std::ranges::sort(sorted_names_);
  if (header_width_ < fields.size()) header_ends_behind_ = fields.size();
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
  if (header_width_ > without)
    return fmt::format("{} (label and attributes; an empty label gets a prediction)", without + 1);
  return fmt::format("{} (label and attributes) or {} (attributes alone, to get a prediction)", without + 1,
                     without);
}

Error CsvReader::wrong_width(std::size_t width) const {
  const bool is_known = layout_.width() > 0;
  const bool has_label = !is_known || layout_.label();
  const std::size_t without = is_known ? layout_.width() - (has_label ? 1 : 0)
                                       : names_.dimension() + options_.ignored.size() +
                                             static_cast<std::size_t>(options_.weight.has_value());
  // Of a first row it may be the dimension that is wrong.
  std::string fits;
  const std::size_t beside = TableLayout::beside_attributes(options_);
  if (!is_known && width > beside)
    fits = fmt::format(", which with their label{} are of dimension {}",
                       options_.further_labels.empty() ? "" : "s", width - beside);
  const bool lacks_name = has_header_ && width == layout_.width() + 1;
  return failure(ErrorCode::kInvalidInput, "row has {} fields{}; a model of dimension {} needs {}{}{}{}",
                 width, fits, names_.dimension(), widths_told(without, has_label),
                 beside == 1 + options_.further_labels.size() ? "" : ", with the columns that are ignored",
                 lacks_name ? ": the header has a name less, as R writes it, whose write.table names row "
                              "names with col.names = NA"
                            : "",
                 delimiter_hint());
}

Error CsvReader::lacks_columns() const {
  constexpr std::size_t kMostNamed = 8;
  std::string lacking;
  std::size_t count = 0;
  for (std::size_t a = 0; a < names_.dimension(); ++a) {
    const auto attribute = static_cast<Attribute>(a);
    if (!layout_.lacks(attribute) || ++count > kMostNamed) continue;
    lacking += (count > 1 ? ", " : "") + in_quotes(names_.name(attribute));
  }
  if (count > kMostNamed) lacking += fmt::format(" and {} more", count - kMostNamed);
  return failure(ErrorCode::kInvalidInput,
                 "the row has a label, and its table lacks {} of the model: --missing-columns allow learns "
                 "from such rows as from those where they are missing",
                 lacking);
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
