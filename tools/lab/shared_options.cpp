#include "lab/shared_options.h"

#include <algorithm>
#include <thread>

namespace glimpse {

namespace {

Result<std::uint64_t> parse_jobs(std::string_view option, std::string_view text) {
  const auto jobs = whole_number(option, text, 0, 4096);
  if (jobs && *jobs == 0) return std::max(1U, std::thread::hardware_concurrency());
  return jobs;
}

}  // namespace

std::string take_word(std::vector<const char*>& arguments) {
  if (arguments.size() < 2 || arguments[1][0] == '-') return {};
  std::string word = arguments[1];
  arguments.erase(arguments.begin() + 1);
  return word;
}

std::vector<OptionRow> execution_options() {
  using Types = OptionKind;
  return {
      {"jobs N = 0", "threads; 0: as many as there are processors. Changes no result",
       Types::parsed(&Execution::threads, parse_jobs)},
      {"quiet", "no progress on standard error", Types::flag(&Execution::quiet)},
  };
}

}  // namespace glimpse
