#include "daemon/learner_setup.h"

#include <algorithm>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "data/records/attribute_names.h"
#include "data/text/text.h"
#include "learn/factory.h"
#include "learn/gradient/moments_file.h"
#include "learn/options/budget_limit.h"
#include "learn/options/prices.h"
#include "learn/options/state_options.h"

namespace glimpse {

namespace {

Result<std::string> read_text(FileSystem& files, const char* option, const std::string& path) {
  const auto bytes = files.read(path);
  if (!bytes) return failure(ErrorCode::kInvalidOption, "--{} {}: {}", option, path, bytes.error().message);
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

// --algorithm auto: the one whose state is restored, else what suits the dimension.
void choose_algorithm(LearnerOptions& options, const State* state) {
  const std::string_view restored = state != nullptr ? option_of(*state, "algorithm") : std::string_view();
  options.algorithm = restored.empty() ? automatic_algorithm(options) : std::string(restored);
  spdlog::info("--algorithm auto: {}", options.algorithm);
}

// By the names of --attributes, or those of the checkpoint.
Result<std::shared_ptr<const Prices>> read_prices(const Configuration& c, FileSystem& files,
                                                  const std::vector<std::string>& fixed, const State* state) {
  const auto wrong = [&](const Error& error) {
    return failure(ErrorCode::kInvalidOption, "--costs {}: {}", c.costs_file, error.message);
  };
  GLIMPSE_TRY_ASSIGN(const auto text, read_text(files, "costs", c.costs_file));
  AttributeNames names(c.learner.dimension);
  if (state != nullptr)
    if (const Status status = names.restore(*state); !status) return wrong(status.error());
  if (!fixed.empty())
    if (const Status status = names.fix(fixed); !status)
      return failure(ErrorCode::kInvalidOption, "--attributes {}: {}", c.attributes_file,
                     status.error().message);
  auto prices = parse_prices(text, c.learner.dimension, names);
  if (!prices) return wrong(prices.error());
  return std::make_shared<const Prices>(std::move(*prices));
}

// How many attributes the limit pays for if they are the cheapest: of their own price, without what groups
// share.
std::size_t most_within_budget(const LearnerOptions& options) {
  std::vector<Money> prices;
  for (std::size_t i = 0; i < options.dimension; ++i)
    prices.push_back(options.prices->own(static_cast<Attribute>(i)));
  std::sort(prices.begin(), prices.end());
  std::size_t count = 0;
  for (Money left = *options.budget_cost; count < prices.size() && prices[count] <= left; ++count)
    left -= prices[count];
  return count;
}

}  // namespace

Status check_budget(const Configuration& c) {
  if (c.learner.budget > 0 || is_full_information(c.learner.algorithm)) return {};
  return failure(ErrorCode::kInvalidOption,
                 "--budget: is needed: how many attributes of each example to look at, from 2");
}

void lower_budget(LearnerOptions& options) {
  if (options.budget <= options.dimension) return;
  spdlog::info("--budget {}: the input has {} attribute{}, and all of them are looked at", options.budget,
               options.dimension, options.dimension == 1 ? "" : "s");
  options.budget = options.dimension;
}

Status complete(Configuration& c, FileSystem& files, const std::vector<std::string>& names,
                const State* state) {
  if (c.learner.dimension == 0) c.learner.dimension = names.size();
  if (c.learner.dimension == 0 && state != nullptr) c.learner.dimension = number_of(*state, "dimension");
  if (c.learner.dimension == 0)
    return failure(
        ErrorCode::kInvalidOption,
        "--dimension: is needed, as there is no checkpoint, no --attributes file and no --input to tell it");
  if (c.learner.algorithm == kAutomatic) choose_algorithm(c.learner, state);
  if (!c.algorithm_reason.empty())
    spdlog::info("--algorithm auto: {}, {}", c.learner.algorithm, c.algorithm_reason);
  if (!c.costs_file.empty()) {
    GLIMPSE_TRY_ASSIGN(c.learner.prices, read_prices(c, files, names, state));
  }
  if (c.learner.budget == 0 && c.learner.budget_cost && state != nullptr) {
    c.learner.budget = number_of(*state, "budget");
  } else if (c.learner.budget == 0 && c.learner.budget_cost) {
    c.learner.budget = most_within_budget(c.learner);
    spdlog::info("--budget: {}, as many attributes as --budget-cost {} can pay for", c.learner.budget,
                 format_money(*c.learner.budget_cost));
  }
  GLIMPSE_TRY(check_budget(c));
  return check_grid(c);
}

Status check_grid(const Configuration& c) {
  if (!c.grid || c.grid->cells() == c.learner.dimension) return {};
  return failure(ErrorCode::kInvalidOption,
                 "--attribute-grid {}: has {} cells and there are {} attributes; must have one for each",
                 c.grid->text(), c.grid->cells(), c.learner.dimension);
}

Result<std::unique_ptr<Learner>> make_learner_of(const Configuration& c, FileSystem& files) {
  if (c.moments_file.empty()) return make_learner(c.learner);
  GLIMPSE_TRY_ASSIGN(const auto text, read_text(files, "moments", c.moments_file));
  const auto moments = parse_moments(text, c.learner.dimension);
  if (!moments)
    return failure(ErrorCode::kInvalidOption, "--moments {}: {}", c.moments_file, moments.error().message);
  return make_learner(c.learner, &*moments);
}

Result<std::vector<std::string>> read_names(const Configuration& c, FileSystem& files) {
  if (c.attributes_file.empty()) return std::vector<std::string>();
  GLIMPSE_TRY_ASSIGN(const auto text, read_text(files, "attributes", c.attributes_file));
  std::vector<std::string> names = lines_of(text);
  if (names.size() == 1 && names.front().find(',') != std::string::npos)
    return failure(ErrorCode::kInvalidOption,
                   "--attributes {}: has one line, {}: a name has a line of its own", c.attributes_file,
                   in_quotes(names.front()));
  return names;
}

void warn_of_dear_attributes(const LearnerOptions& options, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<Attribute> dear = beyond_budget(options);
  if (dear.empty()) return;
  std::string list;
  for (std::size_t k = 0; k < std::min(dear.size(), kMostNamed); ++k)
    list += fmt::format("{}{}", k > 0 ? ", " : "",
                        dear[k] < names.size() ? names[dear[k]] : fmt::format("{}", dear[k]));
  spdlog::warn("{} attributes are never bought, as they cost more than {}--budget-cost {}: {}{}", dear.size(),
               keeps_pairs(options.algorithm) ? "" : "half of ", format_money(*options.budget_cost), list,
               dear.size() > kMostNamed ? ", ..." : "");
}

}  // namespace glimpse
