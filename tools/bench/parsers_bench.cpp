#include <algorithm>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "common/example_writer.h"

// What it costs to open a record and reveal K attributes, or all of them (K:0, as for a prediction), for each
// format, on lines made in memory. --benchmark_filter=kernel: the same with every kernel that this processor
// runs.

namespace glimpse {
namespace {

enum Shape {
  kPictures,  // like MNIST: 784 attributes, one in five not 0, each n/255
  kDense,     // 500 attributes, all of them numbers of six digits behind the point
  kLong,      // 500 attributes, all of them numbers of 15 to 17 digits
  kWide,      // 1,000,000 attributes, of which 100 are not 0
};

constexpr std::size_t kRecords = 256;  // enough that the processor cannot learn the lines by heart

std::size_t dimension_of(Shape shape) { return shape == kPictures ? 784 : shape == kWide ? 1'000'000 : 500; }

double make_value(Shape shape, Random& random) {
  switch (shape) {
    case kPictures:
      return random.below(5) == 0 ? static_cast<double>(random.below(256)) / 255 : 0;
    case kDense:
      return (static_cast<double>(random.below(2'000'000)) - 1e6) / 1e6;
    default:
      return random.uniform() * 2 - 1;
  }
}

// Lines of `format`, which is svmlight or VW text, with values for 100 attributes.
std::string make_wide_record(Format format, std::size_t dimension, Random& random) {
  std::set<std::size_t> chosen;
  while (chosen.size() < 100) chosen.insert(random.below(dimension));
  std::string record = format == Format::kVw ? "1 |" : "1";
  for (const std::size_t i : chosen)
    record += fmt::format(" {}:{}", format == Format::kVw ? i : i + 1, make_value(kDense, random));
  return record;
}

std::vector<std::string> make_records(Format format, Shape shape) {
  Random random(1);
  auto writer = make_example_writer(format);
  std::vector<double> values(dimension_of(shape));
  std::vector<std::string> records(kRecords);
  for (std::string& record : records) {
    if (shape == kWide) {
      record = make_wide_record(format, values.size(), random);
      continue;
    }
    for (double& value : values) value = make_value(shape, random);
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

void parse(benchmark::State& state, Format format, Shape shape, const TextKernel* kernel) {
  const std::size_t dimension = dimension_of(shape);
  const auto budget = static_cast<std::size_t>(state.range(0));
  const auto records = make_records(format, shape);
  const auto plans = make_plans(dimension, budget);
  AttributeNames names(dimension);
  FormatOptions options;
  options.dimension = dimension;
  options.kernel = kernel;
  const auto reader = make_example_reader(format, options, names);
  std::vector<double> values(budget);
  std::vector<Entry> entries;
  std::size_t next = 0;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    const std::string& record = records[next];
    if (!reader->open(record) ||
        !(budget > 0 ? reader->reveal(plans[next], values) : reader->reveal_all(entries)))
      state.SkipWithError("the record was refused");
    benchmark::DoNotOptimize(values.data());
    benchmark::DoNotOptimize(entries.data());
    bytes += static_cast<std::int64_t>(record.size());
    next = (next + 1) % kRecords;
  }
  state.SetBytesProcessed(bytes);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void add(const std::string& name, Format format, Shape shape, const TextKernel* kernel) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { parse(state, format, shape, kernel); })
      ->ArgName("K")
      ->Arg(5)
      ->Arg(57)
      ->Arg(0);
}

[[maybe_unused]] const bool kAdded = [] {
  constexpr std::pair<Shape, const char*> kShapes[] = {
      {kPictures, "pictures"}, {kDense, "dense"}, {kLong, "long"}, {kWide, "wide"}};
  for (const Format format : {Format::kSvmlight, Format::kVw, Format::kCsv, Format::kNdjson, Format::kF32}) {
    const bool is_sparse = format == Format::kSvmlight || format == Format::kVw;
    for (const auto& [shape, shape_name] : kShapes) {
      if (shape == kWide && !is_sparse) continue;
      const std::string name = fmt::format("{}_{}", name_of(format), shape_name);
      add("parse/" + name, format, shape, &text_kernel());
      if (!is_sparse && format != Format::kCsv) continue;
      for (const TextKernel* kernel : text_kernels())
        add(fmt::format("kernel/{}/{}", kernel->name, name), format, shape, kernel);
    }
  }
  return true;
}();

}  // namespace
}  // namespace glimpse
