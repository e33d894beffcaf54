#include "lab/studies/drift_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "lab/studies/part_runs.h"
#include "learn/evaluation/watched_losses.h"
#include "learn/factory.h"

namespace glimpse {

namespace {

class Stream {
 public:
  Stream(std::size_t dimension, std::uint64_t changed, std::uint64_t seed)
      : values_(dimension), changed_(changed), random_(seed) {}

  double next(bool is_after) {
    double label = 2 * random_.uniform() - 1;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = random_.below(2) == 0 ? -1 : 1;
      label += is_after && i < changed_ ? -values_[i] : values_[i];
    }
    return label;
  }
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
  std::uint64_t changed_;
  Random random_;
};

struct WatchedPart {
  std::unique_ptr<Learner> alone;
  std::unique_ptr<Learner> together;
  Random random;           // of both: until one forgets, their plans are the same
  Random random_together;  // the same
  std::optional<std::uint64_t> noticed = {};
};

void learn(Learner& learner, Random& random, const Stream& stream, double label) {
  Plan plan;
  std::vector<double> values;
  learner.plan(random, plan);
  for (const Attribute i : plan.attributes) values.push_back(stream.values()[i]);
  learner.learn(plan, values, label, 1);
}

std::optional<SharedRise> judge(const std::vector<WatchedPart>& parts) {
  std::vector<WatchedLosses> losses;
  for (const WatchedPart& part : parts) {
    State state;
    state.begin();
    part.together->save(state);
    state.finish();
    if (auto of = WatchedLosses::restore(state)) losses.push_back(std::move(*of));
  }
  std::vector<const WatchedLosses*> all;
  for (const WatchedLosses& of : losses) all.push_back(&of);
  return losses_rose(all);
}

Result<DriftPoint> run(const DriftCheck& check, std::uint64_t count, std::uint64_t seed) {
  std::vector<WatchedPart> parts;
  Random seeds(seed);
  for (std::uint64_t p = 0; p < count; ++p) {
    auto alone = make_learner(check.learner);
    if (!alone) return alone.error();
    auto together = make_learner(check.learner);
    if (!together) return together.error();
    (*together)->watch_together();
    const Random random(seeds.bits());
    parts.push_back({std::move(*alone), std::move(*together), random, random});
  }
  Stream stream(check.learner.dimension, check.changed, seeds.bits());
  DriftPoint point{.seed = seed, .parts = count, .together = check.after + 1};
  for (std::uint64_t n = 1; n <= check.before + check.after; ++n) {
    const bool is_after = n > check.before;
    const double label = stream.next(is_after);
    WatchedPart& part = parts[n % count];
    const bool waits_for_all = point.together > check.after;
    if (waits_for_all) learn(*part.together, part.random_together, stream, label);
    if (!part.noticed) {
      const std::uint64_t alarms = part.alone->drift().alarms;
      learn(*part.alone, part.random, stream, label);
      if (is_after && part.alone->drift().alarms > alarms) part.noticed = n - check.before;
    }
    if (waits_for_all && n % check.every == 0 && judge(parts)) {
      if (is_after)
        point.together = n - check.before;
      else
        ++point.false_alarms;
    }
  }
  std::vector<std::uint64_t> alone;
  for (const WatchedPart& part : parts) alone.push_back(part.noticed.value_or(check.after + 1));
  std::ranges::sort(alone);
  point.first_alone = alone.front();
  point.middle_alone = alone[(alone.size() - 1) / 2];
  point.last_alone = alone.back();
  return point;
}

}  // namespace

Result<std::vector<DriftPoint>> check_drift(const DriftCheck& check, const Execution& execution) {
  const PartRuns runs{check.parts, check.before, "before the change", check.first_seed, check.seeds};
  return run_parts<DriftPoint>(
      runs, execution, [&](std::uint64_t count, std::uint64_t seed) { return run(check, count, seed); });
}

std::string to_csv(const std::vector<DriftPoint>& points) {
  std::string text = "seed,parts,together,first_alone,middle_alone,last_alone,false_alarms\n";
  for (const DriftPoint& p : points)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\n", p.seed, p.parts, p.together,
                   p.first_alone, p.middle_alone, p.last_alone, p.false_alarms);
  return text;
}

}  // namespace glimpse
