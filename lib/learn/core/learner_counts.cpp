#include "learn/core/learner_counts.h"

namespace glimpse {

void LearnerCounts::merge(const LearnerCounts& other, Attribute beyond) {
  examples += other.examples;
  attributes_revealed += other.attributes_revealed;
  missing += other.missing;
  out_of_range += other.out_of_range;
  diverged += other.diverged;
  left_out += other.left_out;
  bounded_values += other.bounded_values;
  bounded_labels += other.bounded_labels;
  if (other.beyond_values > 0) beyond_attribute = beyond;
  beyond_values += other.beyond_values;
  bounded_importances += other.bounded_importances;
  outweighing += other.outweighing;
}

void LearnerCounts::save(State& state, std::uint64_t diverged_in_a_row) const {
  const std::uint64_t counts[] = {examples, attributes_revealed, missing, out_of_range, diverged};
  state.put_copy<std::uint64_t>("learner.counts", counts);
  const std::uint64_t outliers[] = {left_out,    bounded_values,   bounded_labels, bounded_importances,
                                    outweighing, diverged_in_a_row};
  state.put_copy<std::uint64_t>("learner.outliers", outliers);
  if (beyond_values == 0) return;
  const std::uint64_t beyond[] = {beyond_values, beyond_attribute};
  state.put_copy<std::uint64_t>("learner.beyond", beyond);
}

Status LearnerCounts::restore(const State& state, std::size_t dimension, std::uint64_t& diverged_in_a_row) {
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("learner.counts", 5));
  *this = {counts[0], counts[1], counts[2], counts[3], counts[4]};
  if (state.find("learner.outliers") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto outliers, state.get<std::uint64_t>("learner.outliers", 6));
    left_out = outliers[0];
    bounded_values = outliers[1];
    bounded_labels = outliers[2];
    bounded_importances = outliers[3];
    outweighing = outliers[4];
    diverged_in_a_row = outliers[5];
  }
  if (state.find("learner.beyond") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto beyond, state.get<std::uint64_t>("learner.beyond", 2));
  if (beyond[1] >= dimension)
    return failure(ErrorCode::kCorrupt, "learner.beyond has attribute {}, must be below {}", beyond[1],
                   dimension);
  beyond_values = beyond[0];
  beyond_attribute = static_cast<Attribute>(beyond[1]);
  return {};
}

void DriftReport::merge(const DriftReport& other, std::uint64_t examples_here, std::uint64_t examples_there) {
  if (shared > 0 || other.shared > 0) {
    const std::uint64_t before = (shared < other.shared ? examples_here : examples) +
                                 (other.shared < shared ? examples_there : other.examples);
    if (other.shared > shared) *this = other;
    examples = before;
  } else if (other.alarms > 0) {
    *this = {alarms + other.alarms, examples_here + other.examples, other.before, other.after};
  }
}

}  // namespace glimpse
