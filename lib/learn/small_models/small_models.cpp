#include "learn/small_models/small_models.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "learn/small_models/attribute_choice.h"
#include "learn/small_models/small_refit.h"

namespace glimpse {

namespace {

using Cancelled = PairwiseSolver::Cancelled;
using Features = std::vector<std::vector<std::size_t>>;
using Together = std::function<bool(Attribute, Attribute)>;

// The best set of its size so far.
struct Candidate {
  std::vector<Attribute> set;                                 // the best first
  double reckoned = std::numeric_limits<double>::infinity();  // the error that the ridge reckons with
  double optimism = 0;                                        // of the choice
};

class Search {
 public:
  Search(const SmallModelQuestion& question, const PairSnapshot& moments, const Prices* prices,
         const SolvedMoments& solved, const std::optional<NormBall>& ball, const Cancelled& cancelled)
      : question_(question),
        moments_(moments),
        prices_(question.cost ? prices : nullptr),
        solved_(solved),
        cancelled_(cancelled),
        features_(features_of_attributes(moments)),
        refit_(moments, features_, ball) {
    if (prices != nullptr) bill_.emplace(*prices);
  }

  void keep_apart(const Together& together) { together_ = together; }
  // False when they were cancelled.
  bool run(SmallModel& small) { return search() && tell(small); }
  bool run(std::span<const Attribute> other, SmallSet& set) { return search() && tell(other, set); }

 private:
  bool search() {
    if (!choose(true)) return false;
    if (question_.cost) {
      const std::vector<Attribute> by_price = std::exchange(longest_, {});
      if (!choose(false)) return false;
      if (longest_.size() < by_price.size()) longest_ = by_price;
    }
    return eliminate();
  }
  bool stop() const { return cancelled_ && cancelled_(); }
  std::size_t count_features(std::span<const Attribute> set) const {
    std::size_t count = 0;
    for (const Attribute a : set) count += features_[a].size();
    return count;
  }
  Money cost(std::span<const Attribute> set) { return bill_ ? bill_->of(set) : 0; }
  bool may_be_together(std::span<const Attribute> set) const {
    if (!together_) return true;
    for (std::size_t b = 0; b < set.size(); ++b)
      for (std::size_t a = 0; a <= b; ++a)
        if (!together_(set[a], set[b])) return false;
    return true;
  }

  void offer(std::span<const Attribute> set, double reckoned, double optimism, double worth) {
    if (set.size() > SmallModelQuestion::kMostAttributes) return;
    if (question_.attributes > 0 && set.size() > question_.attributes) return;
    if (question_.cost && cost(set) > *question_.cost) return;
    if (!may_be_together(set)) return;
    if (best_.size() < set.size()) best_.resize(set.size());
    Candidate& best = best_[set.size() - 1];
    if (!(reckoned < best.reckoned * (1 - worth))) return;
    best = {{set.begin(), set.end()}, reckoned, std::isfinite(best.reckoned) ? best.optimism : optimism};
  }

  // What the limits allow, and then more without them, which eliminating begins with.
  bool choose(bool by_price) {
    AttributeChoice choice(moments_, solved_, features_, {prices_, question_.cost, by_price, together_});
    const std::size_t path = std::max(kLeastPath, question_.attributes + kLongerPath);
    bool is_limited = question_.cost || together_;
    longest_.clear();
    while (longest_.size() < path) {
      if (stop()) return false;
      if (longest_.size() == question_.attributes && together_ && std::exchange(is_limited, false))
        choice.lift_limit();
      const std::optional<Attribute> attribute = choice.next();
      if (!attribute && std::exchange(is_limited, false)) {
        choice.lift_limit();
        continue;
      }
      if (!attribute || choice.features().size() > kMostSmallFeatures) break;
      longest_.push_back(*attribute);
      offer(longest_, choice.error(), choice.optimism(), 0);
      const ExpectedLoss loss = refit_.solve(longest_, cancelled_);
      std::vector<double> weights;
      for (const std::size_t i : choice.features()) weights.push_back(refit_.weight(i) * solved_.units[i]);
      choice.refitted(weights, loss.total(choice.optimism()));
    }
    return true;
  }

  bool eliminate() {
    std::vector<std::size_t> features;
    std::vector<std::vector<std::size_t>> places;
    for (const Attribute a : longest_) {
      places.emplace_back();
      for (const std::size_t i : features_[a]) {
        places.back().push_back(features.size());
        features.push_back(i);
      }
    }
    std::vector<std::size_t> left(longest_.size());
    for (std::size_t a = 0; a < left.size(); ++a) left[a] = a;
    if (left.size() < 2) return true;
    BackwardElimination elimination(solved_.covariances, solved_.target, ridge_of_choice(solved_), features);
    double reckoned = solved_.label_square - elimination.explained();
    std::vector<Attribute> set;
    while (left.size() > 1) {
      if (stop()) return false;
      double rise = 0;
      const std::size_t least = least_useful(elimination, left, places, rise);
      elimination.remove(places[left[least]]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(least));
      reckoned += rise;
      set.clear();
      for (const std::size_t a : left) set.push_back(longest_[a]);
      offer(set, reckoned, 0, kWorthwhile);
    }
    return true;
  }

  // Its place in `left`, by the rise for its price.
  std::size_t least_useful(const BackwardElimination& elimination, std::span<const std::size_t> left,
                           const std::vector<std::vector<std::size_t>>& places, double& rise) {
    std::size_t least = 0;
    double least_score = std::numeric_limits<double>::infinity();
    std::vector<Attribute> rest;
    for (const std::size_t a : left) rest.push_back(longest_[a]);
    const Money all = question_.cost ? cost(rest) : 0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      const double own = elimination.rise(places[left[l]]);
      double price = 1;
      if (question_.cost) {
        std::vector<Attribute> others = rest;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(l));
        price = money_in_units(all - cost(others));
      }
      const double score = price > 0 ? own / price : std::numeric_limits<double>::max();
      if (score >= least_score) continue;
      least_score = score;
      least = l;
      rise = own;
    }
    return least;
  }

  double told_loss(std::span<const Attribute> set, double optimism, double& error) {
    const ExpectedLoss loss = refit_.solve(set, cancelled_);
    error = loss.error();
    return std::max(loss.total(optimism), kLeastOfRidge * loss.ridge);
  }

  // The set that is expected to err least, of any size where there is a limit of cost; nullptr: none.
  const Candidate* expected_best() const {
    const Candidate* best = nullptr;
    for (const Candidate& candidate : best_) {
      if (!std::isfinite(candidate.reckoned)) continue;
      if (question_.cost && best != nullptr && !(candidate.reckoned < best->reckoned)) continue;
      best = &candidate;
    }
    return best;
  }

  bool tell(std::span<const Attribute> other, SmallSet& set) {
    double error = 0;
    set.loss_of_other = other.empty() ? std::numeric_limits<double>::infinity() : told_loss(other, 0, error);
    const Candidate* const best = expected_best();
    if (best == nullptr || stop()) return !stop();
    set.attributes = best->set;
    std::ranges::sort(set.attributes);
    set.loss = told_loss(best->set, best->optimism, set.loss_error);
    return !stop();
  }

  // A step for each size that has a set. False when it was cancelled.
  bool tell_steps(SmallModel& small) {
    std::span<const Attribute> before;
    for (const Candidate& best : best_) {
      if (stop()) return false;
      if (!std::isfinite(best.reckoned)) continue;
      SmallModel::Step step;
      for (const Attribute a : best.set)
        if (std::ranges::find(before, a) == before.end()) step.added.push_back(a);
      std::ranges::copy_if(before, std::back_inserter(step.removed),
                           [&](Attribute a) { return std::ranges::find(best.set, a) == best.set.end(); });
      step.features = count_features(best.set);
      step.cost = cost(best.set);
      step.loss = told_loss(best.set, best.optimism, step.loss_error);
      small.steps.push_back(std::move(step));
      before = best.set;
      sets_.push_back(before);
    }
    return true;
  }

  // How many steps lead to the answer. With a limit of cost that is the set that is told to err least, of any
  // size: the cheaper of two that err alike, and none where the mean of the labels errs no more.
  std::size_t answer(const SmallModel& small) const {
    if (!question_.cost) return small.steps.size();
    std::size_t answer = 0;
    double least = small.loss_of_mean;
    Money cost = 0;
    for (std::size_t k = 0; k < small.steps.size(); ++k) {
      const SmallModel::Step& step = small.steps[k];
      if (!(step.loss < least || (step.loss == least && step.cost < cost))) continue;
      least = step.loss;
      cost = step.cost;
      answer = k + 1;
    }
    return answer;
  }

  bool tell(SmallModel& small) {
    if (!tell_steps(small)) return false;
    const std::size_t steps = answer(small);
    if (steps == 0) {
      small.steps.clear();
      small.model.weights.assign(moments_.dimension(), 0.0);
      small.model.bias = moments_.label_centre();
      return !stop();
    }
    small.chosen.assign(sets_[steps - 1].begin(), sets_[steps - 1].end());
    if (steps < small.steps.size()) {
      refit_.solve(small.chosen, cancelled_);
      small.steps.resize(steps);
    }
    small.model = refit_.model();
    return !stop();
  }

  const SmallModelQuestion& question_;
  const PairSnapshot& moments_;
  const Prices* prices_;
  const SolvedMoments solved_;
  const Cancelled& cancelled_;
  Together together_;
  const Features features_;
  SmallRefit refit_;
  std::optional<Bill> bill_;
  std::vector<Attribute> longest_;
  std::vector<Candidate> best_;                   // by size, from 1 on
  std::vector<std::span<const Attribute>> sets_;  // of the steps told
};

// The full solve that choices are made from; none when it was cancelled.
std::optional<SolvedMoments> solve_all(const PairSnapshot& moments, PairwiseSolver& solver,
                                       const Cancelled& cancelled) {
  Model full;
  solver.solve(moments, std::nullopt, full, cancelled, PairwiseSolver::kRoughSteps);
  if (cancelled && cancelled()) return std::nullopt;
  return solver.solved_moments();
}

}  // namespace

std::optional<SmallModel> find_small_model(const SmallModelQuestion& question, const PairSnapshot& moments,
                                           const Prices* prices, const std::optional<NormBall>& ball,
                                           PairwiseSolver& solver, const Cancelled& cancelled) {
  const auto solved = solve_all(moments, solver, cancelled);
  if (!solved) return std::nullopt;
  SmallModel small;
  small.question = question;
  small.loss_of_mean = solved->label_square;
  if (!Search(question, moments, prices, *solved, ball, cancelled).run(small)) return std::nullopt;
  return small;
}

std::optional<SmallSet> find_small_set(const SmallModelQuestion& question, std::span<const Attribute> other,
                                       const Together& together, const PairSnapshot& moments,
                                       const Prices* prices, const std::optional<NormBall>& ball,
                                       PairwiseSolver& solver, const Cancelled& cancelled) {
  const auto solved = solve_all(moments, solver, cancelled);
  if (!solved) return std::nullopt;
  SmallSet set;
  set.loss_of_mean = solved->label_square;
  Search search(question, moments, prices, *solved, ball, cancelled);
  search.keep_apart(together);
  if (!search.run(other, set)) return std::nullopt;
  return set;
}

}  // namespace glimpse
