#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/date_parts.h"
#include "data/sniff.h"

namespace sniff_table_test {

using namespace glimpse;
using Type = SniffedColumn::Type;

SniffedTable sniffed(std::string_view text, const TableHints& hints = {}) {
  return sniff_table(text, true, hints);
}

std::vector<std::string> names_of(const SniffedTable& table) {
  std::vector<std::string> names;
  for (const SniffedColumn& column : table.columns) names.push_back(column.name);
  return names;
}

// Ten records of three columns of numbers, with this cell in column 2 of record `at`.
std::string numbers_with(std::string_view cell, std::size_t at, std::string_view header = "y,a,b\n") {
  std::string text(header);
  for (std::size_t i = 1; i <= 10; ++i)
    text += std::to_string(i) + ".5," + (i == at ? std::string(cell) : std::to_string(i)) + ",2.25\n";
  return text;
}

TEST_CASE("one odd cell leaves a column of numbers, wherever it stands") {
  for (const char* cell : {"None", "\\N", "nan", "--", "n.a.", "NaT", "#NA"})
    for (const std::size_t at : {1, 5, 10}) {
      CAPTURE(std::string(cell));
      const SniffedTable table = sniffed(numbers_with(cell, at));
      CHECK(names_of(table) == std::vector<std::string>{"y", "a", "b"});
      CHECK(table.columns[1].type == Type::kNumber);
      CHECK(table.columns[1].missing == 1);
      CHECK(table.columns[1].odd == 0);
    }
  for (const char* cell : {"<5", "abc", "1.2.3", "2026-01-01"})
    for (const std::size_t at : {1, 5, 10}) {
      const SniffedTable table = sniffed(numbers_with(cell, at));
      CHECK(table.dialect.header_records == 1);
      CHECK(table.columns[1].type == Type::kNumber);
      CHECK(table.columns[1].odd == 1);
      CHECK(table.columns[1].odd_cell == cell);
      CHECK(table.columns[1].odd_record == at);
    }
}

TEST_CASE("delimiters, quotes and runs of blanks are known by the whole sample") {
  const auto delimiter = [](std::string_view text) { return sniffed(text).dialect.delimiter; };
  CHECK(delimiter("y;a\n1,5;2,5\n3,5;4,5\n") == ";");
  CHECK(delimiter("1\t2\n3\t4\n") == "\t");
  CHECK(delimiter("1::2::3\n4::5::6\n") == "::");
  CHECK(delimiter("1|2|3\n4|5|6\n") == "|");
  CHECK(delimiter("1\x01"
                  "2\n3\x01"
                  "4\n") == "\x01");
  CHECK(delimiter("2026-01-01 00:00:00,5\n2026-01-02 00:00:00,6\n") == ",");
  CHECK(delimiter("a text with blanks,5\nanother, longer text,6\nthe last one,7\n") == ",");
  CHECK(sniffed("  1   2\n 33  44\n5 6\n").dialect.divides_by_runs);
  CHECK(sniffed("'a,b',1\n'c,d',2\n'e',3\n").dialect.quote == '\'');
  CHECK(sniffed("a,'1'\nO'Neil,2\nit's,3\n\"x\",4\n").dialect.quote == '"');
  CHECK(sniffed("\"a \\\"b\\\" c\",1\n\"d\",2\n\"e \\\"f\\\"\",3\n").dialect.escape == '\\');
  CHECK(sniffed("1,2\r3,4\r").dialect.line_end == '\r');
  CHECK(sniffed("sep=;\ny;a\n1;2\n").dialect.delimiter == ";");
  CHECK(delimiter("5\n6\n7\n") == "");
}

TEST_CASE("quotes are quotes wherever in the sample they first stand") {
  for (const std::size_t at : {1, 2000, 4000, 5000}) {  // the delimiter is known by the first 64 KiB
    std::string text = "y,town,a\n";
    for (std::size_t i = 1; i <= 4000; ++i)
      text += std::to_string(i) + (i == at ? ",\"Launceston, Tamar\",2.5\n" : ",Launceston on Tamar,2.5\n");
    const SniffedTable table = sniffed(text);
    CHECK(table.dialect.quote == '"');
    CHECK(table.dialect.width == 3);
    CHECK(table.other_widths == 0);
    CHECK(table.columns[2].type == Type::kNumber);
    CHECK(table.columns[2].odd == 0);
  }
  std::string inches = "y,size,a\n";  // and text where they open nothing
  for (int i = 0; i < 4000; ++i)
    inches += i == 3000 ? "1,5\" pipe of 12\" length,2.5\n" : "1,pipe of that length,2.5\n";
  CHECK(sniffed(inches).other_widths == 0);
}

TEST_CASE("a header is what is named above other cells") {
  const auto headers = [](std::string_view text, const TableHints& hints = {}) {
    return sniffed(text, hints).dialect.header_records;
  };
  CHECK(headers("y,a,b\n1,2,3\n4,5,6\n") == 1);
  CHECK(headers("1,2,3\n4,5,6\n") == 0);
  CHECK(headers("2019,2020,2021\n4.5,5.5,6.5\n1.5,2.5,3.5\n") == 0);
  CHECK(headers("M,45,3\nF,53,4\nM,46,7\nM,40,9\nF,31,2\n") == 0);  // a word below the word
  CHECK(headers("5,None,2\n5,2,3\n1,2,3\n4,5,6\n") == 0);
  CHECK(headers("5,<5,2\n5,2,3\n1,2,3\n4,5,6\n") == 0);
  CHECK(headers("kind,sex,col\nx,M,r\ny,F,g\nx,F,r\ny,M,g\nx,M,b\n") == 1);
  CHECK(headers("x,M,r\ny,F,g\nx,F,r\ny,M,g\nx,M,b\n") == 0);
  CHECK(headers("kind,sex\nx,M\n", {.delimiter = {}, .has_header = {}, .column_names = {"kind"}}) == 1);
  CHECK(headers("1,2\n3,4\n", {.delimiter = {}, .has_header = true, .column_names = {}}) == 1);
  CHECK(headers("y,a,b\nUSD,km,h\n1.5,2,3\n4.5,5,6\n7.5,8,9\n") == 2);
  CHECK(names_of(sniffed("y,a,b\nUSD,km,h\n1.5,2,3\n4.5,5,6\n7.5,8,9\n")) ==
        std::vector<std::string>{"y USD", "a km", "b h"});
  CHECK(names_of(sniffed("# y,a\n1,2\n3,4\n")) == std::vector<std::string>{"y", "a"});
  CHECK(names_of(sniffed("[y],[a]\n1,2\n3,4\n")) == std::vector<std::string>{"[y]", "[a]"});
}

TEST_CASE("lines in front of the table, comments and records of delimiters are none of its records") {
  const SniffedTable table =
      sniffed("Report of May\nall values in EUR\n\ny,a,b\n1,2,3\n# checked\n,,\n4,5,6\n");
  CHECK(table.dialect.preamble_lines == 3);
  CHECK(names_of(table) == std::vector<std::string>{"y", "a", "b"});
  CHECK(table.dialect.comment == '#');
  CHECK(table.records == 2);
  const SniffedTable missing = sniffed("a,y,b\n#N/A,1.0,2.25\n#N/A,3.0,2.5\n1.5,4.0,2.5\n2.5,4.5,2.5\n");
  CHECK(missing.dialect.comment == 0);
  CHECK(missing.columns[0].missing == 2);
}

TEST_CASE("numbers are read in the form of the whole column") {
  const auto column = [](std::string_view cells) { return sniffed(cells).columns[1]; };
  CHECK(column("y;a\n1;1.234,5\n2;2.345,5\n").form == NumberForm::kPointGroups);
  CHECK(column("y;a\n1;1,234\n2;2,5\n").form == NumberForm::kDecimalComma);
  CHECK(column("y;a\n1;1,234.5\n2;1,234\n").form == NumberForm::kCommaGroups);
  CHECK_FALSE(column("y;a\n1;1,234.5\n2;1,234\n").is_form_ambiguous);
  CHECK(column("y;a\n1;1,234\n2;2,345\n").is_form_ambiguous);
  CHECK(column("y;a\n1;1.234\n2;2.345\n").form == NumberForm::kPlain);
  CHECK(column("y,a\n1,1.5kg\n2,2kg\n").unit == "kg");
  CHECK(column("y,a\n1,$5\n2,$6.5\n").unit == "$");
}

TEST_CASE("types are those of nearly all cells") {
  const SniffedTable table =
      sniffed("d,t,flag,word,none\n2026-01-01,12:30,true,red,\n2026-01-02,12:45,false,blue,NA\n");
  CHECK(table.columns[0].type == Type::kDate);
  CHECK(table.columns[1].type == Type::kTime);
  CHECK(table.columns[2].type == Type::kBool);
  CHECK(table.columns[3].type == Type::kWord);
  CHECK(table.columns[4].type == Type::kEmpty);
  CHECK(table.columns[4].missing == 2);
}

// Records of numbers beside what `cell_of` makes of 0, 1 and so on.
template <class CellOf>
SniffedColumn column_of(std::size_t records, const CellOf& cell_of, std::string_view header = "y;a\n") {
  std::string text(header);
  for (std::size_t i = 0; i < records; ++i)
    text += std::to_string(i) + ".25;" + std::string(cell_of(i)) + '\n';
  return sniffed(text).columns[1];
}

TEST_CASE("the whole sample decides whether a year of two digits stands first") {
  // The days of 2024, or every fifth of them from the last to the first.
  for (const char* format : {"{0:02}-{1:02}-{2:02}", "{0:02}/{1:02}/{2:02}"})
    for (const bool is_back : {false, true}) {
      const SniffedColumn year = column_of(70, [&](std::size_t i) {
        const std::size_t day = is_back ? 5 * (69 - i) : i;
        return fmt::format(fmt::runtime(format), 24, day / 30 + 1, day % 28 + 1);
      });
      CHECK(year.type == Type::kDate);
      CHECK(year.is_year_first);
      CHECK_FALSE(year.is_day_first);
      CHECK_FALSE(year.is_order_ambiguous);
    }
  const auto by_day = [](std::size_t i) {
    return fmt::format("{:02}/{:02}/{:02}", i % 28 + 1, i / 28 + 1, 24);
  };
  CHECK(column_of(70, by_day).is_day_first);
  CHECK_FALSE(column_of(70, by_day).is_year_first);
  CHECK_FALSE(column_of(70, by_day).is_order_ambiguous);
  const auto by_month = [](std::size_t i) {
    return fmt::format("{:02}/{:02}/{:02}", i / 28 + 1, i % 28 + 1, 24);
  };
  CHECK_FALSE(column_of(70, by_month).is_day_first);
  CHECK_FALSE(column_of(70, by_month).is_year_first);
  CHECK_FALSE(column_of(70, by_month).is_order_ambiguous);
  const auto old = [](std::size_t i) {
    return fmt::format("{:02}-{:02}-{:02}", 60 + i % 40, i % 12 + 1, i % 28 + 1);
  };
  CHECK(column_of(70, old).is_year_first);
  // Years of four digits, and the same date again and again.
  CHECK_FALSE(
      column_of(70, [](std::size_t i) { return fmt::format("{}/01/2024", i % 28 + 1); }).is_year_first);
  CHECK(column_of(70, [](std::size_t) { return "24-01-05"; }).is_order_ambiguous);
  // The last days of years.
  CHECK(column_of(20, [](std::size_t i) { return fmt::format("31/12/{:02}", i + 1); }).is_order_ambiguous);
  // The last days of quarters.
  const SniffedColumn quarters = column_of(40, [](std::size_t i) {
    return fmt::format("{}/{:02}/{:02}", i % 4 == 0 || i % 4 == 3 ? 31 : 30, 3 * (i % 4) + 3, i / 4 + 5);
  });
  CHECK(quarters.is_day_first);
  CHECK_FALSE(quarters.is_order_ambiguous);
}

TEST_CASE("a date that the calendar lacks is odd among dates") {
  for (const char* odd : {"0000-00-00", "2024-02-30"})
    for (const std::size_t at : {0, 20, 39}) {
      const SniffedColumn column = column_of(40, [&](std::size_t i) {
        return i == at ? std::string(odd) : fmt::format("2024-03-{:02}", i % 28 + 1);
      });
      CHECK(column.type == Type::kDate);
      CHECK(column.odd == 1);
      CHECK(column.odd_cell == odd);
      CHECK(column.odd_record == at + 1);
    }
  const SniffedColumn column = column_of(40, [](std::size_t i) {
    return i == 5 ? std::string("1/31/2024") : fmt::format("{}/1/2024", i % 28 + 1);
  });
  CHECK(column.is_day_first);
  CHECK(column.odd == 1);
  CHECK(column.odd_cell == "1/31/2024");
  CHECK(column.odd_record == 6);
}

TEST_CASE("numbers below one beside decimal commas have a decimal point") {
  const auto cells = [](std::size_t i) { return i % 3 == 0 ? "0.469" : "4.812"; };
  CHECK(column_of(9, cells).form == NumberForm::kPlain);
  CHECK_FALSE(column_of(9, cells).may_be_groups);
  CHECK(column_of(9, [](std::size_t) { return "4.812"; }).may_be_groups);
}

TEST_CASE("of dates the parts that vary are known, wherever they do") {
  const auto parts = [](const std::vector<std::string>& cells) {
    std::string text = "y,when\n";
    for (std::size_t i = 0; i < cells.size(); ++i) text += std::to_string(i) + ".5," + cells[i] + '\n';
    return sniffed(text).columns[1].date_parts;
  };
  constexpr auto kWeekday = DatePart::kWeekday;
  constexpr auto kMonth = DatePart::kMonth;
  constexpr auto kHour = DatePart::kHour;
  // Not in the order of time: what varies in the sample alone. 2026-01-05 is a Monday.
  CHECK(parts({"2026-01-12", "2026-01-05", "2026-01-19"}) == 0);
  for (const std::size_t at : {0, 2, 4}) {
    const auto with = [&](const std::string& other) {
      std::vector<std::string> cells{"2026-01-12", "2026-01-05", "2026-01-26", "2026-01-19", "2026-01-05"};
      cells[at] = other;
      return parts(cells);
    };
    CAPTURE(at);
    CHECK(with("2026-01-13") == kWeekday);
    CHECK(with("2026-02-02") == kMonth);
    CHECK(with("2026-01-12 07:30") == kHour);
    CHECK(with("2026-02-03 23:59") == (kWeekday | kMonth | kHour));
    CHECK(with("NA") == 0);
  }
  CHECK(parts({"2026-01-12 12:00", "2026-01-05 12:59", "2026-01-19 12:30"}) == 0);
  // As the column writes its days: 1/2 and 1/9 are a week apart or eight months.
  CHECK(parts({"9/1/2026", "2/1/2026", "23/1/2026"}) == 0);
  CHECK(parts({"1/9/2026", "1/2/2026", "1/23/2026"}) == 0);
  CHECK(parts({"9/1/2026", "2/1/2026", "24/1/2026"}) == kWeekday);
  // In the order of time all of it will vary behind the sample, hours where there is a time of day.
  CHECK(parts({"2026-01-05", "2026-01-05", "2026-01-12"}) == (kWeekday | kMonth));
  CHECK(parts({"2026-01-12", "2026-01-05", "2026-01-05"}) == (kWeekday | kMonth));
  CHECK(parts({"2026-01-05 00:01", "2026-01-05 00:02"}) == (kWeekday | kMonth | kHour));
  CHECK(parts({"07:30", "07:45", "07:50"}) == 0);
  CHECK(parts({"07:30", "23:45", "07:50"}) == kHour);
  CHECK(parts({"1", "2", "3"}) == 0);
}

TEST_CASE("a value that repeats far from all others is found") {
  std::string text = "y,a\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i) + ',' + (i % 20 == 3 ? "-999" : std::to_string(i) + ".5") + '\n';
  const SniffedTable table = sniffed(text);
  REQUIRE(table.columns[1].far.size() == 1);
  CHECK(table.columns[1].far[0].first == "-999");
  CHECK(table.columns[1].far[0].second == 2);
  CHECK(table.columns[0].far.empty());
  std::string commas = "y;a\n";  // none of which is 0
  for (int i = 0; i < 40; ++i) commas += "1;" + std::to_string(500 + i) + (i % 2 == 0 ? ",5\n" : "\n");
  CHECK(sniffed(commas).columns[1].far.empty());
}

TEST_CASE("marks for missing values are found beside wide ranges, in any form, and nothing else is") {
  using Cells = std::vector<std::string>;
  // `marks` stand in turn in every tenth record from the third, among `count` numbers from `low` to `high`.
  const auto far_of = [](const Cells& marks, double low, double high, std::string_view format = "{:.1f}") {
    const SniffedColumn column = column_of(100, [&](std::size_t i) {
      if (i % 10 == 3) return marks[i / 10 % marks.size()];
      const double value = low + (high - low) * static_cast<double>(i * 37 % 100) / 99;
      std::string text = fmt::format(fmt::runtime(format), value);
      if (format.find(' ') == std::string_view::npos) return text;
      text[text.find('.')] = ',';
      return text;
    });
    Cells far;
    for (const auto& [value, count] : column.far) {
      CHECK(count == 10 / marks.size());
      far.push_back(value);
    }
    return far;
  };
  CHECK(far_of({"-999"}, 0, 400) == Cells{"-999"});
  CHECK(far_of({"-999.0"}, -40, 300) == Cells{"-999"});
  CHECK(far_of({"9999"}, 0, 3300) == Cells{"9999"});
  CHECK(far_of({"999999"}, 0, 300000) == Cells{"999999"});
  CHECK(far_of({"-9999", "-8888"}, 0, 50) == Cells{"-9999", "-8888"});
  CHECK(far_of({"-999,0 m"}, 0, 400, "{:.1f} m") == Cells{"-999"});
  CHECK(far_of({"-999"}, 0, 400, "{:.1f} ") == Cells{"-999"});
  CHECK(far_of({"50.5"}, 0, 400).empty());
  CHECK(far_of({"999"}, 0, 1200).empty());
  CHECK(far_of({"999"}, 0, 800).empty());
  CHECK(far_of({"-500"}, 0, 400).empty());
  const auto dates = [](std::size_t every) {
    return column_of(50,
                     [&](std::size_t i) {
                       return i % every == 2 ? std::string("9999-12-31")
                                             : fmt::format("2024-01-{:02}", i % 28 + 1);
                     })
        .far;
  };
  REQUIRE(dates(5).size() == 1);
  CHECK(dates(5)[0].first == "9999-12-31");
  CHECK(dates(5)[0].second == 10);
  CHECK(dates(60).empty());
}

// What is said of such a column.
std::string notes_on(const SniffedColumn& column, bool is_label = false) {
  std::string text;
  for (const std::string& note : notes_of(column, " a", is_label)) text += note + '\n';
  return text;
}
bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST_CASE("a column of words says so where half of its values are numbers or nearly all differ") {
  for (const std::size_t first : {0, 3, 6}) {
    const SniffedColumn mixed = column_of(
        70, [&](std::size_t i) { return i % 7 == first ? std::string("<5") : fmt::format("{}.5", i); });
    CHECK(mixed.type == Type::kWord);
    CHECK(has(notes_on(mixed), "60 of 70 values are numbers"));
    CHECK(has(notes_on(mixed), "--missing a='<5'"));
    CHECK(has(notes_on(mixed), "--categories a"));
    CHECK(has(notes_on(mixed, true), "--task classes"));
    CHECK_FALSE(has(notes_on(mixed, true), "--categories"));
  }
  const SniffedColumn ids = column_of(40, [](std::size_t i) { return fmt::format("id-{}x", i); });
  CHECK(has(notes_on(ids), "nearly all of its 40 values differ, as 'id-0x'"));
  CHECK(has(notes_on(ids), "--ignore a"));
  CHECK(has(notes_on(ids, true), "--label NAME"));
  CHECK(notes_on(column_of(19, [](std::size_t i) { return fmt::format("id-{}x", i); })).empty());
  CHECK(notes_on(column_of(40, [](std::size_t i) { return fmt::format("id-{}x", i % 30); })).empty());
  CHECK(notes_on(column_of(40, [](std::size_t i) { return i % 3 == 0 ? "red" : "blue"; })).empty());
  CHECK(notes_on(column_of(40, [](std::size_t i) { return i % 5 < 2 ? "1" : "blue"; })).empty());
}

TEST_CASE("most of the values say whether words are numbers that are written in another way") {
  for (const std::size_t other : {0, 1, 20, 39}) {
    const auto odd_of = [&](std::string_view most, std::string_view one) {
      return column_of(40, [&](std::size_t i) { return i == other ? one : most; }).odd_number;
    };
    CHECK(odd_of("0x237e", "red") == "0x237e");
    CHECK(odd_of("319_468", "469") == "319_468");
    CHECK(odd_of("red", "0x237e").empty());
    CHECK(odd_of("red", "$5").empty());
  }
  for (const std::size_t first : {0, 1})
    CHECK(column_of(40, [&](std::size_t i) { return i % 2 == first ? "$5" : "\u20ac5"; }).odd_number ==
          (first == 0 ? "$5" : "\u20ac5"));
}

TEST_CASE("numbers that lack the unit of the others are told") {
  const SniffedColumn column =
      column_of(40, [](std::size_t i) { return i % 20 == 7 ? std::string("0.35") : fmt::format("{}%", i); });
  CHECK(column.unit == "%");
  CHECK(has(notes_on(column), "; 2 without it count alike, as '0.35'"));
  CHECK_FALSE(has(notes_on(column_of(40, [](std::size_t i) { return fmt::format("{}%", i); })), "without"));
}

TEST_CASE("dates above numbers are a header") {
  for (const char* header : {"s,2019-01,2019-02,2019-03\n", "s,2019-01-01,2019-02-01,2019-03-01\n"}) {
    const SniffedTable table = sniffed(std::string(header) + "x,1.5,2.5,3.5\ny,2.5,1.5,4.5\nx,2.5,0.5,4.5\n");
    CHECK(table.dialect.header_records == 1);
    CHECK(table.columns[1].odd == 0);
  }
  CHECK(sniffed("1.5,2.5,2026-01-01\n2.5,1.5,4.5\n2.5,0.5,4.5\n1,1,1\n").dialect.header_records == 0);
}

TEST_CASE("the numbers of columns from 0 are a header above what is not so") {
  const auto table = [](std::string_view text) { return sniffed(text); };
  const auto headers = [&](std::string_view text) { return table(text).dialect.header_records; };
  CHECK(headers("0,1,2\n4.5,5.5,6.5\n1.5,2.5,3.5\n") == 1);
  CHECK(table("0,1,2\n4.5,5.5,6.5\n1.5,2.5,3.5\n").header_certainty == 1);
  CHECK(headers(",0,1,2\n0,4.5,5.5,6.5\n1,1.5,2.5,3.5\n") == 1);
  CHECK(headers("y,0,1,2\n0,4.5,5.5,6.5\n1,1.5,2.5,3.5\n") == 1);
  CHECK(headers("0,1,2,y\n4.5,5.5,6.5,0\n1.5,2.5,3.5,1\n") == 1);
  CHECK(headers("0,1,2,3\n4,0,0,7\n9,2,0,1\n") == 1);
  CHECK(table("0,1,2,3\n4,0,0,7\n9,2,0,1\n").header_certainty < 0.5);
  CHECK(headers("0,1,2\n1,2,3\n2,3,4\n") == 0);
  CHECK(headers("0,1\n4.5,5.5\n1.5,2.5\n") == 0);
  CHECK(headers("0,1,3\n4.5,5.5,6.5\n1.5,2.5,3.5\n") == 0);
  CHECK(headers("M,0,1,2\nM,4.5,5.5,6.5\nF,1.5,2.5,3.5\n") == 0);
  CHECK(headers("0,1,2,4.5\n4.5,5.5,6.5,7\n1.5,2.5,3.5,8\n") == 0);
}

TEST_CASE("a sample is the same whatever stands behind it") {
  const SampleLimits limits{.bytes = 20, .records = 2};
  CHECK(sample_of("1\n2\n", limits).empty());
  CHECK(sample_of("1\n2\n3\n", limits) == "1\n2\n3\n");
  CHECK(sample_of("1\n2\n3\n4\n5\n", limits) == "1\n2\n3\n");
  CHECK(sample_of("a long line without an end", limits) == "a long line without ");
}

TEST_CASE("the sample decides, and not how much of it came at once") {
  std::string text = numbers_with("x", 7);
  const SniffedTable whole = sniffed(text);
  const SniffedTable cut = sniff_table(text + "1,", false, {});
  CHECK(whole.dialect == cut.dialect);
  CHECK(whole.records == cut.records);
}

TEST_CASE("empty and odd samples are tables of nothing") {
  CHECK(sniffed("").records == 0);
  CHECK(sniffed("\n\n").records == 0);
  CHECK(sniffed(",,,\n,,,\n").records == 0);
  CHECK(sniffed("\"").records <= 1);
}

TEST_CASE("formats are known by most lines") {
  const auto format = [](std::string_view text) { return sniff(text, true, Format::kAuto, {})->format; };
  CHECK(format("4\n1.0 1:1.5 2:2.25\n2.0 1:3\n") == Format::kSvmlight);
  CHECK(format("1 a:1 b:2\n1.0 | a:1.5 b:2.25\n2.0 | a:1\n") == Format::kVw);
  CHECK(format("1 2.0 'tag| a:1.5 b:2.25\n") == Format::kVw);
  CHECK(format("{\"label\": 1, \"values\": [1]}\n") == Format::kNdjson);
  CHECK(format("[1, 2]\n") == Format::kNdjson);
  CHECK(format("[y],[a]\n1,2\n") == Format::kCsv);
  CHECK(format("y,P(a|x),b\n1.0,1.5,2.25\n2.0,1,5\n") == Format::kCsv);
  CHECK(format("1|2|3\n4|5|6\n") == Format::kCsv);
  CHECK(format("12:30 1\n13:30 2\n") == Format::kCsv);
  CHECK(!sniff("PAR1....", true, Format::kAuto, {}));
}

TEST_CASE("a date with a time at the end of a row makes no features of svmlight of it") {
  CHECK(sniff_format("y,when\n1.5,2026-01-05 07:30\n2.5,2026-01-06 08:30\n") == Format::kCsv);
  CHECK(sniff_format("1.5,3,05.01.2026 07:30\n2.5,4,06.01.2026 08:30\n") == Format::kCsv);
  CHECK(sniff_format("1 7:30\n2 8:30\n") == Format::kSvmlight);
  CHECK(sniff_format("1,3 7:30\n2 8:30\n") == Format::kSvmlight);  // several labels, which are refused
  CHECK(sniff_format("yes 7:30\nno 8:30\n") == Format::kSvmlight);
}

TEST_CASE("most rows may lack a label without a header, and the first record then says the width") {
  const auto table_of = [](std::size_t questions, bool may_lack_label, std::string_view first = "9.5,1,2\n") {
    std::string text(first);
    for (std::size_t i = 0; i < questions; ++i) text += std::to_string(i) + ".5,2.25\n";
    TableHints hints;
    hints.may_lack_label = may_lack_label;
    return sniffed(text, hints);
  };
  for (const std::size_t questions : {0, 1, 2, 11, 100}) {
    CAPTURE(questions);
    CHECK(table_of(questions, true).dialect.width == 3);
    CHECK(table_of(questions, true).other_widths == questions);
    CHECK(table_of(questions, true).dialect.header_records == 0);
  }
  CHECK(table_of(11, false).dialect.width == 2);
  // A delimiter at the end of the first record alone adds no column, nor do two fields more.
  CHECK(table_of(11, true, "9.5,1,\n").dialect.width == 2);
  CHECK(table_of(11, true, "9.5,1,2,3\n").dialect.width == 2);
  // A blank row in front of it says nothing.
  CHECK(table_of(11, true, ",,\n9.5,1,2\n").dialect.width == 3);
}

TEST_CASE("rows of words that are the header's in another order are rows") {
  std::string text = "red,green,blue\n";
  for (const char* row : {"blue,red,green", "red,red,blue", "green,blue,red", "blue,blue,green"})
    for (int i = 0; i < 5; ++i) text += std::string(row) + "\n";
  TableHints hints;
  hints.has_header = true;
  CHECK(sniffed(text, hints).records == 20);
  // But where a column holds numbers a word in it tells.
  const std::string again = numbers_with("2", 1) + "a,b,y\n" + numbers_with("2", 1, "");
  CHECK(sniffed(again).records == 20);
  CHECK(sniffed(again).columns[0].odd == 0);
}

TEST_CASE("a line end in a name is a blank") {
  for (const char* header : {"y,a,\"net\nweight\"\n", "y,a,\"net\r\nweight\"\n"})
    CHECK(names_of(sniffed(numbers_with("2", 1, header))) ==
          std::vector<std::string>{"y", "a", "net weight"});
}

TEST_CASE("a table is known whose first records are longer than 64 KiB") {
  std::string text;
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 20000; ++i) text += (row == 0 ? "c" : "") + std::to_string(i) + ',';
    text += row == 0 ? "y\n" : "5\n";
  }
  const SniffedTable table = sniff_table(text, false, {});
  CHECK(table.dialect.width == 20001);
  CHECK(table.dialect.header_records == 1);
  CHECK(table.records == 2);
}

TEST_CASE("lines end with CR where line feeds stand in quotes alone") {
  const SniffedTable table = sniffed("y,a\r1,\"first\nsecond\"\r2,\"third\"\r3,b\r");
  CHECK(table.dialect.line_end == '\r');
  CHECK(table.records == 3);
  CHECK(sniffed("y,a\r\n1,\"b\rc\"\r\n2,d\r\n").dialect.line_end == '\n');
}

TEST_CASE("a first line of JSON above a table is a title, and commas may stand in front of JSON") {
  const std::string rows = "y,a\n1,2\n3,4\n";
  for (const char* title : {"[2024] Sales report\n", "{\"generated\": \"2024-01-01\"}\n"})
    CHECK(sniff_format(title + rows) == Format::kCsv);
  CHECK(sniff_format("[{\"a\": 1}\n,{\"a\": 2}\n,{\"a\": 3}\n]\n") == Format::kNdjson);
  CHECK(sniff_format("[{\"a\": 1,\n\"b\": 2},\n{\"a\": 2,\n\"b\": 3}\n]\n") == Format::kNdjson);
  CHECK(sniff_format("[\n1,\n2\n]\n") == Format::kNdjson);
  CHECK(sniff_format("{\"a\": 1}\n") == Format::kNdjson);
}

TEST_CASE("a backslash in front of a quote that ends no field is an escape") {
  for (const char quote : {'"', '\''}) {
    std::string text = "y,a\n";
    for (int i = 0; i < 9; ++i)
      text += std::to_string(i) + "," + quote + "say \\" + quote + "hi\\" + quote + " now" + quote + "\n";
    const SniffedTable table = sniffed(text);
    CHECK(table.dialect.quote == quote);
    CHECK(table.dialect.escape == '\\');
    CHECK(table.columns[1].examples ==
          std::vector<std::string>{std::string("say ") + quote + "hi" + quote + " now"});
  }
  CHECK(sniffed("y,a\n1,\"C:\\\"\n2,\"D:\\\"\n").dialect.escape == 0);
}

}  // namespace sniff_table_test
