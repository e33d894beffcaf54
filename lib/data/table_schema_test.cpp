#include "data/table_schema.h"

#include <algorithm>
#include <doctest/doctest.h>

namespace table_schema_test {

using namespace glimpse;
using namespace std::string_view_literals;

namespace {

TableSchema usual() {
  TableSchema schema;
  schema.table.delimiter = 0;
  return schema;
}

TableSchema with_table(const std::string& label, const std::vector<std::string>& ignored = {}) {
  TableSchema schema = usual();
  schema.table.label = parse_column(label);
  for (const std::string& name : ignored) schema.table.ignored.push_back(parse_column(name));
  return schema;
}

State with_array(const char* name, std::string_view text) {
  State state;
  state.begin();
  std::ranges::copy(text, state.put<std::uint8_t>(name, text.size()).begin());
  state.finish();
  return state;
}

}  // namespace

TEST_CASE("how records are read comes back from a checkpoint as it was given") {
  TableSchema schema = with_table("price \xff, in all", {"id", "#1", "5", "last"});
  schema.format = Format::kCsv;
  schema.index_base = 0;
  schema.absent = Absent::kZero;
  schema.task = Task::kClasses;
  schema.labels = Task::kClasses;
  schema.table.further_labels = {parse_column("#4")};
  schema.table.weight = parse_column("w");
  schema.table.delimiter = '\t';
  schema.table.header = HeaderChoice::kNo;
  schema.table.decimal_comma = true;
  schema.categories = {"zip", "month=3"};
  State state;
  state.begin();
  schema.save(state);
  state.finish();
  CHECK(*TableSchema::restore(state) == schema);
  CHECK(TableSchema::parse(usual().describe()) == usual());
  CHECK(TableSchema::parse("format=x\0index-base=7\0=\0header\0delimiter=8\0"sv) == usual());
  CHECK_FALSE(TableSchema::restore(with_array("else", "x"))->has_value());
}

TEST_CASE("the label of flat objects is kept and compared as that of a table is") {
  TableSchema flat = with_table("y");
  flat.form = {.format = Format::kNdjson, .is_flat = true};
  CHECK(TableSchema::parse(flat.describe()) == flat);
  CHECK(flat.difference(with_table("z"), Format::kAuto).has_value());
  CHECK_FALSE(flat.difference(with_table("y"), Format::kAuto));
  flat.form.is_flat = false;
  CHECK_FALSE(flat.difference(with_table("z"), Format::kAuto));
}

TEST_CASE("columns of an earlier release, which counted from 0, mean what they meant") {
  const TableSchema one = TableSchema::parse("label=5\0ignore=0\0ignore=id\0ignore=last\0"sv);
  CHECK(one == with_table("#6", {"#1", "id", "last"}));
  CHECK(TableSchema::parse(one.describe()) == one);
  CHECK(columns_of(one.table) == columns_of(with_table("#6", {"#1", "id", "last"}).table));
  CHECK(columns_of(with_table("#6").table) == 5);
  CHECK(TableSchema::parse("label=\0"sv) == usual());
  const TableSchema several = TableSchema::parse("label=3\0label=y\0label=0\0"sv);
  CHECK(several.table.label.number == 3);
  CHECK(several.table.label_names() == std::vector<std::string>{"#4", "y", "#1"});
  CHECK(TableSchema::parse(several.describe()) == several);
  TableSchema now = with_table("#4");
  now.table.further_labels = {parse_column("y"), parse_column("#1")};
  CHECK_FALSE(several.difference(now, Format::kCsv).has_value());
}

TEST_CASE("each input has the schema by which it was read, which is mostly that of all") {
  const std::string other = with_table("z").describe();
  State state;
  state.begin();
  with_table("y").save(state);
  const std::string text = std::string(1, '\0') + other + std::string(2, '\0');
  std::ranges::copy(text, state.put<std::uint8_t>("inputs.schemas", text.size()).begin());
  state.finish();
  const auto schemas = TableSchema::of_inputs(state, 3);
  REQUIRE(schemas.has_value());
  CHECK(*schemas == std::vector<TableSchema>{with_table("y"), with_table("z"), with_table("y")});
  CHECK(TableSchema::of_inputs(state, 2).error().code == ErrorCode::kCorrupt);
  CHECK(TableSchema::of_inputs(with_array("else", "x"), 2)->empty());
}

TEST_CASE("checkpoints of earlier releases say it by numbers and a hash") {
  State state;
  state.begin();
  state.put_text("inputs.reading", "format=csv\nindex-base=0\nlabel-column=12\ndelimiter=9\nabsent=zero\n");
  state.put_copy<std::uint64_t>("inputs.readings", std::vector<std::uint64_t>{3, 0, 12, 9, 9, 9, 0, 999});
  state.put_copy<std::uint8_t>("inputs.absent", std::vector<std::uint8_t>{2, 7});
  state.finish();
  TableSchema expected;
  expected.format = Format::kCsv;
  expected.index_base = 0;
  expected.absent = Absent::kZero;
  expected.table.delimiter = '\t';
  expected.old_columns = 12;
  CHECK(*TableSchema::restore(state) == expected);
  const auto schemas = TableSchema::of_inputs(state, 2);
  REQUIRE(schemas.has_value());
  CHECK(schemas->front() == expected);
  TableSchema rubbish;
  rubbish.old_columns = 0;
  CHECK(schemas->back() == rubbish);

  expected.old_columns = columns_of(with_table("cnt", {"id"}).table);
  expected.index_base = 1;
  expected.absent = Absent::kAuto;
  CHECK_FALSE(expected.difference(with_table("cnt", {"id"}), Format::kCsv).has_value());
  CHECK(expected.difference(with_table("cnt"), Format::kCsv)->here ==
        "other options of --label, --ignore, --header or --decimal-comma");
}

TEST_CASE("only options that change what the records mean make a difference") {
  const auto of = [](const TableSchema& a, const TableSchema& b, Format actual) {
    const auto difference = a.difference(b, actual);
    return difference ? difference->here + " | " + difference->there : "";
  };
  TableSchema from_0 = usual();
  from_0.index_base = 0;
  CHECK(of(from_0, usual(), Format::kSvmlight) == "--index-base 0 | --index-base 1");
  CHECK(of(from_0, usual(), Format::kAuto) == "--index-base 0 | --index-base 1");
  CHECK(of(from_0, usual(), Format::kCsv).empty());
  CHECK(of(with_table("#3"), usual(), Format::kCsv) == "--label=#3 | --label=#1");
  CHECK(of(with_table("#1"), usual(), Format::kCsv).empty());
  CHECK(of(with_table("#3"), usual(), Format::kSvmlight).empty());
  CHECK(of(with_table("y", {"id"}), with_table("y", {"id", "more"}), Format::kCsv).empty());
  CHECK(of(with_table("y"), with_table("y", {"#2"}), Format::kCsv) == "no --ignore | --ignore=#2");
  TableSchema semicolons = usual();
  semicolons.table.delimiter = ';';
  CHECK(of(semicolons, usual(), Format::kCsv).empty());
  TableSchema tabs = usual();
  tabs.table.delimiter = '\t';
  CHECK(of(semicolons, tabs, Format::kCsv) == "--delimiter ';' | --delimiter tab");
  TableSchema vw = usual();
  vw.format = Format::kVw;
  TableSchema svmlight = usual();
  svmlight.format = Format::kSvmlight;
  CHECK(of(vw, usual(), Format::kSvmlight) == "--format vw | --format auto");
  CHECK(of(vw, usual(), Format::kAuto).empty());
  CHECK(of(vw, svmlight, Format::kAuto) == "--format vw | --format svmlight");
  CHECK(of(svmlight, usual(), Format::kSvmlight).empty());
  TableSchema comma = usual();
  comma.table.decimal_comma = true;
  CHECK(of(usual(), comma, Format::kCsv) == "no --decimal-comma | --decimal-comma");
  TableSchema classes = usual();
  classes.task = Task::kClasses;
  TableSchema numbers = usual();
  numbers.labels = Task::kRegression;
  CHECK(of(classes, usual(), Format::kVw).empty());
  CHECK(of(classes, numbers, Format::kVw) == "--task classes | --task regression");
}

// A table with every part that a ColumnForm, a Dialect and a name can have.
TableSchema with_form() {
  TableSchema schema = with_table("y");
  schema.table.reads_short_rows = true;
  TableForm table;
  table.dialect.encoding = Encoding::kWindows1252;
  table.dialect.delimiter = "\t";
  table.dialect.quote = 0;
  table.dialect.comment = '#';
  table.dialect.preamble_lines = 2;
  table.dialect.header_records = 1;
  table.dialect.width = 6;
  table.names = {"y", "", "price in \xe2\x82\xac = $", "a\tb", "dialect", "name=last"};
  table.columns.resize(6);
  table.columns[0].type = ColumnForm::Type::kNumber;
  table.columns[1].type = ColumnForm::Type::kWord;
  table.columns[2] = {.type = ColumnForm::Type::kNumber,
                      .form = NumberForm::kBlankGroupsDecimalComma,
                      .unit = "km / h",
                      .missing = {"-999", "k.A.", "a = b"}};
  table.columns[3] = {.type = ColumnForm::Type::kTime, .is_day_first = true};
  table.columns[4] = {.type = ColumnForm::Type::kNumber, .form = NumberForm::kFortran, .missing = {"x"}};
  table.columns[5].type = ColumnForm::Type::kTime;
  schema.form = {.format = Format::kCsv, .delimiter = '\t', .header = HeaderChoice::kYes, .table = table};
  return schema;
}

TEST_CASE("what a sample showed of a table comes back with every part") {
  const TableSchema schema = with_form();
  CHECK(TableSchema::parse(schema.describe()) == schema);
  State state;
  state.begin();
  schema.save(state);
  state.finish();
  CHECK(*TableSchema::restore(state) == schema);
  for (std::size_t form = 0; form < kNumberForms; ++form) {
    TableSchema other = schema;
    other.form.table->columns[0].form = static_cast<NumberForm>(form);
    CHECK(TableSchema::parse(other.describe()) == other);
  }
  TableSchema renamed = schema;
  renamed.form.table->renames = true;
  renamed.form.table->header = {"", "y", "b = c", "d", "e", "f"};
  renamed.form.sample_records = 99;
  CHECK(TableSchema::parse(renamed.describe()) == renamed);
  TableSchema objects = usual();
  objects.form = {.format = Format::kNdjson, .is_flat = true, .sample_records = 7};
  CHECK(TableSchema::parse(objects.describe()) == objects);
  TableSchema bare = usual();
  bare.form = {.format = Format::kCsv, .delimiter = ',', .header = HeaderChoice::kNo, .table = TableForm()};
  CHECK(TableSchema::parse(bare.describe()) == bare);
}

TEST_CASE("a part of a column's form is kept where it stands first, in the middle or last") {
  for (std::size_t column = 0; column < 3; ++column)
    for (const std::string unit : {"", "kg", "%", "m\\s",
                                   "\xc2\xb0"
                                   "C"}) {
      CAPTURE(column);
      TableSchema schema = usual();
      schema.form = {.format = Format::kCsv, .table = TableForm()};
      schema.form.table->columns.resize(3);
      schema.form.table->columns[column] = {
          .type = ColumnForm::Type::kNumber, .unit = unit, .missing = {"", "-1"}};
      CHECK(TableSchema::parse(schema.describe()) == schema);
    }
}

TEST_CASE("the parts of dates are kept for each column, and a schema of before has none") {
  TableSchema schema = usual();
  schema.form = {.format = Format::kCsv, .table = TableForm()};
  schema.form.table->columns.resize(3, {.type = ColumnForm::Type::kDate});
  for (std::uint8_t parts = 0; parts < 8; ++parts)
    for (std::size_t column = 0; column < 3; ++column) {
      TableSchema other = schema;
      other.form.table->columns[column].date_parts = parts;
      other.form.table->columns[column].is_day_first = parts % 4 == 1;
      other.form.table->columns[column].is_year_first = parts % 4 == 2;
      CHECK(TableSchema::parse(other.describe()) == other);
    }
  CHECK(schema.describe().find("column=date\tplain\t\0"sv) != std::string::npos);  // as it always was
  schema.form.table->columns[1].date_parts = 5;
  CHECK(schema.describe().find("column=date\tplain\tweekday hour\0"sv) != std::string::npos);
  schema.form.table->columns[1] = {.type = ColumnForm::Type::kNumber, .unit = "month"};
  CHECK(TableSchema::parse(schema.describe()) == schema);
}

TEST_CASE("a schema without a table has no form of columns, and takes none without a dialect") {
  TableSchema schema = usual();
  schema.form = {.format = Format::kCsv};
  CHECK_FALSE(TableSchema::parse(schema.describe()).form.table);
  CHECK_FALSE(TableSchema::parse("column=number\tplain\t\0name=a\0dialect=width=x\0"sv).form.table);
}

}  // namespace table_schema_test
