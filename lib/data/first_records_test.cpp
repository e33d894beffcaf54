#include "data/first_records.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

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

TEST_CASE("a row is a header where it has a word above a number, or words alone above a row with none") {
  // Names of pixels are numbers.
  CHECK(read("label,0,1\n5,0,13\n", options_of("label")).dimension == 2);
  CHECK(read("label,a,b\n5,NA,13\n", options_of("label")).has_header);
  CHECK(read("y,a\n", options_of("y")).has_header);  // nothing else comes
  CHECK_FALSE(read("M,0.4,15\nF,0.5,7\n", options_of("last")).has_header);
  CHECK(refusal("p,x,s\ne,x,y\n", options_of("")).starts_with("the first two rows hold words alone"));
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

TEST_CASE("two rows are enough, and one where it has numbers alone") {
  const auto needs_more = [](std::string_view bytes) {
    const auto first = read_first_records(bytes, false, Format::kAuto, options_of(""));
    REQUIRE(first.has_value());
    return !first->has_value();
  };
  CHECK(needs_more(""));
  CHECK(needs_more("\n# a comment\n"));
  CHECK(needs_more("1,2"));
  CHECK(needs_more("y,a\n"));
  CHECK(needs_more("y,a\n1,"));
  CHECK_FALSE(needs_more("1,2\n"));
  CHECK_FALSE(needs_more("y,a\n\n1,2\n"));
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
      {"day,y\n2026-11-24,2\n", options_of("y"), Format::kAuto, "leave it out with --ignore day"},
      {"a;y\n1,5;2\n", options_of("y"), Format::kAuto,
       "column #1 ('a'): '1,5' is no number: --decimal-comma"},
      {"a,b\n1,2\n", options_of("Count"), Format::kAuto, "--label Count: the header has no such column"},
      {"1,2\n3,4\n", options_of("y"), Format::kAuto, "--header yes"},
      {"1,2,3\n", options_of("", {"id"}), Format::kAuto, "--ignore id"},
      {"y,a,when\n1,2,2011-01-01\n", options_of("y"), Format::kAuto, "leave it out with --ignore when"},
      {"y,a,y\n1,2,3\n", options_of("y"), Format::kAuto, "#1 and #3: give --label=#1"},
      {"a,,y\n1,2,3\n", options_of("y"), Format::kAuto, "column #2 has no name in the header: --ignore=#2"},
      {"5\n6\n", options_of(""), Format::kAuto, "--delimiter"},
      {"day,a\n1/2/2011,2\n", options_of("day"), Format::kAuto, "--label NAME"},
      {"1,2,3\n", options_of("#8"), Format::kAuto, "--label=#8"},
      {"y,a\n1,2\n", options_of("y", {"y"}), Format::kAuto, "--ignore y"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
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
  CHECK(first.delimiter == ',');
}

TEST_CASE("columns of words are categories, and a label may be a word") {
  const FirstRecords first = read("sex,len,kind,rings\nM,0.4,?,yes\nF,0.5,b,no\n", options_of("rings"));
  CHECK(first.categories == std::vector<Attribute>{0});  // of the third column nothing is known yet
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

TEST_CASE("a column of dates is refused, with what to do about it") {
  CHECK(refusal("day,a,y\n2011-01-01,2,3\n", options_of("y")) ==
        "column #1 ('day') holds dates or times, as '2011-01-01', which are neither numbers nor categories: "
        "leave "
        "it out with --ignore day");
  CHECK(read("day,a,y\n2011-01-01,2,3\n", options_of("y", {"day"})).dimension == 1);
}

}  // namespace first_records_test
