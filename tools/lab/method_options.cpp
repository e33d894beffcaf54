#include "lab/method_options.h"

#include <utility>

#include "common/tool.h"
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
  return OptionMember(&MethodOptions::method, &Method::learner, member);
}

// The sentence of the table, without the defaults of glimpsed.
std::string sentence_of(const OptionRow& option) {
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
OptionRow learner_row(const char* name, const char* standard) {
  OptionRow row = of_part(learner_option(name), {&MethodOptions::method, &Method::learner});
  row.sentence = sentence_of(row);
  row.standard = standard;
  row.rules = {};
  if (row.name == "step") row.kind = with_text(&MethodOptions::step, row.kind);
  return row;
}

std::vector<OptionRow> learner_rows() {
  std::vector<OptionRow> rows;
  for (const auto& [name, standard] : kLearnerOptions) rows.push_back(learner_row(name, standard));
  return rows;
}

}  // namespace

std::vector<OptionRow> method_options() {
  using Types = OptionKind;
  return joined(
      {{{"algorithm NAME = two-phase-ddaerr",
         "one of " + algorithm_names() +
             ", offline-ridge, offline-lasso. Known moments are those of the training set",
         Types::any_text(of_learner(&LearnerOptions::algorithm)).with_choices(words_of_methods())},
        {"budget K = 0", "attributes drawn from each example; nothing to say for full information",
         Types::whole(of_learner(&LearnerOptions::budget), 0, kLargestCount)}},
       learner_rows(),
       {{"passes N = 1", "how often to go over the examples, with new draws each time; the papers: once",
         Types::whole({&MethodOptions::method, &Method::passes}, 1, 1'000'000)},
        {"buying HOW = priced",
         "with --budget-cost: priced, by moments and prices; moments, without regard to prices; "
         "uniform",
         Types::choice<Buying>(
             of_learner(&LearnerOptions::buying),
             {{"priced", Buying::kPriced}, {"moments", Buying::kMoments}, {"uniform", Buying::kUniform}})}}});
}

std::vector<OptionRow> tuning_options() {
  using Types = OptionKind;
  const OptionRule needs_folds{+[](const TuningOptions& tuning) { return tuning.folds > 0; },
                               "needs --cv FOLDS"};
  const auto parse_folds = [](std::string_view option, const std::string& text) -> Result<std::uint64_t> {
    const auto folds = whole_number(option, text, 0, kLargestCount);
    if (folds && *folds == 1) return wrong_value(option, text, "0 or from 2");
    return folds;
  };
  return {
      {"cv FOLDS = 0",
       "choose radius and step by cross-validation on the training set (once, at the longest "
       "prefix; for each of two phases; the papers: 10 folds); 0: no",
       Types::parsed(&TuningOptions::folds, parse_folds)},
      {"cv-repeats N = 1",
       "with --cv: runs a fold, each with other draws: where these make more of a difference "
       "than the choice does",
       Types::whole(&TuningOptions::repeats, 1, kLargestCount),
       {.rules = {needs_folds}}},
      {"radii B,B,...",
       "candidates for the radius; powers of two by default",
       Types::parsed(&TuningOptions::radii, parse_numbers),
       {.rules = {needs_folds}}},
      {"steps S,S,...",
       "candidates for the step's number; powers of two by default",
       Types::parsed(&TuningOptions::steps, parse_numbers),
       {.rules = {needs_folds}}},
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
