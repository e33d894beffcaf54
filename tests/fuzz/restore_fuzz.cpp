// Every learner taken back from a checkpoint that verifies but is not what this program wrote: arrays that
// are gone, of another length or type, or of other numbers. It is refused, or what was taken back works on:
// learns, predicts, answers queries, takes the place of a learner that goes on, merges, and is kept again.
// The first byte chooses the learner; each change takes a few bytes.

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "daemon/training/restored_forms_test_support.h"
#include "fuzzing.h"
#include "merging/merge_tree.h"

namespace glimpse::restore_fuzz {

using namespace glimpse::test;

struct Kind {
  LearnerOptions options;
  State state;  // of a learner that has learned
};

std::vector<Kind> make_kinds() {
  std::vector<Kind> kinds;
  for (const LearnerForm& form : learner_forms()) kinds.push_back({form.options, state_of(form)});
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

// It takes the place of a learner that goes on, or is refused as its names are others.
void promote(const Kind& kind, const State& state) {
  const auto running = make_processor(kind.options);
  const auto taken = make_processor(kind.options);
  require(running->restore(kind.state).has_value() && taken->restore(state).has_value());
  learn_some(*running, 5);
  if (running->promote(*taken, "taken")) work_on(*running, false);
  work_on(*taken, false);
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
  if (processor->restore(*merged)) work_on(*processor, false);
}

const Fuzzer fuzzer("restore", [](Input input) {
  static const std::vector<Kind> kinds = make_kinds();
  const Kind& kind = kinds[input.byte() % kinds.size()];
  const bool is_changed = !input.empty();
  const State state = changed(kind.state, input);
  const auto processor = make_processor(kind.options);
  if (const Status status = processor->restore(state); !status) {
    require(is_changed && !status.error().message.empty());
    return;
  }
  promote(kind, state);
  merge(kind, kind.state, state);
  merge(kind, state, kind.state);
  work_on(*processor, false);
  // What this wrote is taken back.
  const State kept = saved(*processor);
  require(make_processor(kind.options)->restore(kept).has_value() || is_changed);
});

}  // namespace glimpse::restore_fuzz
