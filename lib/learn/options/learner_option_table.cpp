#include "learn/options/learner_option_table.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace glimpse {

namespace {

using Types = OptionTypes<LearnerOptions>;

constexpr std::uint64_t kAnyCount = 1000000000000000000;
constexpr const char* kExpansion = "has an effect on --algorithm apple only";

bool expands(const LearnerOptions& o) { return finds_products(o.algorithm); }
bool has_pairs(const LearnerOptions& o) { return keeps_pairs(o.algorithm) || o.algorithm == kAutomatic; }
bool plans_by_pairs(const LearnerOptions& o) {
  return keeps_all_pairs(o.algorithm) || o.algorithm == kAutomatic;
}
bool screens_attributes(const LearnerOptions& o) { return screens(o.algorithm); }

}  // namespace

std::vector<Option<LearnerOptions>> feature_option_rows() {
  return {
      {.name = "pair-memory",
       .value = "SIZE",
       .sentence = "largest size of the pairs' moments of pairwise and pairwise-screened",
       .standard = "1GiB",
       .details =
           R"(The most memory that pairwise may take for its pairs: 16·d·(d − 1) + 104·d bytes are needed, and
half of that once more for solving (with 'drift' twice the half). 1GiB is enough for 8189
attributes.)",
       .type = Types::bytes(at(&LearnerOptions::pair_memory)),
       .rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}},
      {.name = "active",
       .value = "A",
       .sentence = "pairwise-screened: keep the pairs of at most so many attributes; default 2048, or what "
                   "fits --pair-memory",
       .example = "2048",
       .details =
           R"(pairwise-screened: keep the pairs of at most so many attributes. More find more where much matters;
a solution takes time proportional to the square. Default: 2048, or what fits pair-memory.)",
       .type = Types::whole(at(&LearnerOptions::active), 2, kAnyCount),
       .rules = {{screens_attributes, "has an effect on --algorithm pairwise-screened only"}}},
      {.name = "products",
       .value = "off|2|3",
       .sentence =
           "pairwise and pairwise-screened: products of up to so many attributes that explain the label "
           "become features",
       .standard = "off",
       .details =
           R"(2: products of two attributes, squares among them, become features once they explain more of the
label than the attributes alone do: for what is not linear, at the same budget, from 4 attributes
an example on. 3: of three attributes as well, cubes among them, from 6 an example on. Memory: 16
bytes for each pair of these features (see 'pair-memory'; 1GiB is enough for 126 attributes with 2,
32 with 3; of more, some at a time have products), and a quarter of that once more for solving. With
pairwise and pairwise-screened, without 'radius' and categories. pairwise-screened: 512 bytes an
attribute more at most, by which attributes are found that explain something in a product alone.)",
       .type = Types::choice<std::size_t>(at(&LearnerOptions::products), {{"off", 0}, {"2", 2}, {"3", 3}}),
       .rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}},
      {.name = "looks",
       .value = "learned|uniform",
       .sentence = "pairwise: draw attributes by what was learned of them, or all alike, to compare with",
       .standard = "learned",
       .details =
           R"(pairwise: learned draws attributes that vary more or explain more of the label more often. uniform
draws all alike throughout, whatever was learned: to see what choosing is worth.)",
       .type = Types::choice<Looks>(at(&LearnerOptions::looks),
                                    {{"learned", Looks::kLearned}, {"uniform", Looks::kUniform}}),
       .rules = {{plans_by_pairs, "has an effect on --algorithm pairwise only"}}},
      {.name = "look-at-best",
       .value = "N",
       .sentence = "pairwise and pairwise-screened: later looks go to the N attributes that predict best "
                   "together",
       .example = "10",
       .details =
           R"(Once it is sure enough which N attributes predict best together (up to 256), with 'budget-cost' for
their price, looks are spent on them, and the model is of them alone. Some 8 in a hundred looks stay
on all attributes, so that the choice is revised when the world changes
(lib/learn/small_models/LOOK_AT_BEST.md). May be changed at a restart. Default: all attributes.)",
       .type = Types::whole(at(&LearnerOptions::look_at_best), 1, kMostBest),
       .rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}},
      {.name = "expansion-exponent",
       .value = "A",
       .sentence = "apple: s^A features get products at each expansion, of examples with s attributes other "
                   "than 0",
       .standard = "1",
       .details =
           R"(apple: at the end of each epoch so many features get products with all attributes, s to the power of
this, where an example has s attributes other than 0 in the mean; up to 2. Less is faster, and finds
less. Epochs end at sixths of 'horizon', or, without it, at powers of two from 256 examples
on.)",
       .type = Types::real(at(&LearnerOptions::expansion_exponent)),
       .rules = {{expands, kExpansion}}},
      {.name = "max-features",
       .value = "N",
       .sentence = "apple: at most so many products of attributes have weights",
       .standard = "1048576",
       .details =
           R"(apple: at most so many products of attributes have weights; about 150 bytes each. What finds no room
is counted (glimpse_products_lacking_total) and logged.)",
       .type = Types::whole(at(&LearnerOptions::max_features), 1, std::uint64_t{1} << 31),
       .rules = {{expands, kExpansion}}},
      {.name = "fallback-parent",
       .value = "on|off",
       .sentence = "apple: one feature of each expansion is of the lowest degree that is left",
       .standard = "off",
       .details =
           R"(apple: one of the features of each expansion is of the lowest degree that is left, whatever its
weight: so all products are reached at last, however misleading the weights are.)",
       .type = Types::on_off(at(&LearnerOptions::fallback_parent)),
       .rules = {{expands, kExpansion}}},
  };
}

namespace {

constexpr std::uint64_t kLargestDimension = std::uint64_t{1} << 31;
constexpr std::uint64_t kMany = 1000000000000000000;

constexpr const char* kPhases = "has an effect on algorithms of two phases (two-phase-...) only";
constexpr const char* kSampling =
    "has no effect on algorithms that look at every attribute (online-..., apple)";

std::string first_order_alone() {
  return fmt::format("has an effect on {} only", algorithm_names(is_budgeted_first_order, " and "));
}

bool has_phases(const LearnerOptions& o) { return has_two_phases(o.algorithm); }
bool has_two_phases_in_l2(const LearnerOptions& o) { return has_phases(o) && !has_l1_ball(o.algorithm); }
bool samples(const LearnerOptions& o) { return !is_full_information(o.algorithm); }
bool steps(const LearnerOptions& o) { return has_step(o.algorithm); }
bool weighs_inner_draws(const LearnerOptions& o) { return !is_css10(o.algorithm) && steps(o); }
bool draws_first_order(const LearnerOptions& o) { return is_budgeted_first_order(o.algorithm); }
bool keeps_parts_apart(const LearnerOptions& o) { return draws_of(o) == Draws::kSeparate; }
bool step_by_theory(const LearnerOptions& o) { return o.step == StepKind::kTheory; }
bool confidence_by_theory(const LearnerOptions& o) { return !o.confidence; }
bool uses_horizon(const LearnerOptions& o) {
  return finds_products(o.algorithm) || (step_by_theory(o) && steps(o)) ||
         (has_phases(o) && (o.phase1_fraction || o.phase1_examples));
}
bool has_radius(const LearnerOptions& o) { return o.radius.has_value(); }

std::vector<std::string> words_of_algorithms() {
  std::vector<std::string> words{"auto"};
  for (const Algorithm& algorithm : kAlgorithms) words.emplace_back(algorithm.name);
  return words;
}

std::vector<Option<LearnerOptions>> rows_of_steps() {
  return {
      {.name = "dimension",
       .value = "D",
       .sentence = "attributes of an example; needed, unless a checkpoint is restored",
       .example = "784",
       .details =
           R"(Attributes of an example, from 1. Needed at the first start; afterwards the checkpoint knows it.
Memory: 47 bytes an attribute, and the same again for the copy that checkpoints are written from.)",
       .type = Types::whole(at(&LearnerOptions::dimension), 1, kLargestDimension)},
      {.name = "budget",
       .value = "K",
       .sentence = "attributes to look at in each example, from 2",
       .example = "57",
       .details =
           R"(Attributes to look at in each example, from 2 to the dimension. More learn faster and cost more; a
step takes time proportional to it.)",
       .type = Types::whole(at(&LearnerOptions::budget), 1, kLargestDimension)},
      {.name = "algorithm",
       .value = "NAME",
       .sentence = "auto (default): pairwise where --pair-memory holds the pairs of attributes, "
                   "pairwise-screened beyond, two-phase-ddaerr where an option of it is given; or pairwise, "
                   "pairwise-screened; aerr, ddaerr, two-phase-ddaerr, online-ridge; aelr, ddaelr, "
                   "two-phase-ddaelr, online-lasso; aer, baseline; apple",
       .standard = "auto",
       .details =
           R"(auto              the checkpoint's; else pairwise where 'pair-memory' holds the pairs, pairwise-screened
    beyond or where 'active' is given, and two-phase-ddaerr where an option of it is given that pairwise
    has not, as 'step', or 'budget-cost' beyond (default)
two-phase-ddaerr  estimates which attributes vary most, and looks at those more often
aerr              looks at all attributes equally often
ddaerr            knows the attributes' second moments beforehand (needs 'moments')
online-ridge      looks at everything: what the others are compared with; 'budget' is not used
two-phase-ddaelr, aelr, ddaelr, online-lasso   the same for the lasso: few large weights, in an L1 ball;
    need 'radius' (ddaelr 'moments' as well)
aer               the first of its kind (2010): weights in an L1 ball; needs 'radius', and 'step' theory
    or a number S (the step is then S/t)
baseline          estimates all products of pairs and solves when asked: needs 'radius'; at most 16382
    attributes, 8 bytes for each pair of them
pairwise          keeps the products of all pairs it sees and solves for the model (see 'solver'): needs
    far fewer attributes, no step, no tuning; memory 16 bytes times the dimension squared (see
    'pair-memory')
pairwise-screened  the same for more attributes than that has room for: finds the few that explain
    something, and keeps the pairs of those ('active'); memory 101 bytes an attribute, 16 bytes times
    the square of how many are kept, and 8 for solving
apple             looks at all that an example gives, and finds products of attributes that explain the
    label ('expansion-exponent', 'max-features'): for what is not linear; 'budget' is not used)",
       .type = with_choices(Types::text(at(&LearnerOptions::algorithm)), words_of_algorithms())},
      {.name = "step",
       .value = "S",
       .sentence = "step size: auto (default), theory (needs --horizon), a number, or adagrad[:NUMBER]",
       .standard = "auto",
       .details =
           R"(The step size. auto: needs no tuning, whatever the units, those of importances among them. theory:
the papers' guarantee for inputs of norm up to 1; needs 'horizon', and is slow. A number: yours; too
large a number makes steps that are refused and counted (examples_diverged in /v1/status). Of apple it is
the learning rate, 1 in place of auto.)",
       .type = with_choices(
           Types::custom(parse_step, at(&LearnerOptions::step), at(&LearnerOptions::step_number)),
           {"auto", "theory", "adagrad"}),
       .rules = {{steps,
                  "has no effect on baseline and pairwise, which solve for their weights: leave it out, or "
                  "choose another --algorithm"}}},
      {.name = "radius",
       .value = "B",
       .sentence = "keep the weights in a ball of this radius; default: no limit; the lasso learners, aer "
                   "and baseline need it",
       .example = "16",
       .details =
           R"(Keep the weights in a ball of this radius. With step = auto in units of each attribute's largest
value, else in the attributes' own units. A good value lowers the noise; too small a value biases
the model. Default: no limit.)",
       .type = Types::real(at(&LearnerOptions::radius))},
      {.name = "ball",
       .value = "WHICH",
       .sentence = "the radius' ball: l2 (default) or l1, for pairwise; others have one of them",
       .standard = "l2",
       .details =
           R"(Which ball, for pairwise: l2 (the root of the weights' sum of squares is at most 'radius'; the
default) or l1 (the sum of their absolute values is: few weights that are not 0, as the lasso has).
In the attributes' own units. Other algorithms have one of the two and take its name alone.)",
       .type = Types::choice<std::optional<Ball>>(at(&LearnerOptions::ball),
                                                  {{"l2", Ball::kL2}, {"l1", Ball::kL1}}),
       .rules = {{has_radius, "has no effect without --radius B"}}},
      {.name = "horizon",
       .value = "M",
       .sentence = "how many examples will come, where it is known",
       .example = "11552",
       .details =
           R"(How many examples will come, where that is known: for step = theory, for 'phase1' as a share, and for
the epochs of apple.)",
       .type = Types::whole(at(&LearnerOptions::horizon), 1, kMany),
       .rules = {{uses_horizon,
                  "has no effect without --step theory, a given --phase1 or --algorithm apple"}}},
      {.name = "phase1",
       .value = "N",
       .sentence = "length of the uniform phase: auto (default), examples, or a share of the horizon (10%)",
       .standard = "auto",
       .details =
           R"(How long two-phase-ddaerr and two-phase-ddaelr draw uniformly before they trust their moments: auto
(default), a number of examples, or a share of the horizon.)",
       .type = Types::custom(parse_phase1, at(&LearnerOptions::phase1_examples),
                             at(&LearnerOptions::phase1_fraction)),
       .rules = {{has_phases, kPhases}}},
      {.name = "phase1-radius",
       .value = "B",
       .sentence = "the radius in the uniform phase; default: --radius",
       .example = "16",
       .details =
           R"(Radius and step of that uniform phase, where they differ from 'radius' and 'step' (which must be a
number then), as in the papers' experiments.)",
       .type = Types::real(at(&LearnerOptions::phase1_radius)),
       .rules = {{has_phases, kPhases}}},
      {.name = "phase1-step",
       .value = "S",
       .sentence = "the number of the step in the uniform phase; default: that of --step",
       .example = "0.05",
       .type = Types::real(at(&LearnerOptions::phase1_step)),
       .rules = {{has_phases, kPhases}}},
      {.name = "delta",
       .value = "P",
       .sentence = "confidence level of --confidence theory",
       .standard = "0.01",
       .details = R"(With confidence = theory, the chance with which its bound may fail.)",
       .type = Types::real(at(&LearnerOptions::delta)),
       .rules = {{has_phases, kPhases}, {confidence_by_theory, "has no effect without --confidence theory"}}},
      {.name = "confidence",
       .value = "E",
       .sentence = "added to estimated second moments: theory or a number",
       .standard = "0",
       .details =
           R"(Added to the estimated second moments: theory (cautious: many examples before anything is gained; at
most 1 for two-phase-ddaelr) or a number in the square of the attributes' unit. 'delta' is the
chance with which the theory's bound may fail.)",
       .type = Types::custom(parse_confidence, at(&LearnerOptions::confidence)),
       .rules = {{has_phases, kPhases}}},
      {.name = "half-norm",
       .value = "H",
       .sentence = "the sum of root second moments, squared, where it is known (for --step theory)",
       .example = "120",
       .details =
           R"(The sum of the root second moments, squared, where it is known; sharpens two-phase-ddaerr's step =
theory in the second phase.)",
       .type = Types::real(at(&LearnerOptions::half_norm)),
       .rules = {{has_phases, kPhases},
                 {has_two_phases_in_l2, "has an effect on two-phase-ddaerr only"},
                 {step_by_theory, "has no effect without --step theory"}}},
      {.name = "split",
       .value = "WHICH",
       .sentence = "draws for the two estimators: even (default) or paper (K-1 and 1)",
       .standard = "even",
       .details =
           R"(With draws = separate, how the draws are shared between the two estimators: even (half and half), or
paper (one draw for the inner product).)",
       .type = Types::choice<Split>(at(&LearnerOptions::split),
                                    {{"even", Split::kEven}, {"paper", Split::kPaper}}),
       .rules = {{samples, kSampling},
                 {steps, "has no effect on baseline and pairwise, which draw pairs"},
                 {keeps_parts_apart,
                  "has no effect unless --draws separate: of pairs every draw serves both estimators"}}},
      {.name = "inner-sampling",
       .value = "WHICH",
       .sentence = "inner-product draws: improved (default) or plain",
       .standard = "improved",
       .details =
           R"(The inner product's draws: improved (by weight and moment) or plain (by squared weight).)",
       .type = Types::choice<InnerSampling>(
           at(&LearnerOptions::inner_sampling),
           {{"improved", InnerSampling::kImproved}, {"plain", InnerSampling::kPlain}}),
       .rules = {{samples, kSampling},
                 {weighs_inner_draws,
                  "has no effect on aer, which draws by |w|, nor on baseline and pairwise"}}},
      {.name = "draws",
       .value = "WHICH",
       .sentence = "pairs (default): every pair of draws serves both estimators; separate: a set for each, "
                   "as in the papers",
       .standard = "pairs",
       .details =
           R"(pairs: every draw serves both estimators, together with each of the others: the same attributes tell
more (lib/learn/gradient/DRAWS.md). separate: a set of draws for each, as in the papers. Default:
pairs, but separate with step = theory or split = paper.)",
       .type = Types::choice<std::optional<Draws>>(
           at(&LearnerOptions::draws), {{"separate", Draws::kSeparate}, {"pairs", Draws::kPairs}}),
       .rules = {{draws_first_order, first_order_alone()}}},
      {.name = "control-variates",
       .value = "on|off",
       .sentence = "draw deviations from the means in place of the attributes themselves; default on where "
                   "there is a bias",
       .standard = "on",
       .details =
           R"(Draw how far attributes are from their running means, and leave the means to the bias: less noise
where attributes are not centred. off: as in the papers. Default: on, but off with step = theory or
bias = off.)",
       .type = Types::on_off(at(&LearnerOptions::control_variates)),
       .rules = {{draws_first_order, first_order_alone()}}},
      {.name = "bias",
       .value = "on|off",
       .sentence = "learn an intercept that costs no attribute",
       .standard = "on",
       .details = R"(Learn an intercept, which costs no attribute: on or off.)",
       .type = Types::on_off(at(&LearnerOptions::bias))},
  };
}

std::vector<Option<LearnerOptions>> rows_of_streams() {
  return {
      {.name = "half-life",
       .value = "N",
       .sentence = "forget: what is N examples old counts half; default: nothing is forgotten",
       .example = "100000",
       .details =
           R"(Forget: an example from N examples ago counts half of a new one, in the moments, in the average of
the weights and in the steps. For streams that change slowly and for good; shorter follows faster
and is noisier. Not with --step theory or adagrad. Default: nothing is forgotten.)",
       .type = Types::whole(at(&LearnerOptions::half_life), 1, 1000000000000)},
      {.name = "outliers",
       .value = "bound|keep",
       .sentence = "values and labels far beyond all that were seen: bounded until more of them come, or "
                   "learned from as they are",
       .standard = "bound",
       .details =
           R"(A value or a label far beyond all that were seen of its attribute is cut to a bound: twice the
largest distance from the first value once some dozens are known, more before. What is a hundred
times further still is not learned from: pairwise and pairwise-screened learn from the rest of the
example, the others skip it; so is the first label that differs after 16 equal ones. The bound grows
with each, and the faster the more come in a row, so that honest heavy tails and new scales are
learned from after a few. They are counted (glimpse_bounded_values_total) and logged. keep: learn
from all as they are. May be changed at a restart.)",
       .type = Types::choice<Outliers>(at(&LearnerOptions::outliers),
                                       {{"bound", Outliers::kBound}, {"keep", Outliers::kKeep}})},
      {.name = "max-importance",
       .value = "C",
       .sentence = "an example of more importance counts for this; default: no bound",
       .example = "1000",
       .details =
           R"(An example of more importance than this counts for this. An importance is an instruction: without a
bound one of 1e9 outweighs a billion examples of 1 (said in the log). May be changed at a restart.
Default: no bound.)",
       .type = Types::real(at(&LearnerOptions::max_importance))},
      {.name = "drift",
       .value = "off|auto",
       .sentence = "auto: notice when the stream's law changes, and forget what came before",
       .standard = "off",
       .details =
           R"(auto watches the loss, notices when it rises for good (ADWIN, no false alarm expected in millions of
examples), says so in the log and in /metrics (glimpse_drift_alarms_total), and forgets what came
before; learners of two phases begin with the uniform one again. For streams that change abruptly.
pairwise then solves on the trainer's thread at powers of two (of four while there are fewer than
d²/64 examples), so that what it notices never depends on timing: some 10 ms each time with 784
attributes, a quarter of a second with 4096; pairwise-screened does so with its active attributes,
and looks for them from the beginning. Not with aer and baseline.)",
       .type =
           Types::choice<Drift>(at(&LearnerOptions::drift), {{"off", Drift::kOff}, {"auto", Drift::kAuto}})},
      {.name = "seed",
       .value = "N",
       .sentence = "of the random draws",
       .standard = "1",
       .details =
           R"(Of the random draws. The same seed, options and examples give the same model to the bit.)",
       .type = Types::whole(at(&LearnerOptions::seed), 0, kMany)},
      {.name = "budget-cost",
       .value = "C",
       .sentence = "no example's attributes cost more together; needs --costs",
       .example = "120",
       .details =
           R"(No example's attributes cost more together, in the unit of 'costs'; 'budget' still bounds how many
they are. The dearer an attribute, the less often it is looked at (lib/learn/draws/COSTS.md).)",
       .type = Types::parsed(at(&LearnerOptions::budget_cost), "an amount above 0", parse_positive_money)},
  };
}

std::vector<Option<LearnerOptions>> make_table() {
  std::vector<Option<LearnerOptions>> table = rows_of_steps();
  for (const auto& rows : {feature_option_rows(), rows_of_streams()})
    table.insert(table.end(), rows.begin(), rows.end());
  return table;
}

}  // namespace

const std::vector<Option<LearnerOptions>>& learner_option_table() {
  static const std::vector<Option<LearnerOptions>> table = make_table();
  return table;
}

const Option<LearnerOptions>& learner_option(std::string_view name) {
  const auto& table = learner_option_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
  if (found == table.end()) throw std::logic_error(fmt::format("no option {}", name));
  return *found;
}

}  // namespace glimpse
