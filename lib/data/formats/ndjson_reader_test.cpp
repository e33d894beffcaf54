#include "data/formats/ndjson_reader.h"

#include <cmath>
#include <fmt/format.h>

#include "data/reader_test_support.h"

namespace ndjson_reader_test {

using namespace glimpse;

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

TEST_CASE("ndjson: keys that are whole numbers are indices and absent ones are 0") {
  AttributeNames names(20);
  NdjsonReader reader(20, names);
  CHECK(reveal(reader, R"({"label": 1, "values": {"17": 0.5, "2": -3e1}})", {2, 3, 17}) ==
        Values{-30, 0, 0.5});
  CHECK(reader.head().label == 1.0);
  CHECK(reader.head().importance == 1);
  CHECK(reveal_all(reader, R"( {"values": {"17": 0.1, "2": 9007199254740993}} )") ==
        Entries{{17, 0.1}, {2, 9007199254740992.0}});
  CHECK_FALSE(reader.head().label);
  CHECK(reveal_all(reader, R"({"label": 1, "values": {}})").empty());
  CHECK(names.empty());
}

TEST_CASE("ndjson: a key that is a name means the attribute called so, also where it looks like a number") {
  AttributeNames names(4);
  NdjsonReader reader(4, names);
  CHECK(reveal_all(reader, R"({"label": 1, "values": {"1": 5}})") == Entries{{1, 5}});
  REQUIRE(names.fix({"0", "3", "2019", "b"}).has_value());
  CHECK(reveal_all(reader, R"({"label": 1, "values": {"3": 5, "2019": 6, "0": 7, "b": 8}})") ==
        Entries{{1, 5}, {2, 6}, {0, 7}, {3, 8}});
  CHECK(reveal_all(reader, R"({"values": {"0": 5, "b": 6, "2": 7, "1": 8}})") ==
        Entries{{0, 5}, {3, 6}, {2, 7}, {1, 8}});
  CHECK(reveal_all(reader, R"({"label": 1, "values": {"03": 5, "3": 6, "00": 7, "2": 8}})") ==
        Entries{{3, 5}, {1, 6}, {0, 7}, {2, 8}});
}

TEST_CASE("ndjson: importance and tag are read, with escapes") {
  AttributeNames names(3);
  NdjsonReader reader(3, names);
  require_open(reader, R"({"tag": "a-1", "importance": 0.25, "label": -1, "values": [1, 2, 3]})");
  CHECK(reader.head().importance == 0.25);
  CHECK(reader.head().tag == "a-1");
  CHECK(reader.head().label == -1.0);
  require_open(reader, R"({"values": [1, 2, 3], "tag": "a\"\u00e9\nb"})");
  CHECK(reader.head().tag == "a\"\xc3\xa9\nb");
  require_open(reader, R"({"values": [1, 2, 3], "tag": null, "label": null})");
  CHECK(reader.head().tag.empty());
  CHECK_FALSE(reader.head().label);
}

TEST_CASE("ndjson: an array gives every attribute, and null is missing") {
  AttributeNames names(3);
  NdjsonReader reader(3, names);
  CHECK(reveal_all(reader, R"({"label": 1, "values": [1, null, -2.5]})") ==
        Entries{{0, 1}, {1, kMissing}, {2, -2.5}});
  CHECK(reveal(reader, "[1, 2, 3]", {0, 2}) == Values{1, 3});
  CHECK_FALSE(reader.head().label);
  CHECK(same(reveal(reader, R"({"values": {"1": null}})", {1})[0], kMissing));
  CHECK(open_error(reader, "[1, 2]") == "the array of values has 2 elements; a model of dimension 3 needs 3");
  CHECK(open_error(reader, R"({"values": [1, 2, 3, 4]})") ==
        "the array of values has 4 elements; a model of dimension 3 needs 3");
}

TEST_CASE("ndjson: an example of far too many values is not read to its end") {
  AttributeNames names(3);
  NdjsonReader reader(3, names);
  std::string array = "[1";
  std::string object = "{\"values\":{\"0\":1";
  for (int i = 0; i < 1003; ++i) array += ",1";
  for (int i = 0; i < 1003; ++i) object += ",\"1\":null";
  for (const char* rest : {"]", ",1]", ", and what is no JSON"})
    CHECK(open_error(reader, array + rest) ==
          "the array of values has more than 1003 elements; a model of dimension 3 needs 3");
  CHECK(open_error(reader, object + "}}") ==
        "'values' has more than 1003 keys that are indices; a model of dimension 3 has 3 of them, and none "
        "may be "
        "given twice");
  CHECK(open_error(reader, "[1" + array.substr(4) + "]") ==
        "the array of values has 1003 elements; a model of dimension 3 needs 3");
  std::string unknown = "{\"values\":{\"0\":1";
  for (int i = 0; i < 2000; ++i) unknown += ",\"n" + std::to_string(i) + "\":1";
  CHECK(reveal_all(reader, unknown + "}}") == Entries{{0, 1}});
}

TEST_CASE("ndjson: labelled examples bring names, wherever their label stands") {
  AttributeNames names(9);
  NdjsonReader reader(9, names);
  CHECK(reveal(reader, R"({"values": {"age": 30, "a\tb": 2}, "label": 1})", {0, 1}) == Values{30, 2});
  CHECK(names.name(0) == "age");
  CHECK(names.name(1) == "a\tb");
  CHECK(reveal_all(reader, R"({"label": 1, "values": {"a\u0009b": 5}})") == Entries{{1, 5}});
}

TEST_CASE("ndjson: an unknown name in an example without label counts for nothing and is not kept") {
  AttributeNames names(9);
  NdjsonReader reader(9, names);
  REQUIRE(names.find_or_add("b").has_value());
  CHECK(reveal_all(reader, R"({"values": {"a": 1, "b": 2, "c": null}})") == Entries{{0, 2}});
  CHECK(reveal(reader, R"({"values": {"a": 1, "b": 2}})", {0, 1}) == Values{2, 0});
  CHECK(names.size() == 1);
}

TEST_CASE("ndjson: a key that is a number in another form is refused beside numbers") {
  for (const char* key : {"1e0", "+1", " 1", "1.0"}) {
    AttributeNames names(6);
    NdjsonReader reader(6, names);
    for (const char* label : {"\"label\": 1, ", ""}) {
      CHECK(reveal_error(reader, fmt::format("{{{}\"values\": {{\"0\": 1, \"{}\": 2}}}}", label, key), {0})
                .starts_with(fmt::format(
                    "no attribute is called '{}', and this model has attributes by number", key)));
      CHECK(names.empty());
      CHECK(names.use_number(0).has_value());  // of records before
      names.keep();
    }
  }
}

TEST_CASE("ndjson: what is given twice is an error") {
  AttributeNames names(9);
  NdjsonReader reader(9, names);
  CHECK(open_error(reader, R"({"label": 1, "label": 1, "values": {}})") == "the key 'label' is given twice");
  CHECK(reveal_all_error(reader, R"({"label": 1, "values": {"7": 1, "1": 1, "07": 1}})") ==
        "attribute 7 is given twice");
  CHECK(reveal_error(reader, R"({"label": 1, "values": {"x": 1, "x": 1}})", {5}) ==
        "attribute 0 is given twice");
  Values values(1);
  CHECK(reader.reveal(std::vector<Attribute>{5}, values).has_error());
}

TEST_CASE("ndjson: names and numbers of one object are different attributes, whichever comes first") {
  for (const std::string_view record : {R"({"label": 1, "values": {"0": 0.5, "age": 61}})",
                                        R"({"values": {"age": 61, "0": 0.5}, "label": 1})"}) {
    AttributeNames names(2);
    NdjsonReader reader(2, names);
    CHECK(reveal(reader, record, {0, 1}) == Values{0.5, 61});
    CHECK(names.find("age") == Attribute{1});
  }
}

TEST_CASE("ndjson: a name never gets an index that a key or an array said, nor may these say its own") {
  AttributeNames names(5);
  NdjsonReader reader(5, names);
  CHECK(reveal(reader, R"({"label": 1, "values": {"0": 1, "3": 1}})", {0, 3}) == Values{1, 1});
  CHECK(reveal(reader, R"({"label": 1, "values": {"a": 1}})", {0, 4}) == Values{0, 1});
  CHECK(reveal_error(reader, R"({"label": 1, "values": {"4": 1}})", {0}) ==
        "attribute 4 is what this model calls 'a': call it by its name, or by either after a start with "
        "--attributes FILE");
  CHECK(
      reveal_error(reader, R"({"label": 1, "values": [1, 2, 3, 4, 5]})", {0}).starts_with("attribute 4 is"));
  CHECK(reveal_all(reader, R"({"values": {"4": 1}})") == Entries{{4, 1}});
  CHECK(reveal_all(reader, "[1, 2, 3, 4, 5]").size() == 5);

  AttributeNames other(3);
  NdjsonReader dense(3, other);
  CHECK(reveal(dense, R"({"label": 1, "values": [1, 2, 3]})", {0}) == Values{1});
  CHECK(
      reveal_error(dense, R"({"label": 1, "values": {"a": 1}})", {0}) ==
      "no index is free for the new attribute 'a': of 3, those from 0 to 2 are in use by number, and others "
      "have names; name them with --attributes FILE");
}

TEST_CASE("ndjson: a record that is refused leaves neither names nor numbers") {
  for (const std::string_view refused :
       {R"({"label": 1, "values": {"a": 1, "b": 1, "c": 1, "d": 1}})",
        R"({"label": 1, "values": {"0": 1, "a": 1, "b": 1, "c": 1}})",
        R"({"label": 1, "values": {"a": 1, "b": 1, "a": 1}})",
        R"({"label": 1, "values": {"2": 1, "02": 1, "a": 1}})",
        R"({"label": 1, "values": {"2": 1, "a": 1e999}})", R"({"label": 1, "values": [1e999, 2, 3]})",
        R"({"label": 1e999, "values": {"a": 1}})", R"({"label": 1, "values": {"a": 1}} x)"}) {
    CAPTURE(refused);
    for (const bool all : {false, true}) {
      AttributeNames names(3);
      NdjsonReader reader(3, names);
      std::vector<Entry> entries;
      Values values(3);
      const std::vector<Attribute> plan{0, 1, 2};
      CHECK_FALSE((reader.open(refused) && (all ? reader.reveal_all(entries) : reader.reveal(plan, values))));
      CHECK(names.empty());
      CHECK(reveal(reader, R"({"label": 1, "values": {"x": 1, "y": 2, "z": 3}})", plan) == Values{1, 2, 3});
    }
  }
}

TEST_CASE("ndjson: lines that break the grammar say how") {
  AttributeNames names(9);
  NdjsonReader reader(9, names);
  CHECK(open_error(reader, R"({"lable": 1, "values": {}})") ==
        "unknown key 'lable': an example has the keys label, importance, tag and values: --ignore 'lable' "
        "passes it over");
  CHECK(open_error(reader, R"({"label": 1})") == "an example needs the key 'values'");
  CHECK(open_error(reader, R"({"label": [1], "values": {}})") ==
        "'label' must be a number, a string or null, not an array");
  CHECK(open_error(reader, R"({"importance": null})") == "'importance' must be a number, not null");
  CHECK(open_error(reader, R"({"importance": -1, "values": {}})") ==
        "importance '-1' is not a finite number of at least 0");
  CHECK(open_error(reader, R"({"tag": 5})") == "'tag' must be a string or null, not a number");
  CHECK(open_error(reader, R"({"values": 5})") == "'values' must be an object or an array, not a number");
  CHECK(open_error(reader, R"({"importance": true})") == "'importance' must be a number, not a truth value");
  CHECK(open_error(reader, R"({"values": {"a": {}}})") ==
        "the value of 'a' must be a number, a string or null, not an object");
  CHECK(open_error(reader, R"([[1]])") ==
        "element 0 of the values must be a number, a string or null, not an array");
  CHECK(open_error(reader, R"({"values": {"": 1}})") ==
        "a key of 'values' is empty: it must be an index or a name");
  CHECK(open_error(reader, R"({"values": {"9": 1}})") ==
        "index 9 is out of range: this model has dimension 9, so NDJSON indices run from 0 to 8");
  CHECK(open_error(reader, "12 ") == "an example is an object or an array, not a number");
  CHECK(open_error(reader, R"({"values": {}} x)") == "text behind the example: 'x'");
  CHECK(open_error(reader, R"({"values": {"1": NaN}})") ==
        "not valid JSON at byte 18: NaN is no JSON: write null where a value is missing");
  CHECK(open_error(reader, R"({"values": {"1": 1)") ==
        "not valid JSON: incomplete JSON: each line is an example, but this object goes on: jq -c . makes it "
        "one line");
  CHECK(reveal(reader, R"({"values": {"1": 1}})", {1}) == Values{1});
}

TEST_CASE("ndjson: a number beyond the largest double is an error where it is revealed") {
  AttributeNames names(3);
  NdjsonReader reader(3, names);
  CHECK(reveal_error(reader, R"({"values": {"1": 1e310}})", {1}) == "value '1e310' is not a finite number");
  CHECK(reveal(reader, R"({"values": {"1": 1e310, "2": 5}})", {2}) == Values{5});
}

TEST_CASE("ndjson: blank lines and comments hold no example") {
  AttributeNames names(1);
  NdjsonReader reader(1, names);
  for (const std::string_view record : {"", "  ", "# {}"}) CHECK(holds_nothing(reader, record));
}

TEST_CASE("ndjson: where all names are fixed an absent attribute is missing, and an unknown name refused") {
  AttributeNames names(3);
  REQUIRE(names.fix({"age", "bp", "sgot"}).has_value());
  NdjsonReader reader(3, names);
  CHECK(reveal_all(reader, R"({"values": {"bp": 130}})") == Entries{{1, 130}, {0, kMissing}, {2, kMissing}});
  CHECK(reveal_all(reader, R"({"values": {"2": 1, "age": 60}})") == Entries{{2, 1}, {0, 60}, {1, kMissing}});
  const auto planned = reveal(reader, R"({"label": 1, "values": {"age": 60}})", {0, 2});
  CHECK(planned[0] == 60);
  CHECK(std::isnan(planned[1]));
  for (const char* record :
       {R"({"values": {"age": 60, "BP": 130}})", R"({"label": 1, "values": {"BP": 1}})"}) {
    require_open(reader, record);
    std::vector<Entry> entries;
    CHECK(reader.reveal_all(entries).error().message == "no attribute is called 'BP'; did you mean 'bp'?");
  }
}

TEST_CASE(
    "ndjson: where records have named all attributes an absent one is missing, and an unknown name refused") {
  AttributeNames names(2);
  NdjsonReader reader(2, names);
  CHECK(reveal_all(reader, R"({"label": 1, "values": {"age": 60}})") == Entries{{0, 60}});
  CHECK(reveal_all(reader, R"({"label": 1, "values": {"bp": 130}})") == Entries{{1, 130}, {0, kMissing}});
  CHECK(reveal_all(reader, R"({"values": {"age": 60}})") == Entries{{0, 60}, {1, kMissing}});
  require_open(reader, R"({"values": {"age": 60, "BP": 130}})");
  std::vector<Entry> entries;
  CHECK(reader.reveal_all(entries).error().message == "no attribute is called 'BP'; did you mean 'bp'?");
}

TEST_CASE("ndjson: absent may be said to be zero, or unknown") {
  AttributeNames names(2);
  REQUIRE(names.fix({"a", "b"}).has_value());
  NdjsonReader sparse(2, names, Absent::kZero);
  CHECK(reveal_all(sparse, R"({"values": {"b": 1}})") == Entries{{1, 1}});
  CHECK(reveal(sparse, R"({"label": 1, "values": {"b": 1}})", {0, 1}) == Values{0, 1});
  std::vector<Entry> entries;
  require_open(sparse, R"({"values": {"c": 1}})");
  CHECK_FALSE(sparse.reveal_all(entries).has_value());

  AttributeNames open(2);
  NdjsonReader strict(2, open, Absent::kUnknown);
  CHECK(reveal_all(strict, R"({"values": {"1": 1}})") == Entries{{1, 1}, {0, kMissing}});
  require_open(strict, R"({"values": {"c": 1}})");
  CHECK(strict.reveal_all(entries).error().message == "no attribute is called 'c'");
}

TableOptions label_and_ignored(const std::vector<const char*>& labels,
                               const std::vector<const char*>& ignored = {}) {
  TableOptions table;
  if (!labels.empty()) table.label = parse_column(labels.front());
  for (std::size_t l = 1; l < labels.size(); ++l) table.further_labels.push_back(parse_column(labels[l]));
  for (const char* name : ignored) table.ignored.push_back(parse_column(name));
  return table;
}

TEST_CASE("ndjson: the keys of a flat object are columns, wherever the label stands") {
  for (const bool are_fixed : {false, true}) {
    AttributeNames names(2);
    if (are_fixed) REQUIRE(names.fix({"a", "b"}).has_value());
    NdjsonReader reader(2, names, Absent::kAuto, label_and_ignored({"y"}));
    for (const std::string_view record :
         {R"({"y": 3, "a": 1, "b": 5})", R"({"a": 1, "y": 3, "b": 5})", R"({"a": 1, "b": "5", "y": 3})",
          R"({"a": true, "b": 5, "\u0079": "3"})"}) {
      CAPTURE(std::string(record));
      CHECK(reveal(reader, std::string(record), {0, 1}) == Values{1, 5});
      CHECK(reader.head().label == 3.0);
      CHECK(reveal(reader, std::string(record), {1}) == Values{5});
      CHECK(reveal_all(reader, std::string(record)) == Entries{{0, 1}, {1, 5}});
    }
    CHECK(reader.is_flat());
    CHECK(names.size() == 2);
  }
}

TEST_CASE(
    "ndjson: a flat object without its label, or with null, is a question, and what it lacks is missing") {
  AttributeNames names(2);
  NdjsonReader reader(2, names, Absent::kAuto, label_and_ignored({"y"}));
  CHECK(reveal(reader, R"({"y": 3, "a": 1})", {0}) == Values{1});
  CHECK(same(reveal(reader, R"({"y": 3, "b": 1})", {0, 1})[0], kMissing));
  for (const char* record : {R"({"a": 1, "b": null})", R"({"y": null, "a": 1})", R"({"a": 1, "y": ""})"}) {
    CAPTURE(std::string(record));
    CHECK(reveal_all(reader, record) == Entries{{0, 1}, {1, kMissing}});
    CHECK_FALSE(reader.head().label);
  }
  NdjsonReader sparse(2, names, Absent::kZero, label_and_ignored({"y"}));
  CHECK(reveal(sparse, R"({"y": 3, "a": 1})", {0, 1}) == Values{1, 0});
  CHECK(reveal_error(reader, R"({"y": 3, "a": 1, "c": 2})", {0}) ==
        "no attribute is called 'c'; did you mean 'a'?: --ignore 'c' passes it over");
}

TEST_CASE("ndjson: the label of flat objects is called label unless --label names it") {
  AttributeNames names(1);
  NdjsonReader reader(1, names);
  CHECK(reveal(reader, R"({"label": 3, "a": 1})", {0}) == Values{1});
  CHECK(reader.head().label == 3.0);
  CHECK(open_error(reader, R"({"label": 3, "a": 1, "label": 4})") == "the key 'label' is given twice");
}

TEST_CASE("ndjson: several labels stand among the keys of flat objects") {
  AttributeNames names(2);
  NdjsonReader reader(2, names, Absent::kAuto, label_and_ignored({"y", "z"}));
  CHECK(reveal(reader, R"({"z": 4, "a": 1, "y": 3, "b": 2})", {0, 1}) == Values{1, 2});
  CHECK(reader.head().label == 3.0);
  CHECK(reader.head().further_labels[0] == 4);
  require_open(reader, R"({"a": 1})");
  CHECK_FALSE(reader.head().label);
  CHECK(open_error(reader, R"({"a": 1, "y": 3})").starts_with("label 'z' is missing beside others"));
  CHECK(open_error(reader, R"({"a": 1, "y": 3, "z": "x"})") ==
        "the label 'z' is 'x', and of several labels none holds words");
}

TEST_CASE("ndjson: keys that are ignored are passed over, with whatever stands behind them") {
  for (const std::string_view odd :
       {"7", "\"2026-11-24\"", "null", "true", "[1, {\"a\": 2}]", "{\"a\": [3]}"}) {
    CAPTURE(std::string(odd));
    for (const char* form : {R"({{"id": {0}, "label": 3, "values": {{"a": 1, "b": 2}}}})",
                             R"({{"label": 3, "id": {0}, "values": {{"a": 1, "b": 2}}, "ts": {0}}})",
                             R"({{"label": 3, "values": {{"a": 1, "id": {0}, "b": 2}}}})",
                             R"({{"label": 3, "values": {{"a": 1, "b": 2, "ts": {0}}}}})",
                             R"({{"id": {0}, "label": 3, "a": 1, "b": 2}})",
                             R"({{"label": 3, "a": 1, "id": {0}, "b": 2, "ts": {0}}})"}) {
      AttributeNames names(2);
      NdjsonReader reader(2, names, Absent::kAuto, label_and_ignored({}, {"ts", "id"}));
      const std::string record = fmt::format(fmt::runtime(form), odd);
      CAPTURE(record);
      CHECK(reveal(reader, record, {0, 1}) == Values{1, 2});
      CHECK(reader.head().label == 3.0);
      CHECK(names.size() == 2);
    }
  }
  AttributeNames names(2);
  NdjsonReader reader(2, names);
  CHECK(open_error(reader, R"({"label": 3, "a": 1, "m": [1]})") ==
        "the value of 'm' must be a number, a string or null, not an array: --ignore 'm' passes it over");
}

TEST_CASE("ndjson: the first object that can be read decides whether objects are flat") {
  AttributeNames names(2);
  NdjsonReader nested(2, names);
  CHECK(open_error(nested, R"({"label": 1, "a": [1]})").starts_with("the value of 'a'"));
  require_open(nested, R"({"label": 1, "values": {"a": 1, "b": 2}})");
  CHECK(open_error(nested, R"({"label": 1, "a": 1})").starts_with("unknown key 'a'"));
  CHECK_FALSE(nested.is_flat());
  AttributeNames others(2);
  NdjsonReader flat(2, others);
  require_open(flat, R"({"label": 1, "a": 1})");
  CHECK(reveal(flat, R"({"label": 1, "values": {"a": 4}})", {0}) == Values{4});
  CHECK(reveal(flat, R"([4, 5])", {0, 1}) == Values{4, 5});
  CHECK(reveal(flat, R"({"label": 1, "a": 6})", {0}) == Values{6});
}

TEST_CASE("ndjson: lines may be those of a JSON array") {
  AttributeNames names(2);
  NdjsonReader reader(2, names);
  for (const char* bracket : {"[", " [ ", "]", "],"}) CHECK(holds_nothing(reader, bracket));
  for (const char* record :
       {R"([{"label": 3, "values": {"a": 1, "b": 2}},)", R"([{"label": 3, "values": {"a": 1, "b": 2}}])",
        R"( {"label": 3, "values": {"a": 1, "b": 2}} , )", R"({"label": 3, "values": {"a": 1, "b": 2}}])"}) {
    CAPTURE(std::string(record));
    CHECK(reveal(reader, record, {0, 1}) == Values{1, 2});
    CHECK(reader.head().label == 3.0);
  }
  AttributeNames others(2);
  NdjsonReader arrays(2, others);
  CHECK(reveal(arrays, "[1, 2],", {0, 1}) == Values{1, 2});
  CHECK(reveal(arrays, R"({"label": 3, "values": [1, 2]},)", {0, 1}) == Values{1, 2});
  CHECK(open_error(reader, R"([{"values": {"a": 1}}, {"values": {"a": 2}}])") ==
        "several examples stand in one line, and each needs its own: jq -c '.[]' makes lines of an array");
  CHECK(open_error(reader, R"(  {"label": 3,)").find("this array goes on: jq -c '.[]'") != std::string::npos);
  CHECK(open_error(arrays, R"({"label": 3,)").find("this object goes on: jq -c .") != std::string::npos);
}

TEST_CASE(
    "ndjson: what other programs write in place of JSON is named, with its place and the right spelling") {
  AttributeNames names(2);
  NdjsonReader reader(2, names);
  const auto says = [&](std::string_view value, std::string_view rest) {
    CAPTURE(std::string(value));
    for (const char* form : {R"({{"values": {{"a": {}, "b": 1}}}})", R"({{"values": {{"b": 1, "a": {}}}}})",
                             R"([{{"values": {{"a": {}}}}},)"}) {
      const std::string record = fmt::format(fmt::runtime(form), value);
      const std::string error = open_error(reader, record);
      CHECK(error.ends_with(rest));
      std::size_t byte = 0;
      REQUIRE(error.starts_with("not valid JSON at byte "));
      byte = std::stoul(error.substr(23));
      const std::size_t begin = record.find(value) + 1;
      CHECK(byte >= begin);
      CHECK(byte <= begin + value.size());
    }
  };
  for (const char* missing : {"NaN", "nan", "None", "Infinity", "-Infinity", "undefined"})
    says(missing, " is no JSON: write null where a value is missing");
  says("True", "True is no JSON: write true");
  says("False", "False is no JSON: write false");
  says("'x'", "strings and keys stand in double quotes in JSON: json.dumps() writes them so");
}

TEST_CASE("ndjson: the weight of a flat object is its importance, wherever it stands") {
  AttributeNames names(2);
  REQUIRE(names.fix({"a", "b"}).has_value());
  TableOptions options;
  options.label = parse_column("y");
  options.weight = parse_column("w");
  options.ignored = {parse_column("id")};
  NdjsonReader reader(2, names, Absent::kAuto, options);
  const auto weight = [&](std::string_view record) {
    REQUIRE(reader.open(record).has_value());
    return reader.head().importance;
  };
  CHECK(weight(R"({"w": 2.5, "y": 1, "a": 3, "b": 4})") == 2.5);
  CHECK(reveal(reader, R"({"y": 1, "a": 3, "w": 0, "id": 9, "b": 4})", {0, 1}) == Values{3, 4});
  CHECK(reader.head().importance == 0);
  CHECK(weight(R"({"y": 1, "a": 3, "b": 4, "w": "7"})") == 7);
  CHECK(weight(R"({"a": 3, "b": 4})") == 1);
  CHECK(weight(R"({"a": 3, "b": 4, "w": -1})") == 1);  // of a question it says nothing
  for (const char* record : {R"({"y": 1, "a": 3})", R"({"y": 1, "a": 3, "w": null})"})
    CHECK(
        open_error(reader, record) ==
        "the weight 'w' of an example with a label must be a finite number of at least 0, and it is missing");
  for (const char* record : {R"({"y": 1, "a": 3, "w": -1})", R"({"w": "heavy", "y": 1, "a": 3})"})
    CHECK(open_error(reader, record).ends_with("is not a finite number of at least 0"));
  CHECK(reader.ignores("w"));
  NdjsonReader nested(2, names, Absent::kAuto, options);
  CHECK(reveal(nested, R"({"label": 1, "importance": 2, "values": {"a": 5, "b": 6}})", {0, 1}) ==
        Values{5, 6});
  CHECK_FALSE(nested.ignores("w"));
}

}  // namespace ndjson_reader_test
