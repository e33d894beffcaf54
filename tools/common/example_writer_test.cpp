#include "common/example_writer.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "base/random.h"

namespace glimpse::example_writer_test {
namespace {

const std::vector<double> kValues = {0.5, 0, 2};

std::string written(std::string_view format, std::optional<double> label, const std::vector<double>& values) {
  const auto writer = make_example_writer(format);
  REQUIRE(writer.has_value());
  std::string out;
  (*writer)->append(label, values, out);
  return out;
}

TEST_CASE("each format writes an example as its page says") {
  CHECK(written("svmlight", -1, kValues) == "-1 1:0.5 3:2\n");
  CHECK(written("vw", -1, kValues) == "-1 | 0:0.5 2:2\n");
  CHECK(written("csv", -1, kValues) == "-1,0.5,0,2\n");
  CHECK(written("ndjson", -1, kValues) == "{\"label\":-1,\"values\":{\"0\":0.5,\"2\":2}}\n");
  const float singles[] = {-1, 0.5F, 0, 2};
  CHECK(written("f32", -1, kValues) == std::string(reinterpret_cast<const char*>(singles), sizeof singles));
}

TEST_CASE("an example without a label asks for a prediction") {
  CHECK(written("svmlight", {}, kValues) == "? 1:0.5 3:2\n");
  CHECK(written("vw", {}, kValues) == "| 0:0.5 2:2\n");
  CHECK(written("csv", {}, kValues) == ",0.5,0,2\n");
  CHECK(written("ndjson", {}, kValues) == "{\"values\":{\"0\":0.5,\"2\":2}}\n");
}

TEST_CASE("an example that is all zeros is still a record") {
  CHECK(written("svmlight", 1, {0, 0}) == "1\n");
  CHECK(written("vw", {}, {0, 0}) == "|\n");
  CHECK(written("ndjson", {}, {0, 0}) == "{\"values\":{}}\n");
}

TEST_CASE("the readers read back what the writers wrote") {
  Random random(3);
  constexpr std::size_t kDimension = 40;
  for (const Format format : {Format::kSvmlight, Format::kVw, Format::kCsv, Format::kNdjson, Format::kF32}) {
    CAPTURE(name_of(format));
    AttributeNames names(kDimension);
    FormatOptions options;
    options.dimension = kDimension;
    const auto reader = make_example_reader(format, options, names);
    auto writer = make_example_writer(format);
    REQUIRE(writer.has_value());
    for (int example = 0; example < 200; ++example) {
      std::vector<double> values(kDimension);
      for (double& value : values) {
        const bool zero = random.below(3) == 0;
        const double number =
            (random.uniform() - 0.5) * std::pow(10, static_cast<double>(random.below(20)) - 10);
        if (!zero) value = format == Format::kF32 ? static_cast<float>(number) : number;
      }
      std::optional<double> label;
      if (random.below(4) != 0) label = example;
      std::string record;
      (*writer)->append(label, values, record);
      if (format != Format::kF32) {
        REQUIRE(record.back() == '\n');
        record.pop_back();
      }
      const Status opened = reader->open(record);
      REQUIRE_MESSAGE(opened.has_value(), opened.error().message);
      REQUIRE(reader->has_example());
      CHECK(reader->head().label == label);
      std::vector<Entry> entries;
      REQUIRE(reader->reveal_all(entries).has_value());
      std::vector<double> back(kDimension);
      for (const Entry& entry : entries) back[entry.attribute] = entry.value;
      CHECK(back == values);
    }
  }
}

TEST_CASE("a kept text is not given for another number") {
  NumberText numbers;
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(2000)) - 1000);
    std::string text;
    numbers.append(value, text);
    CHECK(std::stod(text) == value);
  }
  std::string longest;
  numbers.append(-1.2345678901234568e-300, longest);
  CHECK(longest == "-1.2345678901234568e-300");
  std::string zero;
  numbers.append(0, zero);
  CHECK(zero == "0");
}

TEST_CASE("an unknown format and 'auto' are refused") {
  for (const std::string name : {"arff", "auto", "npy", ""}) {
    const auto writer = make_example_writer(name);
    REQUIRE(writer.has_error());
    CHECK(writer.error().code == ErrorCode::kInvalidOption);
    CHECK(writer.error().message == "must be svmlight, vw, csv, ndjson or f32");
  }
}

}  // namespace
}  // namespace glimpse::example_writer_test
