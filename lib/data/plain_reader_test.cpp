#include "data/plain_reader.h"

#include <string>
#include <vector>

#include "data/formats.h"
#include "data/random_records_test_support.h"

namespace plain_reader_test {

using namespace glimpse;
using namespace glimpse::random_records;

namespace {

struct Pair {
  AttributeNames names;
  std::unique_ptr<ExampleReader> reader;
  std::unique_ptr<PlainReader> plain;
};

// A reader that has seen `first`, and its twin.
Pair pair_of(Format format, std::string_view first, std::size_t dimension = kDimension) {
  Pair pair{dimension == kDimension ? ten_names(format) : AttributeNames(dimension), nullptr, nullptr};
  FormatOptions options;
  options.dimension = dimension;
  pair.reader = make_example_reader(format, options, pair.names);
  REQUIRE(pair.reader->open(first).has_value());
  pair.names.keep();
  pair.plain = PlainReader::make(*pair.reader, pair.names);
  return pair;
}

bool reads(PlainReader& plain, std::string_view record, std::vector<Attribute> attributes = {0, 2}) {
  PlainExample example;
  std::vector<double> values(attributes.size());
  return plain.read(record, attributes, values, example);
}

}  // namespace

TEST_CASE("what is plain is read as the stream's own reader reads it, and brings the same numbers") {
  Random random(41);
  for (const Format format : {Format::kSvmlight, Format::kVw, Format::kCsv}) {
    CAPTURE(name_of(format));
    std::string first = make(format, random).record;
    if (format == Format::kCsv) first = "1" + std::string(kDimension, ',');
    Pair pair = pair_of(format, first);
    REQUIRE(pair.plain);
    int plain_ones = 0;
    int labelled_ones = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      std::string record = make(format, random).record;
      if (trial % 3 == 0) change_bytes(record, random);
      if (record.find('\n') != std::string::npos) continue;
      CAPTURE(record);
      const std::vector<Attribute> plan = some_attributes(random, true);
      PlainExample example;
      std::vector<double> found(plan.size());
      const bool is_plain = pair.plain->read(record, plan, found, example);
      std::vector<double> values(plan.size());
      const bool is_fine = pair.reader->open(record) && pair.reader->has_example() &&
                           pair.reader->head().label && pair.reader->reveal(plan, values);
      labelled_ones += is_fine ? 1 : 0;
      plain_ones += is_plain ? 1 : 0;
      if (is_plain) {
        REQUIRE(is_fine);
        REQUIRE(example.label == *pair.reader->head().label);
        REQUIRE(example.importance == pair.reader->head().importance);
        for (std::size_t i = 0; i < plan.size(); ++i) REQUIRE(same(found[i], values[i]));
      }
      pair.names.take_back();
    }
    CHECK(plain_ones > labelled_ones * 9 / 10);
    CHECK(labelled_ones > 500);
  }
}

TEST_CASE("numbers that a plain record says are told, but those of fixed names") {
  Pair pair = pair_of(Format::kSvmlight, "1 1:1");  // 0 to 9 are fixed
  PlainExample example;
  std::vector<double> values(1);
  const std::vector<Attribute> plan{30};
  REQUIRE(pair.plain->read("2 3:1 16:1 31:5 # 40:1", plan, values, example));
  REQUIRE(example.numbers);
  CHECK(example.numbers->first == 15);
  CHECK(example.numbers->last == 30);
  CHECK(values[0] == 5);
  REQUIRE(pair.plain->read("2 3:1", plan, values, example));
  CHECK_FALSE(example.numbers);
  CHECK(values[0] == 0);
}

TEST_CASE("what brings something new, asks, or is wrong is left to the stream's own reader") {
  Pair vw = pair_of(Format::kVw, "1 | 11:1");
  REQUIRE(vw.plain);
  CHECK(reads(*vw.plain, "1 |ns x0:1 x9"));
  for (const char* record :
       {"1 |ns x0:1 news", "| 11:1", "", "# 1", "word | 11:1", "1 | 11:x", "1 | 99:1", "1"}) {
    CAPTURE(record);
    CHECK_FALSE(reads(*vw.plain, record, {11}));
  }
  CHECK(reads(*vw.plain, "1 |ns x0:1 x9"));  // nothing of them stayed

  Pair csv = pair_of(Format::kCsv, "1,2,3,4", 3);
  REQUIRE(csv.plain);
  CHECK(reads(*csv.plain, "1,2,,4"));
  CHECK(reads(*csv.plain, "1,2,NA,\"4\""));
  for (const char* record : {"1,red,3,4", "red,2,3,4", ",2,3,4", "2,3,4", "1,2,3,4,5", "1,inf,3,4"}) {
    CAPTURE(record);
    CHECK_FALSE(reads(*csv.plain, record));
  }
  CHECK_FALSE(reads(*csv.plain, "1,2,3,4" + std::string(PlainReader::kLongest, ' ')));
}

TEST_CASE("there is no reader of plain records before the first row, nor where attributes hold words") {
  AttributeNames names(3);
  FormatOptions options;
  options.dimension = 3;
  const auto csv = make_example_reader(Format::kAuto, options, names);
  CHECK_FALSE(PlainReader::make(*csv, names));
  REQUIRE(csv->open("1,2,3,4").has_value());
  CHECK(PlainReader::make(*csv, names));
  REQUIRE(names.categories().declare(1, "1").has_value());
  CHECK_FALSE(PlainReader::make(*csv, names));
}

}  // namespace plain_reader_test
