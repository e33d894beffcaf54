#pragma once

#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/bodies/plan_bodies.h"
#include "daemon/training/plan_desk.h"
#include "learn/factory.h"

/// What the tests of the plan desk share: a desk at which plans are asked for and told of.
namespace glimpse::plan_desk_test {

inline constexpr std::size_t kDimension = 6;
inline constexpr double kNow = 1000;
inline constexpr double kLater = 2000;

// A stream processor with its own door, and how one talks to it.
class Desk {
 public:
  explicit Desk(const std::string& algorithm = "pairwise", const SpendingLimits& limits = {},
                std::shared_ptr<const Prices> prices = nullptr, std::size_t most_plans = 100,
                const std::vector<std::string>& labels = {})
      : processor_(learner(algorithm, std::move(prices), labels), AttributeNames(kDimension), 7) {
    processor_.set_buying(most_plans, 0x3f9a2b, limits);
  }

  StreamProcessor& processor() { return processor_; }
  Door& door() { return door_; }
  Status ask(std::size_t count, AskedPlans& plans, double expires_at = kLater) {
    return glimpse::ask(processor_, count, std::nullopt, kNow, expires_at, plans);
  }
  std::string ask_one(double expires_at = kLater) {
    AskedPlans plans;
    REQUIRE(ask(1, plans, expires_at).has_value());
    return format_plan_id(plans.rows[0].id);
  }
  TellAnswer tell(const std::string& item, double now = kNow) {
    auto items = TellItems::open(item);
    REQUIRE(items.has_value());
    TellBatch batch;
    REQUIRE(items->next(batch, 2, item.size() + 1));
    REQUIRE(batch.items.size() == 1);
    return glimpse::tell(processor_, door_, batch, batch.items[0], now);
  }
  std::uint64_t learned() const { return processor_.learner().counts().examples; }

 private:
  static std::unique_ptr<Learner> learner(const std::string& algorithm, std::shared_ptr<const Prices> prices,
                                          const std::vector<std::string>& labels) {
    LearnerOptions options;
    options.algorithm = algorithm;
    options.dimension = kDimension;
    options.budget = 3;
    options.prices = std::move(prices);
    options.labels = labels;
    return *make_learner(options);
  }

  StreamProcessor processor_;
  Door door_;
};

inline std::string item(const std::string& id, const std::string& rest) {
  return "{\"id\":\"" + id + "\"," + rest + "}";
}

inline std::string status(const TellAnswer& answer) { return name_of(answer.status); }

}  // namespace glimpse::plan_desk_test
