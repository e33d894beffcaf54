#include "data/sniff.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/date_parts.h"
#include "data/formats/csv_cells.h"
#include "data/records/cell.h"
#include "data/text/arff.h"
#include "data/text/foreign_file.h"
#include "data/text/number.h"
#include "data/text/shell_words.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

// In which dialects are compared, and more where the first lines are longer.
constexpr std::size_t kDialectBytes = std::size_t{64} << 10;
constexpr std::size_t kDialectLines = 4;
constexpr std::size_t kHeadRecords = 64;  // among which the header is looked for
constexpr std::size_t kMostHeaderRecords = 4;
constexpr std::size_t kRecordsOfExamples = 100;
constexpr std::size_t kValuesOfKinds = 500;  // of a column, of which the kinds of words are counted

// Delimiters, the likeliest first: of two that explain a sample as well the first is taken.
constexpr std::array<std::string_view, 10> kCandidates{",", ";", "\t", "|", "\x01", "::", "~", "^", ":", " "};
constexpr std::string_view kDividing = ",;\t|";

// ---- Which dialect --------------------------------------------------------------------------------------

struct Score {
  Dialect dialect;
  double value = 0;
  std::size_t place = 0;  // among the candidates
};

// How well a cell is explained: 1 for a number, a date or a missing value, less for text, little for what
// seems to hold several fields.
double explained(std::string_view cell, bool is_quoted) {
  const Cell seen = classify_cell(cell);
  switch (seen.type) {
    case CellType::kNumber:
      return seen.is_bare ? 1 : 0.95;
    case CellType::kWord:
      break;
    default:
      return 1;
  }
  if (is_quoted) return cell.find('\n') == std::string_view::npos ? 0.85 : 0.8;
  if (cell.find('"') != std::string_view::npos) return 0.2;
  if (cell.find_first_of(kDividing) != std::string_view::npos) return 0.15;
  return cell.size() <= 40 ? 0.8 : 0.7;
}

// Records of the beginning, which ends where one does.
double score_of(const Dialect& dialect, std::string_view beginning, bool is_whole) {
  RecordSplitter splitter(dialect);
  struct Width {
    std::size_t records = 0;
    std::size_t cells = 0;
    double explained = 0;
  };
  std::map<std::size_t, Width> widths;
  std::size_t records = 0;
  std::size_t first_width = 0;
  for (std::size_t at = 0; !beginning.empty();) {
    const std::size_t length = splitter.split(beginning, is_whole, at);
    if (length == 0) break;
    at += length;
    beginning.remove_prefix(length);
    if (splitter.is_blank() || splitter.is_comment()) continue;
    if (records++ == 0) first_width = splitter.fields().size();
    Width& width = widths[splitter.fields().size()];
    ++width.records;
    for (std::size_t i = 0; i < splitter.fields().size(); ++i, ++width.cells)
      if (!splitter.fields()[i].empty() ||
          (dialect.delimiter != " " && dialect.delimiter != ":"))  // of blanks that align columns many are
        width.explained += explained(splitter.fields()[i], splitter.are_quoted()[i]);
  }
  double best = 0;
  for (const auto& [fields, width] : widths) {
    const double share = static_cast<double>(width.records) / static_cast<double>(records);
    const double types = width.explained / static_cast<double>(width.cells);
    const double columns = fields > 1 ? static_cast<double>(fields - 1) / static_cast<double>(fields) : 0.05;
    // The first record, which has the names, is seldom of another width.
    const double begins = first_width == fields ? 1 : 0.45;
    best = std::max(best, std::pow(share, 1.5) * types * types * columns * begins);
  }
  return best;
}

// CR where one stands alone outside quotes, and no LF does.
char line_end_of(std::string_view sample) {
  if (sample.find('\r') == std::string_view::npos) return '\n';
  bool is_quoted = false;
  bool has_return = false;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (sample[i] == '"') is_quoted = !is_quoted;
    if (sample[i] == '\n' && !is_quoted) return '\n';
    has_return = has_return || (sample[i] == '\r' && !is_quoted);
  }
  return has_return ? '\r' : '\n';
}

std::string_view beginning_of(std::string_view sample) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < kDialectLines && end < kDialectBytes && end < sample.size(); ++line)
    end = std::min(sample.find_first_of("\r\n", end + 1), sample.size() - 1) + 1;
  return sample.substr(0, std::max(end, kDialectBytes));
}

std::vector<Score> score_dialects(std::string_view sample, bool is_whole, const TableHints& hints) {
  const std::string_view beginning = beginning_of(sample);
  const bool is_all = is_whole && beginning.size() == sample.size();
  const char line_end = line_end_of(sample);
  const bool has_double = beginning.find('"') != std::string_view::npos;
  std::vector<char> quotes{'"'};  // also where they come late
  if (has_double) quotes.push_back('\0');
  if (beginning.find('\'') != std::string_view::npos) quotes.push_back('\'');
  const bool has_escape =
      beginning.find("\\\"") != std::string_view::npos || beginning.find("\\'") != std::string_view::npos;
  const bool has_runs = beginning.find("  ") != std::string_view::npos;
  std::vector<Score> scores;
  const auto add = [&](std::string_view delimiter, bool by_runs) {
    for (const char quote : quotes)
      for (const char escape : {'\\', '\0'}) {  // of two that explain as much the first
        if (escape != 0 && (!has_escape || quote == 0)) continue;
        Score score;
        score.dialect.delimiter = delimiter;
        score.dialect.divides_by_runs = by_runs;
        score.dialect.quote = quote;
        score.dialect.escape = escape;
        score.dialect.line_end = line_end;
        score.value = score_of(score.dialect, beginning, is_all);
        // What is rarer must explain more.
        if (quote == '\'' && has_double) score.value *= 0.97;
        if (quote == 0 && has_double) score.value *= 0.95;
        if (delimiter == ":" || delimiter == "~" || delimiter == "^") score.value *= 0.8;
        if (delimiter == " ") score.value *= by_runs ? 0.9 : 0.92;
        score.place = scores.size();
        scores.push_back(std::move(score));
      }
  };
  if (hints.delimiter) {
    add(*hints.delimiter, false);
  } else {
    for (const std::string_view delimiter : kCandidates)
      if (beginning.find(delimiter) != std::string_view::npos) {
        add(delimiter, false);
        if (delimiter == " " && has_runs) add(delimiter, true);
      }
    add("", false);
  }
  std::ranges::sort(scores, [](const Score& a, const Score& b) {
    return a.value != b.value ? a.value > b.value : a.place < b.place;
  });
  return scores;
}

// ---- The records of the sample --------------------------------------------------------------------------

using RecordTexts = std::vector<std::string>;

struct HeadRecord {
  RecordTexts fields;
  std::size_t lines_before = 0;  // of the text in front of it
  bool is_content = true;        // neither blank, nor of delimiters alone

  std::size_t filled() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(fields, [](const std::string& field) { return !field.empty(); }));
  }
};

// What is known of the dates or times of day of a column.
struct ColumnDates {
  std::uint64_t codes = 0;  // of parts that occurred, a bit each
  std::optional<double> last;
  bool is_ascending = true;
  bool is_descending = true;
  bool has_days = false;  // these are dates
  bool has_time = false;  // another than midnight
  std::size_t count = 0;
  double steps = 0;  // in days, from each to the next

  void add(double days, CellType type) {
    ++count;
    steps += std::abs(days - last.value_or(days));
    has_days = has_days || type == CellType::kDate;
    has_time = has_time || days != std::floor(days);
    is_ascending = is_ascending && !(days < last.value_or(days));
    is_descending = is_descending && !(days > last.value_or(days));
    last = days;
    for (const double code : date_codes(days, type == CellType::kTime ? DatePart::kHour : DatePart::kAll))
      codes |= std::uint64_t{1} << static_cast<unsigned>(code);
  }
  // Those that vary. Dates in the order of time go on behind the sample: all of theirs will.
  std::uint8_t parts() const {
    std::uint8_t parts = 0;
    for (const std::uint8_t part : {DatePart::kWeekday, DatePart::kMonth, DatePart::kHour})
      if (std::popcount(codes & date_codes_of(part)) > 1) parts |= part;
    if (has_days && (is_ascending || is_descending))
      parts |= DatePart::kWeekday | DatePart::kMonth | (has_time ? DatePart::kHour : 0);
    return parts;
  }
};

// What is known of the cells of a column.
struct ColumnCounts {
  struct First {
    std::string cell;
    std::size_t record = 0;
  };

  std::array<std::size_t, 8> types{};
  std::array<First, 8> firsts{};
  std::array<std::size_t, kNumberForms> forms{};  // of numbers that not all forms read
  std::size_t whole_numbers = 0;                  // the others
  std::array<First, kNumberForms> not_of_form{};  // the first number that a form does not read
  struct Unit {
    std::size_t count = 0;
    First first;
  };
  std::map<std::string, Unit, std::less<>> units;  // beside numbers
  std::size_t bare_numbers = 0;
  First first_bare;
  struct Odd {
    std::size_t values = 0;                    // the first of the column, up to kValuesOfKinds
    std::size_t words = 0;                     // of them: neither plain numbers nor dates
    std::unordered_set<std::size_t> distinct;  // hashes of these
    std::size_t numbers = 0;                   // looks_like_odd_number()
    std::string number;                        // the first of them
  } odd;
  std::array<ColumnDates, 3> dates;     // by each order of Days
  std::array<First, 3> not_of_order{};  // the first date that it does not read
  std::array<std::size_t, 3> only{};    // dates of the month or the day first that the other does not read
  std::size_t unclear_dates = 0;        // which both do
  std::size_t far_dates = 0;            // 9999-12-31
  std::string far_date;
  std::size_t short_dates = 0;  // which are others with the year first
  std::vector<double> values_of_numbers;
  std::vector<std::string> other_numbers;  // at most kValuesOfKinds of those that are not plain
  std::vector<std::string> marks;          // further ones for missing values

  std::size_t of(CellType type) const { return types[static_cast<std::size_t>(type)]; }
  const First& first(CellType type) const { return firsts[static_cast<std::size_t>(type)]; }
  std::size_t values() const {
    return std::accumulate(types.begin(), types.end(), std::size_t{0}) - of(CellType::kEmpty) -
           of(CellType::kMissing) - of(CellType::kNotFinite);
  }

  void add(std::string_view field, std::size_t record) {
    Cell cell = classify_cell(field);
    if (!marks.empty() && is_mark(field, marks)) cell.type = CellType::kMissing;
    const auto type = static_cast<std::size_t>(cell.type);
    if (types[type]++ == 0) firsts[type] = {std::string(field), record};
    if (cell.type == CellType::kDate || cell.type == CellType::kTime) add_days(field, cell.days, record);
    const bool is_word = cell.type == CellType::kWord || (cell.type == CellType::kNumber && !cell.is_plain);
    if (cell.type > CellType::kMissing && cell.type != CellType::kNotFinite && odd.values < kValuesOfKinds) {
      ++odd.values;
      if (is_word) add_word(field);
    }
    if (cell.type != CellType::kNumber) return;
    if (!cell.is_plain && other_numbers.size() < kValuesOfKinds) other_numbers.emplace_back(field);
    if (cell.forms == kAllForms) {
      ++whole_numbers;
    } else {
      for (std::size_t form = 0; form < kNumberForms; ++form) {
        const bool is_read = (cell.forms >> form & 1U) != 0;
        forms[form] += is_read ? 1 : 0;
        if (!is_read && not_of_form[form].record == 0) not_of_form[form] = {std::string(field), record};
      }
    }
    if (cell.is_plain) values_of_numbers.push_back(cell.value);
    const std::string_view beside = cell.prefix.empty() ? cell.suffix : cell.prefix;
    if (beside.empty()) {
      if (bare_numbers++ == 0) first_bare = {std::string(field), record};
    } else if (const auto unit = units.find(beside); unit != units.end()) {
      ++unit->second.count;
    } else {
      units.emplace(beside, Unit{1, {std::string(field), record}});
    }
  }

  std::size_t best_form() const {
    return static_cast<std::size_t>(std::ranges::max_element(forms) - forms.begin());
  }
  // The unit of nearly all numbers; none: end().
  auto unit() const {
    const auto most = std::ranges::max_element(units, {}, [](const auto& unit) { return unit.second.count; });
    return most != units.end() && 10 * most->second.count >= 9 * of(CellType::kNumber) ? most : units.end();
  }
  // Numbers that are not of the form and the unit of the column.
  std::size_t odd_numbers() const {
    const auto of_unit = unit();
    const std::size_t same = bare_numbers + (of_unit != units.end() ? of_unit->second.count : 0);
    return of(CellType::kNumber) - std::min(forms[best_form()] + whole_numbers, same);
  }
  // The first of them.
  First odd_number() const {
    First odd = not_of_form[best_form()];
    for (auto other = units.begin(); other != units.end(); ++other)
      if (other != unit() && (odd.record == 0 || other->second.first.record < odd.record))
        odd = other->second.first;
    return odd;
  }

  // The type that nearly all values have; else words. One odd cell of four to nine is not many.
  SniffedColumn::Type type() const {
    using Type = SniffedColumn::Type;
    const std::size_t all = values();
    if (all == 0) return Type::kEmpty;
    const std::size_t odd = std::max<std::size_t>(all / 10, all >= 4 ? 1 : 0);
    if (of(CellType::kNumber) - odd_numbers() + of(CellType::kBool) >= all - odd &&
        of(CellType::kNumber) > odd_numbers())
      return Type::kNumber;
    if (of(CellType::kBool) >= all - odd) return Type::kBool;
    if (of(CellType::kDate) >= all - odd) return Type::kDate;
    if (of(CellType::kTime) >= all - odd) return Type::kTime;
    return Type::kWord;
  }

 private:
  void add_word(std::string_view field) {
    ++odd.words;
    odd.distinct.insert(std::hash<std::string_view>()(field));
    if (std::ranges::any_of(field, is_digit) && looks_like_odd_number(field) && odd.numbers++ == 0)
      odd.number = field;
  }
  void add_days(std::string_view field, const Days& read, std::size_t record) {
    const auto& days = read.by_order;
    for (std::size_t order = 0; order < dates.size(); ++order) {
      if (!std::isnan(days[order]))
        dates[order].add(days[order], read.type);
      else if (not_of_order[order].cell.empty())
        not_of_order[order] = {std::string(field), record};
    }
    constexpr double kLastDay = 2932896;
    if (std::floor(days[0]) == kLastDay && far_dates++ == 0) far_date = field;
    const bool is_month = !std::isnan(days[0]);
    const bool is_day = !std::isnan(days[Days::kDayFirst]);
    if (is_month != is_day) ++only[is_day ? Days::kDayFirst : 0];
    if (is_month && is_day && read.has_order) ++unclear_dates;
    const double year_first = days[Days::kYearFirst];
    if (!std::isnan(year_first) && year_first != days[0] && year_first != days[Days::kDayFirst])
      ++short_dates;
  }
};

// The words of a column, to tell names from them.
struct ColumnWords {
  std::unordered_set<std::string> distinct;
  std::size_t repeats = 0;

  void add(std::string_view field) {
    if (!distinct.emplace(field).second) ++repeats;
  }
};

bool is_typed(SniffedColumn::Type type) {
  return type != SniffedColumn::Type::kWord && type != SniffedColumn::Type::kEmpty;
}

// Whether a cell could stand in a column of a type that is typed.
bool is_of(CellType cell, SniffedColumn::Type type) {
  using Type = SniffedColumn::Type;
  switch (type) {
    case Type::kNumber:
    case Type::kBool:
      return cell == CellType::kNumber || cell == CellType::kBool;
    case Type::kDate:
      return cell == CellType::kDate;
    case Type::kTime:
      return cell == CellType::kTime;
    default:
      return cell == CellType::kWord;
  }
}

// How much speaks for `fields` being names of columns whose cells are those of `columns`: above 0 it does.
double header_evidence(const RecordTexts& fields, const std::vector<ColumnCounts>& columns,
                       const std::vector<ColumnWords>& column_words) {
  double evidence = 0;
  std::unordered_set<std::string_view> names;
  bool are_unique = true;
  bool are_all_there = true;
  std::size_t words = 0;
  std::size_t words_above = 0;    // of typed cells
  std::size_t numbers_above = 0;  // digits alone, as a column may be called
  std::size_t years = 0;          // of them, ascending
  std::string_view previous;
  std::size_t counted = 0;          // cells that are 0, 1, 2 and so on
  std::size_t steps = 0;            // from the first number of their columns to that of the next that are 1
  bool has_decimals = false;        // these numbers
  bool are_others_numbers = false;  // or repeated words
  double last = 0;
  for (std::size_t i = 0; i < fields.size() && i < columns.size(); ++i) {
    const Cell cell = classify_cell(fields[i]);
    const SniffedColumn::Type type = columns[i].type();
    if (fields[i] == fmt::format("{}", counted)) {
      const auto& below = columns[i].values_of_numbers;
      const double number = below.empty() ? 0 : below.front();
      has_decimals = has_decimals || number != std::floor(number);
      steps += counted++ > 0 && number == last + 1 ? 1 : 0;
      last = number;
    } else if (cell.type != CellType::kEmpty &&
               (cell.type != CellType::kWord || column_words[i].distinct.contains(fields[i]))) {
      are_others_numbers = true;
    }
    if (cell.type == CellType::kEmpty) {
      are_all_there = false;
      continue;
    }
    if (!names.insert(fields[i]).second) are_unique = false;
    const bool is_word = cell.type == CellType::kWord ||
                         (cell.type == CellType::kDate && type == SniffedColumn::Type::kNumber);
    if (is_word) ++words;
    if (is_typed(type)) {
      if (is_of(cell.type, type)) {
        const bool is_name = cell.type == CellType::kNumber && may_be_name(fields[i]);
        numbers_above += is_name ? 1 : 0;
        const bool is_year = is_name && fields[i].size() == 4 && (fields[i] > previous && fields[i] < "2200");
        years += is_year && fields[i] > "1800" ? 1 : 0;
        previous = fields[i];
        evidence -= is_name ? 0.6 : 1;
      } else if (is_word) {
        ++words_above;
        evidence += 1;
      }
    } else if (type == SniffedColumn::Type::kWord) {
      if (column_words[i].distinct.contains(fields[i]))
        evidence -= 0.7;
      else if (cell.type == CellType::kNumber || cell.type == CellType::kDate)
        evidence -= may_be_name(fields[i]) ? 0.2 : 0.6;
      else if (column_words[i].repeats > column_words[i].distinct.size())
        evidence += 0.4;  // the column has few words, and this is none of them
      else
        evidence += 0.05;
    }
  }
  // As pandas names columns without names.
  if (counted >= 3 && counted + 1 >= fields.size() && !are_others_numbers &&
      (has_decimals || steps + 1 < counted))
    return has_decimals ? 1 : 0.4;
  // Beside names that are words.
  if (years > 1) evidence += 0.8 * static_cast<double>(years);
  if (words_above > 1) evidence += 0.5 * static_cast<double>(numbers_above);
  if (words == 0 && evidence > 0) evidence = 0;
  if (words <= 1 && fields.size() > 2) evidence -= 1;  // one word among numbers is a slip or a gap
  if (!are_unique) evidence -= 0.3;
  if (are_unique && are_all_there && words == fields.size()) evidence += 0.2;
  return evidence;
}

// A number with a slip in it, as l2 and <5, is no name.
bool looks_like_slip(std::string_view field) { return std::ranges::any_of(field, is_digit); }

std::string joined(const std::string& above, const std::string& below) {
  if (above.empty() || below.empty()) return above + below;
  return above + ' ' + below;
}

// The column's cells in the form that reads them all.
void decide_form(const ColumnCounts& counts, SniffedColumn& column) {
  const std::size_t best = counts.best_form();
  column.form = static_cast<NumberForm>(best);
  const auto of = [&](NumberForm form) { return counts.forms[static_cast<std::size_t>(form)]; };
  const bool is_comma_or_groups = of(NumberForm::kDecimalComma) == counts.forms[best] &&
                                  of(NumberForm::kCommaGroups) == counts.forms[best];
  const bool is_point_or_groups =
      of(NumberForm::kPlain) == counts.forms[best] && of(NumberForm::kPointGroups) == counts.forms[best];
  column.is_form_ambiguous = column.form != NumberForm::kPlain && is_comma_or_groups && !is_point_or_groups;
  column.may_be_groups = column.form == NumberForm::kPlain && counts.forms[best] > 0 &&
                         of(NumberForm::kPointGroups) == counts.forms[best];
  if (const auto unit = counts.unit(); unit != counts.units.end()) {
    column.unit = unit->first;
    column.numbers = counts.bare_numbers;
    column.bare_cell = counts.first_bare.cell;
  }
  if (counts.odd_numbers() == 0) return;
  column.odd += counts.odd_numbers();
  if (const auto first = counts.odd_number(); column.odd_record == 0 || first.record < column.odd_record) {
    column.odd_cell = first.cell;
    column.odd_record = first.record;
  }
}

// Whether a number is written as marks for missing values are: 999, -9999, 8888, -999.9.
bool is_like_mark(double value) {
  value = std::abs(value);
  const double fraction = value - std::floor(value);
  if (value < 777 || value > 1e12 || (fraction > 0 && fraction < 0.9)) return false;
  const auto whole = static_cast<std::uint64_t>(value);
  for (std::uint64_t rest = whole; rest > 0; rest /= 10)
    if (rest % 10 != whole % 10) return false;
  return whole % 10 > 6;
}

// A value that repeats and lies farther from all others than these from each other, thrice as far unless it
// is written as a mark: it may mean a missing one.
void find_far_values(const ColumnCounts& counts, SniffedColumn& column) {
  std::vector<double> more;
  const ColumnForm form{.type = ColumnForm::Type::kNumber, .form = column.form, .unit = column.unit};
  for (const std::string& number : counts.other_numbers)
    if (double value = 0; read_in_form(number, form, value)) more.push_back(value);
  const auto each = [&](const auto& use) {
    std::ranges::for_each(counts.values_of_numbers, use);
    std::ranges::for_each(more, use);
  };
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    std::size_t count = 0;
    void add(double value) {
      least = std::min(least, value);
      most = std::max(most, value);
      ++count;
    }
  };
  Range all;
  Range others;  // than marks
  std::map<double, std::size_t> marks;
  each([&](double value) {
    all.add(value);
    is_like_mark(value) ? void(++marks[value]) : others.add(value);
  });
  constexpr std::size_t kLeast = 8;
  if (others.count < kLeast) return;
  const auto look = [&](double far, std::size_t count, const Range& near, double factor) {
    const double spread = near.most - near.least;
    const double distance = std::max(near.least - far, far - near.most);
    if (spread > 0 && distance > factor * spread) column.far.push_back({fmt::format("{}", far), count});
  };
  for (const auto& [value, count] : marks)
    if (count >= (all.count > 200 ? 3 : 2)) look(value, count, others, 1);
  Range above;  // the least
  Range below;  // the most
  each([&](double value) {
    if (value > all.least) above.add(value);
    if (value < all.most) below.add(value);
  });
  for (const auto& [far, near] : {std::pair(all.least, above), std::pair(all.most, below)})
    if (const std::size_t count = all.count - near.count;
        count > 1 && 2 * near.count >= all.count && !is_like_mark(far))
      look(far, count, near, 3);
}

// The order that reads the dates. Where years of two digits may be days as well, the dates go on in smaller
// steps by the right one: in days where these vary, and not in years.
void decide_order(const ColumnCounts& counts, SniffedColumn& column) {
  const auto& [month, day, year] = counts.dates;
  const auto [fewer, more] = std::minmax(counts.only[0], counts.only[Days::kDayFirst]);
  if (fewer != more) column.is_day_first = counts.only[Days::kDayFirst] == more;
  bool is_ambiguous = 10 * fewer > more || (counts.unclear_dates > 0 && more == 0);
  const ColumnDates& last = column.is_day_first ? day : month;
  if (counts.short_dates > 0 && 10 * year.count >= 9 * last.count) {
    const double steps = month.count == day.count ? std::min(month.steps, day.steps) : last.steps;
    const bool has_months =
        std::popcount(year.codes & date_codes_of(DatePart::kMonth)) > 1;  // not 31/12/05, /06
    column.is_year_first = 10 * last.count < 9 * year.count || (has_months && 2 * year.steps < steps);
    is_ambiguous = !column.is_year_first && (is_ambiguous || year.steps <= steps);
  }
  if (column.is_year_first) column.is_day_first = false;
  column.is_order_ambiguous =
      !column.is_declared && column.type == SniffedColumn::Type::kDate && is_ambiguous;
  const std::size_t order = Days::order_of(column.is_day_first, column.is_year_first);
  column.date_parts = counts.dates[order].parts();
  if (counts.far_dates > 1) column.far.push_back({counts.far_date, counts.far_dates});
  const auto& odd = counts.not_of_order[order];
  if (odd.cell.empty() || column.type != SniffedColumn::Type::kDate) return;
  column.odd += counts.of(CellType::kDate) + counts.of(CellType::kTime) - counts.dates[order].count;
  if (column.odd_record == 0 || odd.record < column.odd_record)
    std::tie(column.odd_cell, column.odd_record) = std::tie(odd.cell, odd.record);
}

// Why a column is of words.
void describe_words(const ColumnCounts& counts, SniffedColumn& column) {
  constexpr std::size_t kLeast = 20;
  const auto& odd = counts.odd;
  column.differs = odd.words >= kLeast && 10 * odd.distinct.size() >= 9 * odd.words;
  if (2 * odd.numbers >= odd.values) column.odd_number = odd.number;
  if (2 * counts.bare_numbers >= column.values && column.values >= 4) column.numbers = counts.bare_numbers;
  column.odd_cell = counts.odd_number().cell;
  for (const CellType cell : {CellType::kDate, CellType::kTime, CellType::kWord})
    if (counts.of(cell) > 0) column.odd_cell = counts.first(cell).cell;
}

void describe_column(const ColumnCounts& counts, SniffedColumn& column) {
  using Type = SniffedColumn::Type;
  if (!column.is_declared || column.type == Type::kDate || counts.type() == Type::kBool)
    column.type = counts.type();
  column.values = counts.values();
  column.missing =
      counts.of(CellType::kEmpty) + counts.of(CellType::kMissing) + counts.of(CellType::kNotFinite);
  for (const CellType cell :
       {CellType::kNumber, CellType::kBool, CellType::kDate, CellType::kTime, CellType::kWord}) {
    if (!is_typed(column.type) || is_of(cell, column.type) || counts.of(cell) == 0) continue;
    column.odd += counts.of(cell);
    if (column.odd_record == 0 || counts.first(cell).record < column.odd_record) {
      column.odd_record = counts.first(cell).record;
      column.odd_cell = counts.first(cell).cell;
    }
  }
  if (column.type == Type::kDate || column.type == Type::kTime) decide_order(counts, column);
  if (column.type == Type::kWord && !column.is_declared) describe_words(counts, column);
  if (column.type != Type::kNumber) return;
  decide_form(counts, column);
  find_far_values(counts, column);
}

std::size_t line_ends_within(std::string_view record, char line_end) {
  const auto count = static_cast<std::size_t>(std::ranges::count(record, line_end));
  return count - (record.ends_with(line_end) ? 1 : 0);
}

// The width that most records have, of two as frequent the larger; and whether # begins comments: where lines
// that begin with it are no records.
template <class EachRecord>
void find_width(Dialect& dialect, const EachRecord& each_record, std::string_view beginning,
                bool may_lack_label) {
  struct Width {
    std::size_t records = 0;
    std::size_t hashes = 0;
  };
  std::map<std::size_t, Width> widths;
  std::size_t hashes = 0;
  std::size_t first_width = 0;
  each_record(beginning, [&](const RecordSplitter& splitter, std::size_t) {
    const auto& fields = splitter.fields();
    if (first_width == 0 && std::ranges::find(fields, "") == fields.end()) first_width = fields.size();
    Width& width = widths[fields.size()];
    ++width.records;
    if (!fields[0].starts_with('#') || is_missing_cell(fields[0]) || is_missing_number(fields[0]))
      return true;
    ++width.hashes;
    ++hashes;
    return true;
  });
  std::size_t most = 0;
  for (const auto& [fields, width] : widths)
    if (width.records - width.hashes >= most) {
      most = width.records - width.hashes;
      dialect.width = fields;
    }
  if (may_lack_label && first_width == dialect.width + 1 && dialect.width > 0) dialect.width = first_width;
  if (hashes > 0 && 2 * widths[dialect.width].hashes < hashes + 1) dialect.comment = '#';
}

// The records of `text`, until take() says that it has enough; so many lines stand in front.
template <class Take>
void take_records(const Dialect& dialect, std::string_view text, bool is_end, std::size_t lines,
                  const Take& take) {
  RecordSplitter splitter(dialect);
  for (std::size_t at = 0; !text.empty();) {
    const std::size_t length = splitter.split(text, is_end, at);
    if (length == 0) break;
    at += length;
    const std::string_view record = text.substr(0, length);
    text.remove_prefix(length);
    if (!splitter.is_comment() && !splitter.is_blank() && !take(splitter, lines)) break;
    ++lines;
    if (splitter.has_quoted()) lines += line_ends_within(record, dialect.line_end);
  }
}

void note_example(SniffedColumn& column, std::string_view cell, std::size_t record) {
  auto& examples = column.examples;
  if (record < kRecordsOfExamples && examples.size() < SniffedColumn::kMostExamples && !cell.empty() &&
      std::ranges::find(examples, cell) == examples.end())
    examples.emplace_back(cell);
}

// All records behind the header, whose names `names` are. `head`: the columns at the beginning.
void count_columns(SniffedTable& table, const RecordTexts& names, std::string_view sample, bool is_whole,
                   std::size_t skipped_lines, const TableHints& hints,
                   const std::vector<ColumnCounts>& head = {}) {
  const Dialect& dialect = table.dialect;
  std::vector<ColumnCounts> counts(dialect.width);
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i].marks = marks_of(hints.missing, i < names.size() ? names[i] : std::string(), i + 1);
  table.columns.resize(dialect.width);
  std::size_t skip = dialect.header_records;
  const std::unordered_set<std::string> distinct(table.first_names.begin(), table.first_names.end());
  // As CsvReader finds it.
  const auto is_header_again = [&](const auto& fields) {
    if (!distinct.contains(one_line(fields[0]))) return false;
    RecordTexts lines;
    for (const auto& field : fields) lines.push_back(one_line(field));
    if (lines == table.first_names) return true;
    bool has_word = false;
    for (std::size_t i = 0; i < std::min(lines.size(), head.size()) && !has_word; ++i)
      has_word = is_typed(head[i].type()) && classify_cell(lines[i]).type == CellType::kWord;
    RecordTexts names_in_order = table.first_names;
    std::ranges::sort(names_in_order);
    std::ranges::sort(lines);
    return has_word && lines == names_in_order;
  };
  const auto take = [&](const RecordSplitter& splitter, std::size_t lines) {
    if (lines < dialect.preamble_lines || (skip > 0 && skip-- > 0)) return true;
    const bool fits = splitter.fields().size() == dialect.width;
    if (splitter.has_delimiters_alone() || is_header_again(splitter.fields())) return true;
    ++table.records;
    table.other_widths += fits ? 0 : 1;
    for (std::size_t i = 0; fits && i < dialect.width; ++i) {
      counts[i].add(splitter.fields()[i], table.records);
      note_example(table.columns[i], splitter.fields()[i], table.records);
    }
    return true;
  };
  take_records(dialect, sample, is_whole, skipped_lines, take);
  for (std::size_t i = 0; i < dialect.width; ++i) {
    if (i < names.size()) table.columns[i].name = names[i];
    describe_column(counts[i], table.columns[i]);
  }
}

}  // namespace

std::string_view describe(NumberForm form) {
  constexpr std::string_view kForms[kNumberForms] = {"",
                                                     "1234,5 with a decimal comma",
                                                     "1,234.5 with commas between thousands",
                                                     "1.234,5 with points between thousands",
                                                     "1 234.5 with blanks between thousands",
                                                     "1 234,5 with blanks between thousands",
                                                     "1'234.5 with apostrophes between thousands",
                                                     "1.5D+03 with Fortran's exponents"};
  return kForms[static_cast<std::size_t>(form)];
}

ColumnForm form_of(const SniffedColumn& column) {
  constexpr ColumnForm::Type kTypes[] = {ColumnForm::Type::kNumber, ColumnForm::Type::kNumber,
                                         ColumnForm::Type::kDate,   ColumnForm::Type::kTime,
                                         ColumnForm::Type::kWord,   ColumnForm::Type::kAuto};
  return {.type = kTypes[static_cast<std::size_t>(column.type)],
          .form = column.form,
          .unit = column.unit,
          .is_day_first = column.is_day_first,
          .is_year_first = column.is_year_first,
          .date_parts = column.date_parts};
}

bool are_many_odd(const SniffedColumn& column) {
  constexpr std::size_t kMany = 100;
  return column.odd > 0 && kMany * column.odd >= column.values;
}

std::vector<std::string> take_shared_far(std::vector<SniffedColumn>& columns,
                                         const std::function<bool(std::size_t column)>& is_of) {
  constexpr std::size_t kNamed = 3;
  std::map<std::string, std::vector<std::string>> called;  // the columns of each value
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (is_of(i))
      for (const auto& [value, count] : columns[i].far)
        called[value].push_back(columns[i].name.empty() ? fmt::format("#{}", i + 1)
                                                        : in_quotes(columns[i].name));
  std::vector<std::string> notes;
  for (auto& [value, names] : called) {
    if (names.size() < 2) continue;
    for (SniffedColumn& column : columns)
      std::erase_if(column.far, [&](const auto& far) { return far.first == value; });
    const std::size_t count = names.size();
    names.resize(std::min(count, kNamed));
    notes.push_back(
        fmt::format("{0} stands in {1} columns, {2}{3}, far from all others: --missing={0} where it means a "
                    "missing value",
                    value, count, fmt::join(names, ", "), count > kNamed ? ", …" : ""));
  }
  return notes;
}

std::vector<std::string> notes_of(const SniffedColumn& column, std::string_view argument, bool is_label) {
  std::vector<std::string> notes;
  if (column.is_form_ambiguous)
    notes.emplace_back(
        "its commas may be decimal or divide thousands: --decimal-comma says that they are decimal");
  if (!column.unit.empty())
    notes.push_back(fmt::format(
        "numbers stand beside {}, which is passed over{}: --categories{} takes the values as words",
        in_quotes(column.unit),
        column.numbers > 0
            ? fmt::format("; {} without it count alike, as {}", column.numbers, in_quotes(column.bare_cell))
            : "",
        argument));
  const bool is_word = column.type == SniffedColumn::Type::kWord;
  if (is_word && column.numbers > 0)
    notes.push_back(fmt::format(
        "{} of {} values are numbers, and others are words, as {}: all are taken as words; "
        "--missing{}={} where that means a missing value, {}{} where they are words",
        column.numbers, column.values, in_quotes(column.odd_cell), argument, shell_word(column.odd_cell),
        is_label ? "--task classes" : "--categories", is_label ? "" : argument));
  else if (is_word && column.differs)
    notes.push_back(fmt::format("nearly all of its {} values differ, as {}, so that words tell little: {}{}",
                                column.values, in_quotes(column.odd_cell),
                                is_label ? "--label NAME chooses another column" : "--ignore",
                                is_label ? "" : fmt::format("{} leaves it out", argument)));
  if (are_many_odd(column))
    notes.push_back(fmt::format(
        "{} of {} values {} not of its type, the first is {} in record {}: such values count as missing; "
        "--categories{} takes all as words, --strict refuses them",
        column.odd, column.values, column.odd == 1 ? "is" : "are", in_quotes(column.odd_cell),
        column.odd_record, argument));
  for (const auto& [value, count] : column.far)
    notes.push_back(fmt::format(
        "{0} stands there {1} times, far from all others: --missing{2}={0} where it means a missing value",
        value, count, argument));
  return notes;
}

std::string describe_dialect(const Dialect& dialect) {
  std::string text = dialect.delimiter.empty()      ? "one field a line"
                     : dialect.divides_by_runs      ? "fields divided by blanks"
                     : dialect.delimiter.size() > 1 ? fmt::format("fields divided by '{}'", dialect.delimiter)
                     : dialect.delimiter[0] < ' '
                         ? dialect.delimiter[0] == '\t'
                               ? "fields divided by tabs"
                               : fmt::format("fields divided by \\x{:02x}", dialect.delimiter[0])
                     : dialect.delimiter == " " ? "fields divided by single blanks"
                                                : fmt::format("fields divided by '{}'", dialect.delimiter);
  if (dialect.quote == '\'') text += ", quotes '";
  if (dialect.escape != 0) text += ", \\ in front of quotes in fields";
  if (dialect.line_end == '\r') text += ", lines end with CR";
  if (dialect.comment != 0) text += fmt::format(", comments behind {}", dialect.comment);
  return text;
}

std::vector<SniffedColumn> sniff_columns(std::size_t count,
                                         const std::function<void(const TakeCell& take)>& each_cell) {
  std::vector<ColumnCounts> counts(count);
  std::vector<SniffedColumn> columns(count);
  each_cell([&](std::size_t column, std::string_view cell, std::size_t record) {
    counts[column].add(cell, record);
    note_example(columns[column], cell, record);
  });
  for (std::size_t i = 0; i < count; ++i) describe_column(counts[i], columns[i]);
  return columns;
}

Result<SniffedTable> sniff_arff(std::string_view sample, bool is_whole, const TableHints& hints) {
  GLIMPSE_TRY_ASSIGN(const ArffHeader header, ArffHeader::read(sample));
  SniffedTable table;
  table.certainty = table.header_certainty = 1;
  Dialect& dialect = table.dialect;
  dialect.quote = 0;  // whose records go over lines
  dialect.line_end = line_end_of(sample);
  dialect.comment = '%';
  dialect.width = header.attributes().size();
  for (const ArffAttribute& attribute : header.attributes()) {
    using Type = SniffedColumn::Type;
    constexpr Type kTypes[] = {Type::kNumber, Type::kWord, Type::kDate};
    SniffedColumn& column = table.columns.emplace_back();
    column.is_declared = true;
    column.is_day_first = attribute.is_day_first;
    column.type = kTypes[static_cast<std::size_t>(attribute.type)];
    table.first_names.push_back(attribute.name);
    dialect.zeros.push_back(attribute.zero);
  }
  count_columns(table, table.first_names, sample, is_whole, 0, hints);
  return table;
}

SniffedTable sniff_table(std::string_view sample, bool is_whole, const TableHints& hints) {
  SniffedTable table;
  // Excel's first line.
  std::size_t skipped_lines = 0;
  TableHints known = hints;
  if (sample.starts_with("sep=") && sample.size() > 5) {
    known.delimiter = std::string(1, sample[4]);
    const std::size_t end = sample.find('\n');
    sample.remove_prefix(end == std::string_view::npos ? sample.size() : end + 1);
    skipped_lines = 1;
  }
  const std::vector<Score> scores = score_dialects(sample, is_whole, known);
  Dialect& dialect = table.dialect;
  dialect = scores.front().dialect;
  const auto second = std::ranges::find_if(scores, [&](const Score& score) {
    return score.dialect.delimiter != dialect.delimiter ||
           score.dialect.divides_by_runs != dialect.divides_by_runs;
  });
  table.certainty = 1;
  if (second != scores.end() && scores.front().value > 0) {
    table.certainty = 1 - second->value / scores.front().value;
    table.runner_up = describe_dialect(second->dialect);
  }

  const auto each_record = [&](std::string_view text, const auto& take) {
    take_records(dialect, text, is_whole && text.size() == sample.size(), skipped_lines, take);
  };
  const std::string_view beginning = beginning_of(sample);
  find_width(dialect, each_record, beginning, hints.may_lack_label);

  // The records at the beginning, and the counts of all columns there.
  std::vector<HeadRecord> head;
  each_record(beginning, [&](const RecordSplitter& splitter, std::size_t lines) {
    HeadRecord record;
    record.fields.assign(splitter.fields().begin(), splitter.fields().end());
    record.lines_before = lines;
    record.is_content = !splitter.has_delimiters_alone();
    head.push_back(std::move(record));
    return head.size() < kHeadRecords;
  });
  // In front of the table stand records that have another width, or few cells.
  std::size_t first = 0;
  const auto is_table_record = [&](const HeadRecord& record) {
    const bool fits = record.fields.size() == dialect.width ||
                      (record.fields.size() > dialect.width &&
                       record.fields.size() - dialect.width <=
                           static_cast<std::size_t>(std::ranges::count(record.fields, std::string()))) ||
                      (record.fields.size() + 1 == dialect.width && dialect.width > 2);
    return fits && record.is_content && (dialect.width <= 2 || 2 * record.filled() > dialect.width);
  };
  const auto are_words = [](const RecordTexts& fields) {
    return std::ranges::all_of(
        fields, [](const std::string& field) { return classify_cell(field).type == CellType::kWord; });
  };
  // Names above names are a title, where they lack one.
  const auto is_title = [&](std::size_t at) {
    const bool lacks_name = head[at].fields.size() + 1 == dialect.width && at + 1 < head.size();
    return lacks_name && head[at + 1].fields.size() == dialect.width && are_words(head[at + 1].fields);
  };
  while (first < head.size() && (!is_table_record(head[first]) || is_title(first))) ++first;
  if (first == head.size()) {
    first = 0;
    while (first < head.size() && !head[first].is_content) ++first;
  }
  const auto names_one = [&](const RecordTexts& fields) {
    return std::ranges::any_of(hints.column_names, [&](const std::string& name) {
      return std::ranges::find(fields, name) != fields.end();
    });
  };
  for (std::size_t r = first; r < std::min(head.size(), first + kMostHeaderRecords); ++r)
    if (are_words(head[r].fields) && names_one(head[r].fields)) {
      first = r;
      break;
    }
  std::vector<ColumnCounts> counts(dialect.width);
  for (ColumnCounts& column : counts) column.marks = marks_of(hints.missing, {}, 0);
  std::vector<ColumnWords> words(dialect.width);
  const auto add_to_counts = [&](const HeadRecord& record) {
    if (record.fields.size() != dialect.width || !record.is_content) return;
    if (std::ranges::is_permutation(record.fields, head[first].fields)) return;  // the header again
    for (std::size_t i = 0; i < dialect.width; ++i) {
      counts[i].add(record.fields[i], 0);
      if (!record.fields[i].empty()) words[i].add(record.fields[i]);
    }
  };
  // Behind several records of names, where there are as many.
  const std::size_t from =
      head.size() > first + 2 * kMostHeaderRecords ? first + kMostHeaderRecords : first + 1;
  for (std::size_t r = from; r < head.size(); ++r) add_to_counts(head[r]);
  const bool has_body = std::ranges::any_of(counts, [](const ColumnCounts& c) { return c.values() > 0; });
  std::size_t header_records = 0;
  RecordTexts names;
  if (first < head.size()) {
    RecordTexts fields;
    for (const std::string& field : head[first].fields) fields.push_back(one_line(field));
    // numpy.savetxt() puts # in front of the names.
    const bool has_mark = fields[0].starts_with('#') && !is_missing_cell(fields[0]);
    if (has_mark) fields[0] = std::string(trimmed(std::string_view(fields[0]).substr(1)));
    double evidence = header_evidence(fields, counts, words);
    const auto is_word = [](const std::string& field) {
      const CellType type = classify_cell(field).type;
      return type == CellType::kWord || type == CellType::kEmpty;
    };
    if (!has_body) evidence = std::ranges::all_of(fields, is_word) ? 0.5 : -0.5;
    if (names_one(fields)) evidence += 10;
    const bool is_header = hints.has_header.value_or(evidence > 0);
    table.header_certainty = std::min(1.0, std::abs(evidence));
    if (is_header) {
      header_records = 1;
      while (header_records < kMostHeaderRecords && first + header_records < head.size()) {
        const HeadRecord& next = head[first + header_records];
        // A second record of names has words above columns of numbers, or the names again.
        if (next.fields.size() != dialect.width || !next.is_content || !has_body) break;
        const bool repeats = next.fields == fields;
        std::size_t typed = 0;
        std::size_t words_above = 0;
        std::size_t others = 0;
        for (std::size_t i = 0; i < dialect.width; ++i) {
          const SniffedColumn::Type type = counts[i].type();
          if (!is_typed(type) || next.fields[i].empty()) continue;
          ++typed;
          const CellType cell = classify_cell(next.fields[i]).type;
          if (cell == CellType::kWord && !looks_like_slip(next.fields[i]))
            ++words_above;
          else
            ++others;
        }
        if (!repeats && !(typed > 0 && others == 0 && 2 * words_above > typed && words_above > 1)) break;
        ++header_records;
      }
      // A name too many: the cells beside them that are empty are none.
      if (fields.size() > dialect.width)
        for (auto at = fields.end(); fields.size() > dialect.width && at != fields.begin();)
          if ((--at)->empty()) at = fields.erase(at);
      table.is_header_marked = has_mark;
      names = table.first_names = fields;
      for (std::size_t r = 1; r < header_records; ++r)
        for (std::size_t i = 0; i < names.size() && i < head[first + r].fields.size(); ++i)
          names[i] = joined(names[i], one_line(head[first + r].fields[i]));
    }
    dialect.preamble_lines = head[first].lines_before;
  }
  dialect.header_records = header_records;

  count_columns(table, names, sample, is_whole, skipped_lines, hints, counts);
  return table;
}

namespace {

bool is_number(std::string_view text) {
  double value = 0;
  return read_number(text, value);
}

// A label, an importance and a tag, as far as they are there, and then the bar of features, as VW text has
// them.
bool is_vw(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) return false;
  std::string_view head = trimmed(line.substr(0, bar));
  if (bar > 0 && !head.empty() && !is_blank(line[bar - 1]) && line[bar - 1] != '\'' && is_number(head))
    return false;
  for (std::size_t token = 0; !head.empty(); ++token) {
    const std::size_t end = std::min(head.find_first_of(" \t"), head.size());
    const std::string_view word = head.substr(0, end);
    head = trimmed(head.substr(end));
    const bool is_tag = head.empty() && (word.starts_with('\'') || token > 0);
    if (!is_number(word) && !is_tag) return false;
    if (token > 3) return false;
  }
  const std::string_view behind = line.substr(bar + 1);
  return behind.empty() || is_blank(behind.front()) || behind.find_first_of(" \t") != std::string_view::npos;
}

// Several labels of svmlight, which the reader refuses, are numbers; "1,2026-01-31" is the beginning of a row
// whose date goes on with "07:30".
bool is_beginning_of_row(std::string_view word) {
  while (word.find(',') != std::string_view::npos) {
    const std::size_t end = word.find(',');
    if (!is_number(word.substr(0, end))) return true;
    word.remove_prefix(end + 1);
    if (word.find(',') == std::string_view::npos) return !is_number(word);
  }
  return false;
}

// A label and pairs of an index and a value; a label alone tells nothing.
bool is_svmlight(std::string_view line) {
  if (const std::size_t hash = line.find('#'); hash != std::string_view::npos) line = line.substr(0, hash);
  std::size_t pairs = 0;
  for (std::size_t token = 0; !(line = trimmed(line)).empty(); ++token) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    const std::size_t colon = word.find(':');
    std::uint64_t index = 0;
    const std::size_t last = word.rfind(':');  // LibFFM has field:index:value, which the reader refuses
    const bool is_pair = colon != std::string_view::npos && is_number(word.substr(last + 1)) &&
                         ((read_index(word.substr(0, colon), index) &&
                           (last == colon || read_index(word.substr(colon + 1, last - colon - 1), index))) ||
                          word.starts_with("qid:"));
    if (!is_pair && (token > 0 || is_beginning_of_row(word))) return false;
    pairs += is_pair ? 1 : 0;
  }
  return pairs > 0;
}

// {"a": 1} or [1, 2], and not [name],[other].
bool is_json(std::string_view line) {
  if (line.empty() || (line[0] != '{' && line[0] != '[')) return false;
  const std::string_view inner = trimmed(line.substr(1));
  if (inner.empty()) return true;
  if (line[0] == '{') return inner[0] == '"' || inner[0] == '}' || inner[0] == '\'';
  return is_digit(inner[0]) || std::string_view("-{[]\"").find(inner[0]) != std::string_view::npos ||
         inner.starts_with("null");
}

// A line of JSON that is written over lines, or of an array whose commas stand in front.
bool goes_on_in_json(std::string_view line) {
  return line[0] == ']' || line[0] == '}' || (line[0] == ',' && is_json(trimmed(line.substr(1)))) ||
         (line[0] == '"' && line.find("\":") != std::string_view::npos);
}

// The format of most of the first lines; tables are what is none of the others.
Format format_of(std::string_view text) {
  if (ArffHeader::begins(text)) return Format::kCsv;
  constexpr std::size_t kLines = 100;
  std::size_t lines = 0;
  std::size_t vw = 0;
  std::size_t svmlight = 0;
  std::size_t labels = 0;
  std::size_t json = 0;
  while (!text.empty() && lines < kLines) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_blank_or_comment(line)) continue;
    // Below the first that begins it.
    if (lines == 0 && (line == "[" || line == "{")) return Format::kNdjson;
    ++lines;
    if (is_json(line) || (json > 0 && goes_on_in_json(line)))
      ++json;
    else if (is_vw(line))
      ++vw;
    else if (is_svmlight(line))
      ++svmlight;
    else if (is_number(line))
      ++labels;
  }
  if (2 * json > lines) return Format::kNdjson;
  if (2 * vw > lines) return Format::kVw;
  return svmlight > 0 && 2 * (svmlight + labels) > lines ? Format::kSvmlight : Format::kCsv;
}

}  // namespace

TableHints hints_of(const TableOptions& options) {
  TableHints hints;
  hints.missing = options.missing;
  hints.encoding = options.encoding;
  if (options.delimiter != 0) hints.delimiter = std::string(1, options.delimiter);
  if (options.header != HeaderChoice::kAuto) hints.has_header = options.header == HeaderChoice::kYes;
  for (const auto& [option, choice] : options.choices())
    if (choice->kind == ColumnChoice::Kind::kName) hints.column_names.push_back(choice->name);
  return hints;
}

std::string_view sample_of(std::string_view beginning, const SampleLimits& limits) {
  const std::string_view most = beginning.substr(0, limits.bytes);
  std::size_t end = 0;
  for (std::size_t line = 0; line <= limits.records;) {
    const std::size_t next = most.find('\n', end);
    if (next == std::string_view::npos) return most.size() < limits.bytes ? std::string_view() : most;
    line += ArffHeader::is_line(most.substr(end, next - end)) ? 0 : 1;
    end = next + 1;
  }
  return most.substr(0, end);
}

Format sniff_format(std::string_view sample) {
  const Encoding encoding = detect_encoding(sample);
  if (encoding == Encoding::kUtf8) return format_of(sample.substr(mark_length(sample, encoding)));
  std::string text;
  append_as_utf8(sample.substr(mark_length(sample, encoding)), encoding, text);
  return format_of(text);
}

Result<Sniffed> sniff(std::string_view sample, bool is_whole, Format format, const TableHints& hints) {
  Sniffed sniffed;
  sniffed.encoding = hints.encoding.value_or(detect_encoding(sample));
  const bool is_wide = sniffed.encoding == Encoding::kUtf16Le || sniffed.encoding == Encoding::kUtf16Be;
  if (format == Format::kAuto || format == Format::kCsv)
    if (std::string foreign = foreign_file(sample);
        !foreign.empty() && !is_wide && !sample.starts_with("sep="))
      return Error{ErrorCode::kInvalidInput, std::move(foreign)};
  sniffed.mark = mark_length(sample, sniffed.encoding);
  sniffed.bytes = sample.size();
  std::string converted;
  std::string_view text = sample.substr(sniffed.mark);
  text = text.substr(0, whole_characters(text, sniffed.encoding));
  if (sniffed.encoding != Encoding::kUtf8) {
    append_as_utf8(text, sniffed.encoding, converted);
    text = converted;
  }
  sniffed.format = format == Format::kAuto ? format_of(text) : format;
  if (sniffed.format != Format::kCsv) return sniffed;
  if (ArffHeader::begins(text)) {
    GLIMPSE_TRY_ASSIGN(sniffed.table, sniff_arff(text, is_whole, hints));
  } else {
    sniffed.table = sniff_table(text, is_whole, hints);
  }
  sniffed.table.dialect.encoding = sniffed.encoding;
  return sniffed;
}

}  // namespace glimpse
