#include <fmt/format.h>
#include <iterator>

#include "data/text/text.h"
#include "learn/factory.h"
#include "learn/gradient/moments_file.h"
#include "learn/options/learner_option_table.h"
#include "learn/options/state_options.h"
#include "session.h"

// How a session begins: options, names, prices, classes.

namespace glimpse::python {

namespace {

/// Of learner_option_table(), those whose values a checkpoint has.
constexpr const char* kTold[] = {"algorithm",     "dimension",      "budget",
                                 "radius",        "step",           "horizon",
                                 "phase1",        "delta",          "confidence",
                                 "split",         "inner-sampling", "half-norm",
                                 "bias",          "draws",          "control-variates",
                                 "phase1-radius", "phase1-step",    "half-life",
                                 "drift",         "ball",           "active",
                                 "looks",         "products",       "expansion-exponent",
                                 "max-features",  "fallback-parent"};

constexpr std::size_t kMostPlans = std::size_t{1} << 20;  // open at a time

Status read_options(const std::map<std::string, std::string>& given, LearnerOptions& options) {
  for (const auto& [name, value] : given) {
    const OptionRow* const row = find_row(learner_option_table(), name);
    if (row == nullptr) return failure(ErrorCode::kInvalidOption, "there is no option {}", in_quotes(name));
    GLIMPSE_TRY(row->read(options, value));
  }
  return {};
}

}  // namespace

std::vector<std::string> options_that_decide() { return {std::begin(kTold), std::end(kTold)}; }

std::map<std::string, std::string> options_told(const State& state) {
  std::map<std::string, std::string> told;
  for (const char* const name : kTold)
    if (const std::string_view value = option_of(state, name);
        !value.empty() && value != "none" && value != "unknown")
      told[name] = value;
  return told;
}

Result<std::map<std::string, std::string>> options_chosen(const State& state) {
  std::map<std::string, std::string> chosen = options_told(state);
  LearnerOptions usual;
  for (const char* const name : {"algorithm", "dimension", "budget"}) {
    const auto given = chosen.extract(name);
    if (given.empty()) continue;
    GLIMPSE_TRY(read_options({{name, given.mapped()}}, usual));
  }
  State described;
  described.put_text("learner.options", glimpse::describe(usual));
  std::erase_if(chosen,
                [&](const auto& option) { return option_of(described, option.first) == option.second; });
  return chosen;
}

Session::Session(std::unique_ptr<Learner> learner, std::uint64_t seed)
    : learner_(std::move(learner)),
      predictor_(*learner_),
      names_(learner_->options().dimension),
      random_(seed),
      inner_random_(random_.apart()) {
  if (learner_->options().prices) bill_.emplace(*learner_->options().prices);
  names_.categories().set_learned(
      {[this](Attribute i) { return !learner_->features().is_category(i) && learner_->has_seen(i); },
       [this] { return !learner_->labels().empty(); }});
  if (learner_->learns_categories()) return;
  names_.categories().set_refusal(
      fmt::format("{} learns from numbers alone: take the algorithm pairwise without products, or leave the "
                  "attribute out",
                  learner_->options().algorithm));
}

Result<std::unique_ptr<Session>> Session::make(const Beginning& beginning) {
  LearnerOptions options;
  options.algorithm = kAutomatic;
  GLIMPSE_TRY(read_options(beginning.options, options));
  options.labels = beginning.labels;
  if (options.algorithm == kAutomatic) options.algorithm = automatic_algorithm(options);
  if (!beginning.costs.empty()) {
    auto prices = parse_prices(beginning.costs, options.dimension, AttributeNames(options.dimension));
    if (!prices) return failure(ErrorCode::kInvalidOption, "costs: {}", prices.error().message);
    options.prices = std::make_shared<const Prices>(std::move(*prices));
  }
  if (beginning.buying == "moments") options.buying = Buying::kMoments;
  if (beginning.buying == "uniform") options.buying = Buying::kUniform;
  std::optional<SecondMoments> moments;
  if (!beginning.moments.empty()) {
    auto read = parse_moments(beginning.moments, options.dimension);
    if (!read) return failure(ErrorCode::kInvalidOption, "moments: {}", read.error().message);
    moments = std::move(*read);
  }
  if (wants_moments(options.algorithm) && !moments)
    return failure(ErrorCode::kInvalidOption,
                   "algorithm '{0}' knows the second moments of the attributes beforehand: name their file, "
                   "options={{\"moments\": FILE}}, or take 'two-phase-{0}', which estimates them",
                   options.algorithm);
  GLIMPSE_TRY_ASSIGN(auto learner, make_learner(options, moments ? &*moments : nullptr));
  std::unique_ptr<Session> session(new Session(std::move(learner), options.seed));
  session->plans_ = PlanBook(kMostPlans, beginning.process, session->learner_->label_count());
  session->names_.categories().set_limit(beginning.max_categories);
  const bool are_many = session->learner_->learns_classes() && beginning.classes.has_value();
  session->names_.categories().set_label_limit(
      are_many ? beginning.max_classes : 2,
      are_many ? fmt::format("max_classes allows {}", beginning.max_classes)
               : fmt::format("{} learns two classes; take pairwise for more", options.algorithm));
  return session;
}

Result<std::unique_ptr<Session>> Session::begin(const Beginning& beginning) {
  auto made = make(beginning);
  if (!made) return made;
  Session& session = **made;
  AttributeNames& names = session.names_;
  if (!beginning.names.empty()) GLIMPSE_TRY(names.fix(beginning.names));
  for (const Attribute i : beginning.word_attributes)
    GLIMPSE_TRY(names.categories().declare(i, "attribute " + in_quotes(names.callable_name(i))));
  if (beginning.classes) {
    names.categories().declare_label();
    if (!beginning.classes->empty()) GLIMPSE_TRY(names.categories().declare_label_words(*beginning.classes));
    session.learner_->make_classifier(names.categories().label_words().size());
  }
  names.keep();
  session.note_words();
  return made;
}

// A checkpoint's own options hold, except those that are no part of it.
Result<std::unique_ptr<Session>> Session::restore(const State& state, Beginning beginning) {
  for (const char* const name : kTold) beginning.options.erase(name);
  for (const auto& [name, value] : options_told(state)) beginning.options[name] = value;
  const std::string_view labels = option_of(state, "labels");
  if (!labels.empty() && beginning.labels.empty())
    return failure(ErrorCode::kMismatch,
                   "the checkpoint is of several labels ({}), and an estimator has one: glimpsed.read() "
                   "predicts with it",
                   labels);
  const bool is_classifier = state.find("learner.classes") != nullptr;
  if (is_classifier != beginning.classes.has_value())
    return failure(ErrorCode::kMismatch, "the checkpoint is of {}: load it as a {}",
                   is_classifier ? "classes" : "a regression",
                   is_classifier ? "GlimpseClassifier" : "GlimpseRegressor");
  // Of known moments the checkpoint has the numbers.
  if (wants_moments(option_of(state, "algorithm"))) {
    beginning.moments = "attribute,second_moment\n";
    for (std::size_t i = 0; i < number_of(state, "dimension"); ++i)
      beginning.moments += fmt::format("{},1\n", i);
  }
  auto made = make(beginning);
  if (!made) return made;
  GLIMPSE_TRY((*made)->restore_rest(state));
  return made;
}

// Attributes that turned out to hold words.
void Session::note_words() {
  const auto& attributes = names_.categories().attributes();
  for (; known_words_ < attributes.size(); ++known_words_)
    if (!learner_->features().is_category(attributes[known_words_]))
      learner_->make_category(attributes[known_words_]);
}

}  // namespace glimpse::python
