#include "data/formats/dialect_reader.h"

#include <numeric>

#include "base/random.h"
#include "data/formats.h"
#include "data/reader_test_support.h"

namespace dialect_reader_test {

using namespace glimpse;

using Type = ColumnForm::Type;
using Rows = std::vector<std::vector<double>>;

TableForm form_of(std::string_view delimiter, std::vector<std::string> names = {}) {
  TableForm form;
  form.dialect.delimiter = delimiter;
  form.dialect.header_records = names.empty() ? 0 : 1;
  form.dialect.width = 3;
  form.columns.resize(3, {.type = Type::kNumber});
  form.names = std::move(names);
  return form;
}

// Of the stream of which a sample decided the form.
TableOptions sampled(std::size_t label = 0) {
  TableOptions options = csv_table(label, ',');
  options.is_sampled = true;
  return options;
}

// The label and the values of each row of a stream.
struct Read {
  AttributeNames names{0};
  TableLayout known;
  std::vector<double> labels;
  Rows rows;
  std::vector<std::string> errors;

  Read(const TableForm& form, std::string_view text, const TableOptions& options = sampled()) {
    read(form, text, options);
  }
  // Another stream into the same model.
  void read(const TableForm& form, std::string_view text, const TableOptions& options) {
    const auto shared = std::make_shared<const TableForm>(form);
    DialectReader reader(shared, options, names, &known);
    RecordCursor cursor(text, framing_of(Format::kCsv, 0, 1000, shared));
    while (const auto record = cursor.next()) {
      const Status status = reader.open(*record);
      if (!status) errors.push_back(status.error().message);
      if (!status || !reader.has_example()) continue;
      std::vector<Attribute> attributes(names.dimension());
      std::iota(attributes.begin(), attributes.end(), 0);
      std::vector<double> values(attributes.size());
      const Status revealed = reader.reveal(attributes, values);
      if (!revealed) {
        errors.push_back(revealed.error().message);
        continue;
      }
      labels.push_back(reader.head().label.value_or(kMissing));
      rows.push_back(std::move(values));
    }
  }
};

bool same_rows(const Rows& a, const Rows& b) {
  return std::ranges::equal(a, b,
                            [](const auto& x, const auto& y) { return std::ranges::equal(x, y, same); });
}

void check_table(const TableForm& form, std::string_view text, const TableOptions& options = sampled()) {
  const Read read(form, text, options);
  CHECK(read.errors.empty());
  CHECK(read.labels == std::vector<double>{1, 4, 7});
  CHECK(same_rows(read.rows, {{2, 3}, {5, 6}, {8, 9}}));
  if (!form.names.empty()) CHECK(read.names.name(0) == form.names[1]);
}

TEST_CASE("tables of any delimiter are read") {
  for (const std::string delimiter : {",", ";", "\t", "|", "::", "\x01", "~", "^", ":"}) {
    std::string text = "1,2,3\n4,5,6\n7,8,9\n";
    for (std::size_t at = 0; (at = text.find(',', at)) != std::string::npos; at += delimiter.size())
      text.replace(at, 1, delimiter);
    check_table(form_of(delimiter), text);
    std::string header = "y" + delimiter + "a" + delimiter + "b\n";
    check_table(form_of(delimiter, {"y", "a", "b"}), header + text);
  }
  TableForm blanks = form_of(" ", {"y", "a", "b"});
  blanks.dialect.divides_by_runs = true;
  check_table(blanks, "  y a  b\n1   2\t3\n 4 5 6  \n7 8 9\n");
}

TEST_CASE(
    "quotes, escapes, line ends, comments, preamble and several records of a header are those of the form") {
  TableForm form = form_of(",", {"y", "size in m", "b"});
  form.dialect.quote = '\'';
  form.dialect.escape = '\\';
  form.dialect.comment = '%';
  form.dialect.preamble_lines = 3;
  form.dialect.header_records = 2;
  form.columns[2].type = Type::kWord;
  const std::string text =
      "a report\n\nof, 2024\ny,size,b\n,in m,\n% a remark\n1,'2','it\\'s'\n\n,,\n4,5,'x\ny'\n7,8,x\n";
  const Read read(form, text);
  CHECK(read.errors.empty());
  CHECK(read.labels == std::vector<double>{1, 4, 7});
  REQUIRE(read.rows.size() == 3);
  CHECK(read.names.name(0) == "size in m");
  CHECK(read.names.name(1) == "b");
  CHECK(read.names.categories().holds(1));
  TableForm cr = form_of(";", {"y", "a", "b"});
  cr.dialect.line_end = '\r';
  check_table(cr, "y;a;b\r1;2;3\r\r4;5;6\r7;8;9");
}

TEST_CASE("a stream may lack what stands in front of a table, or have its columns in another order") {
  TableForm form = form_of(";", {"y", "a", "b"});
  form.dialect.preamble_lines = 2;
  check_table(form, "a report\nof 2024\ny;a;b\n1;2;3\n4;5;6\n7;8;9\n");
  TableOptions options = csv_table(0, ',');
  check_table(form, "y;a;b\n1;2;3\n4;5;6\n7;8;9\n", options);
  check_table(form, "1;2;3\n4;5;6\n7;8;9\n", options);
  // Of a first row with an odd cell, or of words alone, nothing is taken for a header.
  CHECK(Read(form, "1;x;3\n4;5;6\n", options).labels == std::vector<double>{1, 4});
  form.columns[1].type = form.columns[2].type = Type::kWord;
  CHECK(Read(form, ";Rom;rot\n;Bonn;rot\n", options).rows.size() == 2);
  form.columns[1].type = form.columns[2].type = Type::kNumber;
  // A header of other names is none of this table's.
  const Read other(form, "id;b;a\n7;3;9\n", options);
  CHECK(other.rows.size() + other.errors.size() >= 1);
  options.goes_on = true;
  options.header = HeaderChoice::kNo;
  CHECK(Read(form, "1;2;x\n4;5;6\n", options).labels == std::vector<double>{1, 4});
  options = {};
  options.label = parse_column("y");
  form.columns[2] = {.type = Type::kNumber, .form = NumberForm::kDecimalComma};
  options.label = parse_column("y");
  const Read named(form, "b;y;a\n3,5;1;2\n6,5;4;5.5\n", options);
  CHECK(named.errors.empty());
  CHECK(named.labels == std::vector<double>{1, 4});
  CHECK(named.names.name(0) == "b");
  CHECK(same_rows(named.rows, {{3.5, 2}, {6.5, 5.5}}));
}

TEST_CASE("text of other encodings is read as UTF-8") {
  TableForm form = form_of(",", {"y", "gr\u00f6\u00dfe", "b"});
  form.dialect.encoding = Encoding::kLatin1;
  check_table(form,
              "y,gr\xf6\xdf"
              "e,b\n1,2,3\n4,5,6\n7,8,9\n");
  form.dialect.encoding = Encoding::kWindows1252;
  form.columns[2] = {.type = Type::kNumber, .unit = "\u20ac"};
  check_table(form,
              "y,gr\xf6\xdf"
              "e,b\r\n1,2,3 \x80\r\n4,5,6\x80\r\n7,8,9 \x80\r\n");
  const auto wide = [](std::u16string_view text, bool is_little) {
    std::string bytes;
    for (const char16_t unit : text)
      for (const int byte : {0, 1})
        bytes += static_cast<char>(unit >> ((byte == 0) == is_little ? 0 : 8) & 0xff);
    return bytes;
  };
  for (const bool is_little : {false, true}) {
    form.dialect.encoding = is_little ? Encoding::kUtf16Le : Encoding::kUtf16Be;
    check_table(form, wide(u"\ufeffy,gr\u00f6\u00dfe,b\r\n1,2,3\r\n4,5,6\u20ac\r\n7,8,9\r\n", is_little));
    check_table(form, wide(u"y,gr\u00f6\u00dfe,b\n1,2,3\n4,5,\"6 \u20ac\"\n7,8,9", is_little));
  }
}

TEST_CASE("cells are read in the form of their column, and others stay as they are") {
  TableForm form = form_of(";", {"y", "price", "day"});
  form.columns[0].missing = {"-999", "k.A."};
  form.columns[1] = {.type = Type::kNumber, .form = NumberForm::kPointGroups, .unit = "\u20ac"};
  form.columns[2] = {.type = Type::kDate, .is_day_first = true};
  const Read read(form,
                  "y;price;day\n1;1.234,5 \u20ac;02.01.1970\nk.A.;7;None\n-999;NaN;\n2;3;1/2/1970 12:00\n");
  CHECK(read.errors.empty());
  CHECK(std::ranges::equal(read.labels, std::vector<double>{1, kMissing, kMissing, 2}, same));
  CHECK(same_rows(read.rows, {{1234.5, 1}, {7, kMissing}, {kMissing, kMissing}, {3, 31.5}}));
  const Read odd(form, "y;price;day\n1;12 kg;02.01.1970\n");
  CHECK(odd.errors.empty());
  CHECK(odd.names.categories().holds(0));  // as CsvReader takes the word
}

// What a reader makes of a record, of one attribute of it alone, and of all.
struct Told {
  AttributeNames names{0};
  TableLayout known;
  DialectReader reader;

  explicit Told(const TableForm& form) : reader(std::make_shared<TableForm>(form), sampled(), names, &known) {
    names.categories().set_takes_odd(true);
  }
  std::string operator()(std::string_view record, Attribute one) {
    const auto shown = [](const Status& status) { return status ? "" : status.error().message; };
    std::string text = shown(reader.open(record));
    if (!reader.has_example()) return text + " no example";
    double value = -7;
    std::vector<Entry> entries;
    text += shown(reader.reveal({&one, 1}, {&value, 1}));
    text += fmt::format("label {}, {} is {};", reader.head().label.value_or(kMissing), one, value);
    text += shown(reader.reveal_all(entries));
    for (const Entry& entry : entries) text += fmt::format(", {} is {}", entry.attribute, entry.value);
    for (const auto& odd : names.categories().take_odd())
      text += fmt::format(", {} is odd: '{}'", odd.attribute, odd.word);
    return text;
  }
};

// In front of a label: numbers are read many at once only behind the first 24 bytes of a record.
const std::string behind(24, '0');

TEST_CASE("a cell that would be a number by itself is read in the form of its column") {
  for (const char* const delimiter : {";", "|", "\t"}) {
    TableForm form = form_of(delimiter, {"y", "groups", "level", "year"});
    form.dialect.width = 4;
    form.columns.resize(4);
    form.columns[1] = {.type = Type::kNumber, .form = NumberForm::kPointGroups};
    form.columns[2] = {.type = Type::kNumber, .missing = {"-999"}};
    form.columns[3] = {.type = Type::kDate};
    std::string text = "y;groups;level;year\n1;1.234;-999;1971-01-01\n" + behind +
                       "2;5.678;-999;1970-01-02\n" + behind + "3;-1.234.567;5;NA\n";
    std::ranges::replace(text, ';', *delimiter);
    const Read read(form, text);
    CHECK(read.errors.empty());
    CHECK(same_rows(read.rows, {{1234, kMissing, 365}, {5678, kMissing, 1}, {-1234567, 5, kMissing}}));
    Told told(form);
    std::string record = behind + "1;1.234;-999;1971-01-01";
    std::ranges::replace(record, ';', *delimiter);
    told(text.substr(0, text.find('\n')), 0);
    told(record, 0);
    CHECK(told(record, 1) == "label 1, 1 is nan;, 0 is 1234, 1 is nan, 2 is 365");
  }
}

TEST_CASE("a row without quotes is read as the row whose first field stands in quotes") {
  TableForm form = form_of(",", {"y", "a", "mass", "day", "hour", "colour", "any"});
  form.dialect.width = 7;
  form.columns.resize(7);
  form.columns[0] = {.type = Type::kNumber, .missing = {"-1"}};
  form.columns[2] = {.type = Type::kNumber, .form = NumberForm::kApostropheGroups, .unit = "kg"};
  form.columns[3] = {.type = Type::kDate, .is_day_first = true};
  form.columns[4] = {.type = Type::kTime, .missing = {"00:00"}};
  form.columns[5] = {.type = Type::kWord, .missing = {"grey"}};
  form.columns[6] = {};
  const std::vector<std::string> usual{"1", "2.5", "1'234 kg", "3/4/2026", "12:30", "red", "7"};
  const std::vector<std::string> others{"-1",
                                        "5 kg",
                                        "7 m",
                                        "02.01.1970",
                                        "2026-11-30T12:30",
                                        "31.2.1970",
                                        "",
                                        "00:00",
                                        "2020",
                                        "1e3",
                                        "grey",
                                        "nan",
                                        "NA",
                                        " 5 ",
                                        "\t",
                                        "#",
                                        "12.30",
                                        "+4",
                                        "1,5",
                                        "None",
                                        "y",
                                        "inf",
                                        "-",
                                        "5\r",
                                        "0",
                                        "\xc2\xa0"
                                        "3 kg",
                                        "(5)"};
  Random random(7);
  Told of_plain(form);
  Told of_quoted(form);
  for (Told* const told : {&of_plain, &of_quoted}) (*told)("y,a,mass,day,hour,colour,any", 0);
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t width = random.below(20) == 0 ? 2 + random.below(7) : 7;
    const std::string label = random.below(4) == 0 ? std::string("-1") : behind + fmt::format("{}", trial);
    std::string rest;
    for (std::size_t i = 1; i < width; ++i)
      rest += "," + (random.below(3) > 0 && i < 7 ? usual[i] : others[random.below(others.size())]);
    CAPTURE(label + rest);
    const auto one = static_cast<Attribute>(random.below(6));
    REQUIRE(of_plain(label + rest, one) == of_quoted("\"" + label + "\"" + rest, one));
  }
  CHECK(of_plain.names.categories().attributes() == of_quoted.names.categories().attributes());
  for (const std::string record : {",,,,,,", " ,\t,,,,,", "  ", "y,a,mass,day,hour,colour,any"})
    CHECK(of_plain(record, 0) == " no example");
}

TEST_CASE("a field that begins with the sign of comments is none") {
  TableForm form = form_of(";", {"y", "a", "b"});
  form.columns[0].type = Type::kWord;
  const Read read(form, "y;a;b\n#1;2;3\n", sampled(1));
  CHECK(read.errors.empty());
  CHECK(read.rows.size() == 1);
}

TEST_CASE("a record without an example leaves nothing to reveal") {
  AttributeNames names(2);
  TableForm form = form_of("::");
  form.dialect.comment = '#';
  DialectReader reader(std::make_shared<const TableForm>(form), csv_table(0, ','), names);
  CHECK(reveal(reader, "1::2::3", {0, 1}) == std::vector<double>{2, 3});
  for (const std::string_view record : {"", "  ", "# 1::2::3", "::::"}) {
    require_open(reader, record);
    CHECK_FALSE(reader.has_example());
    CHECK_FALSE(reader.head().label);
    std::vector<double> values(1);
    CHECK(reader.reveal(std::vector<Attribute>{0}, values).has_error());
  }
  CHECK(open_error(reader, "1::2::3::4").starts_with("row has 4 fields"));
}

TEST_CASE("a table that CsvReader reads by itself is plain") {
  CHECK(is_plain(form_of(",")));
  CHECK(is_plain(form_of("\t", {"y", "a", "b"})));
  for (const std::string_view delimiter : {"::", "\x01", "~", ""}) CHECK_FALSE(is_plain(form_of(delimiter)));
  const auto differs = [](const auto& change) {
    TableForm form = form_of(",", {"y", "a", "b"});
    change(form);
    return !is_plain(form);
  };
  CHECK(differs([](TableForm& f) { f.dialect.encoding = Encoding::kLatin1; }));
  CHECK(differs([](TableForm& f) { f.dialect.divides_by_runs = true; }));
  CHECK(differs([](TableForm& f) { f.dialect.quote = '\''; }));
  CHECK(differs([](TableForm& f) { f.dialect.escape = '\\'; }));
  CHECK(differs([](TableForm& f) { f.dialect.line_end = '\r'; }));
  CHECK(differs([](TableForm& f) { f.dialect.comment = '%'; }));
  CHECK(differs([](TableForm& f) { f.dialect.preamble_lines = 1; }));
  CHECK(differs([](TableForm& f) { f.dialect.header_records = 2; }));
  CHECK(differs([](TableForm& f) { f.dialect.quote = 0; }));
  CHECK(differs([](TableForm& f) { f.columns[2].unit = "kg"; }));
  CHECK(differs([](TableForm& f) { f.columns[0].form = NumberForm::kDecimalComma; }));
  CHECK(differs([](TableForm& f) { f.columns[1].type = Type::kTime; }));
  CHECK(differs([](TableForm& f) { f.columns[1].missing = {"-1"}; }));
}

TEST_CASE("columns below a header are found by its names, also where these are renamed, or by their places") {
  TableForm form = form_of(",", {"y", "a", "b"});
  form.columns[1].unit = "kg";  // which a reader of another column would not take
  const Rows rows{{2, 3}, {5, 6}};
  TableOptions options = sampled();
  options.label = parse_column("y");
  for (const std::string_view text :
       {"y,a,b\n1,2 kg,3\n4,5 kg,6\n", "a,y,b\n2 kg,1,3\n5 kg,4,6\n", "b,a,y\n3,2 kg,1\n6,5 kg,4\n"}) {
    const Read read(form, text, options);
    CHECK(same_rows(read.rows, text.starts_with("b") ? Rows{{3, 2}, {6, 5}} : rows));
    CHECK(read.labels == std::vector<double>{1, 4});
  }
  form.renames = true;
  form.names = {"label", "alpha", "b"};
  form.header = {"y", "a", "b"};
  options.label = parse_column("label");
  for (const std::string_view text : {"y,a,b\n1,2 kg,3\n4,5 kg,6\n", "a,y,b\n2 kg,1,3\n5 kg,4,6\n",
                                      "label,alpha,b\n1,2 kg,3\n4,5 kg,6\n"}) {
    const Read read(form, text, options);
    CHECK(same_rows(read.rows, rows));
    CHECK(read.names.name(0) == "alpha");
  }
  form.header.clear();
  CHECK(same_rows(Read(form, "any,name,here\n1,2 kg,3\n4,5 kg,6\n", options).rows, rows));
}

TEST_CASE("a stream of the sampled topic that begins with a row keeps it") {
  TableForm form = form_of(",", {"y", "a", "b"});
  form.columns[1].unit = "kg";
  CHECK(same_rows(Read(form, "1,2 kg,3\n4,5 kg,6\n").rows, {{2, 3}, {5, 6}}));
  CHECK(same_rows(Read(form, "y,a,b\n1,2 kg,3\n").rows, {{2, 3}}));
}

TEST_CASE("the reader of a plain form reads records over lines, and makes the same of them as of lines") {
  auto form = std::make_shared<TableForm>(form_of(",", {"y", "a", "b"}));
  for (const std::string text : {"y,a,b\n1,\"x\ny\",3\n2,z,4\n", "y,\"a\n2\",b\n1,x,3\n2,\"z\r\n\",4\n",
                                 "y,a,b\n1,x,3\n2,\"z\n\n\",4"}) {
    form->names[1] = text.starts_with("y,\"") ? "a\n2" : "a";
    AttributeNames names(0);
    FormatOptions options{.dimension = 0, .table = csv_table(0, ','), .form = form};
    const auto reader = make_example_reader(Format::kCsv, options, names);
    RecordCursor cursor(text, framing_of(Format::kCsv, 0, 100, form));
    std::vector<double> last;
    while (const auto record =
               cursor.next([&](std::string_view rest) { return reader->line_length(rest); })) {
      require_open(*reader, *record);
      if (!reader->has_example()) continue;
      last.push_back(*reader->head().label);
      std::vector<Entry> entries;
      REQUIRE(reader->reveal_all(entries).has_value());
      last.push_back(entries[1].value);
    }
    CHECK(last == std::vector<double>{1, 3, 2, 4});
  }
}

TEST_CASE("the attributes of dates are declared, in whatever order the columns stand") {
  TableForm form = form_of(",", {"y", "a", "when"});
  form.columns[2] = {.type = Type::kDate, .date_parts = 3};
  const auto dates_of = [](const Read& read) {
    std::vector<std::pair<std::string, int>> dates;
    for (const Categories::Date& date : read.names.categories().dates())
      dates.emplace_back(read.names.name(date.attribute), date.parts);
    return dates;
  };
  using Dates = std::vector<std::pair<std::string, int>>;
  CHECK(dates_of(Read(form, "y,a,when\n1,2,1970-01-04\n")) == Dates{{"when", 3}});
  CHECK(dates_of(Read(form, "y,a,when\n")).empty());  // no row told anything yet
  TableOptions other = csv_table(0, ',');             // HTTP bodies, further files
  other.label = parse_column("y");
  CHECK(dates_of(Read(form, "when,y,a\n1970-01-04,1,2\n1970-01-05,1,2\n", other)) == Dates{{"when", 3}});
  CHECK(dates_of(Read(form, "y,a,when\n1,2,NA\n", other)) == Dates{{"when", 3}});
  form.columns[2].date_parts = 0;
  CHECK(dates_of(Read(form, "y,a,when\n1,2,1970-01-04\n")) == Dates{{"when", 0}});
  form.columns[2].type = Type::kNumber;
  CHECK(dates_of(Read(form, "y,a,when\n1,2,3\n")).empty());
}

TEST_CASE("dates are read as the table has them where records of another format have them") {
  for (const bool has_names : {true, false}) {
    CAPTURE(has_names);
    TableForm form =
        form_of(",", has_names ? std::vector<std::string>{"y", "a", "when"} : std::vector<std::string>());
    form.columns[2] = {.type = Type::kDate, .is_day_first = true, .date_parts = 3};
    Read read(form, has_names ? "y,a,when\n1,2,4/1/1970\n" : "1,2,4/1/1970\n");
    Categories& categories = read.names.categories();
    CHECK(read.rows == Rows{{2, 3}});
    CHECK(categories.read_date(1, "5/1/1970 12:00") == 4.5);
    CHECK(categories.read_date(1, "1970-01-05") == 4.0);
    CHECK_FALSE(categories.read_date(1, "31/2/1970"));
    CHECK_FALSE(categories.read_date(1, "soon"));
    CHECK_FALSE(categories.read_date(0, "1970-01-05"));
    CHECK(*categories.read(1, "1/2/1970", true, "when") == 31);
    AttributeNames twin = read.names.twin();  // of a thread that reads ahead
    CHECK(*twin.categories().read(1, "1/2/1970", true, "when") == 31);
  }
}

TableForm arff() {
  TableForm form = form_of(",", {"a", "colour", "y"});
  form.dialect.header_records = 0;
  form.dialect.quote = 0;
  form.dialect.comment = '%';
  form.dialect.zeros = {"0", "red", "0"};
  form.columns[1].type = Type::kWord;
  return form;
}

TEST_CASE("of ARFF the label is the last column, and rows may be sparse, wherever they stand") {
  const std::string header =
      "% c\n@relation r\n@attribute a real\n@attribute colour {red,'dark blue'}\n@attribute y real\n@data\n";
  for (const std::string& begin : {header, std::string()}) {  // as behind a resume
    const TableOptions options = begin.empty() ? csv_table(0, ',') : sampled();
    TableOptions by_default = options;
    by_default.label = {};
    const Read read(arff(),
                    begin + "{0 2,2 1}\n% c\n5,'dark blue',4\n\n{1 'dark blue', 2 7}\n8,\"red\",?\n{}\n",
                    by_default);
    CHECK(read.errors.empty());
    CHECK(same_rows({read.labels}, {{1, 4, 7, kMissing, 0}}));
    CHECK(same_rows(read.rows, {{2, 0}, {5, 1}, {0, 1}, {8, 0}, {0, 0}}));
  }
}

TEST_CASE(
    "a stream of ARFF may have the columns in another order, and rows that are none are refused alone") {
  TableOptions options = csv_table(0, ',');
  options.label = {};
  Read other(arff(), "9,red,9\n9,red,9\n", options);
  other.read(arff(),
             "@RELATION r\n@attribute y real\n@attribute colour {red,blue}\n@attribute a real\n@DATA\n"
             "1,blue,2\n{3 4}\n4,red,5\n1,2,3,{7}\n7,blue,'8\n7,red,8\n",
             options);
  CHECK(other.labels == std::vector<double>{9, 9, 1, 4, 7});
  CHECK(same_rows(other.rows, {{9, 0}, {9, 0}, {2, 1}, {5, 0}, {8, 0}}));
  REQUIRE(other.errors.size() == 3);
  CHECK(other.errors[0].ends_with("from 0 to 2, and '3' is none"));
  CHECK(other.errors[1] == "weights of rows, as '{7}', are not read");
  CHECK(other.errors[2].starts_with("a value in quotes ends with"));
  // A header that is none is refused; as a table, rows are read as well.
  CHECK(Read(arff(), "@attribute a blob\n2,red,1\n", options).errors.size() == 1);
  other.read(arff(), "y,a,colour\n1,2,red\n", options);
  CHECK(other.labels.back() == 1);
  CHECK(other.rows.back() == std::vector<double>{2, 0});
}

}  // namespace dialect_reader_test
