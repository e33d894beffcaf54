#include "daemon/api/partial_api.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "daemon/api/http_bodies.h"
#include "daemon/api/serving_api.h"
#include "daemon/bodies/explanation_bodies.h"
#include "daemon/http/render_task.h"
#include "daemon/http/respond_later.h"
#include "daemon/training/trainer_turn.h"
#include "data/text/text.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/explanation.h"
#include "learn/inference/known_features.h"
#include "learn/inference/partial_prediction.h"

namespace glimpse {

namespace {

constexpr std::size_t kSlice = 200000;       // covariances between two looks at what else is to be done
constexpr std::size_t kQuickPairs = 20000;   // whose arithmetic takes a few milliseconds
constexpr std::size_t kQuickChoice = 20000;  // the same in attributes among which to choose
constexpr std::size_t kBatch = 16384;        // bytes of examples that are predicted for together
constexpr std::size_t kMostPairs = 4000000;  // covariances that one request may want, 8 bytes each
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// What is needed of the learner for predictions from parts of examples, copied on the trainer's thread.
struct Basis {
  std::shared_ptr<const Solution> solution;
  double noise = 0;
  std::uint64_t life = 0;  // StreamProcessor::life()

  static Basis of(const StreamProcessor& processor) {
    const Learner& learner = processor.learner();
    Basis basis;
    basis.life = processor.life();
    const Conditioning* const conditioning = learner.conditioning();
    basis.solution =
        conditioning != nullptr ? conditioning->newest_solution() : independent_solution(learner);
    basis.noise = error_variance(basis.solution->noise(), learner.progressive_loss().recent());
    return basis;
  }
  // Unknown while nothing tells of errors: one example fits any model.
  double standard_error(const PartialPrediction& prediction) const {
    return noise > 0 ? prediction.standard_error(noise) : kUnknown;
  }
};

std::span<const double> row_of(const std::vector<double>& rows, std::size_t row, std::size_t columns) {
  return rows.empty() ? std::span<const double>() : std::span(rows).subspan(row * columns, columns);
}

bool knows_whole_examples_alone(const Learner& learner) {
  return learner.products() != nullptr && learner.conditioning() == nullptr;
}

std::vector<Attribute> attributes_of(const std::vector<Entry>& entries) {
  std::vector<Attribute> attributes;
  for (const Entry& entry : entries) attributes.push_back(entry.attribute);
  return attributes;
}

}  // namespace

// rows.size() × columns.size() covariances for each block; left empty where attributes count as independent.
struct PartialApi::Gathering {
  struct Block {
    std::vector<Attribute> rows;
    std::vector<Attribute> columns;
    std::vector<double> covariances;
  };
  Basis basis;
  std::vector<Block> blocks;
  std::function<void(Gathering&)> then;  // on the renderer, or where there is time
  std::size_t block = 0;                 // and its row: how far it has come
  std::size_t row = 0;
  bool is_quick = true;              // what `then` does
  std::shared_ptr<Respond> respond;  // where it is not that of a body with a thread of its own
};

// True once there is nothing left.
bool PartialApi::gather_some(Gathering& g, const StreamProcessor& processor) {
  const Conditioning* const conditioning = processor.learner().conditioning();
  for (std::size_t done = 0; conditioning != nullptr && g.block < g.blocks.size();) {
    Gathering::Block& block = g.blocks[g.block];
    const std::size_t columns = block.columns.size();
    block.covariances.resize(block.rows.size() * columns);
    for (; g.row < block.rows.size(); ++g.row) {
      if (done > kSlice) return false;
      conditioning->covariances(g.basis.solution->moments, std::span(block.rows).subspan(g.row, 1),
                                block.columns,
                                std::span(block.covariances).subspan(g.row * columns, columns));
      done += columns;
    }
    ++g.block;
    g.row = 0;
  }
  return true;
}

void PartialApi::gather(std::shared_ptr<Gathering> gathering, bool rest) {
  const auto post = rest ? &BlockQueue::post_rest : &BlockQueue::post;
  (parts_.queue.*post)([this, gathering](StreamProcessor& processor) {
    if (gathering->basis.life != processor.life())
      return respond_later(parts_.io, std::move(*gathering->respond), model_was_replaced());
    if (!gather_some(*gathering, processor)) return gather(gathering, true);
    auto then = [gathering] { gathering->then(*gathering); };
    if (gathering->is_quick) {
      post_rendering(parts_.renderer, std::move(then));
    } else {
      parts_.jobs.post(std::move(then));
    }
  });
}

// Examples that are predicted for together.
struct PartialApi::Batch {
  std::vector<KnownValues> examples;
  std::size_t before = 0;  // examples of the body that stand before them
  std::size_t pairs = 0;   // of all examples so far
  Clip clip;
  LabelRange labels;
  std::vector<std::vector<Entry>> known;  // features
  Gathering gathering;                    // whose basis is that of the first batch
  std::vector<double> predictions;
  std::vector<double> errors;
  std::size_t top = 0;  // parts of a prediction that are told of
  std::vector<Explanation> explanations;
  SlotNames names;  // of these parts
  std::optional<HttpResponse> refusal;

  // False: there is a refusal.
  bool take(Result<std::vector<KnownValues>> next) {
    before += examples.size();
    if (!next) {
      const bool too_many = next.error().code == ErrorCode::kTooLarge;
      refusal = error_response(too_many ? 422 : 400, too_many ? "invalid_known" : "invalid_example",
                               next.error().message);
      return false;
    }
    examples = std::move(*next);
    for (const KnownValues& example : examples) pairs += example.size() * example.size();
    if (pairs <= kMostPairs) return true;
    refusal = error_response(413, "too_large",
                             fmt::format("the known values of all examples make {} pairs or more; must be at "
                                         "most {}: send fewer examples at once",
                                         pairs, kMostPairs));
    return false;
  }
};

// On the trainer's thread.
void PartialApi::prepare(Batch& batch, StreamProcessor& processor) const {
  Gathering& g = batch.gathering;
  g.blocks.clear();
  g.block = g.row = 0;
  batch.known.clear();
  if (knows_whole_examples_alone(processor.learner())) {
    batch.refusal = whole_examples_only();
    return;
  }
  if (g.basis.solution && g.basis.life != processor.life()) {
    batch.refusal = model_was_replaced();
    return;
  }
  if (!g.basis.solution) {
    batch.clip = processor.clip();
    batch.labels = processor.learner().labels();
    g.basis = Basis::of(processor);
  }
  for (const KnownValues& example : batch.examples) {
    auto entries = resolve_known(example, processor.names());
    if (!entries) {
      batch.refusal = error_response(
          422, "invalid_known",
          fmt::format("example {}: {}", batch.before + batch.known.size() + 1, entries.error().message));
      return;
    }
    std::vector<Entry> features =
        known_features(entries->entries, processor.learner().features(), *g.basis.solution);
    std::vector<Attribute> attributes = attributes_of(features);
    g.blocks.push_back({attributes, attributes, {}});
    batch.known.push_back(std::move(features));
  }
  processor.note_predictions(*parts_.door, batch.examples.size());
}

void PartialApi::prepare_reasons(Batch& batch, const StreamProcessor& processor) {
  // Of these examples only what is known is gone through.
  if (const std::size_t most = most_explained(1, batch.top); batch.examples.size() > most)
    batch.refusal = error_response(413, "too_large", too_many_explained(most, batch.top).message);
  batch.names = SlotNames::of(processor, *batch.gathering.basis.solution);
}

void PartialApi::predict_batch(Batch& batch) {
  const Gathering& g = batch.gathering;
  batch.predictions.clear();
  batch.errors.clear();
  for (std::size_t e = 0; e < batch.known.size(); ++e) {
    const std::vector<Entry>& entries = batch.known[e];
    const Gathering::Block& block = g.blocks[e];
    PartialPrediction prediction(g.basis.solution, block.columns);
    for (std::size_t a = 0; a < entries.size(); ++a)
      prediction.add_known(entries[a].attribute, entries[a].value,
                           row_of(block.covariances, a, entries.size()));
    batch.predictions.push_back(batch.clip.apply(prediction.prediction(), batch.labels));
    if (batch.top > 0) {
      Explanation explanation = explain(*g.basis.solution, entries, prediction, batch.top);
      explanation.noise = g.basis.noise > 0 ? g.basis.noise : kUnknown;
      explanation.clipped = batch.predictions.back() - explanation.prediction;
      batch.explanations.push_back(std::move(explanation));
    }
    batch.errors.push_back(g.basis.standard_error(prediction));
  }
}

void PartialApi::predict(std::string_view body, std::size_t top, Respond respond) {
  auto batch = std::make_shared<Batch>();
  batch->top = top;
  if (!batch->take(PartialExamples(body).next(body.size() + 1))) return respond(std::move(*batch->refusal));
  auto shared = std::make_shared<Respond>(std::move(respond));
  parts_.with_model(shared, [this, batch, shared](StreamProcessor& processor) {
    prepare(*batch, processor);
    if (batch->top > 0 && !batch->refusal) prepare_reasons(*batch, processor);
    if (batch->refusal) return respond_later(parts_.io, std::move(*shared), std::move(*batch->refusal));
    const std::shared_ptr<Gathering> gathering(batch, &batch->gathering);
    gathering->is_quick = batch->pairs <= kQuickPairs;
    gathering->respond = shared;
    gathering->then = [this, batch = batch.get(), shared](Gathering& g) {
      predict_batch(*batch);
      std::string answer =
          predictions_json(batch->predictions, batch->errors, g.basis.solution->origin.examples);
      if (batch->top > 0) answer = with_explanations(std::move(answer), batch->explanations, batch->names);
      respond_later(parts_.io, std::move(*shared), json_response(std::move(answer)));
    };
    gather(gathering, false);
  });
}

void PartialApi::predict_large(HttpRequest request, const std::shared_ptr<Respond>& respond) {
  PartialExamples examples(request.body);
  Batch batch;
  const auto refuse = [&] { respond_later(parts_.io, std::move(*respond), std::move(*batch.refusal)); };
  HttpResponse answer = json_response("{\"predictions\":[");
  std::vector<std::string> errors;
  for (bool is_first = true;; is_first = false) {
    if (request.is_in_vain()) return;
    if (!batch.take(examples.next(kBatch))) return refuse();
    if (batch.examples.empty()) break;
    bool is_done = false;
    const auto prepared = [&](StreamProcessor& processor) {
      prepare(batch, processor);
      is_done = batch.refusal || gather_some(batch.gathering, processor);
    };
    const bool there =
        is_first ? take_trainer_turn(
                       [&](BlockQueue::Task task) { parts_.with_model(respond, std::move(task)); }, prepared)
                 : take_another_turn(parts_.queue, prepared);
    if (!there) return;
    if (batch.refusal) return refuse();
    while (!is_done)
      if (!take_another_turn(parts_.queue, [&](StreamProcessor& processor) {
            if (batch.gathering.basis.life != processor.life()) batch.refusal = model_was_replaced();
            is_done = batch.refusal || gather_some(batch.gathering, processor);
          }))
        return;
    if (batch.refusal) return refuse();
    predict_batch(batch);
    answer.more.push_back(numbers_json(batch.predictions, is_first));
    errors.push_back(numbers_json(batch.errors, is_first));
  }
  answer.more.emplace_back("],\"standard_errors\":[");
  std::move(errors.begin(), errors.end(), std::back_inserter(answer.more));
  answer.more.push_back(
      fmt::format("],\"examples\":{}}}\n", batch.gathering.basis.solution->origin.examples));
  respond_later(parts_.io, std::move(*respond), std::move(answer));
}

// Between two choices the trainer is asked for the covariances of the one just made.
struct PartialApi::Choosing {
  std::shared_ptr<Respond> respond;
  Clip clip;
  LabelRange labels;
  std::shared_ptr<const Prices> prices;
  std::optional<Bill> bill;  // of what is known and chosen
  Basis basis;
  std::optional<PartialPrediction> prediction;
  std::vector<Entry> known;      // features
  std::vector<Attribute> given;  // attributes
  FeatureMap features;
  std::vector<std::string> names;
  NextAttributes next;
  std::size_t left = 0;
};

void PartialApi::choose(AskRequest request, Respond respond) {
  auto shared = std::make_shared<Respond>(std::move(respond));
  parts_.with_model(shared, [this, request = std::move(request), shared](StreamProcessor& processor) {
    const Learner& learner = processor.learner();
    if (knows_whole_examples_alone(learner))
      return respond_later(parts_.io, std::move(*shared), whole_examples_only());
    auto choosing = std::make_shared<Choosing>();
    choosing->respond = shared;
    auto known = resolve_known(request.known, processor.names());
    if (!known)
      return respond_later(parts_.io, std::move(*shared),
                           error_response(422, "invalid_known", known.error().message));
    choosing->basis = Basis::of(processor);
    choosing->features = learner.features();
    const Solution& solution = *choosing->basis.solution;
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
    choosing->labels = learner.labels();
    choosing->prices = learner.options().prices;
    if (choosing->prices) {
      choosing->bill.emplace(*choosing->prices);
      choosing->bill->begin();
      for (const Attribute i : bought) choosing->bill->add(i);
    }
    for (std::size_t i = 0; i < processor.names().size(); ++i)
      choosing->names.push_back(valid_utf8(processor.names().name(static_cast<Attribute>(i))));
    choosing->prediction.emplace(choosing->basis.solution, std::move(universe.slots),
                                 std::move(universe.owners));
    choosing->given = bought;
    gathering->then = [this, choosing](Gathering& g) {
      PartialPrediction& prediction = *choosing->prediction;
      const Gathering::Block& block = g.blocks.front();
      for (std::size_t a = 0; a < choosing->known.size(); ++a)
        prediction.add_known(choosing->known[a].attribute, choosing->known[a].value,
                             row_of(block.covariances, a, block.columns.size()));
      choosing->next.prediction = choosing->clip.apply(prediction.prediction(), choosing->labels);
      choosing->next.standard_error = g.basis.standard_error(prediction);
      choose_next(choosing);
    };
    gather(std::move(gathering), false);
  });
}

void PartialApi::choose_next(std::shared_ptr<Choosing> choosing) {
  const auto cost = [&](Attribute i) { return choosing->bill ? money_in_units(choosing->bill->next(i)) : 1; };
  const auto choice = choosing->left > 0 ? choosing->prediction->best_next(cost) : std::nullopt;
  if (!choice)
    return respond_later(parts_.io, std::move(*choosing->respond),
                         json_response(next_attributes_json(choosing->next)));
  --choosing->left;
  auto gathering = std::make_shared<Gathering>();
  const auto universe = choosing->prediction->universe();
  gathering->basis = choosing->basis;
  gathering->respond = choosing->respond;
  gathering->is_quick = universe.size() <= kQuickChoice;
  const Attribute chosen[] = {choice->attribute};
  gathering->blocks.push_back(
      {features_of(chosen, choosing->features, *choosing->basis.solution, choosing->given).slots,
       {universe.begin(), universe.end()},
       {}});
  gathering->then = [this, choosing, i = choice->attribute](Gathering& g) {
    const Gathering::Block& block = g.blocks.front();
    for (std::size_t f = 0; f < block.rows.size(); ++f)
      choosing->prediction->suppose_known(block.rows[f], row_of(block.covariances, f, block.columns.size()));
    NextAttributes::Choice& row = choosing->next.choices.emplace_back();
    row.attribute = i;
    if (i < choosing->names.size()) row.name = choosing->names[i];
    row.cost = choosing->bill ? choosing->bill->next(i) : kMoneyUnit;
    if (choosing->bill) choosing->bill->add(i);
    row.standard_error = g.basis.standard_error(*choosing->prediction);
    choose_next(choosing);
  };
  gather(std::move(gathering), false);
}

}  // namespace glimpse
