#include "learn/options/learner_option_table.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace glimpse {

namespace {

using Types = OptionKind;

constexpr const char* kExpansion = "has an effect on --algorithm apple only";

bool expands(const LearnerOptions& o) { return finds_products(o.algorithm); }
bool has_pairs(const LearnerOptions& o) { return keeps_pairs(o.algorithm) || o.algorithm == kAutomatic; }
bool plans_by_pairs(const LearnerOptions& o) {
  return keeps_all_pairs(o.algorithm) || o.algorithm == kAutomatic;
}
bool screens_attributes(const LearnerOptions& o) { return screens(o.algorithm); }

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

std::vector<OptionRow> usual_options() {
  return {
      {"dimension D", "attributes of an example; needed where neither a table nor a checkpoint tells it",
       Types::whole(&LearnerOptions::dimension, 1, kLargestDimension),
       R"(Attributes of an example, from 1. Needed at the first start; afterwards the checkpoint knows it.
Memory: 47 bytes an attribute, and the same again for the copy that checkpoints are written from.)",
       OptionExtras{.example = "784"}},
      {"budget K", "attributes to look at in each example, from 2",
       Types::whole(&LearnerOptions::budget, 1, kLargestDimension),
       R"(Attributes to look at in each example, from 2 to the dimension. More learn faster and cost more; a
step takes time proportional to it.)",
       OptionExtras{.example = "57"}},
      {"budget-cost C", "no example's attributes cost more together; needs --costs",
       Types::parsed(&LearnerOptions::budget_cost, "an amount above 0", parse_positive_money),
       R"(No example's attributes cost more together, in the unit of 'costs'; 'budget' still bounds how many
they are. The dearer an attribute, the less often it is looked at (lib/learn/draws/COSTS.md).)",
       OptionExtras{.example = "120"}},
      {"algorithm NAME = auto",
       "auto (default): pairwise where --pair-memory holds the pairs of attributes, "
       "pairwise-screened beyond, two-phase-ddaerr where an option of it is given; or pairwise, "
       "pairwise-screened; aerr, ddaerr, two-phase-ddaerr, online-ridge; aelr, ddaelr, "
       "two-phase-ddaelr, online-lasso; aer, baseline; apple",
       Types::text(&LearnerOptions::algorithm).with_choices(words_of_algorithms()),
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
    label ('expansion-exponent', 'max-features'): for what is not linear; 'budget' is not used
What predicts, and is in checkpoints beside what learning needs to go on:
aerr, ddaerr, aelr, ddaelr, online-ridge, online-lasso, aer   the average of the weights after each example
two-phase-ddaerr, two-phase-ddaelr   the average since the phase began; phase 1 looks at all attributes
    alike, phase 2 more often at those that vary more
apple             the average over all examples, that over the last eighth, or the last weights,
    whichever predicted best
pairwise, pairwise-screened, baseline   weights solved from the sums that are kept; in phase 1 looks
    prefer no attribute, in phase 2 those that vary more or seem to explain the label, and phase 1 may
    come again)"},
      {"radius B",
       "keep the weights in a ball of this radius; default: no limit; the lasso learners, aer "
       "and baseline need it",
       Types::positive(&LearnerOptions::radius),
       R"(Keep the weights in a ball of this radius. With step = auto in units of each attribute's largest
value, else in the attributes' own units. A good value lowers the noise; too small a value biases
the model. Default: no limit.)",
       OptionExtras{.example = "16"}},
      {"ball WHICH = l2",
       "the radius' ball: l2 (default) or l1, for pairwise; others have one of them",
       Types::choice<std::optional<Ball>>(&LearnerOptions::ball, {{"l2", Ball::kL2}, {"l1", Ball::kL1}}),
       R"(Which ball, for pairwise: l2 (the root of the weights' sum of squares is at most 'radius'; the
default) or l1 (the sum of their absolute values is: few weights that are not 0, as the lasso has).
In the attributes' own units. Other algorithms have one of the two and take its name alone.)",
       {.rules = {{has_radius, "has no effect without --radius B"}}}},
      {"bias on|off = on", "learn an intercept that costs no attribute",
       Types::on_off(&LearnerOptions::bias)},
      {"pair-memory SIZE = 1GiB",
       "largest size of the pairs' moments of pairwise and pairwise-screened",
       Types::bytes(&LearnerOptions::pair_memory),
       R"(The most memory that pairwise may take for its pairs: 16·d·(d − 1) + 104·d bytes are needed, and
half of that once more for solving (with 'drift' twice the half). 1GiB is enough for 8189
attributes.)",
       {.rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}}},
      {"active A",
       "pairwise-screened: keep the pairs of at most so many attributes; default 2048, or what "
       "fits --pair-memory",
       Types::whole(&LearnerOptions::active, 2, kMany),
       R"(pairwise-screened: keep the pairs of at most so many attributes. More find more where much matters;
a solution takes time proportional to the square. Default: 2048, or what fits pair-memory.)",
       {.example = "2048",
        .rules = {{screens_attributes, "has an effect on --algorithm pairwise-screened only"}}}},
      {"products off|2|3 = off",
       "pairwise and pairwise-screened: products of up to so many attributes that explain the label "
       "become features",
       Types::choice<std::size_t>(&LearnerOptions::products, {{"off", 0}, {"2", 2}, {"3", 3}}),
       R"(2: products of two attributes, squares among them, become features once they explain more of the
label than the attributes alone do: for what is not linear, at the same budget, from 4 attributes
an example on. 3: of three attributes as well, cubes among them, from 6 an example on. Memory: 16
bytes for each pair of these features (see 'pair-memory'; 1GiB is enough for 126 attributes with 2,
32 with 3; of more, some at a time have products), and a quarter of that once more for solving. With
pairwise and pairwise-screened, without 'radius' and categories. pairwise-screened: 512 bytes an
attribute more at most, by which attributes are found that explain something in a product alone.)",
       {.rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}}},
      {"look-at-best N",
       "pairwise and pairwise-screened: later looks go to the N attributes that predict best "
       "together",
       Types::whole(&LearnerOptions::look_at_best, 1, kMostBest),
       R"(Once it is sure enough which N attributes predict best together (up to 256), with 'budget-cost' for
their price, looks are spent on them, and the model is of them alone. Some 8 in a hundred looks stay
on all attributes, so that the choice is revised when the world changes
(lib/learn/small_models/LOOK_AT_BEST.md). May be changed at a restart. Default: all attributes.)",
       {.example = "10",
        .rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}}},
      {"half-life N", "forget: what is N examples old counts half; default: nothing is forgotten",
       Types::whole(&LearnerOptions::half_life, 1, 1000000000000),
       R"(Forget: an example from N examples ago counts half of a new one, in the moments, in the average of
the weights and in the steps. For streams that change slowly and for good; shorter follows faster
and is noisier. Not with --step theory or adagrad. Default: nothing is forgotten.)",
       OptionExtras{.example = "100000"}},
      {"drift off|auto = off", "auto: notice when the stream's law changes, and forget what came before",
       Types::choice<Drift>(&LearnerOptions::drift, {{"off", Drift::kOff}, {"auto", Drift::kAuto}}),
       R"(auto watches the loss, notices when it rises for good (ADWIN, no false alarm expected in millions of
examples), says so in the log and in /metrics (glimpse_drift_alarms_total), and forgets what came
before; learners of two phases begin with the uniform one again. For streams that change abruptly.
pairwise then solves on the trainer's thread at powers of two (of four while there are fewer than
d²/64 examples), so that what it notices never depends on timing: some 10 ms each time with 784
attributes, a quarter of a second with 4096; pairwise-screened does so with its active attributes,
and looks for them from the beginning. Not with aer and baseline.)"},
      {"outliers bound|keep = bound",
       "values and labels far beyond all that were seen: bounded until more of them come, or "
       "learned from as they are",
       Types::choice<Outliers>(&LearnerOptions::outliers,
                               {{"bound", Outliers::kBound}, {"keep", Outliers::kKeep}}),
       R"(A value or a label far beyond all that were seen of its attribute is cut to a bound: twice the
largest distance from the first value once some dozens are known, more before. What is a hundred
times further still is not learned from: pairwise and pairwise-screened learn from the rest of the
example, the others skip it; so is the first label that differs after 16 equal ones. The bound grows
with each, and the faster the more come in a row, so that honest heavy tails and new scales are
learned from after a few. They are counted (glimpse_bounded_values_total) and logged. keep: learn
from all as they are. May be changed at a restart.)"},
      {"max-importance C", "an example of more importance counts for this; default: no bound",
       Types::positive(&LearnerOptions::max_importance),
       R"(An example of more importance than this counts for this. An importance is an instruction: without a
bound one of 1e9 outweighs a billion examples of 1 (said in the log). May be changed at a restart.
Default: no bound.)",
       OptionExtras{.example = "1000"}},
      {"seed N = 1", "of the random draws", Types::whole(&LearnerOptions::seed, 0, kMany),
       R"(Of the random draws. The same seed, options and examples give the same model to the bit.)"},
  };
}

}  // namespace

const std::vector<OptionRow>& research_options() {
  static const std::vector<OptionRow> rows{
      {"step S = auto",
       "step size: auto (default), theory (needs --horizon), a number, or adagrad[:NUMBER]",
       Types::custom(parse_step, {&LearnerOptions::step, &LearnerOptions::step_number})
           .with_choices({"auto", "theory", "adagrad"}),
       R"(The step size. auto: needs no tuning, whatever the units, those of importances among them. theory:
the papers' guarantee for inputs of norm up to 1 and labels up to 'radius'; needs 'horizon', and is slow;
what else the theorems ask for and is not given is logged. A number: yours; too
large a number makes steps that are refused and counted (examples_diverged in /v1/status). Of apple it is
the learning rate, 4 in place of auto.)",
       {.rules = {{steps,
                   "has no effect on baseline and pairwise, which solve for their weights: leave it out, or "
                   "choose another --algorithm"}}}},
      {"horizon M",
       "how many examples will come, where it is known",
       Types::whole(&LearnerOptions::horizon, 1, kMany),
       R"(How many examples will come, where that is known: for step = theory, for 'phase1' as a share, and for
the epochs of apple.)",
       {.example = "11552",
        .rules = {{uses_horizon,
                   "has no effect without --step theory, a given --phase1 or --algorithm apple"}}}},
      {"phase1 N = auto",
       "length of the uniform phase: auto (default), examples, or a share of the horizon (10%)",
       Types::custom(parse_phase1, {&LearnerOptions::phase1_examples, &LearnerOptions::phase1_fraction}),
       R"(How long two-phase-ddaerr and two-phase-ddaelr draw uniformly before they trust their moments: auto
(default), a number of examples, or a share of the horizon.)",
       {.rules = {{has_phases, kPhases}}}},
      {"phase1-radius B",
       "the radius in the uniform phase; default: --radius",
       Types::positive(&LearnerOptions::phase1_radius),
       R"(Radius and step of that uniform phase, where they differ from 'radius' and 'step' (which must be a
number then), as in the papers' experiments.)",
       {.example = "16", .rules = {{has_phases, kPhases}}}},
      {"phase1-step S",
       "the number of the step in the uniform phase; default: that of --step",
       Types::positive(&LearnerOptions::phase1_step),
       {.example = "0.05", .rules = {{has_phases, kPhases}}}},
      {"delta P = 0.01",
       "the chance with which the bound of --confidence theory may fail",
       Types::positive(&LearnerOptions::delta),
       {.rules = {{has_phases, kPhases},
                  {confidence_by_theory, "has no effect without --confidence theory"}}}},
      {"confidence E = 0",
       "added to estimated second moments: theory or a number",
       Types::custom(parse_confidence, {&LearnerOptions::confidence}),
       R"(Added to the estimated second moments: theory (cautious: many examples before anything is gained; at
most 1 for two-phase-ddaelr) or a number in the square of the attributes' unit. 'delta' is the
chance with which the theory's bound may fail.)",
       {.rules = {{has_phases, kPhases}}}},
      {"half-norm H",
       "the sum of root second moments, squared, where it is known (for --step theory)",
       Types::positive(&LearnerOptions::half_norm),
       R"(The sum of the root second moments, squared, where it is known; sharpens two-phase-ddaerr's step =
theory in the second phase.)",
       {.example = "120",
        .rules = {{has_phases, kPhases},
                  {has_two_phases_in_l2, "has an effect on two-phase-ddaerr only"},
                  {step_by_theory, "has no effect without --step theory"}}}},
      {"split WHICH = even",
       "draws for the two estimators: even (default) or paper (K-1 and 1)",
       Types::choice<Split>(&LearnerOptions::split, {{"even", Split::kEven}, {"paper", Split::kPaper}}),
       R"(With draws = separate, how the draws are shared between the two estimators: even (half and half), or
paper (one draw for the inner product).)",
       {.rules = {{samples, kSampling},
                  {steps, "has no effect on baseline and pairwise, which draw pairs"},
                  {keeps_parts_apart,
                   "has no effect unless --draws separate: of pairs every draw serves both estimators"}}}},
      {"inner-sampling WHICH = improved",
       "inner-product draws: improved (default, by |weight| and moment) or plain (by squared weight; of the "
       "lasso learners by |weight|)",
       Types::choice<InnerSampling>(&LearnerOptions::inner_sampling, {{"improved", InnerSampling::kImproved},
                                                                      {"plain", InnerSampling::kPlain}}),
       {.rules = {{samples, kSampling},
                  {weighs_inner_draws,
                   "has no effect on aer, which draws by |w|, nor on baseline and pairwise"}}}},
      {"draws WHICH = pairs",
       "pairs (default): every pair of draws serves both estimators; separate: a set for each, "
       "as in the papers",
       Types::choice<std::optional<Draws>>(&LearnerOptions::draws,
                                           {{"separate", Draws::kSeparate}, {"pairs", Draws::kPairs}}),
       R"(pairs: every draw serves both estimators, together with each of the others: the same attributes tell
more (lib/learn/gradient/DRAWS.md). separate: a set of draws for each, as in the papers. Default:
pairs, but separate with step = theory or split = paper.)",
       {.rules = {{draws_first_order, first_order_alone()}}}},
      {"control-variates on|off = on",
       "draw deviations from the means in place of the attributes themselves; default on where "
       "there is a bias",
       Types::on_off(&LearnerOptions::control_variates),
       R"(Draw how far attributes are from their running means, and leave the means to the bias: less noise
where attributes are not centred. off: as in the papers. Default: on, but off with step = theory or
bias = off.)",
       {.rules = {{draws_first_order, first_order_alone()}}}},
      {"looks learned|uniform = learned",
       "pairwise: draw attributes by what was learned of them, or all alike, to compare with",
       Types::choice<Looks>(&LearnerOptions::looks,
                            {{"learned", Looks::kLearned}, {"uniform", Looks::kUniform}}),
       R"(pairwise: learned draws attributes that vary more or explain more of the label more often. uniform
draws all alike throughout, whatever was learned: to see what choosing is worth.)",
       {.rules = {{plans_by_pairs, "has an effect on --algorithm pairwise only"}}}},
      {"expansion-exponent A = 1",
       "apple: s^A features get products at each expansion, of examples with s attributes other "
       "than 0",
       Types::positive(&LearnerOptions::expansion_exponent),
       R"(apple: at the end of each epoch so many features get products with all attributes, s to the power of
this, where an example has s attributes other than 0 in the mean; up to 2. Less is faster, and finds
less. Epochs end at sixths of 'horizon', or, without it, at powers of two from 256 examples
on.)",
       {.rules = {{expands, kExpansion}}}},
      {"max-features N = 1048576",
       "apple: at most so many products of attributes have weights",
       Types::whole(&LearnerOptions::max_features, 1, std::uint64_t{1} << 31),
       R"(apple: at most so many products of attributes have weights; about 150 bytes each. What finds no room
is counted (glimpse_products_lacking_total) and logged.)",
       {.rules = {{expands, kExpansion}}}},
      {"fallback-parent on|off = off",
       "apple: one feature of each expansion is of the lowest degree that is left",
       Types::on_off(&LearnerOptions::fallback_parent),
       R"(apple: one of the features of each expansion is of the lowest degree that is left, whatever its
weight: so all products are reached at last, however misleading the weights are.)",
       {.rules = {{expands, kExpansion}}}},
  };
  return rows;
}

const std::vector<OptionRow>& learner_option_table() {
  static const std::vector<OptionRow> table = [] {
    std::vector<OptionRow> rows = usual_options();
    rows.insert(rows.end(), research_options().begin(), research_options().end());
    return rows;
  }();
  return table;
}

const OptionRow& learner_option(std::string_view name) {
  const OptionRow* const row = find_row(learner_option_table(), name);
  if (row == nullptr) throw std::logic_error(fmt::format("no option {}", name));
  return *row;
}

}  // namespace glimpse
