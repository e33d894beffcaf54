#include <benchmark/benchmark.h>
#include <exception>
#include <fmt/format.h>
#include <string_view>

#include "common/command_line.h"
#include "ratios.h"

namespace {

constexpr std::string_view kUsage =
    "Usage: glimpse-bench [--ratios | options of Google Benchmark]\n"
    "Times samplers, learning steps and parsers.\n\n"
    "  --ratios             measure instead what is promised about scale: a step at d = 10^7 against one at\n"
    "                       d = 10^3, and the bytes kept for each attribute; exit status 1 when a figure is\n"
    "                       over its limit\n"
    "  --benchmark_filter=REGEX\n"
    "                       only those whose name matches: step, parse/vw, alias_sample, tree_update, ...\n"
    "  --benchmark_repetitions=N, --benchmark_format=json, ...\n"
    "                       as in Google Benchmark\n";

int run(int argc, char** argv) {
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
