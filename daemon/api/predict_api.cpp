#include "daemon/api/predict_api.h"

#include <chrono>
#include <fmt/format.h>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "daemon/api/http_bodies.h"
#include "daemon/api/learn_api.h"
#include "daemon/api/query.h"
#include "daemon/api/serving_api.h"
#include "daemon/bodies/class_bodies.h"
#include "daemon/bodies/explanation_bodies.h"
#include "daemon/http/http_types.h"
#include "daemon/training/stream_processor.h"
#include "daemon/training/trainer_turn.h"
#include "data/text/text.h"
#include "json/json_elements.h"
#include "learn/inference/predictor.h"

namespace glimpse {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPart = 16384;  // bytes between two looks at the clock

// None: it was predicted for; else why the whole body is refused. A refused question is no part of the
// stream.
std::optional<HttpResponse> process(StreamProcessor& processor, Block& block, BlockResult& result) {
  const std::uint64_t errors_before = block.feed->door->parse_errors;
  if (processor.process(block, true, result)) return std::nullopt;
  block.feed->door->parse_errors = errors_before;
  if (result.errors.empty()) throw std::bad_alloc();
  const RecordError& error = result.errors.front();
  return error_response(400, "invalid_example", fmt::format("example {}: {}", error.record, error.message));
}

// Collects the reasons of the predictions of one body.
std::function<Status(Predictor&)> explainer(const Learner& learner, std::size_t top, std::size_t label,
                                            std::vector<Explanation>& explanations) {
  const std::size_t most = most_explained(learner.features().slots(), top);
  return [most, top, label, &explanations, is_classifier = learner.is_classifier()](Predictor& predictor) {
    if (explanations.size() >= most) return Status(too_many_explained(most, top));
    auto explanation = is_classifier ? predictor.explain_class(top) : predictor.explain(top, label);
    if (!explanation && is_classifier) return Status(error_of_class_reasons());
    if (!explanation)
      return Status(failure(ErrorCode::kInvalidInput,
                            "apple does not know the means of its products: its predictions have "
                            "no explanation; ask without explain"));
    explanations.push_back(std::move(*explanation));
    return Status();
  };
}

// Of all labels.
std::vector<LabelPredictions> by_label_of(BlockResult result) {
  std::vector<LabelPredictions> all(1);
  all.front() = std::move(static_cast<LabelPredictions&>(result));
  all.insert(all.end(), std::make_move_iterator(result.further.begin()),
             std::make_move_iterator(result.further.end()));
  return all;
}

std::string all_labels_json(const std::vector<LabelPredictions>& predictions,
                            const std::vector<std::string>& labels, std::uint64_t examples,
                            const std::optional<TableFacts>& table) {
  // Behind the bracket that closes a list of numbers where there is one label.
  return label_predictions_json(predictions, labels) + predictions_json_end(examples, table).substr(1);
}

HttpResponse with_headers(HttpResponse answer, ModelHeaders headers) {
  answer.headers = std::move(headers);
  return answer;
}

HttpResponse empty_body() { return error_response(400, "invalid_example", "the body holds no example"); }

}  // namespace

// A large body on its way through.
struct PredictApi::Work {
  BodyReading reading;
  std::shared_ptr<const std::string> lines;
  std::string_view rest;
  std::shared_ptr<Feed> feed;
  std::uint64_t life = 0;  // StreamProcessor::life() of the first turn
  Question question;
  std::vector<LabelPredictions> by_label;  // of all turns, where all of several labels are told
  bool is_classifier = false;              // was it in the first turn, it is so in all
  std::vector<std::string> class_names;
  ClassifiedRecords classified;  // of all turns
  std::uint64_t examples = 0;    // of the model
  ModelHeaders headers;          // the same
  BlockResult result;            // of a turn
  std::size_t predictions = 0;
  LabelPredictions errors;  // of the predictions, once an example lacked a value; they themselves are written
  std::optional<TableFacts> table;
  std::optional<HttpResponse> refusal;
};

std::uint64_t PredictApi::model_examples() {
  return parts_.trainer.model_facts().value_or(ModelFacts()).examples;
}

void PredictApi::predict(HttpRequest request, Respond respond) {
  const auto reading = body_reading(request);
  if (!reading) return respond(error_response(reading.error()));
  request.body = body_as_utf8(std::move(request.body), reading->format);
  const auto top = read_explain(request);
  if (!top) return respond(error_response(top.error()));
  const auto as = read_predict_as(request);
  if (!as) return respond(error_response(as.error()));
  const auto label = read_label_query(request, parts_.labels);
  if (!label) return respond(error_response(label.error()));
  Question question{*top, *as, *label};
  if (auto refusal = read_flag(request, "errors", question.errors)) return respond(std::move(*refusal));
  if (*top > 0 && tells_of_all(question))
    return respond(error_response(400, "invalid_label", "explain is of one label: add label=NAME"));
  if (*top > 0 && request.body.size() > BlockQueue::kSmallBlock)
    return respond(error_response(
        413, "too_large",
        fmt::format("explain is for at most {} bytes of examples, and the body has {}: send fewer at once",
                    BlockQueue::kSmallBlock, request.body.size())));
  if (request.body.size() > BlockQueue::kSmallBlock) {
    parts_.jobs.post([this, reading = *reading, question, request = std::move(request),
                      shared = std::make_shared<Respond>(std::move(respond))]() mutable {
      predict_large(reading, question, std::move(request), shared);
    });
    return;
  }
  if (reading->format == Format::kNdjson) {
    if (holds_partial_examples(request.body)) {
      if (tells_of_all(question)) return respond(partial_needs_label());
      return parts_.partial.predict(request.body, *top, *as, question.label.value_or(0), std::move(respond));
    }
    auto lines = examples_as_lines(std::move(request.body));
    if (!lines) return respond(error_response(lines.error()));
    request.body = std::move(*lines);
  }
  predict_small(*reading, question, std::move(request.body), std::make_shared<Respond>(std::move(respond)));
}

void PredictApi::predict_small(const BodyReading& reading, const Question& question, std::string lines,
                               const std::shared_ptr<Respond>& respond) {
  parts_.with_model(
      true, respond,
      [this, reading, question, lines = std::move(lines), respond](StreamProcessor& processor) mutable {
        const auto& [top, as, label, errors] = question;
        Block block;
        block.feed = parts_.make_feed(processor, reading);
        block.feed->learns = false;
        block.feed->predict_as = as;
        block.feed->label = label;
        block.feed->tells_errors = errors;
        block.bytes = Bytes(std::move(lines));
        block.is_last = true;
        BlockResult result;
        std::vector<Explanation> explanations;
        if (top > 0)
          block.feed->explain = explainer(processor.learner(), top, label.value_or(0), explanations);
        auto answer = refuse_predict_as(as, processor.is_classifier());
        if (!answer) answer = process(processor, block, result);
        if (!answer && result.predictions.empty()) answer = empty_body();
        if (!answer && processor.is_classifier() && result.classified.classes == 0) answer = no_class_yet();
        if (!answer && result.classified.numbers.size() > kMostClassNumbers)
          answer = too_many_class_numbers(result.classified.classes);
        if (!answer && processor.is_classifier()) {
          const auto names = class_names_json(
              std::span(processor.names().categories().label_words()).first(result.classified.classes));
          std::string body = "{\"predictions\":[" + class_predictions_json(result.predictions, names, true) +
                             class_numbers_json(result.classified, names, as) +
                             predictions_json_end(model_examples(), table_facts(*block.feed));
          if (top > 0)
            body = with_explanations(std::move(body), explanations,
                                     SlotNames::of(processor, *prediction_basis(processor.learner())), names);
          answer = json_response(std::move(body));
        }
        if (!answer && tells_of_all(question))
          answer = json_response(all_labels_json(by_label_of(std::move(result)), parts_.labels,
                                                 model_examples(), table_facts(*block.feed)));
        if (!answer) {
          std::string body = predictions_json(result.predictions, result.all_errors(), model_examples(),
                                              table_facts(*block.feed));
          if (top > 0)
            body = with_explanations(
                std::move(body), explanations,
                SlotNames::of(processor, *prediction_basis(processor.learner().of_label(label.value_or(0)))));
          answer = json_response(with_label(std::move(body), parts_.labels, label.value_or(0)));
        }
        if (parts_.headers) answer->headers = parts_.headers();
        respond_later(parts_.io, std::move(*respond), std::move(*answer));
      });
}

// On a thread of its own.
void PredictApi::predict_large(const BodyReading& reading, const Question& question, HttpRequest request,
                               const std::shared_ptr<Respond>& respond) {
  if (reading.format == Format::kNdjson) {
    if (holds_partial_examples(request.body)) {
      if (tells_of_all(question)) return respond_later(parts_.io, std::move(*respond), partial_needs_label());
      return parts_.partial.predict_large(std::move(request), question.as, question.label.value_or(0),
                                          respond);
    }
    auto lines = examples_as_lines(std::move(request.body));
    if (!lines) return respond_later(parts_.io, std::move(*respond), error_response(lines.error()));
    request.body = std::move(*lines);
  }
  Work work;
  work.reading = reading;
  work.question = question;
  work.lines = std::make_shared<const std::string>(std::move(request.body));
  work.rest = *work.lines;
  const auto turn = [&](StreamProcessor& processor) { predict_blocks(work, processor); };
  HttpResponse answer =
      json_response(with_label("{\"predictions\":[", parts_.labels, question.label.value_or(0)));
  bool is_first = true;
  while (!work.feed || !work.rest.empty()) {
    if (request.is_in_vain()) return;
    work.result = {};
    const bool there =
        work.feed
            ? take_another_turn(parts_.queue, turn)
            : take_trainer_turn(
                  [&](BlockQueue::Task task) { parts_.with_model(false, respond, std::move(task)); }, turn);
    if (!there) return;  // which has been told, or shows by itself
    if (work.refusal) return respond_later(parts_.io, std::move(*respond), std::move(*work.refusal));
    if (work.result.predictions.empty()) continue;
    if (tells_of_all(question)) {
      is_first = false;
      const auto turns = by_label_of(std::move(work.result));
      work.by_label.resize(turns.size());
      for (std::size_t l = 0; l < turns.size(); ++l) work.by_label[l].append(turns[l]);
      continue;
    }
    answer.more.push_back(work.is_classifier
                              ? class_predictions_json(work.result.predictions, work.class_names, is_first)
                              : numbers_json(work.result.predictions, is_first));
    is_first = false;
    work.errors.append_errors(work.result, work.predictions);
    work.predictions += work.result.predictions.size();
    work.classified.append(work.result.classified);
    if (work.classified.numbers.size() > kMostClassNumbers)
      return respond_later(parts_.io, std::move(*respond), too_many_class_numbers(work.classified.classes));
  }
  if (is_first) return respond_later(parts_.io, std::move(*respond), empty_body());
  if (tells_of_all(question))
    return respond_later(
        parts_.io, std::move(*respond),
        with_headers(json_response(all_labels_json(work.by_label, parts_.labels, work.examples, work.table)),
                     std::move(work.headers)));
  if (std::vector<double>& errors = work.errors.standard_errors; !errors.empty()) {
    errors.resize(work.predictions, work.errors.error_of_complete);
    answer.more.emplace_back("],\"standard_errors\":[");
    answer.more.push_back(numbers_json(errors, true));
  }
  if (work.is_classifier)
    answer.more.push_back(class_numbers_json(work.classified, work.class_names, question.as));
  answer.more.push_back(predictions_json_end(work.examples, work.table));
  respond_later(parts_.io, std::move(*respond), with_headers(std::move(answer), std::move(work.headers)));
}

// On the trainer's thread.
void PredictApi::predict_blocks(Work& work, StreamProcessor& processor) {
  const Clock::time_point end = Clock::now() + kTrainerTurn;
  if (!work.feed) {
    work.feed = parts_.make_feed(processor, work.reading);
    work.feed->learns = false;
    work.feed->predict_as = work.question.as;
    work.feed->label = work.question.label;
    work.feed->tells_errors = work.question.errors;
    work.life = processor.life();
  }
  if (work.life != processor.life()) {
    work.refusal = model_was_replaced();
    return;
  }
  const bool is_first = !work.feed->pinned;
  do {
    const Framing framing =
        work.feed->position == 0 ? work.feed->framing : work.feed->framing.behind_header();
    Block block;
    block.feed = work.feed;
    block.bytes = Bytes(work.rest.substr(0, length_of_records(work.rest, framing, kPart)), work.lines);
    work.rest.remove_prefix(block.bytes.size());
    block.is_last = work.rest.empty();
    work.refusal = refuse_predict_as(work.question.as, processor.is_classifier());
    if (!work.refusal) work.refusal = process(processor, block, work.result);
    if (!work.refusal && !work.result.predictions.empty() && processor.is_classifier() &&
        work.result.classified.classes == 0)
      work.refusal = no_class_yet();
    if (work.refusal) return;
  } while (!work.rest.empty() && Clock::now() < end);
  work.table = table_facts(*work.feed);
  if (!is_first) return;
  work.examples = model_examples();
  if (parts_.headers) work.headers = parts_.headers();
  work.is_classifier = processor.is_classifier();
  if (work.is_classifier)
    work.class_names = class_names_json(
        std::span(processor.names().categories().label_words()).first(work.result.classified.classes));
  if (!work.rest.empty()) work.feed->pinned = processor.pin();
}

}  // namespace glimpse
