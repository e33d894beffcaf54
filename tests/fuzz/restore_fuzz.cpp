// Every learner taken back from a checkpoint that verifies but is not what this program wrote: arrays that
// are gone, of another length or type, or of other numbers. It is refused, or what was taken back works on:
// learns, predicts, answers queries, takes the place of a learner that goes on, merges, and is kept again.
// The first byte chooses the learner; each change takes a few bytes.

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "daemon/bodies/history_body.h"
#include "daemon/training/stream_processor.h"
#include "fuzzing.h"
#include "learn/core/solving.h"
#include "learn/factory.h"
#include "merging/merge_tree.h"
#include "stats/pair_moments.h"

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 9;  // one more than the fewest members of products
constexpr double kNever = 1e12;
constexpr double kLabel = 1;

struct Kind {
  LearnerOptions options;
  State state;  // of a learner that has learned
};

LearnerOptions options_of(const std::string& algorithm) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kDimension;
  options.budget = is_full_information(algorithm) ? kDimension : 3;
  if (has_l1_ball(algorithm)) options.radius = 2;
  if (algorithm == "aer") {
    options.step = StepKind::kNumber;
    options.step_number = 1;
  }
  if (algorithm == "pairwise-screened") options.active = 3;
  if (finds_products(algorithm)) options.horizon = 30;  // so that there are products
  return options;
}

SecondMoments known_moments() {
  SecondMoments moments(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) {
    Moment moment;
    moment.second = 1 + 0.5 * static_cast<double>(i);
    moment.count = SecondMoments::kCertain;
    moment.max_abs = 4;
    moments.set(static_cast<Attribute>(i), moment);
  }
  return moments;
}

std::unique_ptr<StreamProcessor> make_processor(const LearnerOptions& options) {
  const SecondMoments moments = known_moments();
  auto learner = make_learner(options, wants_moments(options.algorithm) ? &moments : nullptr);
  require(learner.has_value());
  auto processor = std::make_unique<StreamProcessor>(std::move(*learner), AttributeNames(kDimension), 1);
  processor->set_buying(8, 0xabcdef, {});
  return processor;
}

// A few examples of a plain line.
void learn_some(StreamProcessor& processor, int count) {
  Door door;
  std::vector<double> values;
  for (int t = 0; t < count; ++t) {
    if (!processor.draw_plan(nullptr)) return;
    const Plan& plan = processor.scratch_plan();
    std::vector<double> labels(processor.learner().label_count(), 0.25);
    values.clear();
    for (std::size_t i = 0; i < kDimension; ++i) {
      const double value = static_cast<double>((t * 7 + static_cast<int>(i) * 5) % 11) / 4 - 1;
      for (std::size_t l = 0; l < labels.size(); ++l) labels[l] += ((i + l) % 2 == 0 ? 0.5 : -0.25) * value;
      if (std::binary_search(plan.attributes.begin(), plan.attributes.end(), i)) values.push_back(value);
    }
    require(values.size() == plan.attributes.size());
    if (processor.is_classifier()) labels[0] = t % 2;
    processor.learn(door, plan, values, labels, 1);
  }
}

State saved(const StreamProcessor& processor) {
  State state;
  state.begin();
  processor.save(state);
  state.finish();
  return state;
}

Kind make_kind(const LearnerOptions& options, int examples = 40,
               const std::vector<std::string>& classes = {}) {
  const auto processor = make_processor(options);
  if (!classes.empty()) {
    processor->names().categories().set_label_limit(classes.size(), "");
    require(processor->names().categories().declare_label_words(classes).has_value());
    processor->words().note_declared(processor->names(), processor->learner());
    for (int t = 0; t < 8; ++t) {
      double scores[] = {0.5, static_cast<double>(t % 3)};
      processor->hold_out().add_class(kDimension, scores, t % 2);
    }
  }
  require(processor->names().fix({"age", "sex"}).has_value());
  learn_some(*processor, examples);
  for (int k = 0; k < 3; ++k) {
    if (!processor->draw_plan(nullptr)) break;
    processor->plans().give(processor->scratch_plan(), 3, kNever);
  }
  processor->plans().close(processor->plans().list(0, 1).front()->id, PlanFate::kAbandoned);
  if (options.labels.size() > 1)
    processor->plans().find(processor->plans().list(0, 1).front()->id)->labels.tell(1, 0.5);
  // Of what a checkpoint may hold beside: a history, a freeze, and a promotion.
  HistorySample sample;
  sample[HistoryColumn::kExamples] = 7;
  sample[HistoryColumn::kRecentLoss] = 0.5;
  processor->history().add(sample);
  processor->history().add(HistoryEvent{HistoryEvent::Kind::kPhase, 1e9, 7, 2});
  processor->freeze().note_record();
  processor->freeze().add(3, 0.5);
  const auto same = make_processor(options);
  require(same->restore(saved(*processor)).has_value() && processor->promote(*same, "same").has_value());
  return {options, saved(*processor)};
}

std::vector<Kind> make_kinds() {
  std::vector<Kind> kinds;
  for (const Algorithm& algorithm : kAlgorithms) {
    const std::string name(algorithm.name);
    kinds.push_back(make_kind(options_of(name)));
    if (!can_forget(name)) continue;
    LearnerOptions options = options_of(name);
    options.half_life = 20;
    options.drift = Drift::kAuto;
    kinds.push_back(make_kind(options));
  }
  LearnerOptions adagrad = options_of("two-phase-ddaerr");
  adagrad.step = StepKind::kAdaGrad;
  adagrad.step_number = 0.1;
  adagrad.draws = Draws::kSeparate;
  adagrad.phase1_examples = 20;
  kinds.push_back(make_kind(adagrad));
  kinds.push_back(make_kind(options_of("pairwise"), 40, {"a", "b", "c"}));
  kinds.push_back(make_kind(options_of("pairwise-screened"), 40, {"a", "b"}));
  kinds.push_back(make_kind(options_of("two-phase-ddaerr"), 40, {"a", "b"}));
  LearnerOptions products = options_of("pairwise");
  products.budget = 4;
  products.products = 2;
  for (const Drift drift : {Drift::kOff, Drift::kAuto}) {
    products.drift = drift;
    kinds.push_back(make_kind(products));
  }
  products.budget = 6;
  products.products = 3;
  kinds.push_back(make_kind(products));
  // Some attributes at a time have products; some rounds have ended.
  products.pair_memory = PairMoments::memory_bytes(kDimension + 36 + 120);
  kinds.push_back(make_kind(products, 1500));
  products.products = 2;
  products.pair_memory = PairMoments::memory_bytes(kDimension + 36);
  kinds.push_back(make_kind(products, 1500));
  // Some are active, some of these have products.
  LearnerOptions screened = options_of("pairwise-screened");
  screened.active = kDimension - 1;
  for (const std::size_t degree : {2, 3}) {
    screened.products = degree;
    screened.budget = 2 * degree;
    kinds.push_back(make_kind(screened, 1500));
    screened.half_life = 20;
    screened.drift = Drift::kAuto;
  }
  // Several labels.
  for (const char* const algorithm : {"pairwise", "pairwise-screened"}) {
    LearnerOptions several = options_of(algorithm);
    several.labels = {"temp", "cnt"};
    kinds.push_back(make_kind(several));
    several.half_life = 20;
    kinds.push_back(make_kind(several));
  }
  return kinds;
}

constexpr double kReals[] = {0,
                             -0.0,
                             1,
                             -1,
                             1e-300,
                             1e300,
                             1e30,
                             -1e30,
                             0.5,
                             1e18,
                             1e-18,
                             1e-30,
                             2.5,
                             -1e300,
                             1e15,
                             std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()};
constexpr std::uint64_t kWholes[] = {0,
                                     1,
                                     2,
                                     3,
                                     5,
                                     6,
                                     7,
                                     8,
                                     40,
                                     255,
                                     256,
                                     1U << 31,
                                     ~std::uint32_t{0},
                                     ~std::uint64_t{0},
                                     std::uint64_t{1} << 63};

template <class T>
T pick(Input& input, std::uint8_t choice) {
  if constexpr (std::is_floating_point_v<T>) {
    return choice % 20 < std::size(kReals) ? static_cast<T>(kReals[choice % 20]) : input.number<T>();
  } else {
    return choice % 18 < std::size(kWholes) ? static_cast<T>(kWholes[choice % 18]) : input.number<T>();
  }
}

template <class T>
void change(State& state, const Tensor& old, Input& input) {
  const Tensor copy = old;
  const std::span<const T> before(reinterpret_cast<const T*>(copy.bytes.data()),
                                  copy.bytes.size() / sizeof(T));
  const std::uint8_t how = input.byte();
  std::size_t count = before.size();
  if (how % 8 == 0) count = input.byte() % 32;
  const std::span<T> after = state.put<T>(copy.name, count);
  for (std::size_t i = 0; i < count; ++i) after[i] = i < before.size() ? before[i] : T{};
  if (count == 0 || how % 8 == 0) return;
  const std::size_t begin = input.byte() % count;
  const std::size_t end = how % 8 == 1 ? count : begin + 1;
  const std::uint8_t choice = input.byte();
  const T value = pick<T>(input, choice);
  for (std::size_t i = begin; i < end; ++i) after[i] = value;
}

// The state with some of it changed.
State changed(const State& original, Input& input) {
  State state = original;
  for (int changes = 0; !input.empty() && changes < 6; ++changes) {
    const std::size_t which = input.byte() % state.tensors().size();
    const Tensor tensor = state.tensors()[which];
    const std::uint8_t kind = input.byte();
    if (kind % 32 == 0) {  // without it
      State rest;
      rest.begin();
      for (const Text& text : state.texts()) rest.put_text(text.name, text.value);
      for (const Tensor& kept : state.tensors())
        if (kept.name != tensor.name && kept.type == ElementType::kF64)
          rest.put_copy<double>(kept.name,
                                {reinterpret_cast<const double*>(kept.bytes.data()), kept.count()});
        else if (kept.name != tensor.name && kept.type == ElementType::kU64)
          rest.put_copy<std::uint64_t>(
              kept.name, {reinterpret_cast<const std::uint64_t*>(kept.bytes.data()), kept.count()});
        else if (kept.name != tensor.name && kept.type == ElementType::kU32)
          rest.put_copy<std::uint32_t>(
              kept.name, {reinterpret_cast<const std::uint32_t*>(kept.bytes.data()), kept.count()});
        else if (kept.name != tensor.name && kept.type == ElementType::kF32)
          rest.put_copy<float>(kept.name, {reinterpret_cast<const float*>(kept.bytes.data()), kept.count()});
        else if (kept.name != tensor.name)
          rest.put_copy<std::uint8_t>(
              kept.name, {reinterpret_cast<const std::uint8_t*>(kept.bytes.data()), kept.count()});
      rest.finish();
      state = std::move(rest);
      if (state.tensors().empty()) return state;
      continue;
    }
    const ElementType type = kind % 32 == 1 ? static_cast<ElementType>(input.byte() % 5) : tensor.type;
    if (type == ElementType::kF64) change<double>(state, tensor, input);
    if (type == ElementType::kF32) change<float>(state, tensor, input);
    if (type == ElementType::kU64) change<std::uint64_t>(state, tensor, input);
    if (type == ElementType::kU32) change<std::uint32_t>(state, tensor, input);
    if (type == ElementType::kU8) change<std::uint8_t>(state, tensor, input);
  }
  return state;
}

void score_classes(const StreamProcessor& processor, std::span<const Entry> entries) {
  const Learner& learner = processor.learner();
  if (!learner.is_classifier()) return;
  std::vector<double> scores(learner.classes().size());
  learner.class_scores(nullptr, entries, scores);
  learner.judged_class_scores(entries, scores);
  require(processor.class_facts().count >= scores.size());
  const HeldOut held_out = processor.hold_out().report();
  require(!held_out.classes || held_out.classes->confused() <= ClassReport::kMostConfused);
}

void work_on(StreamProcessor& processor) {
  std::vector<Entry> entries;
  for (Attribute i = 0; i < kDimension; ++i) entries.push_back({i, 0.5});
  const HistoryQuery everything = read_history_query("").value();
  history_json(*processor.history().copy(), everything, {1790000000123, 1, 0});
  HistorySample sample;
  sample[HistoryColumn::kExamples] = static_cast<double>(processor.history().examples() + 1);
  processor.history().add(sample);
  Learner& learner = processor.learner();
  learner.predict(entries);
  score_classes(processor, entries);
  Model model;
  learner.model(model);
  require(model.weights.size() == kDimension ||
          ((learner.products() != nullptr || !model.products.empty()) && model.weights.size() > kDimension));
  for (Attribute i = 0; i < kDimension; ++i) learner.sampling_row(i);
  learner.describe();
  std::vector<double> values;
  Door door;
  for (const OpenPlan* open : processor.plans().list(0, 8)) {
    const Plan plan = open->plan;
    values.assign(plan.attributes.size(), 0.25);
    processor.plans().close(open->id, PlanFate::kLearned);
    processor.learn(door, plan, values, std::vector(learner.label_count(), kLabel), 1);
  }
  const std::vector<Attribute> available{1, 4};
  if (processor.draw_plan(&available)) require(processor.scratch_plan().attributes.size() <= 2);
  learn_some(processor, 25);
  if (processor.names().find_or_add("height")) require(processor.names().find("height").has_value());
  processor.plans().expire(2 * kNever);
  if (Solving* const solving = learner.solving()) {
    solving->begin_capture();
    while (!solving->capture(1 << 20)) {
    }
    solving->adopt(solving->solve([] { return false; }));
  }
  for (std::size_t l = 0; l < learner.label_count(); ++l) learner.of_label(l).predict(entries);
  score_classes(processor, entries);
  learner.model(model);
}

// It takes the place of a learner that goes on, or is refused as its names are others.
void promote(const Kind& kind, const State& state) {
  const auto running = make_processor(kind.options);
  const auto taken = make_processor(kind.options);
  require(running->restore(kind.state).has_value() && taken->restore(state).has_value());
  learn_some(*running, 5);
  if (running->promote(*taken, "taken")) work_on(*running);
  work_on(*taken);
}

// Both become one that goes on, or are refused.
void merge(const Kind& kind, const State& first, const State& second) {
  MergeTree tree(2);
  if (!tree.set(0, first) || !tree.set(1, second)) return;
  const auto merged = tree.fold();
  if (!merged) {
    require(!merged.error().message.empty());
    return;
  }
  const auto processor = make_processor(kind.options);
  if (processor->restore(*merged)) work_on(*processor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Kind> kinds = make_kinds();
  Input input(data, size);
  const Kind& kind = kinds[input.byte() % kinds.size()];
  const bool is_changed = !input.empty();
  const State state = changed(kind.state, input);
  const auto processor = make_processor(kind.options);
  if (const Status status = processor->restore(state); !status) {
    require(is_changed && !status.error().message.empty());
    return 0;
  }
  promote(kind, state);
  merge(kind, kind.state, state);
  merge(kind, state, kind.state);
  work_on(*processor);
  // What this wrote is taken back.
  const State kept = saved(*processor);
  require(make_processor(kind.options)->restore(kept).has_value() || is_changed);
  return 0;
}
