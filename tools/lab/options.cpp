#include "lab/options.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <tuple>

#include "common/command_line.h"
#include "data/text/number.h"
#include "learn/core/learner_option_table.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::uint64_t kMany = std::uint64_t{1} << 31;

auto text(const char* standard, const char* name) {
  return po::value<std::string>()->default_value(standard)->value_name(name);
}
auto text(const char* name) { return po::value<std::string>()->value_name(name); }

const std::string* given(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? &values[name].as<std::string>() : nullptr;
}

}  // namespace

void add_data_options(po::options_description& options) {
  auto add = options.add_options();
  add("data", text("DATA")->required(),
      "mnist:A,B[:DIR] (digit A is -1, B is +1; DIR or GLIMPSE_MNIST is the folder of the four files), "
      "simulated:ridge|lasso:ALPHA (Kukliansky & Shamir 2015, section 5.1), simulated:factors:F (attributes "
      "are noisy views of F factors; :D behind either is its number of attributes), or a file: CSV or "
      "svmlight, gzip-ed or not");
  add("label-column", text("first", "WHICH"),
      "files in CSV: the column of the label: first, last, or a number counted from 0");
  add("scale", text("HOW"),
      "none; norm: all by one factor, largest ||x||_2 = 1; maxabs: each attribute by its own, largest |x_i| "
      "= "
      "1; maxabs-norm. By default norm for MNIST (whose pixels are divided by 255 in any case), none "
      "elsewhere. Factors come from the training set");
  add("positive", text("LABEL"), "files: examples with this label are +1, all others -1");
  add("standardise-labels", po::bool_switch(),
      "labels less their mean, over their standard deviation; the zero predictor is then the mean");
  add("test-share", text("P%"),
      "draw a test set of this share from all examples; without it the test set is the data's own, or 10% of "
      "a file");
  add("split-seed", text("0", "N|each"), "which test set --test-share draws; each: another with every seed");
  add("examples", text("M"), "at most this many training examples; simulated: exactly, 20000 by default");
  add("test-examples", text("2000", "M"), "simulated: length of the test set");
  add("dimension", text("500", "D"), "simulated: number of attributes");
  add("data-seed", text("1", "N"), "simulated: which hidden weights and which stream");
}

Result<DataOptions> read_data_options(const po::variables_map& values) {
  DataOptions options;
  options.data = values["data"].as<std::string>();
  if (const std::string* name = given(values, "scale")) {
    const auto scaling = parse_scaling(*name);
    if (!scaling) return scaling.error();
    options.scaling = *scaling;
  }
  if (given(values, "positive") != nullptr) {
    const auto label = number(values, "positive");
    if (!label) return label.error();
    options.positive = *label;
  }
  const auto label = parse_label_column(values["label-column"].as<std::string>());
  if (!label) return label.error();
  options.label = *label;
  options.standardise_labels = values["standardise-labels"].as<bool>();
  if (const std::string* share = given(values, "test-share")) {
    const auto value = parse_share("test-share", *share);
    if (!value) return value.error();
    options.test_share = *value;
  }
  if (values["split-seed"].as<std::string>() != "each") {
    const auto seed = whole_number(values, "split-seed", 0, std::numeric_limits<std::uint64_t>::max());
    if (!seed) return seed.error();
    options.split_seed = *seed;
  }
  if (given(values, "examples") != nullptr) {
    const auto examples = whole_number(values, "examples", 1, kMany);
    if (!examples) return examples.error();
    options.examples = *examples;
    options.largest_training = *examples;
  }
  const auto tests = whole_number(values, "test-examples", 1, kMany);
  if (!tests) return tests.error();
  options.test_examples = *tests;
  const auto dimension = whole_number(values, "dimension", 1, kMany);
  if (!dimension) return dimension.error();
  options.dimension = *dimension;
  const auto seed = whole_number(values, "data-seed", 0, std::numeric_limits<std::uint64_t>::max());
  if (!seed) return seed.error();
  options.data_seed = *seed;
  return options;
}

namespace {

// The learner's options that experiments set, and what holds where nothing is given: what the papers had. ""
// stands for nothing.
constexpr std::pair<const char*, const char*> kMethodOptions[] = {
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
    {"bias", "off"},
};

// The sentence of the table, without the defaults of glimpsed.
std::string sentence_of(const Option<LearnerOptions>& option) {
  constexpr std::string_view kDefault = " (default)";
  std::string sentence = option.sentence;
  if (const std::size_t at = sentence.find(kDefault); at != std::string::npos)
    sentence.erase(at, kDefault.size());
  if (const std::size_t at = sentence.find("; default on"); at != std::string::npos) sentence.erase(at);
  return sentence;
}

}  // namespace

void add_method_options(po::options_description& options) {
  auto add = options.add_options();
  add("algorithm", text("two-phase-ddaerr", "NAME"),
      ("one of " + algorithm_names() +
       ", offline-ridge, offline-lasso. Known moments are those of the training set")
          .c_str());
  add("budget", text("0", "K"), "attributes drawn from each example; nothing to say for full information");
  for (const auto& [name, standard] : kMethodOptions) {
    const Option<LearnerOptions>& option = learner_option(name);
    add(name, *standard == '\0' ? text(option.value) : text(standard, option.value),
        sentence_of(option).c_str());
  }
  add("passes", text("1", "N"),
      "how often to go over the examples, with new draws each time; the papers: once");
  add("buying", text("priced", "HOW"),
      "with --budget-cost: priced, by moments and prices; moments, without regard to prices; uniform");
}

Result<Method> read_method_options(const po::variables_map& values) {
  Method method;
  LearnerOptions& learner = method.learner;
  learner.algorithm = values["algorithm"].as<std::string>();
  const auto budget = whole_number(values, "budget", 0, kMany);
  if (!budget) return budget.error();
  learner.budget = *budget;
  for (const auto& [name, standard] : kMethodOptions)
    if (const std::string* value = given(values, name))
      if (const Status status = learner_option(name).type.read(learner, name, *value); !status)
        return status.error();
  const auto passes = whole_number(values, "passes", 1, 1'000'000);
  if (!passes) return passes.error();
  method.passes = *passes;
  const auto& buying = values["buying"].as<std::string>();
  if (buying != "priced" && buying != "moments" && buying != "uniform")
    return failure(ErrorCode::kInvalidOption, "--buying {}: must be priced, moments or uniform", buying);
  learner.buying = buying == "priced"    ? Buying::kPriced
                   : buying == "moments" ? Buying::kMoments
                                         : Buying::kUniform;
  return method;
}

void add_tuning_options(po::options_description& options) {
  auto add = options.add_options();
  add("cv", text("0", "FOLDS"),
      "choose radius and step by cross-validation on the training set (once, at the longest prefix; for "
      "each "
      "of two phases; the papers: 10 folds); 0: no");
  add("cv-repeats", text("1", "N"),
      "with --cv: runs a fold, each with other draws: where these make more of a difference than the choice "
      "does");
  add("radii", text("B,B,..."), "candidates for the radius; powers of two by default");
  add("steps", text("S,S,..."), "candidates for the step's number; powers of two by default");
}

Result<std::optional<TuningOptions>> read_tuning_options(const po::variables_map& values,
                                                         const Method& method) {
  const auto folds = whole_number(values, "cv", 0, kMany);
  if (!folds) return folds.error();
  const std::string* radii = given(values, "radii");
  const std::string* steps = given(values, "steps");
  if (*folds == 0) {
    if (!values["cv-repeats"].defaulted())
      return failure(ErrorCode::kInvalidOption, "--cv-repeats {}: needs --cv FOLDS",
                     values["cv-repeats"].as<std::string>());
    if (radii != nullptr || steps != nullptr)
      return failure(ErrorCode::kInvalidOption, "--{} {}: needs --cv FOLDS",
                     radii != nullptr ? "radii" : "steps", radii != nullptr ? *radii : *steps);
    return std::optional<TuningOptions>();
  }
  if (*folds < 2) return failure(ErrorCode::kInvalidOption, "--cv is '1'; it must be 0 or from 2");
  const auto repeats = whole_number(values, "cv-repeats", 1, kMany);
  if (!repeats) return repeats.error();
  TuningOptions tuning;
  tuning.folds = *folds;
  tuning.repeats = *repeats;
  if (method.learner.radius) tuning.radii = {*method.learner.radius};
  const auto& step = values["step"].as<std::string>();
  const LearnerOptions& learner = method.learner;
  const bool number = learner.step == StepKind::kNumber || learner.step == StepKind::kAdaGrad;
  if (!number && !values["step"].defaulted())
    return failure(ErrorCode::kInvalidOption,
                   "--step {}: --cv {} would choose a number in its place; leave one of the two out", step,
                   *folds);
  if (learner.step == StepKind::kAdaGrad) tuning.step_prefix = "adagrad:";
  if (number && step != "adagrad") tuning.steps = {learner.step_number};
  for (const auto& [name, list, target] :
       {std::tuple{"radii", radii, &tuning.radii}, std::tuple{"steps", steps, &tuning.steps}}) {
    if (list == nullptr) continue;
    const auto numbers = parse_numbers(name, *list);
    if (!numbers) return numbers.error();
    *target = *numbers;
  }
  return std::optional(tuning);
}

void add_execution_options(po::options_description& options) {
  auto add = options.add_options();
  add("jobs", text("0", "N"), "threads; 0: as many as there are processors. Changes no result");
  add("quiet", po::bool_switch(), "no progress on standard error");
}

Result<Execution> read_execution_options(const po::variables_map& values) {
  const auto jobs = whole_number(values, "jobs", 0, 4096);
  if (!jobs) return jobs.error();
  Execution execution;
  execution.threads = *jobs > 0 ? *jobs : std::max(1U, std::thread::hardware_concurrency());
  execution.quiet = values["quiet"].as<bool>();
  return execution;
}

Result<MeasuringPoints> parse_prefixes(std::string_view text) {
  MeasuringPoints points;
  for (;;) {
    const std::string_view part = text.substr(0, text.find(','));
    std::uint64_t count = 0;
    if (part == "all") {
      points.all = true;
    } else if (read_index(part, count) && count > 0) {
      points.counts.push_back(count);
    } else {
      return failure(ErrorCode::kInvalidOption,
                     "--prefixes: '{}' must be a number of examples from 1, or all", part);
    }
    if (part.size() == text.size()) return points;
    text.remove_prefix(part.size() + 1);
  }
}

Result<double> parse_share(std::string_view option, std::string_view text) {
  double value = 0;
  if (text.ends_with('%') && read_number(text.substr(0, text.size() - 1), value) && value > 0 && value < 100)
    return value / 100;
  return failure(ErrorCode::kInvalidOption, "--{} is '{}'; it must be a share between 0% and 100%", option,
                 text);
}

Result<std::vector<double>> parse_numbers(std::string_view option, std::string_view text) {
  std::vector<double> numbers;
  for (;;) {
    const std::string_view part = text.substr(0, text.find(','));
    double value = 0;
    if (!read_number(part, value) || !(value > 0))
      return failure(ErrorCode::kInvalidOption, "--{}: '{}' must be a number above 0", option, part);
    numbers.push_back(value);
    if (part.size() == text.size()) return numbers;
    text.remove_prefix(part.size() + 1);
  }
}

}  // namespace glimpse
