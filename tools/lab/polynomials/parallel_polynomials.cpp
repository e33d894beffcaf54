#include "lab/polynomials/parallel_polynomials.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "lab/experiments/parallel.h"
#include "lab/polynomials/auc.h"
#include "lab/polynomials/polynomial_learner.h"

namespace glimpse {

namespace {

using Factors = std::vector<Attribute>;

// The mean of a weight, learner after learner.
struct Mean {
  double weighted = 0;
  double evidence = 0;
  double plain = 0;
  double scale = 0;
  std::size_t learners = 0;

  void add(const NormalisedSteps::Share& share) {
    weighted += share.evidence * share.weight;
    evidence += share.evidence;
    plain += share.weight;
    scale = std::max(scale, share.scale);
    ++learners;
  }
  double value() const { return evidence > 0 ? weighted / evidence : plain / static_cast<double>(learners); }
};

Factors factors_of(const PolynomialLearner& learner, std::uint32_t slot) {
  if (learner.tree() == nullptr) return {slot};
  const auto factors = learner.tree()->monomials().factors(slot);
  return {factors.begin(), factors.end()};
}

class Team {
 public:
  Team(const ParallelOptions& options, const ExampleText& text, const PolynomialSplit& split)
      : options_(options), text_(text), split_(split) {}

  Status begin() {
    PolynomialOptions own;
    own.method = options_.method;
    own.idempotent = split_.idempotent;
    own.rate = options_.rate;
    Bigrams bigrams(split_.idempotent.size(), own.most_bigrams);
    if (options_.method.bigrams) {
      std::vector<Entry> all;
      const Status status = read_examples(text_, split_.train, [&](std::span<const Entry> entries, double) {
        all.assign(entries.begin(), entries.end());
        bigrams.extend(all, true);
      });
      if (!status) return status;
      bigrams.close();
      own.bigrams = &bigrams;
    }
    const std::size_t n = options_.learners;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t first = split_.train.size() * k / n;
      const std::size_t last = split_.train.size() * (k + 1) / n;
      shards_.push_back(std::span(split_.train).subspan(first, last - first));
      own.examples = last - first;
      learners_.push_back(std::make_unique<PolynomialLearner>(own));
    }
    return {};
  }

  Status pass(std::size_t threads, ParallelResult& result) {
    std::vector<double> seconds(learners_.size());
    const Status status = parallel_for(learners_.size(), threads, [&](std::size_t k) {
      const double begin = thread_seconds();
      const Status one = read_examples(text_, shards_[k], [&](std::span<const Entry> entries, double label) {
        learners_[k]->learn(entries, label);
      });
      seconds[k] = thread_seconds() - begin;
      return one;
    });
    result.longest += *std::ranges::max_element(seconds);
    result.total += std::accumulate(seconds.begin(), seconds.end(), 0.0);
    return status;
  }

  void unite_parents() {
    if (learners_[0]->tree() == nullptr) return;
    std::vector<Factors> parents;
    for (const auto& learner : learners_)
      for (const std::uint32_t slot : learner->tree()->parents()) {
        Factors factors = factors_of(*learner, slot);
        if (std::ranges::find(parents, factors) == parents.end()) parents.push_back(std::move(factors));
      }
    // Behind those that they are made of.
    std::ranges::sort(parents, [](const Factors& a, const Factors& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    for (const auto& learner : learners_) learner->freeze_parents(parents);
  }

  void average() {
    std::map<Factors, Mean> means;
    Mean bias;
    for (const auto& learner : learners_) {
      bias.add(learner->steps().bias_share());
      for (std::uint32_t slot = 0; slot < learner->steps().slots(); ++slot)
        if (const auto share = learner->steps().share(slot); share.scale > 0)
          means[factors_of(*learner, slot)].add(share);
    }
    for (const auto& learner : learners_) {
      learner->steps().take_bias(bias.value());
      for (const auto& [factors, mean] : means)
        if (const std::uint32_t slot = learner->slot_of(factors); slot != Monomials::kNone)
          learner->steps().take(slot, mean.value(), mean.scale);
    }
  }

  Status test(ParallelResult& result) const {
    std::vector<double> scores;
    std::vector<double> labels;
    const auto [least, most] =
        std::ranges::minmax(split_.train, {}, [&](std::uint32_t row) { return text_.label(row); });
    const double low = text_.label(least);
    const double high = text_.label(most);
    const Status status =
        read_examples(text_, split_.test, [&](std::span<const Entry> entries, double label) {
          scores.push_back(learners_[0]->predict(entries));
          labels.push_back(label);
          const double residual = std::clamp(scores.back(), low, high) - label;
          result.square_error += residual * residual / static_cast<double>(split_.test.size());
          if ((scores.back() >= 0) != (label > 0))
            result.error += 1 / static_cast<double>(split_.test.size());
        });
    result.auc = area_under_curve(scores, labels);
    result.parents = learners_[0]->parents();
    result.products = learners_[0]->slots() - split_.idempotent.size();
    return status;
  }

 private:
  const ParallelOptions& options_;
  const ExampleText& text_;
  const PolynomialSplit& split_;
  std::vector<std::span<const std::uint32_t>> shards_;
  std::vector<std::unique_ptr<PolynomialLearner>> learners_;
};

}  // namespace

Result<ParallelResult> run_parallel(const ParallelOptions& options, const ExampleText& text,
                                    const PolynomialSplit& split, std::size_t threads) {
  if (options.learners < 1 || options.learners > split.train.size())
    return failure(ErrorCode::kInvalidOption, "{} learners for {} examples: from 1 to as many as there are",
                   options.learners, split.train.size());
  ParallelResult result;
  Team team(options, text, split);
  if (const Status status = team.begin(); !status) return status.error();
  for (std::size_t pass = 0; pass < options.passes; ++pass) {
    if (const Status status = team.pass(threads, result); !status) return status.error();
    const double begin = thread_seconds();
    if (pass == 0) team.unite_parents();
    team.average();
    const double seconds = thread_seconds() - begin;
    result.longest += seconds;
    result.total += seconds;
  }
  if (const Status status = team.test(result); !status) return status.error();
  return result;
}

}  // namespace glimpse
