#include "data/records/table_layout.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string_view>
#include <vector>

namespace table_layout_test {

using namespace glimpse;

namespace {

TableOptions choose(const std::string& label, const std::vector<std::string>& ignored) {
  TableOptions options;
  options.label = parse_column(label);
  for (const std::string& column : ignored) options.ignored.push_back(parse_column(column));
  return options;
}

}  // namespace

TEST_CASE("a column is a name, a number or the last") {
  CHECK(parse_column("#12").kind == ColumnChoice::Kind::kNumber);
  CHECK(parse_column("#12").number == 11);
  for (const char* const name : {"12", "#0", "#", "#-1", "#1x"})
    CHECK(parse_column(name).kind == ColumnChoice::Kind::kName);
  CHECK(bare_number(parse_column("12")) == std::size_t{12});
  CHECK_FALSE(bare_number(parse_column("#12")));
  CHECK(parse_column("last").kind == ColumnChoice::Kind::kLast);
  CHECK(parse_column("cnt").kind == ColumnChoice::Kind::kName);
  CHECK(parse_column("-1").kind == ColumnChoice::Kind::kName);
}

TEST_CASE("a layout that is saved is restored") {
  for (const TableOptions& options :
       {choose("#1", {}), choose("last", {}), choose("#3", {"#1", "#5"}), choose("#4", {"last"})}) {
    const auto layout = TableLayout::without_header(options, 5);
    REQUIRE(layout.has_value());
    State state;
    state.begin();
    layout->save(state);
    state.finish();
    const auto again = TableLayout::restore(state, 5);
    REQUIRE(again.has_value());
    CHECK(*again == *layout);
    CHECK_FALSE(TableLayout::restore(state, 4).has_value());
  }
  for (const char* const text : {"", "width=3", "width=6 label=6 ignored=", "width=7 label=0 ignored=0",
                                 "width=99999999999999999999 label=0 ignored=", "width=6 label= ignored=x"}) {
    State state;
    state.begin();
    state.put_text("inputs.table", text);
    state.finish();
    CHECK_FALSE(TableLayout::restore(state, 5).has_value());
  }
  State none;
  none.begin();
  none.finish();
  CHECK(TableLayout::restore(none, 5)->width() == 0);
}

TEST_CASE("what was chosen by its place is found by its name in later headers, also after a restart") {
  const std::vector<std::string_view> first{"y", "id", "a", "b"};
  TableOptions options = choose("#1", {"#2"});
  AttributeNames names(2);
  const auto layout = TableLayout::with_header(options, first, names);
  REQUIRE(layout.has_value());
  CHECK(layout->chosen_names() == std::vector<std::string>{"y", "id"});
  State state;
  state.begin();
  layout->save(state);
  state.finish();
  const auto restored = TableLayout::restore(state, 2);
  REQUIRE(restored.has_value());
  REQUIRE(names.fix({"a", "b"}).has_value());
  restored->name_choices(options);
  const std::vector<std::string_view> other{"id", "b", "y", "a"};
  CHECK(TableLayout::with_header(options, other, names)->label() == std::size_t{2});
  const std::vector<std::string_view> questions{"id", "b", "a"};
  CHECK_FALSE(TableLayout::with_header(options, questions, names)->has_label(3));
  const std::vector<std::string_view> unknown{"row", "b", "a"};
  const auto refused = TableLayout::with_header(options, unknown, names);
  REQUIRE(refused.has_error());
  CHECK(refused.error().message ==
        "the header has no column 'y', which is the label of this model, and has a column 'row' that is no "
        "attribute of it: call the label 'y', or leave the other out with --ignore row");
  options.ignored.push_back(parse_column("y"));
  CHECK(TableLayout::with_header(options, other, names)
            .error()
            .message.starts_with("--ignore y: is the label's column"));
}

TEST_CASE("attributes stand around the label and what is ignored, with the label and without") {
  const auto layout = TableLayout::without_header(choose("#3", {"#1"}), 3);  // ignored, 0, label, 1, 2
  REQUIRE(layout.has_value());
  CHECK(layout->width() == 5);
  CHECK(layout->fits(5));
  CHECK(layout->fits(4));
  CHECK_FALSE(layout->fits(3));
  const std::vector<Attribute> all{0, 1, 2};
  std::vector<Attribute> columns(3);
  layout->find_columns(all, true, columns.data());
  CHECK(columns == std::vector<Attribute>{1, 3, 4});
  layout->find_columns(all, false, columns.data());
  CHECK(columns == std::vector<Attribute>{1, 2, 3});
  CHECK_FALSE(layout->attribute(0, true));
  CHECK_FALSE(layout->attribute(2, true));
  CHECK(layout->attribute(2, false) == Attribute{1});
}

TEST_CASE(
    "columns of a header that are neither attribute nor label are passed over where that is asked for") {
  AttributeNames names(2);
  REQUIRE(names.fix({"a", "b"}).has_value());
  TableOptions options = choose("y", {});
  const std::vector<std::vector<std::string_view>> headers{
      {"x", "a", "y", "b"}, {"a", "x", "y", "b"}, {"a", "y", "b", "x"}};
  for (const auto& fields : headers) {
    options.ignores_others = false;
    CHECK_FALSE(TableLayout::with_header(options, fields, names).has_value());
    options.ignores_others = true;
    const auto layout = TableLayout::with_header(options, fields, names);
    REQUIRE(layout.has_value());
    const auto column_of = [&](std::string_view name) {
      return static_cast<std::size_t>(std::ranges::find(fields, name) - fields.begin());
    };
    CHECK(layout->label() == column_of("y"));
    CHECK(layout->column(0, true) == column_of("a"));
    CHECK(layout->column(1, true) == column_of("b"));
    CHECK(layout->ignored() == std::vector<std::size_t>{column_of("x")});
  }
  const std::vector<std::string_view> questions{"x", "b", "z"};
  const auto layout = TableLayout::with_header(options, questions, names);
  REQUIRE(layout.has_value());
  CHECK_FALSE(layout->label());
  CHECK(layout->lacks(0));
  CHECK(layout->column(1, false) == 1);
}

TEST_CASE("columns that are chosen twice, or beyond the row, are refused") {
  CHECK(TableLayout::without_header(choose("#2", {"#2"}), 3).error().message ==
        "--ignore=#2: is the label's column");
  CHECK(TableLayout::without_header(choose("#2", {"#1", "#1"}), 3).error().message ==
        "--ignore=#1: is given twice");
  CHECK(TableLayout::without_header(choose("#10", {}), 3).error().message ==
        "--label=#10: a row has 4 columns, which count from 1");
}

}  // namespace table_layout_test
