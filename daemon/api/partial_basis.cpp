#include "daemon/api/partial_basis.h"

#include <cmath>

#include "daemon/bodies/class_bodies.h"
#include "learn/classes/class_scores.h"
#include "learn/gauge/attribute_reach.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/partial_classes.h"

namespace glimpse {

PartialBasis PartialBasis::of(const StreamProcessor& processor, std::size_t label) {
  const Learner& learner = processor.learner().of_label(label);
  PartialBasis basis;
  basis.life = processor.life();
  const Conditioning* const conditioning = learner.conditioning();
  basis.solution = conditioning != nullptr ? conditioning->newest_solution() : independent_solution(learner);
  basis.noise = error_variance(learner, basis.solution->noise());
  return basis;
}

std::optional<PartialClassifier> PartialClassifier::of(const StreamProcessor& processor) {
  if (!processor.is_classifier()) return std::nullopt;
  const Learner& learner = processor.learner();
  const std::span<const std::string> names = processor.names().categories().label_words();
  return PartialClassifier{learner.labels().empty() ? nullptr : &learner, processor.hold_out().slope(),
                           class_names_json(names.first(learner.classes().size()))};
}

ClassPrediction PartialClassifier::predict(const PartialBasis& basis, std::span<const Entry> known,
                                           const std::vector<Attribute>& universe,
                                           const std::vector<double>& rows) {
  scores.assign(names.size(), 0.0);
  const auto add_all = [&](auto prediction) {
    for (std::size_t a = 0; a < known.size(); ++a)
      prediction.add_known(known[a].attribute, known[a].value, row_of(rows, a, universe.size()));
    return prediction;
  };
  if (basis.solution->classes)
    add_all(PartialClasses(basis.solution, universe)).scores(scores);
  else if (learner != nullptr)
    learner->scores_of_prediction(add_all(PartialPrediction(basis.solution, universe)).prediction(), scores);
  probabilities = scores;
  to_probabilities(slope, probabilities);
  return {scores, probabilities, scores.empty() ? 0 : greatest(probabilities)};
}

std::span<const double> row_of(const std::vector<double>& rows, std::size_t row, std::size_t columns) {
  return rows.empty() ? std::span<const double>() : std::span(rows).subspan(row * columns, columns);
}

std::vector<Attribute> attributes_of(const std::vector<Entry>& entries) {
  std::vector<Attribute> attributes;
  for (const Entry& entry : entries) attributes.push_back(entry.attribute);
  return attributes;
}

void bound_known(std::vector<Entry>& entries, const StreamProcessor& processor) {
  const Learner& learner = processor.learner();
  std::erase_if(entries, [](const Entry& entry) { return std::abs(entry.value) > kLargestMagnitude; });
  if (processor.clip().kind != Clip::Kind::kAuto || !keeps_pairs(learner.options().algorithm)) return;
  for (Entry& entry : entries) entry.value = within_reach(entry.value, learner.reach(entry.attribute));
  std::erase_if(entries, [](const Entry& entry) { return std::isnan(entry.value); });
}

bool knows_whole_examples_alone(const Learner& learner) {
  return learner.products() != nullptr && learner.conditioning() == nullptr;
}

}  // namespace glimpse
