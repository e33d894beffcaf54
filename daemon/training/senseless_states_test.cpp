// Checkpoints whose checksums are right, and whose numbers make no sense.

#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "daemon/training/restored_forms_test_support.h"
#include "learn/core/array_limits.h"
#include "learn/learner_test_support.h"

namespace senseless_states_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

// With `value` at `place` of an array, or everywhere.
template <class T>
void put(State& state, const Tensor& array, std::size_t place, T value) {
  const std::span<const T> before(reinterpret_cast<const T*>(array.bytes.data()), array.count());
  const std::vector<T> copy(before.begin(), before.end());
  const auto after = state.put<T>(array.name, copy.size());
  for (std::size_t k = 0; k < copy.size(); ++k)
    after[k] = place == k || place >= copy.size() ? value : copy[k];
}

State with(const State& original, const Tensor& array, std::size_t place, double value) {
  State state = original;
  if (array.type == ElementType::kF64) put<double>(state, array, place, value);
  if (array.type == ElementType::kF32) put<float>(state, array, place, static_cast<float>(value));
  const bool is_whole = value >= 0 && value < 0x1p64;
  const auto whole = is_whole ? static_cast<std::uint64_t>(value) : ~std::uint64_t{0};
  if (array.type == ElementType::kU64) put<std::uint64_t>(state, array, place, whole);
  if (array.type == ElementType::kU32)
    put<std::uint32_t>(state, array, place, static_cast<std::uint32_t>(whole));
  if (array.type == ElementType::kU8)
    put<std::uint8_t>(state, array, place, static_cast<std::uint8_t>(whole));
  return state;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSenseless[] = {
    std::numeric_limits<double>::quiet_NaN(), kInfinity, 0, -1, 5e-324, 1e17, 1e300, -1e300};

bool is_real(const Tensor& array) {
  return array.type == ElementType::kF64 || array.type == ElementType::kF32;
}

// A further label's arrays are named as those of the first, behind its number.
std::string_view own_name(std::string_view name) {
  return name.starts_with("further.") ? name.substr(name.find('.', 8) + 1) : name;
}

// What became of a state; empty: it was refused by name, or all is well.
std::string fate(const LearnerOptions& options, const State& state, const std::string& name) {
  const auto processor = make_processor(options);
  if (const Status status = processor->restore(state); !status) {
    if (status.error().message.find(own_name(name)) != std::string::npos) return {};
    return "refused without its name: " + status.error().message;
  }
  try {
    work_on(*processor, true);
  } catch (const std::exception& error) {
    return error.what();
  }
  State again = saved(*processor);
  reset_reports(again);
  if (const Status status = StreamProcessor::check(again, kFormDimension); !status)
    return "not saved again: " + status.error().message;
  if (const Status status = make_processor(options)->restore(again); !status)
    return "not restored again: " + status.error().message;
  return {};
}

}  // namespace

TEST_CASE("a senseless number in any array of a state is refused by the array's name, or does no harm") {
  std::size_t number = 0;
  for (const LearnerForm& form : learner_forms()) {
    const State state = state_of(form);
    for (const Tensor& array : state.tensors()) {
      if (array.count() == 0 || (kSanitized && ++number % 7 != 0)) continue;  // which would take minutes
      for (const std::size_t place : {std::size_t{0}, array.count() - 1, array.count()})
        for (const double value : kSenseless) {
          if (!is_real(array) && !(value == -1 || value == 1e17)) continue;
          if (place == array.count() && value == 5e-324) continue;  // what decayed may be as little
          const std::string found = fate(form.options, with(state, array, place, value), array.name);
          CHECK_MESSAGE(found.empty(), form.name, ", ", array.name, " ", value, " at ", place, ": ", found);
        }
    }
  }
}

}  // namespace senseless_states_test
