#pragma once

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/formats.h"
#include "data/reader_test_support.h"

/// Random records of every format with what they say, and the same with a few bytes changed.
namespace glimpse::random_records {

using namespace std::string_view_literals;

inline constexpr auto kAlphabet = "|:',;\"{}[]#?+-.eE0123456789 \t\r\0\x80\xff\\nainfNAultbegv^"sv;

inline constexpr std::size_t kDimension = 40;
inline constexpr Format kFormats[] = {Format::kSvmlight, Format::kVw, Format::kCsv, Format::kNdjson,
                                      Format::kF32};

struct Made {
  std::string record;
  std::optional<double> label;
  std::vector<double> values = std::vector<double>(kDimension, 0.0);
};

inline std::string blanks(Random& random) {
  return std::string(1 + random.below(2), random.below(8) == 0 ? '\t' : ' ');
}

// A number as text and as value; fmt writes as many digits as bring back the same double.
inline std::string number(Random& random, double& value) {
  switch (random.below(4)) {
    case 0:
      value = static_cast<double>(random.below(256));
      break;
    case 1:
      value = random.uniform() - 0.5;
      break;
    case 2:
      value = (random.uniform() - 0.5) * 1e-200;
      break;
    default:
      value = (random.uniform() - 0.5) * 1e15;
  }
  return fmt::format("{}", value);
}

inline std::string label(Random& random, Made& made, std::string_view absent) {
  if (random.below(4) == 0) return std::string(absent);
  double value = 0;
  std::string text = number(random, value);
  made.label = value;
  return text;
}

// Some attributes, in random order or ascending.
inline std::vector<Attribute> some_attributes(Random& random, bool ascending) {
  std::vector<Attribute> all;
  for (Attribute a = 0; a < kDimension; ++a) all.push_back(a);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  all.resize(random.below(kDimension + 1));
  if (ascending) std::sort(all.begin(), all.end());
  return all;
}

inline Made svmlight(Random& random) {
  Made made;
  made.record = label(random, made, "?");
  for (const Attribute a : some_attributes(random, random.below(2) == 0)) {
    made.record += fmt::format("{}{}:{}", blanks(random), a + 1, number(random, made.values[a]));
  }
  if (random.below(4) == 0) made.record += " # 3:4";
  return made;
}

// Attributes below 10 are written by name; the dictionary has them.
inline std::string name_of_attribute(Attribute a) {
  return a < 10 ? fmt::format("ns^x{}", a) : fmt::format("{}", a);
}

inline Made vw(Random& random) {
  Made made;
  made.record = label(random, made, "") + " |ns";
  for (const Attribute a : some_attributes(random, random.below(2) == 0)) {
    made.record += fmt::format("{}{}", blanks(random), a < 10 ? fmt::format("x{}", a) : fmt::format("{}", a));
    double value = 1;
    if (random.below(4) != 0) made.record += fmt::format(":{}", number(random, value));
    made.values[a] += value;
  }
  // Features of another namespace add to the same indices.
  if (random.below(2) == 0) {
    const std::size_t a = 10 + random.below(kDimension - 10);
    made.record += fmt::format(" |other {}:0.5", a);
    made.values[a] += 0.5;
  }
  return made;
}

inline Made csv(Random& random) {
  Made made;
  made.record = label(random, made, random.below(2) == 0 ? "" : "NA");
  const bool has_quotes = random.below(3) == 0;
  for (Attribute a = 0; a < kDimension; ++a) {
    std::string field = number(random, made.values[a]);
    if (random.below(6) == 0) {
      field = random.below(2) == 0 ? "" : " ?";
      made.values[a] = kMissing;
    } else if (has_quotes && random.below(3) == 0) {
      field = fmt::format("\"{}\" ", field);
    }
    made.record += random.below(5) == 0 ? " ," : ",";
    made.record += field;
  }
  return made;
}

inline Made ndjson(Random& random) {
  Made made;
  const std::string label_text = label(random, made, "null");
  const bool is_dense = random.below(2) == 0;
  std::string values;
  const auto one = [&](Attribute a) {
    std::string text = number(random, made.values[a]);
    if (random.below(6) != 0) return text;
    made.values[a] = kMissing;
    return std::string("null");
  };
  if (is_dense) {
    for (Attribute a = 0; a < kDimension; ++a) values += fmt::format("{}{}", a > 0 ? "," : "", one(a));
    values = fmt::format("[{}]", values);
  } else {
    for (const Attribute a : some_attributes(random, random.below(2) == 0)) {
      values += fmt::format("{}\"{}\":{}{}", values.empty() ? "" : ",", name_of_attribute(a), blanks(random),
                            one(a));
    }
    values = fmt::format("{{{}}}", values);
  }
  if (is_dense && !made.label && random.below(2) == 0) {
    made.record = values;
  } else if (random.below(2) == 0) {
    made.record = fmt::format(R"({{"label": {}, "values": {}}})", label_text, values);
  } else {
    made.record = fmt::format(R"({{"values": {}, "tag": "t\n", "label": {}}})", values, label_text);
  }
  return made;
}

inline Made f32(Random& random) {
  Made made;
  std::vector<float> row(kDimension + 1);
  for (float& x : row) x = static_cast<float>(random.uniform() - 0.5);
  if (random.below(4) == 0) row[0] = std::numeric_limits<float>::quiet_NaN();
  if (row[0] == row[0]) made.label = row[0];
  if (random.below(2) == 0) row[1 + random.below(kDimension)] = std::numeric_limits<float>::quiet_NaN();
  std::copy(row.begin() + 1, row.end(), made.values.begin());
  made.record = f32_row(row);
  return made;
}

inline Made make(Format format, Random& random) {
  switch (format) {
    case Format::kSvmlight:
      return svmlight(random);
    case Format::kVw:
      return vw(random);
    case Format::kCsv:
      return csv(random);
    case Format::kNdjson:
      return ndjson(random);
    default:
      return f32(random);
  }
}

// A few bytes changed, put in or taken out.
inline void change_bytes(std::string& record, Random& random) {
  for (std::uint64_t n = random.below(4); n > 0 && !record.empty(); --n) {
    const std::size_t at = random.below(record.size());
    const char c = kAlphabet[random.below(kAlphabet.size())];
    switch (random.below(4)) {
      case 0:
        record[at] = c;
        break;
      case 1:
        record.insert(at, 1 + random.below(3), c);
        break;
      case 2:
        record.erase(at, 1 + random.below(5));
        break;
      default:
        record.resize(at);
    }
  }
}

inline std::vector<std::pair<Format, const TextKernel*>> formats_and_kernels() {
  std::vector<std::pair<Format, const TextKernel*>> both;
  for (const TextKernel* kernel : text_kernels())
    for (const Format format : kFormats) both.emplace_back(format, kernel);
  return both;
}

// In VW text as records give them, so that not all lines are read the fast way; elsewhere numbers say the
// same attributes.
inline AttributeNames ten_names(Format format = Format::kVw) {
  AttributeNames names(kDimension);
  std::vector<std::string> ten;
  for (Attribute a = 0; a < 10; ++a) ten.push_back(name_of_attribute(a));
  if (format != Format::kVw) REQUIRE(names.fix(ten).has_value());
  for (const std::string& name : ten) REQUIRE(names.find_or_add(name).has_value());
  return names;
}

}  // namespace glimpse::random_records
