#include "lab/method_options.h"

#include <utility>

#include "common/option_table.h"
#include "lab/option_readers.h"
#include "learn/options/learner_option_table.h"

namespace glimpse {

namespace {

// The learner's options that experiments set, and what holds where nothing is given: what the papers had. ""
// stands for nothing.
constexpr std::pair<const char*, const char*> kLearnerOptions[] = {
    {"radius", ""},
    {"step", "auto"},
    {"horizon", ""},
    {"phase1", "10%"},
    {"phase1-radius", ""},
    {"phase1-step", ""},
    {"delta", "0.01"},
    {"confidence", "0"},
    {"half-norm", ""},
    {"split", "even"},
    {"inner-sampling", "improved"},
    {"draws", "separate"},
    {"control-variates", "off"},
    {"budget-cost", ""},
    {"active", ""},
    {"look-at-best", ""},
    {"products", "off"},
    {"bias", "off"},
};

// A member of the method's learner.
template <class T>
auto of_learner(T LearnerOptions::* member) {
  return [=](auto& options) -> auto& { return options.method.learner.*member; };
}

// The sentence of the table, without the defaults of glimpsed.
std::string sentence_of(const Option<LearnerOptions>& option) {
  constexpr std::string_view kDefault = " (default)";
  std::string sentence = option.sentence;
  if (const std::size_t at = sentence.find(kDefault); at != std::string::npos)
    sentence.erase(at, kDefault.size());
  if (const std::size_t at = sentence.find("; default on"); at != std::string::npos) sentence.erase(at);
  return sentence;
}

std::vector<std::string> words_of_methods() {
  std::vector<std::string> words{"offline-ridge", "offline-lasso"};
  for (const Algorithm& algorithm : kAlgorithms) words.emplace_back(algorithm.name);
  return words;
}

// The row of the learner's table. Its rules are those of a daemon that chooses an algorithm by them.
Option<MethodOptions> learner_row(const char* name, const char* standard) {
  const Option<LearnerOptions>& option = learner_option(name);
  auto row = of_part<MethodOptions>(option, [](auto& options) -> auto& { return options.method.learner; });
  row.sentence = sentence_of(option);
  row.standard = standard;
  row.rules = {};
  if (row.name == std::string_view("step"))
    row.type = ToolTypes<MethodOptions>::with_text(at(&MethodOptions::step), row.type);
  return row;
}

std::vector<Option<MethodOptions>> learner_rows() {
  std::vector<Option<MethodOptions>> rows;
  for (const auto& [name, standard] : kLearnerOptions) rows.push_back(learner_row(name, standard));
  return rows;
}

}  // namespace

std::vector<Option<MethodOptions>> method_options() {
  using Types = ToolTypes<MethodOptions>;
  return OptionTable<MethodOptions>()
      .add({{.name = "algorithm",
             .value = "NAME",
             .sentence = "one of " + algorithm_names() +
                         ", offline-ridge, offline-lasso. Known moments are those of the training set",
             .standard = "two-phase-ddaerr",
             .type = with_choices(Types::text(of_learner(&LearnerOptions::algorithm)), words_of_methods())},
            {.name = "budget",
             .value = "K",
             .sentence = "attributes drawn from each example; nothing to say for full information",
             .standard = "0",
             .type = Types::whole(of_learner(&LearnerOptions::budget), 0, kLargestCount)}})
      .add(learner_rows())
      .add({{.name = "passes",
             .value = "N",
             .sentence = "how often to go over the examples, with new draws each time; the papers: once",
             .standard = "1",
             .type = Types::whole(at(&MethodOptions::method, &Method::passes), 1, 1'000'000)},
            {.name = "buying",
             .value = "HOW",
             .sentence =
                 "with --budget-cost: priced, by moments and prices; moments, without regard to prices; "
                 "uniform",
             .standard = "priced",
             .type = OptionTypes<MethodOptions>::choice<Buying>(of_learner(&LearnerOptions::buying),
                                                                {{"priced", Buying::kPriced},
                                                                 {"moments", Buying::kMoments},
                                                                 {"uniform", Buying::kUniform}})}})
      .rows();
}

std::vector<Option<TuningOptions>> tuning_options() {
  using Tuning = ToolTypes<TuningOptions>;
  const OptionRule<TuningOptions> needs_folds{[](const TuningOptions& tuning) { return tuning.folds > 0; },
                                              "needs --cv FOLDS"};
  const auto parse_folds = [](std::string_view option, const std::string& text) -> Result<std::uint64_t> {
    const auto folds = whole_number(option, text, 0, kLargestCount);
    if (folds && *folds == 1) return wrong_value(option, text, "0 or from 2");
    return folds;
  };
  return {
      {.name = "cv",
       .value = "FOLDS",
       .sentence = "choose radius and step by cross-validation on the training set (once, at the longest "
                   "prefix; for each of two phases; the papers: 10 folds); 0: no",
       .standard = "0",
       .type = Tuning::parsed(at(&TuningOptions::folds), parse_folds)},
      {.name = "cv-repeats",
       .value = "N",
       .sentence = "with --cv: runs a fold, each with other draws: where these make more of a difference "
                   "than the choice does",
       .standard = "1",
       .type = Tuning::whole(at(&TuningOptions::repeats), 1, kLargestCount),
       .rules = {needs_folds}},
      {.name = "radii",
       .value = "B,B,...",
       .sentence = "candidates for the radius; powers of two by default",
       .type = Tuning::parsed(at(&TuningOptions::radii), parse_numbers),
       .rules = {needs_folds}},
      {.name = "steps",
       .value = "S,S,...",
       .sentence = "candidates for the step's number; powers of two by default",
       .type = Tuning::parsed(at(&TuningOptions::steps), parse_numbers),
       .rules = {needs_folds}},
  };
}

std::optional<TuningOptions> tuning_of(const TuningOptions& given, const MethodOptions& method) {
  if (given.folds == 0) return std::nullopt;
  const LearnerOptions& learner = method.method.learner;
  const bool is_adagrad = learner.step == StepKind::kAdaGrad;
  const bool has_number = learner.step == StepKind::kNumber || (is_adagrad && method.step != "adagrad");
  TuningOptions tuning = given;
  if (is_adagrad) tuning.step_prefix = "adagrad:";
  if (tuning.radii.empty() && learner.radius) tuning.radii = {*learner.radius};
  if (tuning.steps.empty() && has_number) tuning.steps = {learner.step_number};
  return tuning;
}

}  // namespace glimpse
