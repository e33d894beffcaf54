#include "learn/planners/gradient_planner.h"

#include <bit>

#include "learn/draws/priced_sampling.h"
#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

PlanKind plan_kind(const LearnerOptions& options, bool full_information) {
  if (full_information) return PlanKind::kEverything;
  if (options.budget_cost) return PlanKind::kPriced;
  return draws_of(options) == Draws::kPairs ? PlanKind::kPairs : PlanKind::kSeparate;
}

DrawCounts draw_counts(const LearnerOptions& options, PlanKind kind) {
  const auto d = static_cast<std::uint32_t>(options.dimension);
  const auto k = static_cast<std::uint32_t>(options.budget);
  if (kind == PlanKind::kEverything) return {d, d};
  if (kind == PlanKind::kPairs) return {k, k};
  std::uint32_t inner = k - (options.split == Split::kEven ? k / 2 : k - 1);
  if (kind == PlanKind::kPriced) inner = PricedSampling::inner_draws(options, inner);
  return {k - inner, inner};
}

double count_of_uniform_draws(const LearnerOptions& options, PlanKind kind) {
  const double draws = draw_counts(options, kind).data_point;
  return kind == PlanKind::kPairs ? draws / 2 : draws;
}

template <class Weights>
InnerDraws<Weights>::InnerDraws(const LearnerOptions& options, const GradientIterates<Weights>& iterates,
                                std::uint32_t most)
    : iterates_(iterates), sampling_(options.inner_sampling), tree_(options.dimension), descents_(most) {}

template <class Weights>
void InnerDraws<Weights>::begin_draws(Random& random, std::size_t count) {
  const std::span<SumTree::Descent> begun = std::span(descents_).first(count);
  tree_.begin_samples(random, begun);
  for (const SumTree::Descent& descent : begun) iterates_.prefetch_group(descent.first_item());
}

template <class Weights>
GradientPlanner<Weights>::GradientPlanner(const LearnerOptions& options,
                                          const GradientIterates<Weights>& iterates, const DrawCounts& counts)
    : iterates_(iterates),
      counts_(counts),
      bounds_ratio_(options.step == StepKind::kAuto),
      q_(options.dimension),
      p_(options, iterates, counts.inner_product),
      largest_ratio_(static_cast<double>(options.dimension)),
      draws_an_example_(static_cast<double>(options.budget)),
      bound_draws_(counts.data_point),
      tickets_(counts.data_point) {
  draws_.reserve(counts.data_point);
}

template <class Weights>
void GradientPlanner<Weights>::begin(Random&, Plan& plan) {
  plan.clear();
}

template <class Weights>
Status GradientPlanner<Weights>::plan_among(Random& random, std::span<const Attribute> available,
                                            Plan& plan) {
  builder_.begin(plan);
  GLIMPSE_TRY(draw_among(random, available, plan));
  builder_.finish();
  return {};
}

template <class Weights>
void GradientPlanner<Weights>::weigh_by_p(std::span<const Attribute> available) {
  among_p_.begin();
  for (const Attribute i : available) among_p_.add(p_.weight(i));
}

template <class Weights>
void GradientPlanner<Weights>::weigh(std::span<const Attribute> available) {
  weigh_by_p(available);
  among_q_.begin();
  for (const Attribute i : available) among_q_.add(q_.probability(i));
}

template <class Weights>
void GradientPlanner<Weights>::separate_among(Random& random, std::span<const Attribute> available) {
  for (std::uint32_t r = 0; r < counts_.data_point; ++r) {
    const Attribute i = available[among_q_.sample(random)];
    builder_.add_data_point(i, among_q_.total() / (counts_.data_point * q_.probability(i)));
  }
  for (std::uint32_t r = 0; r < counts_.inner_product && among_p_.total() > 0; ++r)
    add_inner_draw(available[among_p_.sample(random)], among_p_.total());
}

template <class Weights>
void GradientPlanner<Weights>::begin_uniform_phase() {
  largest_ratio_ = static_cast<double>(iterates_.dimension());
}

template <class Weights>
void GradientPlanner<Weights>::plan_by(const MomentWeights& weights) {
  q_.plan(weights);
  ++q_version_;
  if (bounds_ratio_) largest_ratio_ = weights.largest_ratio();
}

template <class Weights>
void GradientPlanner<Weights>::forget() {
  q_ = AttributeSampling(iterates_.dimension());
  ++q_version_;
}

template <class Weights>
Result<bool> GradientPlanner<Weights>::restore(const State& state) {
  GLIMPSE_TRY(q_.restore(state));
  ++q_version_;
  return true;
}

namespace {

// The papers' plans (KS15, Algorithm 1): k_x draws from q for x̃ and, independent of them, k_p from p for φ̃.
template <class Weights>
class SeparatePlanner final : public GradientPlanner<Weights> {
 public:
  SeparatePlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates)
      : Base(options, iterates, draw_counts(options, PlanKind::kSeparate)) {}

  std::optional<std::uint64_t> version() const override { return this->version_of_q(); }
  void begin(Random& random, Plan& plan) override {
    plan.clear();
    Base::begin_from_q(random, counts_.data_point, plan);
  }

 protected:
  void draw(Random& random, Plan&) override {
    const double total = p_.total();
    if (total > 0) p_.begin_draws(random, counts_.inner_product);
    for (const LevelTable::Draw& draw : draws_)
      builder_.add_data_point(draw.attribute, 1 / (counts_.data_point * draw.probability));
    if (!(total > 0)) return;
    for (std::uint32_t r = 0; r < counts_.inner_product; ++r) {
      const Attribute j = p_.finish_draw(r);
      const double probability = p_.weight(j) / total;
      builder_.add_inner_product(j, iterates_.weight(j) / (counts_.inner_product * probability));
    }
  }
  Status draw_among(Random& random, std::span<const Attribute> available, Plan&) override {
    Base::weigh(available);
    Base::separate_among(random, available);
    return {};
  }

 private:
  using Base = GradientPlanner<Weights>;
  using Base::builder_;
  using Base::counts_;
  using Base::draws_;
  using Base::iterates_;
  using Base::p_;
};

// Plans whose draws serve both parts through their pairs (DRAWS.md): all K from r = ½q + ½p, each falling to
// q or p by the toss of a coin. Which ones do is no matter, only how many, so those that fall to q may be
// made beforehand. While w = 0 there is no p, and r = q.
template <class Weights>
class PairsPlanner final : public GradientPlanner<Weights> {
 public:
  PairsPlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates)
      : Base(options, iterates, draw_counts(options, PlanKind::kPairs)) {
    Base::bound_factor_ = 2;  // r ≥ ½q
  }

  std::optional<std::uint64_t> version() const override { return this->version_of_q(); }
  void begin(Random& random, Plan& plan) override {
    plan.clear();
    Base::begin_from_q(random, toss(random), plan);
  }

 protected:
  // The draws from p that are left to make of the K, and every draw's share of r, whichever it came from.
  void draw(Random& random, Plan&) override {
    const double total = p_.total();
    const std::size_t from_q = draws_.size();
    const std::size_t from_p = counts_.data_point - from_q;
    p_.begin_draws(random, from_p);
    for (std::size_t r = 0; r < from_p; ++r) {
      const Attribute j = p_.finish_draw(r);
      q_.prefetch_probability(j);
      draws_.push_back({j, 0});
    }
    for (std::size_t r = from_q; r < draws_.size(); ++r)
      draws_[r].probability = q_.probability(draws_[r].attribute);
    for (const LevelTable::Draw& draw : draws_) {
      if (total > 0) {
        add_pair(draw.attribute, draw.probability, total);
      } else {
        builder_.add_data_point(draw.attribute, 1 / (counts_.data_point * draw.probability));
      }
    }
  }
  // q and p with the same ratios among the available attributes as among all. Where these weigh nothing in p,
  // there is no r but q.
  Status draw_among(Random& random, std::span<const Attribute> available, Plan&) override {
    Base::weigh(available);
    if (!(among_p_.total() > 0)) {
      Base::separate_among(random, available);
      return {};
    }
    for (std::uint32_t r = 0; r < counts_.data_point; ++r) {
      const Attribute i = available[(random.below(2) == 0 ? among_q_ : among_p_).sample(random)];
      add_pair(i, q_.probability(i) / among_q_.total(), among_p_.total());
    }
    return {};
  }

 private:
  using Base = GradientPlanner<Weights>;
  using Base::among_p_;
  using Base::among_q_;
  using Base::builder_;
  using Base::counts_;
  using Base::draws_;
  using Base::iterates_;
  using Base::p_;
  using Base::q_;

  // How many draws fall to q.
  std::uint32_t toss(Random& random) const {
    std::uint32_t count = counts_.data_point;
    if (!(p_.total() > 0)) return count;
    for (std::uint32_t tossed = 0; tossed < counts_.data_point; tossed += 64) {
      const std::uint32_t left = counts_.data_point - tossed;
      const std::uint64_t coins = random.bits();
      count -= static_cast<std::uint32_t>(std::popcount(left < 64 ? coins >> (64 - left) : coins));
    }
    return count;
  }
  // A draw of i, for all K of them: `total` is of the weights that p is of.
  void add_pair(Attribute i, double q, double total) {
    const double share = counts_.data_point * (q + p_.weight(i) / total) / 2;
    builder_.add_pair(i, 1 / share, iterates_.weight(i) / share);
  }
};

// Plans within a limit of cost (COSTS.md): separate sets as the papers', the inner-product draws first, in
// the order in which they are paid for. q follows moments and prices (PricedSampling); in the uniform phase,
// as though all moments were the same. Costs are in Money. Memory: 14 bytes an attribute beside p's.
template <class Weights>
class PricedPlanner final : public GradientPlanner<Weights> {
 public:
  PricedPlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates)
      : Base(options, iterates, draw_counts(options, PlanKind::kPriced)),
        limit_(*options.budget_cost),
        priced_(options, counts_.data_point, counts_.inner_product, Weights::kMomentPower) {
    p_.keep_within(priced_);
  }

  void begin_uniform_phase() override {
    const auto one = [](std::size_t) { return 1.0; };
    priced_.plan(one, one);
    note_sampling();
  }
  void plan_by(const MomentWeights& weights) override {
    priced_.plan(weights, [&](std::size_t i) { return weights.moment(i); });
    note_sampling();
  }

  double probability(Attribute attribute) const override { return priced_.probability(attribute); }

  std::size_t memory_bytes() const override { return Base::memory_bytes() + priced_.memory_bytes(); }
  void save(State& state) const override {
    Base::save(state);
    priced_.save(state);
  }
  // Whether prices and limit are those of the checkpoint.
  Result<bool> restore(const State& state) override {
    if (const Result<bool> base = Base::restore(state); !base) return base;
    const Result<bool> same = priced_.restore(state);
    if (same && *same) note_sampling();
    return same;
  }

 protected:
  void draw(Random& random, Plan&) override {
    priced_.begin();
    if (const double total = p_.total(); total > 0) {
      p_.begin_draws(random, counts_.inner_product);
      for (std::uint32_t r = 0; r < counts_.inner_product; ++r) pay_inner_draw(p_.finish_draw(r), total);
    }
    priced_.draw(random, [this](Attribute i, double coefficient) {
      p_.prefetch_attribute(i);
      builder_.add_data_point(i, coefficient);
    });
  }
  Status draw_among(Random& random, std::span<const Attribute> available, Plan&) override {
    Base::weigh_by_p(available);
    priced_.begin();
    if (among_p_.total() > 0)
      for (std::uint32_t r = 0; r < counts_.inner_product; ++r)
        pay_inner_draw(available[among_p_.sample(random)], among_p_.total());
    const bool any = priced_.draw_among(random, available, [this](Attribute i, double coefficient) {
      builder_.add_data_point(i, coefficient);
    });
    if (any) return {};
    return failure(ErrorCode::kUnavailable,
                   "each of the {} available attributes costs more than half of --budget-cost {}",
                   available.size(), format_money(limit_));
  }

 private:
  using Base = GradientPlanner<Weights>;
  using Base::among_p_;
  using Base::builder_;
  using Base::counts_;
  using Base::p_;

  // What the learner asks of q at every step, after it was planned.
  void note_sampling() {
    Base::largest_ratio_ = priced_.largest_second() * counts_.data_point;
    Base::draws_an_example_ = priced_.draws_an_example();
  }
  void pay_inner_draw(Attribute j, double total) {
    priced_.pay(j);
    Base::add_inner_draw(j, total);
  }

  const Money limit_;
  PricedSampling priced_;
};

// Plans of full information: every attribute, or every one that is available, once in both parts with its
// weight, so that φ̃ is the residual and g̃ the gradient. Nothing is drawn, q and p lie idle. O(d) a plan.
template <class Weights>
class EverythingPlanner final : public GradientPlanner<Weights> {
 public:
  EverythingPlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates)
      : Base(options, iterates, {0, 0}) {
    Base::largest_ratio_ = 1;
    Base::bound_draws_ = 1;
  }

  void begin_uniform_phase() override { Base::largest_ratio_ = 1; }
  void update(std::span<const Attribute>) override {}

 protected:
  void draw(Random&, Plan& plan) override {
    for (std::size_t i = 0; i < Base::iterates_.dimension(); ++i) take(static_cast<Attribute>(i), plan);
  }
  Status draw_among(Random&, std::span<const Attribute> available, Plan& plan) override {
    for (const Attribute i : available) take(i, plan);
    return {};
  }

 private:
  using Base = GradientPlanner<Weights>;

  void take(Attribute i, Plan& plan) const {
    const auto position = static_cast<std::uint32_t>(plan.attributes.size());
    plan.attributes.push_back(i);
    plan.data_point.push_back({position, 1});
    plan.inner_product.push_back({position, Base::iterates_.weight(i)});
  }
};

}  // namespace

template <class Weights>
std::unique_ptr<GradientPlanner<Weights>> make_planner(PlanKind kind, const LearnerOptions& options,
                                                       const GradientIterates<Weights>& iterates) {
  switch (kind) {
    case PlanKind::kSeparate:
      return std::make_unique<SeparatePlanner<Weights>>(options, iterates);
    case PlanKind::kPairs:
      return std::make_unique<PairsPlanner<Weights>>(options, iterates);
    case PlanKind::kPriced:
      return std::make_unique<PricedPlanner<Weights>>(options, iterates);
    case PlanKind::kEverything:
      return std::make_unique<EverythingPlanner<Weights>>(options, iterates);
  }
  return nullptr;
}

template class InnerDraws<LazyWeights>;
template class InnerDraws<ExponentiatedWeights>;
template class GradientPlanner<LazyWeights>;
template class GradientPlanner<ExponentiatedWeights>;
template std::unique_ptr<GradientPlanner<LazyWeights>> make_planner(PlanKind, const LearnerOptions&,
                                                                    const GradientIterates<LazyWeights>&);
template std::unique_ptr<GradientPlanner<ExponentiatedWeights>> make_planner(
    PlanKind, const LearnerOptions&, const GradientIterates<ExponentiatedWeights>&);

}  // namespace glimpse
