#include <algorithm>
#include <numeric>
#include <string_view>

#include "fleet/fleet_simulation.h"

namespace glimpse {

namespace {

// Of two states of the same position all but how many were written before them.
bool are_same(const State& a, const State& b) {
  constexpr std::string_view kSequence = "fleet.sequence";
  if (a.tensors().size() != b.tensors().size() || a.texts().size() != b.texts().size()) return false;
  for (const Tensor& tensor : a.tensors()) {
    const Tensor* const other = b.find(tensor.name);
    if (other == nullptr || other->type != tensor.type) return false;
    if (tensor.name != kSequence && tensor.bytes != other->bytes) return false;
  }
  return std::ranges::all_of(a.texts(), [&](const Text& text) {
    const auto other = b.get_text(text.name);
    return other && *other == text.value;
  });
}

}  // namespace

// With one reader of all partitions that nothing disturbed.
void FleetSimulation::compare(Outcome& outcome) {
  SimulatedBrokers quiet(options_.partitions, 1, 0);
  for (std::uint32_t p = 0; p < options_.partitions; ++p)
    for (std::uint64_t m = 0; m < brokers_.produced(p); ++m) quiet.produce(p, brokers_.message(p, m));
  brokers_.set_time(now_ + 2 * options_.downtime + options_.slow_answer);  // all is up and fast
  SimulatedMember reference("reference", quiet, options_.costs, opener());
  SimulatedMember reader("reader", brokers_, options_.costs, opener());
  std::vector<std::uint32_t> all(options_.partitions);
  std::iota(all.begin(), all.end(), 0U);
  reference.assigned(all);
  while (reference.work(1000)) {
  }
  reference.commit_all();
  while (reference.work(1000)) {
  }
  while (reader.work(1000)) {
  }
  for (std::uint32_t p = 0; p < options_.partitions; ++p) {
    const auto& expected = reference.member().newest(p);
    const auto& found = reader.member().newest(p);
    const std::uint64_t messages = brokers_.produced(p);
    if (found == nullptr) {
      outcome.lost += messages;
      if (expected != nullptr) ++outcome.different;  // a partition without messages has no state
      continue;
    }
    const auto offset = found->get_number<std::uint64_t>("fleet.offset").value();
    const auto examples = found->get<std::uint64_t>("learner.counts").value()[0];
    outcome.learned += std::min(offset, examples);
    outcome.lost += messages - std::min(offset, messages);
    if (examples > offset) outcome.doubled += examples - offset;
    if (examples < offset) outcome.lost += offset - examples;
    if (expected == nullptr || !are_same(*expected, *found)) ++outcome.different;
  }
}

}  // namespace glimpse
