#include "data/first_records.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/date_parts.h"

namespace first_records_test {

using namespace glimpse;

namespace {

FormatOptions options_of(const std::string& label, const std::vector<std::string>& ignored = {}) {
  FormatOptions options;
  options.table.delimiter = 0;
  if (!label.empty()) options.table.label = parse_column(label);
  for (const std::string& column : ignored) options.table.ignored.push_back(parse_column(column));
  return options;
}

FirstRecords read(std::string_view bytes, const FormatOptions& options, Format format = Format::kAuto) {
  const auto first = read_first_records(bytes, true, format, options);
  REQUIRE_MESSAGE(first.has_value(), (first ? "" : first.error().message));
  REQUIRE(first->has_value());
  return **first;
}

std::string refusal(std::string_view bytes, const FormatOptions& options, Format format = Format::kAuto) {
  const auto first = read_first_records(bytes, true, format, options);
  REQUIRE(first.has_error());
  return first.error().message;
}

}  // namespace

TEST_CASE("a header tells the attributes, their names and the label") {
  const FirstRecords first = read("id,temp,hum,cnt\n1,0.5,0.25,7\n", options_of("cnt", {"id"}));
  CHECK(first.has_header);
  CHECK(first.dimension == 2);
  CHECK(first.names == std::vector<std::string>{"temp", "hum"});
  CHECK(first.label_name == "cnt");
  CHECK(first.describe() == "csv: header, 2 attributes, label 'cnt' (column #4), 1 column ignored");
}

TEST_CASE("without a header the first row tells how many attributes there are") {
  const FirstRecords first = read("1;2;3\n4;5;6\n", options_of("last"));
  CHECK_FALSE(first.has_header);
  CHECK(first.dimension == 2);
  CHECK(first.names.empty());
  CHECK(first.describe() == "csv: no header, divided by ';', 2 attributes, label in column #3");
}

TEST_CASE("a row is a header where it has words above numbers, or none of the words below it") {
  // Names of pixels are numbers.
  CHECK(read("label,0,1\n5,0,13\n", options_of("label")).dimension == 2);
  CHECK(read("label,a,b\n5,NA,13\n", options_of("label")).has_header);
  CHECK(read("y,a\n", options_of("y")).has_header);  // nothing else comes
  CHECK_FALSE(read("M,0.4,15\nF,0.5,7\n", options_of("last")).has_header);
  CHECK_FALSE(read("p,x,s\ne,x,y\n", options_of("")).has_header);  // x stands in both
  FormatOptions options = options_of("");
  options.table.header = HeaderChoice::kYes;
  CHECK(read("1,2,3\n4,5,6\n", options).names == std::vector<std::string>{"2", "3"});
}

TEST_CASE("a row with a number that no column is called is an example, whatever stands below it") {
  const FirstRecords first = read("5.1,A1,10,3\n4.9,22,11,4\n", options_of("last"));
  CHECK_FALSE(first.has_header);
  CHECK(first.describe() == "csv: no header, 3 attributes, label in column #4, 1 category: attribute 1");
  CHECK(read("A1,10\n22,-4\n", options_of("last")).has_header);  // a year may be a name
  FormatOptions options = options_of("last");
  options.table.header = HeaderChoice::kNo;
  CHECK_FALSE(read("A1,10\n22,-4\n", options).has_header);
  CHECK_FALSE(read("#N/A,1\n2,-4\n", options_of("last")).has_header);
  CHECK(read("n/a,-,x,1.5\n2,3,y,4\n", options_of("last")).categories == std::vector<Attribute>{2});
  CHECK(read("1e999,1.5\n2,4\n", options_of("last")).categories.empty());
}

TEST_CASE("more bytes are needed until the sample is full or the input ends") {
  const auto needs_more = [](std::string_view bytes, bool is_whole, const SampleLimits& limits) {
    const auto first = read_first_records(bytes, is_whole, Format::kAuto, options_of(""), limits);
    REQUIRE(first.has_value());
    return !first->has_value();
  };
  for (const std::string_view bytes :
       {"", "\n# a comment\n", "1,2", "y,a\n", "y,a\n1,", "1,2\n", "y,a\n\n1,2\n"})
    CHECK(needs_more(bytes, false, {}));
  for (const std::string_view bytes : {"", "\n# a comment\n"}) CHECK(needs_more(bytes, true, {}));
  for (const std::string_view bytes : {"1,2", "y,a\n", "1,2\n", "y,a\n\n1,2\n"})
    CHECK_FALSE(needs_more(bytes, true, {}));
  // A header and as many records, or as many bytes.
  const SampleLimits records{.records = 2};
  CHECK(needs_more("y,a\n1,2\n3,4", false, records));
  CHECK_FALSE(needs_more("y,a\n1,2\n3,4\n", false, records));
  const SampleLimits bytes{.bytes = 8};
  CHECK(needs_more("y,a\n1,2", false, bytes));
  CHECK_FALSE(needs_more("y,a\n1,2\n", false, bytes));
}

TEST_CASE("an object of NDJSON tells its attributes by name, an array how many there are") {
  const FirstRecords named = read(R"({"label": 1, "values": {"age": 60, "bp": 130}})", options_of(""));
  CHECK(named.format == Format::kNdjson);
  CHECK(named.names == std::vector<std::string>{"age", "bp"});
  CHECK(named.describe() == "ndjson: 2 attributes, by name");
  const FirstRecords numbered = read(R"({"label": 1, "values": [1, 2, null]})", options_of(""));
  CHECK(numbered.dimension == 3);
  CHECK(numbered.names.empty());
  CHECK(refusal(R"({"label": 1, "values": {"7": 60}})", options_of("")).find("by number") !=
        std::string::npos);
  CHECK(refusal(R"({"label": 1})", options_of("")).find("needs the key 'values'") != std::string::npos);
  CHECK(refusal(R"({"label": 1, "values": []})", options_of("")).find("has no values") != std::string::npos);
  CHECK(refusal("{\"label\": 1,", options_of("")).find("not valid JSON") != std::string::npos);
  CHECK(refusal(R"({"label": 1, "values": [1], "weight": 2})", options_of("")).find("weight") !=
        std::string::npos);
}

TEST_CASE("flat objects tell their columns up to the first that has the label") {
  const FirstRecords first = read(
      "{\"id\": 7, \"a\": 1, \"c\": null}\n{\"y\": null, \"b\": 2}\n"
      "{\"a\": \"1.5\", \"y\": 3, \"d\": \"red\", \"id\": [8]}\n{\"y\": 3, \"e\": 1}\n",
      options_of("y", {"id"}));
  CHECK(first.names == std::vector<std::string>{"a", "c", "b", "d"});
  CHECK(first.describe() == "ndjson: 4 attributes, by name, label 'y', 1 category: d");
  CHECK(read("[\n{\"3\": 1, \"label\": \"up\"},\n]\n", options_of("")).has_label_words);
  CHECK(refusal("{\"hour\": 1, \"cnt\": 3}\n", options_of("")) ==
        "no object has the key 'label', which is the label: --label NAME says which key it is; the first has "
        "'hour', 'cnt'");
  CHECK(refusal("{\"hour\": 1, \"cnt\": 3}\n", options_of("ctn")).find("did you mean 'cnt'?") !=
        std::string::npos);
  CHECK(refusal("{\"y\": 1, \"a\": {\"b\": 3}}\n", options_of("y")).find("--ignore 'a' passes it over") !=
        std::string::npos);
  for (const std::string_view bytes : {"[\n", "{\"a\": 1}\n", "[\n{\"a\": 1},\n", "{\"a\": 1}\n{\"y\": 3,"})
    CHECK_FALSE(read_first_records(bytes, false, Format::kAuto, options_of("y"))->has_value());
}

TEST_CASE("a number in quotes, and a truth value, make no category, wherever they stand") {
  for (const std::string_view object :
       {R"({"label": 1, "values": {"a": "1.5", "b": "x"}})",
        R"({"label": 1, "values": {"b": "x", "a": " 2 "}})",
        R"({"label": 1, "values": {"b": "x", "a": true}})", R"({"label": 1, "a": "-3e5", "b": "x"})"})
    CHECK(read(object, options_of("")).categories.size() == 1);
}

TEST_CASE("every refusal names the option that mends it") {
  struct Case {
    const char* bytes;
    FormatOptions options;
    Format format;
    const char* mend;
  };
  const std::vector<Case> cases{
      {"1 3:0.5 7:1\n", options_of(""), Format::kAuto, "--dimension D"},
      {"1 | a b:2\n", options_of(""), Format::kAuto, "--attributes FILE"},
      {"abcd", options_of(""), Format::kF32, "--dimension D"},
      {"a,b,a,y\n1,2,3,4\n", options_of("y"), Format::kAuto,
       "columns #1 and #3 are both called 'a': --ignore=#3"},
      {"abcd", options_of(""), Format::kNpy, "no .npy file"},
      {"PK\x03\x04rest\n", options_of(""), Format::kAuto, "save the table as CSV"},
      {"day,y\n11/2/2026,2\n", options_of("y"), Format::kAuto, "leave it out with --ignore day"},
      {"a;y\n1,234;2\n", options_of("y"), Format::kAuto,
       "column #1 ('a'): '1,234' may have a decimal comma or divide thousands: --decimal-comma"},
      {"a,b\n1,2\n", options_of("Count"), Format::kAuto, "--label Count: the header has no such column"},
      {"1,2\n3,4\n", options_of("y"), Format::kAuto, "--header yes"},
      {"1,2,3\n", options_of("", {"id"}), Format::kAuto, "--ignore id"},
      {"y,a,when\n1,2,1/1/2011\n", options_of("y"), Format::kAuto, "leave it out with --ignore when"},
      {"y,a,y\n1,2,3\n", options_of("y"), Format::kAuto, "#1 and #3: give --label=#1"},
      {"a,,y\n1,2,3\n", options_of("y"), Format::kAuto, "column #2 has no name in the header: --ignore=#2"},
      {"5\n6\n", options_of(""), Format::kAuto, "--delimiter"},
      {"day,a\n1/2/2011,2\n", options_of("day"), Format::kAuto, "--label NAME"},
      {"1,2,3\n", options_of("#8"), Format::kAuto, "--label=#8"},
      {"y,a\n1,2\n", options_of("y", {"y"}), Format::kAuto, "--ignore y"},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.bytes));
    const std::string message = refusal(c.bytes, c.options, c.format);
    CAPTURE(message);
    CHECK(message.find(c.mend) != std::string::npos);
  }
}

TEST_CASE("the shape of an npy array tells how many attributes there are") {
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }\n";
  const std::string header =
      std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size()) + '\0' + text;
  CHECK(!read_first_records(header.substr(0, 20), false, Format::kNpy, options_of("")).value());
  const auto first = read_first_records(header, false, Format::kNpy, options_of("")).value();
  REQUIRE(first);
  CHECK(first->dimension == 3);
  CHECK(first->describe() == "npy: 3 attributes, label in column #1");
}

TEST_CASE("a byte order mark, CR before LF, quotes and blanks around fields change nothing") {
  const FirstRecords first = read("\xef\xbb\xbf\"y\", a ,\"b, in m\"\r\n1, 2 ,3\r\n", options_of("y"));
  CHECK(first.names == std::vector<std::string>{"a", "b, in m"});
  CHECK(first.form.dialect.delimiter == ",");
}

TEST_CASE("columns of words are categories, and a label may be a word") {
  const FirstRecords first = read("sex,len,kind,rings\nM,0.4,?,yes\nF,0.5,?,no\n", options_of("rings"));
  CHECK(first.categories == std::vector<Attribute>{0});  // of the third column nothing is known yet
  CHECK(first.numbers == std::vector<Attribute>{1});
  CHECK(read("sex,len,kind,rings\nM,0.4,?,yes\nF,0.5,b,no\n", options_of("rings")).categories ==
        std::vector<Attribute>{0, 2});
  CHECK(first.has_label_words);
  CHECK(first.describe() == "csv: header, 3 attributes, label 'rings' (column #4) of words, 1 category: sex");
  CHECK(read("a,b,y\nx,z,1\n1,2,3\n", options_of("y")).describe() ==
        "csv: header, 2 attributes, label 'y' (column #3), 2 categories: a, b");
  CHECK(read("{\"label\": 1, \"values\": {\"a\": 2, \"b\": \"x\", \"c\": \"NA\"}}", options_of(""))
            .describe() == "ndjson: 3 attributes, by name, 1 category: b");
}

TEST_CASE("the label that nobody chose is named, and so is the option that chooses another") {
  CHECK(read("y,a,w\n1,2,3\n", options_of("")).describe() ==
        "csv: header, 2 attributes, label 'y' (column #1), as --label is left out (--label NAME chooses "
        "another)");
  FormatOptions options = options_of("");
  options.table.weight = parse_column("last");
  CHECK(
      read("1,2,3\n", options).describe() ==
      "csv: no header, 1 attribute, label in column #1, as --label is left out (--label=#N chooses another), "
      "weight in column #3");
  CHECK(refusal("y,a,,b\n1,2,3,4\n", options_of(""))
            .starts_with("column #3 has no name in the header: --ignore=#3"));
  CHECK(read("y,a,,b\n1,2,3,4\n", options_of("", {"#3"})).dimension == 2);
}

TEST_CASE("a table of words alone has a header where somebody says so") {
  FormatOptions options = options_of("y");
  options.table.header = HeaderChoice::kYes;
  CHECK(read("y,a,b\ne,x,s\n", options).describe() ==
        "csv: header, 2 attributes, label 'y' (column #1) of words, 2 categories: a, b");
  CHECK(read("y,a,b\n", options).has_header);
}

TEST_CASE("a column of dates is one of times, and is refused where the day and the month may be each other") {
  const FirstRecords first = read("day,a,y\n2011-01-01,2,3\n2011-01-02,3,4\n", options_of("y"));
  CHECK(first.numbers == std::vector<Attribute>{0, 1});
  CHECK(first.form.columns[0].type == ColumnForm::Type::kDate);
  CHECK(read("day,a,y\n31/1/2011,2,3\n1/2/2011,3,4\n", options_of("y")).form.columns[0].is_day_first);
  CHECK_FALSE(read("day,a,y\n1/31/2011,2,3\n1/2/2011,3,4\n", options_of("y")).form.columns[0].is_day_first);
  CHECK(
      refusal("day,a,y\n1/2/2011,2,3\n2/3/2011,3,4\n", options_of("y")) ==
      "column #1 ('day') holds dates or times, as '1/2/2011', which do not show whether the day or the month "
      "stands first: leave it out with --ignore day, or write 2026-01-31");
  CHECK(read("day,a,y\n1/2/2011,2,3\n", options_of("y", {"day"})).dimension == 1);
}

namespace {

// Records of a label, and of attributes a and b, as `format` has them; `cell` is b in record `at`, from 1.
enum class Kind { kHeader, kNoHeader, kFlat, kNamed, kDense };
constexpr Kind kKinds[] = {Kind::kHeader, Kind::kNoHeader, Kind::kFlat, Kind::kNamed, Kind::kDense};
constexpr std::size_t kPlaces[] = {1, 6, 12};

std::string in_json(std::string_view cell) {
  std::string text;
  for (const char c : cell) text += c == '\\' ? "\\\\" : std::string(1, c);
  return '"' + text + '"';
}

std::string record_of(Kind kind, std::string_view label, std::string_view a, std::string_view b) {
  switch (kind) {
    case Kind::kHeader:
    case Kind::kNoHeader:
      return fmt::format("{},{},{}\n", label, a, b);
    case Kind::kFlat:
      return fmt::format("{{\"label\": {}, \"a\": {}, \"b\": {}}}\n", label, a, b);
    case Kind::kNamed:
      return fmt::format("{{\"label\": {}, \"values\": {{\"a\": {}, \"b\": {}}}}}\n", label, a, b);
    case Kind::kDense:
      break;
  }
  return fmt::format("{{\"label\": {}, \"values\": [{}, {}]}}\n", label, a, b);
}

bool is_json(Kind kind) { return kind != Kind::kHeader && kind != Kind::kNoHeader; }

// 12 records.
std::string records_with(Kind kind, std::string_view cell, const std::vector<std::size_t>& at) {
  std::string text = kind == Kind::kHeader ? "y,a,b\n" : "";
  for (std::size_t i = 1; i <= 12; ++i) {
    const bool is_odd = std::ranges::find(at, i) != at.end();
    const std::string b = !is_odd ? fmt::format("{}", i) : is_json(kind) ? in_json(cell) : std::string(cell);
    text += record_of(kind, fmt::format("{}.5", i), fmt::format("{}.25", 20 + i), b);
  }
  return text;
}

std::string all_remarks(const FirstRecords& first) {
  std::string text;
  for (const std::string& remark : first.remarks) text += remark + '\n';
  return text;
}

}  // namespace

// Ten numbers of column 'a', which is the label or stands beside it, as `cell_of` makes them of 0 to 9.
template <class CellOf>
std::string ten_of(const CellOf& cell_of) {
  std::string text = "a,b\n";
  for (int i = 0; i < 10; ++i) text += std::string(cell_of(i)) + fmt::format(",{}.5\n", i);
  return text;
}

TEST_CASE("numbers that are written in another way are refused where most are, whichever comes first") {
  for (const int other : {0, 5, 9})
    for (const char* label : {"a", "b"}) {
      const auto with = [&](std::string_view most, std::string_view one) {
        return ten_of([&](int i) { return i == other ? one : most; });
      };
      CHECK(refusal(with("0x237e", "red"), options_of(label)).find("'0x237e'") != std::string::npos);
      CHECK(refusal(with("319_468", "red"), options_of(label)).find("'319_468'") != std::string::npos);
      const FirstRecords words = read(with("red", "0x237e"), options_of(label));
      CHECK(words.has_label_words == (std::string_view(label) == "a"));
    }
}

TEST_CASE("a column that is words for a few cells among numbers is remarked on, a label as well") {
  for (const int first : {0, 4, 8}) {
    const std::string text = ten_of([&](int i) { return i == first || i == first + 1 ? "<5" : "7"; });
    const std::string remarks = all_remarks(read(text, options_of("b")));
    CHECK(remarks.find("8 of 10 values are numbers") != std::string::npos);
    CHECK(remarks.find("--missing a='<5'") != std::string::npos);
    CHECK(remarks.find("--categories a") != std::string::npos);
    CHECK(all_remarks(read(text, options_of("a"))).find("--task classes") != std::string::npos);
  }
}

TEST_CASE("an odd cell leaves an attribute of numbers, wherever it stands, and is told with the option") {
  for (const Kind kind : kKinds)
    for (const char* const cell : {"<5", "abc", "1.2.3", "2026-01-01", "12:30"})
      for (const std::size_t at : kPlaces) {
        CAPTURE(static_cast<int>(kind));
        CAPTURE(cell);
        CAPTURE(at);
        const FirstRecords first = read(records_with(kind, cell, {at}), options_of(""));
        CHECK(first.dimension == 2);
        CHECK(first.has_header == (kind == Kind::kHeader));
        CHECK(first.numbers == std::vector<Attribute>{0, 1});
        CHECK(first.categories.empty());
        CHECK(first.odd == std::vector<Attribute>{1});
        CHECK(first.has_label_numbers);
        CHECK_FALSE(first.has_label_words);
        const std::string remarks = all_remarks(first);
        CAPTURE(remarks);
        CHECK(remarks.find(fmt::format("1 of 12 values is not of its type, the first is '{}' in record {}",
                                       cell, at)) != std::string::npos);
        const char* const option = kind == Kind::kNoHeader ? "--categories=#3 "
                                   : kind == Kind::kDense  ? "--categories 1 "
                                                           : "--categories b ";
        CHECK(remarks.find(option) != std::string::npos);
      }
}

TEST_CASE("a mark for a missing value leaves an attribute of numbers, wherever it stands, and is not odd") {
  for (const Kind kind : kKinds)
    for (const char* const cell : {"None", "\\N", "nan", "--", "NaT", "NA", ""})
      for (const std::size_t at : kPlaces) {
        CAPTURE(static_cast<int>(kind));
        CAPTURE(cell);
        CAPTURE(at);
        const FirstRecords first = read(records_with(kind, cell, {at}), options_of(""));
        CHECK(first.has_header == (kind == Kind::kHeader));
        CHECK(first.numbers == std::vector<Attribute>{0, 1});
        CHECK(first.odd.empty());
        CHECK(all_remarks(first).find("not of its type") == std::string::npos);
      }
}

TEST_CASE("an attribute of which many values are words holds words, whatever its first value is") {
  for (const Kind kind : kKinds)
    for (const std::vector<std::size_t>& at :
         {std::vector<std::size_t>{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {1, 6, 12}}) {
      CAPTURE(static_cast<int>(kind));
      const FirstRecords first = read(records_with(kind, "red", at), options_of(""));
      CHECK(first.numbers == std::vector<Attribute>{0});
      CHECK(first.categories == std::vector<Attribute>{1});
      CHECK(first.odd.empty());
    }
}

TEST_CASE("truth values make no category, alone or among numbers") {
  for (const Kind kind : kKinds) {
    CAPTURE(static_cast<int>(kind));
    for (const std::size_t at : kPlaces)
      CHECK(read(records_with(kind, "true", {at}), options_of("")).numbers == std::vector<Attribute>{0, 1});
    const FirstRecords first =
        read(records_with(kind, "False", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), options_of(""));
    CHECK(first.numbers == std::vector<Attribute>{0, 1});
    CHECK(first.odd.empty());
  }
}

TEST_CASE("the kind of the label is that of the whole sample") {
  const auto with_labels = [](Kind kind, std::string_view word, const std::vector<std::size_t>& at) {
    std::string text = kind == Kind::kHeader ? "y,a,b\n" : "";
    for (std::size_t i = 1; i <= 12; ++i) {
      const bool is_word = std::ranges::find(at, i) != at.end();
      const std::string label = !is_word        ? fmt::format("{}.5", i)
                                : is_json(kind) ? in_json(word)
                                                : std::string(word);
      text += record_of(kind, label, fmt::format("{}.25", 20 + i), fmt::format("{}", i));
    }
    return read(text, options_of(""));
  };
  for (const Kind kind : kKinds) {
    CAPTURE(static_cast<int>(kind));
    for (const std::size_t at : kPlaces)
      for (const char* const word : {"None", "NA", "abc"}) {
        CAPTURE(at);
        CAPTURE(word);
        const FirstRecords first = with_labels(kind, word, {at});
        CHECK(first.has_label_numbers);
        CHECK_FALSE(first.has_label_words);
        CHECK(first.odd.empty());  // is of attributes
        CHECK(first.numbers == std::vector<Attribute>{0, 1});
      }
    for (const auto& words : {with_labels(kind, "no", {1, 2, 3, 7, 8, 9, 10, 12}),
                              with_labels(kind, "true", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}) {
      CHECK(words.has_label_words);
      CHECK_FALSE(words.has_label_numbers);
    }
    if (kind == Kind::kFlat) continue;  // it shows no label
    const FirstRecords none = with_labels(kind, "NA", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    CHECK_FALSE(none.has_label_words);
    CHECK_FALSE(none.has_label_numbers);
  }
}

TEST_CASE("what --categories names holds words, and nothing is said of its values") {
  for (const Kind kind : kKinds) {
    CAPTURE(static_cast<int>(kind));
    const std::vector<std::string> categories{kind == Kind::kNoHeader ? "#3"
                                              : kind == Kind::kDense  ? "1"
                                                                      : "b"};
    const auto first = read_first_records(records_with(kind, "<5", {6}), true, Format::kAuto, options_of(""),
                                          SampleLimits(), categories);
    REQUIRE(first.has_value());
    CHECK((*first)->numbers == std::vector<Attribute>{0});
    CHECK((*first)->odd.empty());
    CHECK(all_remarks(**first).find("not of its type") == std::string::npos);
  }
}

TEST_CASE("a decision that is not certain is told with the option that changes it") {
  const auto remarks_of = [](std::string_view bytes, const FormatOptions& options = options_of("")) {
    return all_remarks(read(bytes, options));
  };
  CHECK(remarks_of("y,a,b\n1.5,2,3\n4.5,5,6\n").empty());
  CHECK(remarks_of("1.5,2.25,3.5\n4.5,5.5,6.5\n").empty());
  // Whether there is a header.
  const std::string words = remarks_of("p,x,s\ne,x,y\n");
  CAPTURE(words);
  CHECK(words.find("the first record, 'p,x,s', is taken for an example: --header yes where it is a header") !=
        std::string::npos);
  const std::string names = remarks_of("2019,x\n45,1\n46,2\n");
  CAPTURE(names);
  CHECK(names.find(
            "the first record, '2019,x', is taken for the names of the columns: --header no where it is an "
            "example") != std::string::npos);
  FormatOptions options = options_of("");
  options.table.header = HeaderChoice::kNo;
  CHECK(remarks_of("p,x,s\ne,x,y\n", options).find("--header") == std::string::npos);
  // What divides the fields.
  const std::string margin = remarks_of("1,5 2,5 3,5\n4,5 5,5 6,5\n");
  CAPTURE(margin);
  CHECK(margin.find("by a small margin before fields divided by") != std::string::npos);
  CHECK(margin.find("--delimiter says what divides them") != std::string::npos);
  // How numbers are written, what stands beside them, and what repeats far from them.
  CHECK(remarks_of("y;a\n1;1.234,5\n2;2.345,5\n3;3.456,5\n")
            .find("numbers are written as 1.234,5 with points between thousands in column #2 ('a')") !=
        std::string::npos);
  CHECK(
      remarks_of("y,a\n1,1.5kg\n2,2kg\n3,4kg\n")
          .find("column #2 ('a'): numbers stand beside 'kg', which is passed over: --categories a takes the "
                "values as words") != std::string::npos);
  std::string far = "y,a\n";
  for (int i = 0; i < 40; ++i) far += fmt::format("{},{}\n", i, i % 20 == 3 ? -999 : i);
  // A value of several columns has one note, and one of a single column its own.
  std::string wide = "y,a,b,c,d,e\n";
  for (int n = 0; n < 200; ++n)
    wide += n % 50 == 7 ? fmt::format("{},-999,-999,-999,-999,{}\n", n % 9, n % 7)
                        : fmt::format("{},{},{},{},{},{}\n", n % 9, n % 5, n % 11, n % 13, n % 8,
                                      n == 3 || n == 9 ? 70000 : n % 7);
  const std::string told = remarks_of(wide);
  CHECK(told.find("-999 stands in 4 columns, 'a', 'b', 'c', …, far from all others: --missing=-999 where") !=
        std::string::npos);
  CHECK(told.find("-999 stands there") == std::string::npos);
  CHECK(told.find("70000 stands there 2 times, far from all others: --missing e=70000") != std::string::npos);
  CHECK(remarks_of(far).find("-999 stands there 2 times, far from all others") != std::string::npos);
  CHECK(refusal("y;a\n1;1,234\n2;2,345\n3;1,111\n", options_of("")).find("--decimal-comma") !=
        std::string::npos);
}

TEST_CASE("an odd cell is told from one in a hundred on, and nearer to none it is only odd") {
  for (const std::size_t count : {100, 101}) {
    std::string text = "y,a\n";
    for (std::size_t i = 1; i <= count; ++i)
      text += fmt::format("{}.5,{}\n", i, i == count / 2 ? std::string("x") : fmt::format("{}", i % 7));
    const FirstRecords first = read(text, options_of(""));
    CHECK(first.odd.size() == (count == 100 ? 1 : 0));  // what the log has said
    CHECK((all_remarks(first).find("not of its type") != std::string::npos) == (count == 100));
  }
}

TEST_CASE("a sample of most questions without a header keeps the label's column") {
  std::string text = "9,1.5,2.5,3.5\n";
  for (int i = 0; i < 11; ++i) text += fmt::format("{}.5,2.25,{}.75\n", i, i);
  const FirstRecords first = read(text, options_of(""));
  CHECK_FALSE(first.has_header);
  CHECK(first.dimension == 3);
  CHECK(first.form.dialect.width == 4);
}

TEST_CASE("the form of a table has a column for each, with its type") {
  const FirstRecords first = read(
      "id,y,price,kind,on,day\n7,1.5,1.5 kg,red,true,2026-01-01\n8,2.5,2 kg,blue,false,2026-01-02\n"
      "9,3.5,3 kg,red,true,2026-01-03\n",
      options_of("y", {"id"}));
  using Type = ColumnForm::Type;
  std::vector<Type> types;
  for (const ColumnForm& column : first.form.columns) types.push_back(column.type);
  CHECK(types == std::vector<Type>{Type::kAuto, Type::kNumber, Type::kNumber, Type::kWord, Type::kNumber,
                                   Type::kDate});
  CHECK(first.form.columns[2].unit == "kg");
  CHECK(first.numbers == std::vector<Attribute>{0, 2, 3});
  CHECK(first.categories == std::vector<Attribute>{1});
  const RecordForm form = first.record_form();
  CHECK(form.header == HeaderChoice::kYes);
  CHECK(form.delimiter == ',');
  CHECK(form.table == first.form);
}

// ---- Of a pipe or a topic --------------------------------------------------------------------------------

namespace {

constexpr SampleLimits kOfPipe{.records = 100};

// What a reader is given that gets `step` bytes at a time, and asks after each; and how many it had then.
std::pair<std::optional<FirstRecords>, std::size_t> arriving(std::string_view bytes, std::size_t step,
                                                             const FormatOptions& options,
                                                             const SampleLimits& limits = kOfPipe) {
  for (std::size_t size = 0; size <= bytes.size(); size = std::min(size + step, bytes.size())) {
    auto first = read_first_messages(bytes.substr(0, size), false, Format::kAuto, options, limits, {});
    REQUIRE_MESSAGE(first.has_value(), (first ? "" : first.error().message));
    if (*first) return {std::move(*first), size};
    if (size == bytes.size()) break;
  }
  auto first = read_first_messages(bytes, true, Format::kAuto, options, limits, {});
  REQUIRE_MESSAGE(first.has_value(), (first ? "" : first.error().message));
  return {std::move(*first), bytes.size() + 1};
}

std::string summary(const FirstRecords& first) {
  return fmt::format("{} | {} numbers, {} odd, label {}{} | {}", first.describe(), first.numbers.size(),
                     first.odd.size(), first.has_label_numbers, first.has_label_words, all_remarks(first));
}

// `labels` records with a label, a question, and records whose b are words.
std::string with_question(Kind kind, std::size_t labels, std::size_t behind = 20) {
  std::string text = kind == Kind::kHeader ? "y,a,b\n" : "";
  for (std::size_t i = 1; i <= labels; ++i)
    text += record_of(kind, fmt::format("{}.5", i), fmt::format("{}.25", i % 9), fmt::format("{}", i % 7));
  text += record_of(kind, is_json(kind) ? "null" : "", "3.25", "4");
  for (std::size_t i = 1; i <= behind; ++i)
    text += record_of(kind, fmt::format("{}.5", i), "1.5", is_json(kind) ? "\"red\"" : "red");
  return text;
}

}  // namespace

TEST_CASE("the sample of a pipe ends with the first question, and nothing behind it is waited for or read") {
  for (const Kind kind : kKinds)
    for (const std::size_t labels : {1, 2, 7, 8, 9, 40}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(labels);
      const std::string text = with_question(kind, labels);
      const std::size_t end = with_question(kind, labels, 0).size();
      const auto [first, size] = arriving(text, 1, options_of(""));
      REQUIRE(first);
      CHECK(size == end);
      CHECK(first->dimension == 2);
      CHECK(first->has_header == (kind == Kind::kHeader));
      CHECK(first->numbers == std::vector<Attribute>{0, 1});
      CHECK(first->categories.empty());
    }
}

TEST_CASE("the sample of a pipe ends at its number of records where no question comes") {
  for (const Kind kind : kKinds) {
    CAPTURE(static_cast<int>(kind));
    std::string text = kind == Kind::kHeader ? "y,a,b\n" : "";
    std::string of_sample;
    for (std::size_t i = 1; i <= 300; ++i) {
      if (i == 102) of_sample = text;
      const std::string word = is_json(kind) ? "\"red\"" : "red";
      text += record_of(kind, fmt::format("{}.5", i), "1.5", i <= 101 ? fmt::format("{}", i) : word);
    }
    const auto [first, size] = arriving(text, 1, options_of(""));
    REQUIRE(first);
    CHECK(size <= of_sample.size());
    CHECK(size + 200 > of_sample.size());
    CHECK(first->numbers == std::vector<Attribute>{0, 1});
    CHECK(read(text, options_of("")).categories == std::vector<Attribute>{1});  // of a file
  }
}

TEST_CASE("what the sample of a pipe shows does not depend on how its bytes arrive") {
  std::vector<std::string> texts;
  for (const Kind kind : kKinds) {
    for (const std::size_t labels : {1, 3, 8, 12, 120}) texts.push_back(with_question(kind, labels));
    for (const std::size_t at : kPlaces) texts.push_back(records_with(kind, "<5", {at}));
    texts.push_back(records_with(kind, "red", {1, 6, 12}));
  }
  texts.push_back("# a comment\n\n,,\ny,a,b\n\n1.5,2,3\n# another\n,4,5\n6.5,x,7\n");
  texts.push_back("1.5;2,5;3\n4.5;5,5;6");
  for (const std::string& text : texts) {
    CAPTURE(text);
    const auto whole = arriving(text, text.size(), options_of("")).first;
    REQUIRE(whole);
    for (const std::size_t step : {1, 2, 3, 7, 64, 1000}) {
      CAPTURE(step);
      if (text.size() > 600 * step) continue;  // each arrival reads all of it again
      const auto some = arriving(text, step, options_of("")).first;
      REQUIRE(some);
      CHECK(summary(*some) == summary(*whole));
      CHECK(some->form == whole->form);
    }
    // Nor on what stands behind it.
    const auto more = read_first_messages(text + text, false, Format::kAuto, options_of(""), kOfPipe, {});
    if (arriving(text, 1, options_of("")).second <= text.size()) CHECK(summary(**more) == summary(*whole));
  }
}

TEST_CASE("a row that lacks its label is a question of a pipe without a header, and none below one") {
  const std::string rows = "1.5,2,3\n4.5,5,6\n7.5,8,9\n";
  const auto [bare, size] = arriving(rows + "2,3\n" + rows, 1, options_of(""));
  REQUIRE(bare);
  CHECK(size == rows.size() + 4);
  const auto [named, named_size] = arriving("y,a,b\n" + rows + "2,3\n" + rows, 1, options_of(""));
  REQUIRE(named);
  CHECK(named_size > rows.size() + 10);
  // Nor is a row of delimiters alone.
  const auto [empty, empty_size] =
      arriving("y,a,b\n" + rows + ",,\n" + rows + ",1,2\n" + rows, 1, options_of(""));
  REQUIRE(empty);
  CHECK(empty_size == 6 + rows.size() + 3 + rows.size() + 5);
}

constexpr std::string_view kArff =
    "% iris\n@RELATION iris\n\n@attribute 'petal length' REAL\n@attribute colour {red,'dark blue',5}\n"
    "@attribute windy {TRUE,FALSE}\n@attribute day date \"dd/MM/yyyy\"\n@attribute class {a,b}\n@data\n"
    "1.5,'dark blue',TRUE,01/02/2026,a\n% a remark\n{0 2.5, 3 02/02/2026, 4 b}\n?,5,FALSE,?,?\n";

TEST_CASE("an ARFF header says columns and types, and the label is the last unless --label names another") {
  for (const Format format : {Format::kAuto, Format::kCsv}) {
    const FirstRecords first = read(kArff, options_of(""), format);
    CHECK(first.format == Format::kCsv);
    CHECK(first.names == std::vector<std::string>{"petal length", "colour", "windy", "day"});
    CHECK(first.label_name == "class");
    CHECK(first.has_label_words);
    CHECK(first.categories == std::vector<Attribute>{1});  // colour 5 is a word; true and false are 1 and 0
    CHECK(first.numbers == std::vector<Attribute>{0, 2, 3});
    CHECK(first.form.columns[3].type == ColumnForm::Type::kDate);
    CHECK(first.form.columns[3].is_day_first);
    CHECK(first.form.dialect.zeros == std::vector<std::string>{"0", "red", "TRUE", "1970-01-01", "a"});
    CHECK(
        first.describe() ==
        "arff: header, 4 attributes, label 'class' (column #5) of words, as --label is left out and ARFF has "
        "it last (--label NAME chooses another), 1 category: colour");
  }
  const FirstRecords named = read(kArff, options_of("petal length", {"day"}));
  CHECK(named.names == std::vector<std::string>{"colour", "windy", "class"});
  CHECK(named.describe() ==
        "arff: header, 3 attributes, label 'petal length' (column #1), 2 categories: colour, class, 1 column "
        "ignored");
  // The header alone says them.
  CHECK(read(kArff.substr(0, kArff.find("1.5,'dark")), options_of("")).dimension == 4);
}

TEST_CASE("what is wrong in an ARFF header is refused, and a number that is none is missing") {
  CHECK(refusal("@relation r\n@attribute a real\n@attribute b blob\n@data\n1,2\n", options_of(""))
            .starts_with("line 3: 'b' has the type 'blob'"));
  CHECK(
      refusal("@relation r\n@attribute a real\n1,2\n", options_of("")).starts_with("line 3: an ARFF header"));
  const FirstRecords odd =
      read("@relation r\n@attribute a real\n@attribute b real\n@data\nx,1\ny,2\n3,4\n", options_of(""));
  CHECK(odd.numbers == std::vector<Attribute>{0});
  REQUIRE(odd.remarks.size() == 1);
  CHECK(odd.remarks[0].find("2 of 3 values are not of its type, the first is 'x' in record 1") !=
        std::string::npos);
}

TEST_CASE("the sample of an ARFF pipe begins behind its header, however long that is") {
  std::string text = "@relation r\n";
  for (int i = 0; i < 200; ++i) text += fmt::format("@attribute a{} real\n", i);
  const std::string header = text + "@data\n";
  std::string row = "1";
  for (int i = 1; i < 200; ++i) row += fmt::format(",{}", i);
  text = header + row + ".5\n" + row + ".5\n" + row + ".5\n";
  for (const std::size_t step : {1000, 100000}) {
    const auto [first, size] =
        arriving(text + row.substr(0, row.rfind(',')) + ",?\n" + text, step, options_of(""));
    REQUIRE(first);
    CHECK(first->dimension == 199);
    CHECK(first->label_name == "a199");
  }
  SampleLimits few{.records = 2};
  CHECK(sample_of(text, few).size() == header.size() + 3 * (row.size() + 3));
  CHECK(sample_of(header.substr(0, 100), few).empty());
}

TEST_CASE("strings of JSON are numbers as the cells of tables are, where the whole column is so") {
  struct Case {
    std::string_view cell;  // {} is the number of the record
    ColumnForm form;
    double last;
  };
  using Type = ColumnForm::Type;
  const Case cases[] = {
      {"\"{} kg\"", {.type = Type::kNumber, .unit = "kg"}, 12},
      {"\"${}.25\"", {.type = Type::kNumber, .unit = "$"}, 12.25},
      {"\"{}.5 %\"", {.type = Type::kNumber, .unit = "%"}, 12.5},
      {"\"{},5\"", {.type = Type::kNumber, .form = NumberForm::kDecimalComma}, 12.5},
      {"\"({})\"", {.type = Type::kNumber}, -12},
      {"\"1,{}00,000.5\"", {.type = Type::kNumber, .form = NumberForm::kCommaGroups}, 0},
      {"\"2026-01-{}\"",
       {.type = Type::kDate, .date_parts = DatePart::kWeekday | DatePart::kMonth},
       20454 + 11},
      {"\"{}:00\"", {.type = Type::kTime, .date_parts = DatePart::kHour}, .5},
  };
  for (const Case& each : cases)
    for (const int shape : {0, 1, 2}) {
      CAPTURE(std::string(each.cell));
      CAPTURE(shape);
      std::string text;
      for (int i = each.cell.find("00,000") != std::string_view::npos ? 1 : 10; i <= 12; ++i) {
        if (i > 9 && each.cell.find("00,000") != std::string_view::npos) break;
        std::string cell(each.cell);
        cell.replace(cell.find("{}"), 2, fmt::format("{}", i));
        text += shape == 0 ? fmt::format("{{\"y\": {}, \"a\": {}, \"b\": 2}}\n", i, cell)
                : shape == 1
                    ? fmt::format("{{\"label\": {}, \"values\": {{\"a\": {}, \"b\": 2}}}}\n", i, cell)
                    : fmt::format("{{\"label\": {}, \"values\": [{}, 2]}}\n", i, cell);
      }
      const FormatOptions options = options_of(shape == 0 ? "y" : "");
      const FirstRecords first = read(text, options);
      CHECK(first.numbers == std::vector<Attribute>{0, 1});
      CHECK(first.categories.empty());
      REQUIRE(first.form.columns.size() == 3);
      CHECK(first.form.columns[0] == each.form);
      CHECK(first.record_form().table.has_value() == !each.form.is_plain());
      if (each.last == 0) continue;
      AttributeNames names(first.dimension);
      REQUIRE(names.fix(first.names).has_value());
      for (const Attribute i : first.numbers) names.categories().declare_number(i);
      FormatOptions reading = options;
      reading.dimension = first.dimension;
      if (first.record_form().table)
        reading.form = std::make_shared<const TableForm>(*first.record_form().table);
      const auto reader = make_example_reader(Format::kNdjson, reading, names);
      const std::size_t begin = text.rfind('\n', text.size() - 2) + 1;
      REQUIRE(reader->open(std::string_view(text).substr(begin)).has_value());
      std::vector<double> values(2);
      REQUIRE(reader->reveal(std::vector<Attribute>{0, 1}, values).has_value());
      CHECK(values == std::vector<double>{each.last, 2});
      std::vector<Entry> entries;
      REQUIRE(reader->reveal_all(entries).has_value());
      CHECK(entries[0].value == each.last);
    }
}

TEST_CASE(
    "a label of JSON in strings is a number as the column has it, and forms that are not unique are "
    "refused") {
  std::string text;
  for (int i = 1; i < 9; ++i) text += fmt::format("{{\"y\": \"{},5 EUR\", \"a\": {}}}\n", i, i);
  const FirstRecords first = read(text, options_of("y"));
  CHECK(first.has_label_numbers);
  AttributeNames names(1);
  REQUIRE(names.fix(first.names).has_value());
  names.categories().declare_label_number();
  FormatOptions reading = options_of("y");
  reading.dimension = 1;
  reading.form = std::make_shared<const TableForm>(*first.record_form().table);
  const auto reader = make_example_reader(Format::kNdjson, reading, names);
  REQUIRE(reader->open(text.substr(0, text.find('\n'))).has_value());
  CHECK(reader->head().label == 1.5);
  CHECK(refusal("{\"y\": 1, \"a\": \"1,234\"}\n{\"y\": 2, \"a\": \"5,678\"}\n", options_of("y"))
            .find("may have a decimal comma or divide thousands") != std::string::npos);
  CHECK(refusal("{\"y\": 1, \"a\": \"1.234,5\"}\n{\"y\": 2, \"a\": \"5.678,5\"}\n", options_of("y")) ==
        "'a': numbers are written as 1.234,5 with points between thousands: write them as numbers of JSON");
  CHECK(refusal("{\"y\": 1, \"a\": \"1/2/2026\"}\n{\"y\": 2, \"a\": \"2/3/2026\"}\n", options_of("y"))
            .find("whether the day or the month stands first") != std::string::npos);
  // Words stay words, also beside some numbers.
  CHECK(read("{\"y\": 1, \"a\": \"5 kg\"}\n{\"y\": 2, \"a\": \"red\"}\n{\"y\": 2, \"a\": \"4 l\"}\n",
             options_of("y"))
            .categories == std::vector<Attribute>{0});
}

// UTF-16 with the byte that is not 0 first.
std::string wide(std::u16string_view text) {
  std::string bytes = "\xff\xfe";
  for (const char16_t c : text) {
    bytes += static_cast<char>(c & 0xff);
    bytes += static_cast<char>(c >> 8);
  }
  return bytes;
}

TEST_CASE("what stands in front of a table is text or numbers in each encoding, and with each line end") {
  const std::u16string title = u"\u041e\u0442\u0447\u0451\u0442\n\n";  // without a letter of ASCII
  const std::u16string rows = u"y,a,b\n1,2,3\n4,5,6\n7,8,9\n";
  const FirstRecords titled = read(wide(title + rows), options_of("y"));
  CHECK(titled.form.dialect.preamble_lines == 2);
  CHECK_FALSE(titled.begins_otherwise);
  CHECK(read(wide(u"1\n2\n" + rows), options_of("y")).begins_otherwise);
  for (const char end : {'\n', '\r'}) {
    const auto ended = [end](std::string text) {
      std::ranges::replace(text, '\n', end);
      return text;
    };
    CHECK(read(ended("1\n2\ny,a,b\n1,2,3\n4,5,6\n7,8,9\n"), options_of("y")).begins_otherwise);
    const FirstRecords text = read(ended("a report\n\ny,a,b\n1,2,3\n4,5,6\n7,8,9\n"), options_of("y"));
    CHECK_FALSE(text.begins_otherwise);
    CHECK(text.form.dialect.preamble_lines == 2);
  }
}

TEST_CASE(
    "what a sample shows by itself is there as well where the table is refused, and of a pipe up to its "
    "end") {
  Sniffed sniffed;
  const std::string text = "y,a\n1,\"1,234\"\n2,\"5,678\"\n";
  const auto refused = read_first_records(text, true, Format::kAuto, options_of("y"), {}, {}, &sniffed);
  CHECK(refused.has_error());
  CHECK(sniffed.table.columns.size() == 2);
  CHECK(sniffed.bytes == text.size());
  std::string rows = "y,a\n";
  for (int i = 0; i < 9; ++i) rows += "1.5,2\n";
  const std::string asked = rows + ",3\n";
  const auto of_pipe =
      read_first_messages(asked + rows, false, Format::kAuto, options_of("y"), SampleLimits(), {}, &sniffed);
  REQUIRE(of_pipe.has_value());
  CHECK(sniffed.bytes == asked.size());
  CHECK(sniffed.table.records == 10);
}

TEST_CASE("a table has ' as quotes where the sample has no others, around numbers or around names alone") {
  for (const char* const text : {"'y','a'\n'1','2'\n'3','4'\n'5','6'\n", "'y','a'\n1,2\n3,4\n5,6\n",
                                 "y,a,'b'\n1,2,'x, z'\n3,4,'x, z'\n5,6,'u'\n"}) {
    const FirstRecords first = read(text, options_of("y"));
    CHECK(first.form.dialect.quote == '\'');
    CHECK(first.label_name == "y");
    CHECK(first.names.front() == "a");
  }
  CHECK(read("y,a\n1,2\n3,4\n", options_of("y")).form.dialect.quote == '"');  // they may come yet
}

TEST_CASE("a title above names is none of them, also where it has nearly as many words") {
  for (const char* const title : {"Sales\nby region, all\n", "by region, all\n"})
    CHECK(read(std::string(title) + "y,a,b\n1,2,3\n4,5,6\n7,8,9\n", options_of("")).names ==
          std::vector<std::string>{"a", "b"});
  CHECK(read("Sales of May\ny a b\n1 2 3\n4 5 6\n7 8 9\n", options_of("y")).names ==
        std::vector<std::string>{"a", "b"});
  // R leaves the name of the first column out.
  CHECK(read("a,b\n1,2,3\n4,5,6\n7,8,9\n", options_of("a", {"#1"})).names == std::vector<std::string>{"b"});
}

TEST_CASE("a table divided by bars is one whatever ends its lines") {
  for (const char end : {'\n', '\r'}) {
    std::string text = "'y'|'a'|'b size'\n'1'|'2'|'3'\n'4'|'5'|'6'\n'7'|'8'|'9'\n";
    std::ranges::replace(text, '\n', end);
    CHECK(read(text, options_of("y")).names == std::vector<std::string>{"a", "b size"});
  }
}

}  // namespace first_records_test
