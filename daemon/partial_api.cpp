#include "daemon/partial_api.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>

#include "learn/conditioning.h"
#include "learn/partial_prediction.h"

namespace glimpse {

namespace asio = boost::asio;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// What is needed of the learner for predictions from parts of examples, copied on the trainer's thread.
struct Basis {
  std::shared_ptr<const Solution> solution;
  double noise = 0;

  static Basis of(const StreamProcessor& processor) {
    const Learner& learner = processor.learner();
    Basis basis;
    const Conditioning* const conditioning = learner.conditioning();
    basis.solution =
        conditioning != nullptr ? conditioning->newest_solution() : independent_solution(learner);
    basis.noise = error_variance(basis.solution->moments.noise, learner.progressive_loss().recent());
    return basis;
  }
  // Unknown while nothing tells of errors: one example fits any model.
  double standard_error(const PartialPrediction& prediction) const {
    return noise > 0 ? prediction.standard_error(noise) : kUnknown;
  }
};

// rows.size() × columns.size() covariances; empty where attributes count as independent.
std::vector<double> covariances_of(const Learner& learner, const Basis& basis,
                                   std::span<const Attribute> rows, std::span<const Attribute> columns) {
  std::vector<double> out;
  if (const Conditioning* const conditioning = learner.conditioning(); conditioning != nullptr) {
    out.resize(rows.size() * columns.size());
    conditioning->covariances(basis.solution->moments, rows, columns, out);
  }
  return out;
}

std::span<const double> row_of(const std::vector<double>& rows, std::size_t row, std::size_t columns) {
  return rows.empty() ? std::span<const double>() : std::span(rows).subspan(row * columns, columns);
}

std::vector<Attribute> attributes_of(const std::vector<Entry>& entries) {
  std::vector<Attribute> attributes;
  for (const Entry& entry : entries) attributes.push_back(entry.attribute);
  return attributes;
}

HttpResponse json_response(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  return response;
}

}  // namespace

void PartialApi::respond_later(std::shared_ptr<Respond> respond, HttpResponse response) {
  asio::post(parts_.io, [respond = std::move(respond), response = std::move(response)]() mutable {
    (*respond)(std::move(response));
  });
}

void PartialApi::predict(std::vector<KnownValues> examples, Respond respond) {
  struct Work {
    Basis basis;
    Clip clip;
    LabelRange labels;
    std::vector<std::vector<Entry>> known;
    std::vector<std::vector<double>> covariances;
  };
  auto shared = std::make_shared<Respond>(std::move(respond));
  parts_.with_model(shared, [this, examples = std::move(examples), shared](StreamProcessor& processor) {
    auto work = std::make_shared<Work>();
    for (const KnownValues& example : examples) {
      auto entries = resolve_known(example, processor.names());
      if (!entries)
        return respond_later(shared, error_response(422, "invalid_known",
                                                    fmt::format("example {}: {}", work->known.size() + 1,
                                                                entries.error().message)));
      work->known.push_back(std::move(*entries));
    }
    processor.note_predictions(*parts_.door, examples.size());
    work->basis = Basis::of(processor);
    work->clip = processor.clip();
    work->labels = processor.learner().labels();
    for (const std::vector<Entry>& entries : work->known) {
      const std::vector<Attribute> attributes = attributes_of(entries);
      work->covariances.push_back(covariances_of(processor.learner(), work->basis, attributes, attributes));
    }
    asio::post(parts_.renderer, [this, work, shared] {
      std::vector<double> predictions;
      std::vector<double> errors;
      for (std::size_t e = 0; e < work->known.size(); ++e) {
        const std::vector<Entry>& entries = work->known[e];
        PartialPrediction prediction(work->basis.solution, attributes_of(entries));
        for (std::size_t a = 0; a < entries.size(); ++a)
          prediction.add_known(entries[a].attribute, entries[a].value,
                               row_of(work->covariances[e], a, entries.size()));
        predictions.push_back(work->clip.apply(prediction.prediction(), work->labels));
        errors.push_back(work->basis.standard_error(prediction));
      }
      respond_later(shared, json_response(partial_predictions_json(predictions, errors,
                                                                   work->basis.solution->origin.examples)));
    });
  });
}

// Between two choices the trainer is asked for the covariances of the one just made.
struct PartialApi::Choosing {
  AskRequest request;
  std::shared_ptr<Respond> respond;
  Basis basis;
  Clip clip;
  LabelRange labels;
  std::shared_ptr<const Prices> prices;
  std::optional<Bill> bill;  // of what is known and chosen
  std::optional<PartialPrediction> prediction;
  std::vector<Entry> known;
  std::vector<double> rows;  // of what is known, then of the last choice
  std::vector<std::string> names;
  NextAttributes next;
  std::size_t left = 0;
};

void PartialApi::choose(AskRequest request, Respond respond) {
  auto shared = std::make_shared<Respond>(std::move(respond));
  parts_.with_model(shared, [this, request = std::move(request), shared](StreamProcessor& processor) {
    const Learner& learner = processor.learner();
    auto choosing = std::make_shared<Choosing>();
    choosing->respond = shared;
    auto known = resolve_known(request.known, processor.names());
    if (!known) return respond_later(shared, error_response(422, "invalid_known", known.error().message));
    choosing->known = std::move(*known);
    std::vector<Attribute> candidates(learner.options().dimension);
    std::iota(candidates.begin(), candidates.end(), Attribute{0});
    if (request.names_available) {
      auto available = resolve_attributes(request.available, processor.names());
      if (!available)
        return respond_later(shared, error_response(422, "unknown_attribute", available.error().message));
      candidates = std::move(*available);
    }
    // What is known comes first: that is where conditioning is quickest.
    const std::vector<Attribute> given = attributes_of(choosing->known);
    std::vector<Attribute> universe = given;
    std::set_difference(candidates.begin(), candidates.end(), given.begin(), given.end(),
                        std::back_inserter(universe));
    choosing->left = std::min(request.count, kMostKnown);
    choosing->basis = Basis::of(processor);
    choosing->clip = processor.clip();
    choosing->labels = learner.labels();
    choosing->prices = learner.options().prices;
    if (choosing->prices) {
      choosing->bill.emplace(*choosing->prices);
      choosing->bill->begin();
      for (const Attribute i : given) choosing->bill->add(i);
    }
    for (std::size_t i = 0; i < processor.names().size(); ++i)
      choosing->names.emplace_back(processor.names().name(static_cast<Attribute>(i)));
    choosing->rows = covariances_of(learner, choosing->basis, given, universe);
    choosing->prediction.emplace(choosing->basis.solution, std::move(universe));
    asio::post(parts_.renderer, [this, choosing] {
      PartialPrediction& prediction = *choosing->prediction;
      const std::size_t columns = prediction.universe().size();
      for (std::size_t a = 0; a < choosing->known.size(); ++a)
        prediction.add_known(choosing->known[a].attribute, choosing->known[a].value,
                             row_of(choosing->rows, a, columns));
      choosing->next.prediction = choosing->clip.apply(prediction.prediction(), choosing->labels);
      choosing->next.standard_error = choosing->basis.standard_error(prediction);
      choose_next(choosing);
    });
  });
}

void PartialApi::choose_next(std::shared_ptr<Choosing> choosing) {
  const auto cost = [&](Attribute i) { return choosing->bill ? money_in_units(choosing->bill->next(i)) : 1; };
  const auto choice = choosing->left > 0 ? choosing->prediction->best_next(cost) : std::nullopt;
  if (!choice) return respond_later(choosing->respond, json_response(next_attributes_json(choosing->next)));
  --choosing->left;
  parts_.queue.post([this, choosing, i = choice->attribute](StreamProcessor& processor) {
    choosing->rows = covariances_of(processor.learner(), choosing->basis, std::span(&i, 1),
                                    choosing->prediction->universe());
    asio::post(parts_.renderer, [this, choosing, i] {
      choosing->prediction->suppose_known(i, choosing->rows);
      NextAttributes::Choice& row = choosing->next.choices.emplace_back();
      row.attribute = i;
      if (i < choosing->names.size()) row.name = choosing->names[i];
      row.cost = choosing->bill ? choosing->bill->next(i) : kMoneyUnit;
      if (choosing->bill) choosing->bill->add(i);
      row.standard_error = choosing->basis.standard_error(*choosing->prediction);
      choose_next(choosing);
    });
  });
}

}  // namespace glimpse
