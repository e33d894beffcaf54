// Lines of JSON that are read 64 bytes at a time, against the same lines with a newline behind them, which is
// a blank of JSON that makes NdjsonGrammar read them.

#include "data/formats/ndjson_line.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "data/formats/ndjson_reader.h"
#include "data/random_records_test_support.h"
#include "data/text/text.h"

namespace ndjson_line_test {

using namespace glimpse;

namespace {

constexpr std::size_t kAttributes = 8;

std::string text_of(Random& random, std::size_t names) {
  constexpr std::string_view kNames[] = {"age", "a much longer name", "b", "12x", "\xc3\xa9t\xc3\xa9",
                                         "bp",  "t\\u0041g",          "c", "d",   "\xff"};
  return std::string(kNames[random.below(names)]);
}

std::string value_of(Random& random) {
  constexpr std::string_view kValues[] = {"0.5",        "-3",     "1e5",   "null",   "7",
                                          "\"2.5\"",    "\"NA\"", "0.125", "1e-400", "12345",
                                          "\"a word\"", "1e999",  "true",  "1.e5"};
  return std::string(kValues[random.below(random.below(8) == 0 ? 14 : 11)]);
}

// Mostly right; keys are indices, names, or both.
std::string line_of(Random& random) {
  const std::uint64_t keys = random.below(5);
  std::string values;
  Attribute index = 0;
  const std::uint64_t members = keys == 4 ? kAttributes : random.below(6);
  for (std::uint64_t i = 0; i < members; ++i) {
    if (i > 0) values += random.below(4) == 0 ? ", " : ",";
    index += static_cast<Attribute>(random.below(3));
    const bool is_name = keys == 0 || keys == 1 || (keys == 2 && random.below(2) == 0);
    if (keys != 4)
      values += is_name ? fmt::format("\"{}\":", text_of(random, random.below(20) == 0 ? 10 : 6))
                        : fmt::format("\"{}\":", random.below(10) == 0 ? 3 : index);
    if (random.below(4) == 0) values += ' ';
    values += value_of(random);
    ++index;
  }
  values = keys == 4 ? "[" + values + "]" : "{" + values + "}";
  if (keys == 4 && random.below(4) == 0) return values;
  std::string line = "\"values\": " + values;
  constexpr std::string_view kHeads[] = {
      "\"label\": 1",           "\"label\":-2.5e0", "\"tag\":\"x y\"",       "\"importance\": 2",
      "\"label\":null",         "\"label\":\"3\"",  "\"tag\":\"\xc3\xa9\"",  "\"label\": 1.",
      "\"labels\": {\"a\": 1}", "\"labels\": null", "\"importance\": \"2\"", "\"tag\": 5"};
  for (std::uint64_t n = random.below(3); n > 0; --n) {
    const std::string head(kHeads[random.below(random.below(5) == 0 ? 12 : 7)]);
    line = random.below(2) == 0 ? line + "," + head : head + " , " + line;
  }
  return "{" + line + "}";
}

struct Read {
  std::string error;
  bool has_example = false;
  std::optional<double> label;
  double importance = 0;
  std::string tag;
  std::vector<double> values;
  std::vector<Entry> entries;
};

Read read(NdjsonReader& reader, const std::string& line, const std::vector<Attribute>& plan) {
  Read read;
  const auto note = [&](const Status& status) {
    if (!status && read.error.empty()) read.error = status.error().message;
    return status.has_value();
  };
  if (!note(reader.open(line))) return read;
  read.has_example = reader.has_example();
  if (!read.has_example) return read;
  read.label = reader.head().label;
  read.importance = reader.head().importance;
  read.tag = reader.head().tag;
  read.values.resize(plan.size());
  if (!note(reader.reveal(plan, read.values))) read.values.clear();
  if (!note(reader.reveal_all(read.entries))) read.entries.clear();
  return read;
}

void require_same(const Read& a, const Read& b) {
  // The newline is quoted, or is in a string that does not end.
  if (a.error.starts_with("text behind") || a.error.starts_with("not valid JSON")) {
    REQUIRE(a.error.substr(0, 10) == b.error.substr(0, 10));
    return;
  }
  REQUIRE(a.error == b.error);
  REQUIRE(a.has_example == b.has_example);
  REQUIRE(a.label == b.label);
  REQUIRE(a.importance == b.importance);
  REQUIRE(a.tag == b.tag);
  REQUIRE(a.values.size() == b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) REQUIRE(same(a.values[i], b.values[i]));
  REQUIRE(a.entries.size() == b.entries.size());
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    REQUIRE(a.entries[i].attribute == b.entries[i].attribute);
    REQUIRE(same(a.entries[i].value, b.entries[i].value));
  }
}

}  // namespace

TEST_CASE("ndjson line: what is read is what the grammar reads, and the same is wrong") {
  Random random(41);
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    int fine = 0;
    for (int turn = 0; turn < 400; ++turn) {
      AttributeNames names(kAttributes);
      AttributeNames grammar_names(kAttributes);
      if (turn % 4 == 1)
        for (AttributeNames* each : {&names, &grammar_names})
          REQUIRE(each->fix({"b", "age", "\xc3\xa9t\xc3\xa9"}).has_value());
      const Absent absent = turn % 3 == 0 ? Absent::kUnknown : turn % 3 == 1 ? Absent::kZero : Absent::kAuto;
      TableOptions table;
      if (turn % 5 == 0) table.label = parse_column("a");
      if (turn % 5 == 0) table.further_labels = {parse_column("b")};
      NdjsonReader plain(kAttributes, names, absent, table, nullptr, *kernel);
      NdjsonReader by_grammar(kAttributes, grammar_names, absent, table);
      for (int i = 0; i < 50; ++i) {
        std::string line = line_of(random);
        if (random.below(4) == 0) random_records::change_bytes(line, random);
        if (is_blank_or_comment(without_mark(line))) continue;
        CAPTURE(line);
        std::vector<Attribute> plan;
        for (Attribute a = 0; a < kAttributes; ++a)
          if (random.below(2) == 0) plan.push_back(a);
        const Read expected = read(by_grammar, line + "\n", plan);
        require_same(read(plain, line, plan), expected);
        REQUIRE(names.size() == grammar_names.size());
        for (Attribute a = 0; a < names.size(); ++a) REQUIRE(names.name(a) == grammar_names.name(a));
        fine += static_cast<int>(expected.error.empty());
      }
      // The next free index shows which numbers were used.
      const auto next = names.find_or_add("next");
      const auto grammar_next = grammar_names.find_or_add("next");
      REQUIRE(next.has_value() == grammar_next.has_value());
      if (next) REQUIRE(*next == *grammar_next);
    }
    CHECK(fine > 5000);
  }
}

TEST_CASE("ndjson line: plain lines of known attributes need no list of features") {
  AttributeNames names(kAttributes);
  NdjsonLine line(kAttributes, 0, text_kernel());
  REQUIRE(names.find_or_add("age").has_value());
  REQUIRE(names.find_or_add("a name of many bytes").has_value());
  const auto is_found = [&](std::string_view record) { return line.read(record, names) && line.are_found(); };
  CHECK(is_found(R"({"values": {"age": 1, "a name of many bytes": null}})"));
  CHECK(is_found(R"({"values": {"a name of many bytes": 2, "age": "x"}, "label": 1})"));
  CHECK(is_found(R"({"values": {"0": 1, "5": 2}})"));
  CHECK(is_found(R"({"values": {}})"));
  CHECK(is_found("[1,2,3,4,5,6,7,8]"));
  // New names, names beside indices, indices that do not ascend, what is given twice.
  for (const std::string_view record :
       {R"({"values": {"age": 1, "new": 1}})", R"({"values": {"age": 1, "0": 1}})",
        R"({"values": {"5": 1, "0": 1}})", R"({"values": {"age": 1, "age": 1}})",
        R"({"values": {"a name of many bytez": 1}})"}) {
    CAPTURE(record);
    CHECK(line.read(record, names));
    CHECK_FALSE(line.are_found());
  }
  // Escapes, long exponents, what is wrong.
  for (const std::string_view record : {R"({"values": {"a\u0067e": 1}})", R"({"values": {"age": 1e00001}})",
                                        R"({"values": {"age": 1,}})", R"({"values": {"9": 1}})", "[1,2,3]",
                                        R"({"values": {"age": [1]}})", R"({"lable": 1, "values": {}})"}) {
    CAPTURE(record);
    CHECK_FALSE(line.read(record, names));
  }
}

TEST_CASE("ndjson line: attributes are found in any order of names, and after names are forgotten") {
  AttributeNames names(kAttributes);
  NdjsonReader reader(kAttributes, names);
  const std::vector<Attribute> plan{0, 1, 2};
  std::vector<double> values(3);
  const auto read = [&](std::string_view record) {
    REQUIRE(reader.open(record).has_value());
    REQUIRE(reader.reveal(plan, values).has_value());
    return values;
  };
  using Values = std::vector<double>;
  CHECK(read(R"({"label": 1, "values": {"a": 1, "b": 2, "c": 3}})") == Values{1, 2, 3});
  CHECK(read(R"({"label": 1, "values": {"a": 4, "b": 5, "c": 6}})") == Values{4, 5, 6});
  CHECK(read(R"({"label": 1, "values": {"c": 9, "b": 8, "a": 7}})") == Values{7, 8, 9});
  CHECK(read(R"({"label": 1, "values": {"b": 1, "c": 2}})") == Values{0, 1, 2});
  CHECK(read(R"({"label": 1, "values": {"d": 1, "b": 2}})") == Values{0, 2, 0});
  names.take_back();  // d, as its record was not learned from
  CHECK(read(R"({"label": 1, "values": {"e": 1, "d": 3, "a": 2}})") == Values{2, 0, 0});
  CHECK(names.find("e") == Attribute{3});
  CHECK(names.find("d") == Attribute{4});
}

}  // namespace ndjson_line_test
