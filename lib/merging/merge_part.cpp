#include "merging/merge_part.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "learn/factory.h"
#include "learn/options/described_options.h"
#include "learn/options/state_options.h"

namespace glimpse {

namespace {

// What is of one process alone, or says how records are read: the first part's.
constexpr std::string_view kOfFirst[] = {"plans.",       "frozen.",        "promotion.",   "history.",
                                         "inputs.table", "inputs.reading", "inputs.schema"};

bool is_of_first(std::string_view name) {
  if (name == "inputs.readings" || name == "inputs.schemas") return false;
  return std::ranges::any_of(kOfFirst, [&](std::string_view begin) { return name.starts_with(begin); });
}

void copy_of_first(const State& from, State& to) {
  for (const Tensor& tensor : from.tensors())
    if (is_of_first(tensor.name)) to.put_again(tensor.name, tensor);
  for (const Text& text : from.texts())
    if (is_of_first(text.name)) to.put_text(text.name, text.value);
}

constexpr const char* kGenerators[] = {"random", "random.inner"};

// As good as independent of those of both, which may go on by themselves.
Random random_of(const Random& a, const Random& b) {
  Random first = a;
  Random second = b;
  return Random(first.bits() + 3 * second.bits());
}

}  // namespace

Status HeldOutSums::restore(const State& state) {
  if (state.find("held_out.counts") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("held_out.counts", 3));
  counts.assign(numbers.begin(), numbers.end());
  GLIMPSE_TRY(losses.restore(state, "held_out"));
  return temperature.restore(state, "held_out.temperature");
}

void HeldOutSums::save(State& state) const {
  if (counts.empty()) return;
  state.put_copy<std::uint64_t>("held_out.counts", counts);
  if (counts[1] > 0) losses.save(state, "held_out");
  if (temperature.count() > 0) temperature.save(state, "held_out.temperature");
}

void HeldOutSums::merge(const HeldOutSums& other, std::span<const std::uint32_t> classes_there) {
  if (other.counts.empty()) return;
  counts.resize(other.counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  losses.merge(other.losses, classes_there);
  temperature.merge(other.temperature);
}

Result<MergePart> MergePart::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto text, state.get_text("learner.options"));
  GLIMPSE_TRY_ASSIGN(const auto options, described_options(text));
  std::optional<SecondMoments> known;
  if (wants_moments(options.algorithm)) {
    known.emplace(options.dimension);
    GLIMPSE_TRY(known->restore(state));
  }
  GLIMPSE_TRY_ASSIGN(auto learner, make_learner(options, known ? &*known : nullptr));
  GLIMPSE_TRY(learner->restore(state));
  MergePart part({std::move(learner), AttributeNames(options.dimension)});
  if (state.find("names/text") != nullptr) GLIMPSE_TRY(part.named_.names.restore(state));
  const std::size_t classes = part.learner().classes().size();
  if (classes > part.names().categories().label_words().size())
    return failure(ErrorCode::kCorrupt, "learner.classes has {} classes, and label_words {} names", classes,
                   part.names().categories().label_words().size());
  GLIMPSE_TRY_ASSIGN(part.inputs_, ReadInputs::of(state));
  GLIMPSE_TRY(part.held_out_.restore(state));
  part.of_first_.begin();
  copy_of_first(state, part.of_first_);
  part.of_first_.finish();
  for (const char* const name : kGenerators) {
    const auto words = state.get<std::uint64_t>(name, 4);
    if (words)
      part.random_.push_back(Random::from_state({(*words)[0], (*words)[1], (*words)[2], (*words)[3]}));
  }
  const std::pair<const char*, std::uint64_t*> numbers[] = {{"predictions", &part.predictions_},
                                                            {"spending.cost", &part.cost_},
                                                            {"spending.replaced", &part.replaced_}};
  for (const auto& [name, number] : numbers) {
    GLIMPSE_TRY_ASSIGN(const auto value, state.get_number<std::uint64_t>(name, std::uint64_t{0}));
    *number = value;
  }
  return part;
}

Status MergePart::merge(const MergePart& other, bool anyhow) {
  GLIMPSE_TRY(inputs_.merge(other.inputs_, anyhow));
  GLIMPSE_TRY(named_.learner->check_mergeable(*other.named_.learner));
  GLIMPSE_TRY_ASSIGN(const auto numbering, same_numbers(named_, other.named_));
  GLIMPSE_TRY(named_.learner->merge(*other.named_.learner, numbering));
  held_out_.merge(other.held_out_, numbering.classes);
  for (std::size_t r = 0; r < std::min(random_.size(), other.random_.size()); ++r)
    random_[r] = random_of(random_[r], other.random_[r]);
  parts_ += other.parts_;
  predictions_ += other.predictions_;
  cost_ += other.cost_;
  replaced_ += other.replaced_;
  return {};
}

Result<MergePart> MergePart::copy() const {
  State state;
  save(state);
  auto copy = restore(state);
  if (copy) copy->parts_ = parts_;
  return copy;
}

void MergePart::save(State& state) const {
  state.begin();
  named_.learner->save(state);
  named_.names.save(state);
  for (std::size_t r = 0; r < random_.size(); ++r)
    state.put_copy<std::uint64_t>(kGenerators[r], random_[r].state());
  state.put_number("predictions", predictions_);
  state.put_number("spending.cost", cost_);
  if (replaced_ > 0) state.put_number("spending.replaced", replaced_);
  inputs_.save(state);
  held_out_.save(state);
  copy_of_first(of_first_, state);
  state.finish();
}

}  // namespace glimpse
