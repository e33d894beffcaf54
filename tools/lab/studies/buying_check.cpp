#include "lab/studies/buying_check.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "lab/experiments/answer_loss.h"
#include "lab/experiments/parallel.h"
#include "learn/core/learner.h"
#include "learn/factory.h"

namespace glimpse {

namespace {

// One learner of one draw of the prices.
Result<BuyingResult> run_buyer(const DataSet& sets, std::shared_ptr<const Prices> prices, Money limit,
                               std::optional<BuyingRule> rule, std::uint64_t seed) {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = sets.train.dimension;
  options.budget = options.dimension;
  options.seed = draws_seed(seed);
  if (!rule) {
    options.prices = prices;
    options.budget_cost = limit;
  }
  auto made = make_learner(options, nullptr);
  if (!made) return made.error();
  Learner& learner = **made;
  std::optional<RuleBuyer> buyer;
  if (rule) buyer.emplace(prices, limit, *rule);
  Random random(draws_seed(seed));
  Bill bill(*prices);
  Plan plan;
  std::vector<double> values;
  double money = 0;
  for (const std::uint32_t row : training_order(sets.train.size(), seed)) {
    if (!buyer) {
      learner.plan(random, plan);
    } else {
      const auto set = buyer->draw(random);
      if (set.empty()) return failure(ErrorCode::kInvalidInput, "the limit buys no attribute");
      if (const Status status = learner.plan_among(random, set, plan); !status) return status.error();
    }
    money += static_cast<double>(bill.of(plan.attributes));
    values.clear();
    for (const Attribute i : plan.attributes) values.push_back(static_cast<double>(sets.train.row(row)[i]));
    learner.learn(plan, values, sets.train.labels[row], 1);
  }
  const auto n = static_cast<double>(sets.train.size());
  Model model;
  learner.model(model);
  return BuyingResult{answer_loss(model, {}, sets.test).exported,
                      static_cast<double>(learner.counts().attributes_revealed) / n,
                      money / (n * static_cast<double>(limit))};
}

Money limit_of(double share, const Prices& prices) {
  return static_cast<Money>(share * static_cast<double>(full_price(prices)));
}

Money two_cheapest(const Prices& prices) {
  std::vector<Money> all;
  for (Attribute i = 0; i < prices.dimension(); ++i) all.push_back(prices.alone(i));
  std::partial_sort(all.begin(), all.begin() + 2, all.end());
  return all[0] + all[1];
}

// The first prices of the draw whose limits each buy two attributes, without which there are no products.
Result<std::shared_ptr<const Prices>> prices_of_draw(const BuyingCheck& check, std::size_t dimension,
                                                     std::uint64_t seed) {
  constexpr std::uint64_t kTries = 1000;
  const double least = *std::min_element(check.shares.begin(), check.shares.end());
  for (std::uint64_t attempt = 0; dimension >= 2 && attempt < kTries; ++attempt) {
    auto prices = log_normal_prices(dimension, check.spread, seed + (attempt << 32));
    if (two_cheapest(*prices) <= limit_of(least, *prices)) return prices;
  }
  return failure(ErrorCode::kInvalidInput, "{:.6g} % of the price of all {} attributes hardly ever buy two",
                 100 * least, dimension);
}

std::optional<BuyingRule> rule_of(std::size_t buyer) {
  if (buyer == 0) return std::nullopt;
  return static_cast<BuyingRule>(buyer - 1);
}

}  // namespace

BuyingResult BuyingCell::mean(std::size_t buyer) const {
  BuyingResult sum;
  const auto n = static_cast<double>(results[buyer].size());
  for (const BuyingResult& result : results[buyer]) {
    sum.loss += result.loss / n;
    sum.attributes += result.attributes / n;
    sum.money += result.money / n;
  }
  return sum;
}

std::size_t BuyingCell::best_rule() const {
  std::size_t best = 1;
  for (std::size_t rule = 2; rule < kBuyers; ++rule)
    if (mean(rule).loss < mean(best).loss) best = rule;
  return best;
}

double BuyingCell::error(std::size_t rule) const {
  const std::size_t n = results[0].size();
  if (n < 2) return 0;
  const double difference = mean(0).loss - mean(rule).loss;
  double squares = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const double off = results[0][r].loss - results[rule][r].loss - difference;
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(n * (n - 1))) / mean(rule).loss;
}

Result<std::vector<BuyingCell>> check_buying(const BuyingCheck& check, const std::string& name,
                                             const SweepSource& source, const Execution& execution) {
  std::vector<BuyingCell> cells(check.shares.size());
  for (std::size_t s = 0; s < cells.size(); ++s) {
    cells[s].set = name;
    cells[s].share = check.shares[s];
    for (auto& results : cells[s].results) results.resize(check.draws);
  }
  Progress progress(name, check.draws * cells.size() * kBuyers, execution.quiet);
  const Status status = parallel_for(check.draws, execution.threads, [&](std::size_t r) -> Status {
    const std::uint64_t seed = check.first_draw + r;
    const auto sets = source.prepare(seed);
    if (!sets) return sets.error();
    const auto prices = prices_of_draw(check, source.dimension(), seed);
    if (!prices) return failure(prices.error().code, "{}: {}", name, prices.error().message);
    for (BuyingCell& cell : cells) {
      const Money limit = limit_of(cell.share, **prices);
      for (std::size_t buyer = 0; buyer < kBuyers; ++buyer) {
        const auto result = run_buyer(**sets, *prices, limit, rule_of(buyer), seed);
        if (!result)
          return failure(result.error().code, "{}, draw {}: {}", name, seed, result.error().message);
        cell.results[buyer][r] = *result;
        progress.advance();
      }
    }
    return {};
  });
  if (!status) return status.error();
  return cells;
}

}  // namespace glimpse
