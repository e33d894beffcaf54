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
#include "daemon/api/partial_basis.h"
#include "daemon/api/query.h"
#include "daemon/api/serving_api.h"
#include "daemon/bodies/class_bodies.h"
#include "daemon/bodies/explanation_bodies.h"
#include "daemon/http/http_types.h"
#include "daemon/http/render_task.h"
#include "daemon/training/trainer_turn.h"
#include "data/text/text.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/explanation.h"
#include "learn/inference/known_features.h"
#include "learn/inference/partial_prediction.h"

namespace glimpse {

namespace {

constexpr std::size_t kSlice = 200000;       // covariances between two looks at what else is to be done
constexpr std::size_t kBatch = 16384;        // bytes of examples that are predicted for together
constexpr std::size_t kMostPairs = 4000000;  // covariances that one request may want, 8 bytes each

}  // namespace

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
  std::optional<PartialClassifier> classifier;
  ClassifiedRecords classified;      // of all batches
  PredictAs as = PredictAs::kUsual;  // of a classifier
  std::size_t label = 0;             // of several
  std::size_t top = 0;               // parts of a prediction that are told of
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
    batch.labels = processor.learner().of_label(batch.label).labels();
    g.basis = PartialBasis::of(processor, batch.label);
    batch.classifier = PartialClassifier::of(processor);
    batch.refusal = refuse_predict_as(batch.as, batch.classifier.has_value());
    if (batch.refusal) return;
    if (batch.classifier && batch.top > 0) {
      batch.refusal = error_response(error_of_class_reasons());
      return;
    }
    if (batch.classifier && batch.classifier->names.empty()) {
      batch.refusal = no_class_yet();
      return;
    }
  }
  for (const KnownValues& example : batch.examples) {
    auto entries = resolve_known(example, processor.names());
    if (!entries) {
      batch.refusal = error_response(
          422, "invalid_known",
          fmt::format("example {}: {}", batch.before + batch.known.size() + 1, entries.error().message));
      return;
    }
    bound_known(entries->entries, processor);
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
    if (batch.classifier) {
      const ClassPrediction prediction =
          batch.classifier->predict(g.basis, entries, block.columns, block.covariances);
      batch.predictions.push_back(static_cast<double>(prediction.predicted));
      add_to(batch.classified, prediction, batch.as);
      continue;
    }
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

void PartialApi::predict(std::string_view body, std::size_t top, PredictAs as, std::size_t label,
                         Respond respond) {
  auto batch = std::make_shared<Batch>();
  batch->label = label;
  batch->top = top;
  batch->as = as;
  if (!batch->take(PartialExamples(body).next(body.size() + 1))) return respond(std::move(*batch->refusal));
  auto shared = std::make_shared<Respond>(std::move(respond));
  parts_.with_model(shared, [this, batch, shared](StreamProcessor& processor) {
    prepare(*batch, processor);
    if (batch->top > 0 && !batch->refusal) prepare_reasons(*batch, processor);
    if (batch->refusal) return respond_later(parts_.io, std::move(*shared), std::move(*batch->refusal));
    const std::shared_ptr<Gathering> gathering(batch, &batch->gathering);
    gathering->respond = shared;
    gathering->is_quick = batch->pairs <= kQuickPairs;
    gathering->then = [this, batch = batch.get(), shared](Gathering& g) {
      predict_batch(*batch);
      if (batch->classifier) return respond_later(parts_.io, std::move(*shared), classes_answer(*batch));
      std::string answer =
          predictions_json(batch->predictions, batch->errors, g.basis.solution->origin.examples);
      if (batch->top > 0) answer = with_explanations(std::move(answer), batch->explanations, batch->names);
      respond_later(parts_.io, std::move(*shared),
                    json_response(with_label(std::move(answer), parts_.labels, batch->label)));
    };
    gather(gathering, false);
  });
}

HttpResponse PartialApi::classes_answer(const Batch& batch) {
  if (batch.classified.numbers.size() > kMostClassNumbers)
    return too_many_class_numbers(batch.classified.classes);
  const std::vector<std::string>& names = batch.classifier->names;
  return json_response("{\"predictions\":[" + class_predictions_json(batch.predictions, names, true) +
                       class_numbers_json(batch.classified, names, batch.as) +
                       predictions_json_end(batch.gathering.basis.solution->origin.examples, std::nullopt));
}

void PartialApi::predict_large(HttpRequest request, PredictAs as, std::size_t label,
                               const std::shared_ptr<Respond>& respond) {
  PartialExamples examples(request.body);
  Batch batch;
  batch.label = label;
  batch.as = as;
  const auto refuse = [&] { respond_later(parts_.io, std::move(*respond), std::move(*batch.refusal)); };
  HttpResponse answer = json_response(with_label("{\"predictions\":[", parts_.labels, label));
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
    answer.more.push_back(batch.classifier
                              ? class_predictions_json(batch.predictions, batch.classifier->names, is_first)
                              : numbers_json(batch.predictions, is_first));
    errors.push_back(numbers_json(batch.errors, is_first));
    if (batch.classified.numbers.size() > kMostClassNumbers) {
      batch.refusal = too_many_class_numbers(batch.classified.classes);
      return refuse();
    }
  }
  if (batch.classifier) {
    answer.more.push_back(class_numbers_json(batch.classified, batch.classifier->names, batch.as));
  } else {
    answer.more.emplace_back("],\"standard_errors\":[");
    std::move(errors.begin(), errors.end(), std::back_inserter(answer.more));
  }
  answer.more.push_back(
      fmt::format("],\"examples\":{}}}\n", batch.gathering.basis.solution->origin.examples));
  respond_later(parts_.io, std::move(*respond), std::move(answer));
}

}  // namespace glimpse
