#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "daemon/api/http_bodies.h"
#include "daemon/api/partial_basis.h"
#include "daemon/api/query.h"
#include "daemon/bodies/model_bodies.h"
#include "daemon/http/http_types.h"
#include "learn/inference/known_features.h"
#include "learn/inference/next_choice.h"
#include "learn/inference/partial_classes.h"

// What PartialApi does for who buys attributes one after the other to predict.

namespace glimpse {

namespace {

constexpr std::size_t kQuickChoice = 20000;  // attributes among which is chosen in a few milliseconds

}  // namespace

// Between two choices the trainer is asked for the covariances of the one just made.
struct PartialApi::Choosing {
  std::shared_ptr<Respond> respond;
  std::size_t label = 0;  // of several
  Clip clip;
  LabelRange labels;
  std::shared_ptr<const Prices> prices;
  std::optional<Bill> bill;  // of what is known and chosen
  PartialBasis basis;
  std::optional<PartialClassifier> classifier;  // of a classifier, which has one of
  std::optional<PartialClasses> classes;        // these
  std::optional<PartialPrediction> prediction;  // two
  std::vector<Entry> known;                     // features
  std::vector<Attribute> given;                 // attributes
  FeatureMap features;
  std::vector<std::string> names;
  NextAttributes next;
  std::size_t left = 0;

  // From what is known.
  void note_prediction(const std::vector<Attribute>& columns, const std::vector<double>& rows) {
    if (!classifier) {
      next.prediction = clip.apply(prediction->prediction(), labels);
      next.standard_error = basis.standard_error(*prediction);
      return;
    }
    const ClassPrediction predicted = classifier->predict(basis, known, columns, rows);
    next.is_class = true;
    next.predicted_class = predicted.classes() > 0 ? classifier->names[predicted.predicted] : "null";
    next.probability = predicted.probability();
  }
  std::optional<NextChoice> best_next(const std::function<double(Attribute)>& cost) const {
    return classes ? classes->best_next(cost) : prediction->best_next(cost);
  }
  std::span<const Attribute> universe() const {
    return classes ? classes->universe() : prediction->universe();
  }
};

void PartialApi::choose(AskRequest request, Respond respond) {
  if (parts_.labels.size() > 1 && !request.label)
    return respond_later(parts_.io, std::move(respond), partial_needs_label());
  std::size_t label = 0;
  if (request.label) {
    const auto found = find_label(*request.label, parts_.labels);
    if (!found) return respond_later(parts_.io, std::move(respond), error_response(found.error()));
    label = *found;
  }
  auto shared = std::make_shared<Respond>(std::move(respond));
  parts_.with_model(shared, [this, label, request = std::move(request), shared](StreamProcessor& processor) {
    const Learner& learner = processor.learner();
    if (knows_whole_examples_alone(learner))
      return respond_later(parts_.io, std::move(*shared), whole_examples_only());
    auto choosing = std::make_shared<Choosing>();
    choosing->respond = shared;
    choosing->label = label;
    auto known = resolve_known(request.known, processor.names());
    if (!known)
      return respond_later(parts_.io, std::move(*shared),
                           error_response(422, "invalid_known", known.error().message));
    choosing->basis = PartialBasis::of(processor, label);
    choosing->classifier = PartialClassifier::of(processor);
    choosing->features = learner.features();
    const Solution& solution = *choosing->basis.solution;
    bound_known(known->entries, processor);
    choosing->known = known_features(known->entries, learner.features(), solution);
    std::vector<Attribute> candidates(learner.options().dimension);
    std::iota(candidates.begin(), candidates.end(), Attribute{0});
    if (request.names_available) {
      candidates = *request.resolved;
    }
    // What is known comes first: that is where conditioning is quickest. A word that no record had says
    // nothing, but its attribute is bought.
    const std::vector<Attribute>& bought = known->given;
    std::vector<Attribute> rest;
    std::set_difference(candidates.begin(), candidates.end(), bought.begin(), bought.end(),
                        std::back_inserter(rest));
    const std::vector<Attribute> given = attributes_of(choosing->known);
    OwnedFeatures universe{given, given};
    const OwnedFeatures others = features_of(rest, learner.features(), solution, bought);
    for (std::size_t f = 0; f < others.slots.size(); ++f) universe.add(others.slots[f], others.owners[f]);
    choosing->left = std::min(request.count, kMostKnown - bought.size());
    auto gathering = std::make_shared<Gathering>();
    gathering->basis = choosing->basis;
    gathering->respond = choosing->respond;
    gathering->blocks.push_back({given, universe.slots, {}});
    gathering->is_quick = universe.slots.size() <= kQuickChoice && given.size() * given.size() <= kQuickPairs;
    choosing->clip = processor.clip();
    choosing->labels = learner.of_label(label).labels();
    choosing->prices = learner.options().prices;
    if (choosing->prices) {
      choosing->bill.emplace(*choosing->prices);
      choosing->bill->begin();
      for (const Attribute i : bought) choosing->bill->add(i);
    }
    for (Attribute i = 0; i < processor.names().size(); ++i)
      choosing->names.push_back(shown_name(processor.names().name(i), i));
    if (choosing->classifier && solution.classes)
      choosing->classes.emplace(choosing->basis.solution, std::move(universe.slots),
                                std::move(universe.owners));
    else
      choosing->prediction.emplace(choosing->basis.solution, std::move(universe.slots),
                                   std::move(universe.owners));
    choosing->given = bought;
    gathering->then = [this, choosing](Gathering& g) {
      const Gathering::Block& block = g.blocks.front();
      for (std::size_t a = 0; a < choosing->known.size(); ++a) {
        const auto row = row_of(block.covariances, a, block.columns.size());
        const Entry& known = choosing->known[a];
        choosing->classes ? choosing->classes->add_known(known.attribute, known.value, row)
                          : choosing->prediction->add_known(known.attribute, known.value, row);
      }
      choosing->note_prediction(block.columns, block.covariances);
      choose_next(choosing);
    };
    gather(std::move(gathering), false);
  });
}

void PartialApi::choose_next(std::shared_ptr<Choosing> choosing) {
  const auto cost = [&](Attribute i) { return choosing->bill ? money_in_units(choosing->bill->next(i)) : 1; };
  const auto choice = choosing->left > 0 ? choosing->best_next(cost) : std::nullopt;
  if (!choice)
    return respond_later(
        parts_.io, std::move(*choosing->respond),
        json_response(with_label(next_attributes_json(choosing->next), parts_.labels, choosing->label)));
  --choosing->left;
  auto gathering = std::make_shared<Gathering>();
  const auto universe = choosing->universe();
  gathering->basis = choosing->basis;
  gathering->respond = choosing->respond;
  gathering->is_quick = universe.size() <= kQuickChoice;
  const Attribute chosen[] = {choice->attribute};
  gathering->blocks.push_back(
      {features_of(chosen, choosing->features, *choosing->basis.solution, choosing->given).slots,
       {universe.begin(), universe.end()},
       {}});
  gathering->then = [this, choosing, i = choice->attribute, gain = choice->gain](Gathering& g) {
    const Gathering::Block& block = g.blocks.front();
    for (std::size_t f = 0; f < block.rows.size(); ++f) {
      const auto row = row_of(block.covariances, f, block.columns.size());
      choosing->classes ? choosing->classes->suppose_known(block.rows[f], row)
                        : choosing->prediction->suppose_known(block.rows[f], row);
    }
    NextAttributes::Choice& row = choosing->next.choices.emplace_back();
    row.attribute = i;
    if (i < choosing->names.size()) row.name = choosing->names[i];
    row.cost = choosing->bill ? choosing->bill->next(i) : kMoneyUnit;
    if (choosing->bill) choosing->bill->add(i);
    row.gain = gain;
    if (!choosing->classifier) row.standard_error = g.basis.standard_error(*choosing->prediction);
    choose_next(choosing);
  };
  gather(std::move(gathering), false);
}

}  // namespace glimpse
