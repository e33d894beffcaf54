#include <algorithm>
#include <benchmark/benchmark.h>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "common/example_writer.h"

// What it costs to open a record and reveal K attributes, for each format, on lines made in memory.

namespace glimpse {
namespace {

enum Shape {
  kPictures,  // like MNIST: 784 attributes, one in five not 0, each n/255
  kDense,     // 500 attributes, all of them numbers of six digits
};

constexpr std::size_t kRecords = 256;  // enough that the processor cannot learn the lines by heart

std::size_t dimension_of(Shape shape) { return shape == kPictures ? 784 : 500; }

std::vector<std::string> make_records(Format format, Shape shape) {
  Random random(1);
  auto writer = make_example_writer(format);
  std::vector<double> values(dimension_of(shape));
  std::vector<std::string> records(kRecords);
  for (std::string& record : records) {
    for (double& value : values) {
      if (shape == kDense) {
        value = static_cast<double>(random.below(2'000'000)) / 1e6 - 1;
      } else {
        value = random.below(5) == 0 ? static_cast<double>(random.below(256)) / 255 : 0;
      }
    }
    (*writer)->append(random.below(2) == 0 ? -1 : 1, values, record);
    if (format != Format::kF32) record.pop_back();  // readers get lines without their newline
  }
  return records;
}

std::vector<std::vector<Attribute>> make_plans(std::size_t dimension, std::size_t budget) {
  Random random(2);
  std::vector<std::vector<Attribute>> plans(kRecords);
  for (auto& plan : plans) {
    std::set<Attribute> chosen;
    while (chosen.size() < budget) chosen.insert(static_cast<Attribute>(random.below(dimension)));
    plan.assign(chosen.begin(), chosen.end());
  }
  return plans;
}

void parse(benchmark::State& state, Format format, Shape shape) {
  const std::size_t dimension = dimension_of(shape);
  const auto records = make_records(format, shape);
  const auto plans = make_plans(dimension, static_cast<std::size_t>(state.range(0)));
  AttributeNames names(dimension);
  FormatOptions options;
  options.dimension = dimension;
  const auto reader = make_example_reader(format, options, names);
  std::vector<double> values(static_cast<std::size_t>(state.range(0)));
  std::size_t next = 0;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    const std::string& record = records[next];
    if (!reader->open(record) || !reader->reveal(plans[next], values))
      state.SkipWithError("the record was refused");
    benchmark::DoNotOptimize(values.data());
    bytes += static_cast<std::int64_t>(record.size());
    next = (next + 1) % kRecords;
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

#define GLIMPSE_PARSER(name, format)                                                           \
  BENCHMARK_CAPTURE(parse, name##_pictures, format, kPictures)->ArgName("K")->Arg(5)->Arg(57); \
  BENCHMARK_CAPTURE(parse, name##_dense, format, kDense)->ArgName("K")->Arg(5)->Arg(57)

GLIMPSE_PARSER(svmlight, Format::kSvmlight);
GLIMPSE_PARSER(vw, Format::kVw);
GLIMPSE_PARSER(csv, Format::kCsv);
GLIMPSE_PARSER(ndjson, Format::kNdjson);
GLIMPSE_PARSER(f32, Format::kF32);

#undef GLIMPSE_PARSER

}  // namespace
}  // namespace glimpse
