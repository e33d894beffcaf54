#include <benchmark/benchmark.h>
#include <exception>
#include <fmt/format.h>
#include <string_view>

#include "common/output.h"
#include "common/tool.h"
#include "data/formats.h"
#include "data/text/number.h"
#include "ratios.h"
#include "scan.h"
#include "streams.h"

namespace {

constexpr std::string_view kUsage =
    "Usage: glimpse-bench [--ratios | --stream KIND ... | --scan FILE | options of Google Benchmark]\n"
    "Times samplers, learning steps and parsers.\n\n"
    "  --ratios             measure instead what is promised about scale: a step at d = 10^7 against one at\n"
    "                       d = 10^3, and the bytes kept for each attribute; exit status 1 when a figure is\n"
    "                       over its limit\n"
    "  --stream KIND D N FORMAT\n"
    "                       write instead N examples of D attributes, for timing whole programs: dense\n"
    "                       (numbers of six decimals), pictures (like MNIST) or sparse (100 of D given)\n"
    "  --scan FILE          time instead what reading CSV cannot do without: finding the lines of FILE and\n"
    "                       their fields; prints lines, bytes, and the seconds that took without reading\n"
    "  --benchmark_filter=REGEX\n"
    "                       only those whose name matches: step, parse/vw, alias_sample, tree_update, ...\n"
    "  --benchmark_repetitions=N, --benchmark_format=json, ...\n"
    "                       as in Google Benchmark\n";

using glimpse::ErrorCode;
using glimpse::failure;

int write_stream(int argc, char** argv) {
  const auto fail = [](const glimpse::Error& error) { return glimpse::report("glimpse-bench", error); };
  if (argc != 6) return fail(failure(ErrorCode::kInvalidOption, "--stream needs KIND D N FORMAT"));
  glimpse::StreamOptions options;
  options.kind = argv[2];
  std::uint64_t dimension = 0;
  std::uint64_t examples = 0;
  if (!glimpse::read_index(argv[3], dimension) || dimension < 1 || dimension > 100'000'000)
    return fail(failure(ErrorCode::kInvalidOption, "D '{}' must be from 1 to 100000000", argv[3]));
  if (!glimpse::read_index(argv[4], examples))
    return fail(failure(ErrorCode::kInvalidOption, "N '{}' must be a whole number", argv[4]));
  const auto format = glimpse::parse_format(argv[5]);
  if (!format) return fail(format.error());
  options.dimension = dimension;
  options.examples = examples;
  options.format = *format;
  glimpse::ignore_broken_pipes();
  const glimpse::Status status = glimpse::write_stream(options);
  return status ? 0 : fail(status.error());
}

int print_scan(const char* path) {
  const auto scan = glimpse::scan_csv(path);
  if (!scan) return glimpse::report("glimpse-bench", scan.error());
  fmt::print("{} {} {:.6f}\n", scan->lines, scan->bytes, scan->seconds);
  return 0;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--stream") return write_stream(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "--scan") {
    if (argc == 3) return print_scan(argv[2]);
    return glimpse::report("glimpse-bench",
                           failure(ErrorCode::kInvalidOption, "--scan needs a FILE, and nothing else"));
  }
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      fmt::print("{}", kUsage);
      return 0;
    }
    if (word == "--ratios" && argc == 2) return glimpse::print_ratios() ? 0 : glimpse::kExitFailure;
    if (word == "--ratios") {
      return glimpse::report("glimpse-bench", glimpse::failure(glimpse::ErrorCode::kInvalidOption,
                                                               "--ratios goes with no other option"));
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return glimpse::kExitBadOption;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "glimpse-bench: {}\n", error.what());
    return glimpse::kExitFailure;
  }
}
