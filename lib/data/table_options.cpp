#include "data/table_options.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/records/table_layout.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

using Types = OptionKind;

// `text` from `at` on is a name in double quotes, where "" is one of them, up to a comma or the end: `at` is
// behind it then. Nothing: it is none, as where a quote stands within a name.
std::optional<std::string> quoted_name(const std::string& text, std::size_t& at) {
  std::size_t next = std::min(text.find_first_not_of(' ', at), text.size());
  if (next == text.size() || text[next] != '"') return std::nullopt;
  std::string name;
  bool is_closed = false;
  for (++next; next < text.size() && !is_closed; ++next) {
    const bool is_quote = text[next] == '"';
    is_closed = is_quote && (next + 1 == text.size() || text[next + 1] != '"');
    if (is_quote && !is_closed) ++next;
    if (!is_closed) name += text[next];
  }
  if (!is_closed) return std::nullopt;
  next = std::min(text.find_first_not_of(' ', next), text.size());
  if (next < text.size() && text[next] != ',') return std::nullopt;
  at = next;
  return name;
}

Status read_ignored(const std::string& text, TableOptions& table) {
  for (const std::string& name : names_between_commas(text)) {
    if (name.empty())
      return invalid_option("ignore", text,
                            "must be names of columns, or numbers from 1 as #5, with commas between");
    table.ignored.push_back(parse_column(name));
  }
  return {};
}

Status read_missing(const std::string& text, TableOptions& table) {
  for (const std::string& mark : names_between_commas(text)) {
    if (mark.empty())
      return invalid_option("missing", text, "must be marks, or COLUMN=MARK, with commas between");
    table.missing.push_back(mark);
  }
  return {};
}

std::vector<std::pair<std::string, char>> delimiter_choices() {
  std::vector<std::pair<std::string, char>> choices{{"auto", '\0'}};
  for (const auto& [word, character] : kDelimiters) choices.emplace_back(word, character);
  return choices;
}

std::vector<std::pair<std::string, std::optional<Encoding>>> encoding_choices() {
  std::vector<std::pair<std::string, std::optional<Encoding>>> choices{{"auto", std::nullopt}};
  for (const Encoding encoding :
       {Encoding::kUtf8, Encoding::kUtf16Le, Encoding::kUtf16Be, Encoding::kWindows1252, Encoding::kLatin1})
    choices.emplace_back(name_of(encoding), encoding);
  return choices;
}

}  // namespace

std::vector<std::string> names_between_commas(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    std::optional<std::string> name = quoted_name(text, at);
    if (!name) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      name = text.substr(at, end - at);
      if (name->size() < text.size()) name = trimmed(*name);
      at = end;
    }
    names.push_back(std::move(*name));
  }
  return names;
}

const std::vector<OptionRow>& table_reading_options() {
  static const std::vector<OptionRow> rows{
      {"ignore COLUMNS",
       "columns of a table that are neither label nor attribute: names, or numbers from 1 as #5, "
       "with commas between; may be repeated",
       Types::custom(read_ignored, {&TableOptions::ignored}).repeated(),
       R"(Columns that are neither label nor attribute, by name, or by number from 1 as #5, with commas
between; may be repeated. For row numbers, dates, and what is known only together with the label.)",
       OptionExtras{.example = "id,date"}},
      {"header WHICH = auto",
       "whether the first row of a table names its columns: yes, no, or where it has words (auto, default)",
       Types::choice<HeaderChoice>(
           {&TableOptions::header},
           {{"auto", HeaderChoice::kAuto}, {"yes", HeaderChoice::kYes}, {"no", HeaderChoice::kNo}})},
      {"delimiter C = auto",
       "between the fields of a table: auto (default, the sample shows it), ',', ';', '|', "
       "tab or space",
       Types::choice<char>({&TableOptions::delimiter}, delimiter_choices()),
       R"(What stands between the fields of a table: a comma, a semicolon, a bar, tab or space; auto takes what divides
most records of the sample into as many fields. Where no sample was read it takes the one that the first row has most
of, and never a bar, which lines of vw have.)"},
      {"decimal-comma", "in a table 3,5 is a number, and 3.5 is none",
       Types::flag({&TableOptions::decimal_comma}),
       R"(In a table 3,5 is a number, and 3.5 is none (on). Fields are then divided otherwise than by commas.)"},
      {"missing MARKS",
       "further marks for missing values in a table, with commas between: -999, or of one column "
       "wind=-200; may be repeated",
       Types::custom(read_missing, {&TableOptions::missing}).repeated(),
       R"(Further marks for missing values in a table, with commas between; may be repeated. A mark holds for all
columns, or for one by its name or number (wind=-200, #3=-200). Numbers count as the same however they are written.
An empty field, NA, N/A, #N/A, <NA>, null, NULL, ?, - and . are such marks everywhere, and among numbers also nan, NaN,
None, NaT, \N, -- and n.a.)",
       OptionExtras{.example = "-999,k.A.,wind=-200"}},
      {"encoding NAME = auto",
       "of a table: auto (default, the sample shows it), utf-8, utf-16le, utf-16be, windows-1252 "
       "or latin-1",
       Types::choice<std::optional<Encoding>>({&TableOptions::encoding}, encoding_choices())},
      {"short-rows refuse|missing = refuse",
       "rows below a header that lack fields at their end: refused (default), or missing there",
       Types::choice<bool>({&TableOptions::reads_short_rows}, {{"refuse", false}, {"missing", true}})},
  };
  return rows;
}

}  // namespace glimpse
