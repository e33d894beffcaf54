#include <fmt/core.h>

#include "common/output.h"
#include "lab/commands.h"
#include "lab/data_options.h"
#include "lab/method_options.h"
#include "lab/shared_options.h"

namespace glimpse {

namespace {

constexpr ProgramText kRunText{
    .name = "glimpse-lab run",
    .usage =
        "Usage: glimpse-lab run --data DATA --algorithm NAME --budget K [options]\n"
        "Learns from prefixes of the training set, in another random order with every seed, and prints what "
        "each\n"
        "averaged model does on the test set, as CSV. test_loss_ratio is the mean squared error over that "
        "of\n"
        "always predicting 0 (1: nothing learned); classification_error is the share of wrong signs, empty "
        "unless\n"
        "labels are -1 and 1; attributes counts the values looked at.\n",
    .notes =
        "\nA prefix is a run of its own, told that many examples will come, where the algorithm wants to "
        "know "
        "(a\n"
        "share as --phase1, --step theory); otherwise one run passes through all prefixes.\n\n"
        "  glimpse-lab run --data simulated:ridge:-1 --algorithm aerr --budget 5 --radius 16 --step 0.02 "
        "--seeds "
        "10\n"
        "  glimpse-lab run --data mnist:3,5 --algorithm two-phase-ddaerr --budget 57 --cv 10 --seeds 10 \\\n"
        "    --prefixes 1000,2000,4000,8000,all --output-directory results\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct RunCommand {
  DataOptions data;
  MethodOptions method;
  TuningOptions tuning;
  Experiment experiment;
  Execution execution;
  std::string folder;  // empty: results are not kept
  std::string costs;   // a file; empty: none

  Status run() const;
  // The method with its prices, and what cross-validation chooses from.
  Result<Curve> curve(FileSystem& files, std::size_t dimension) const;
};

std::vector<OptionRow> run_options() {
  using Types = OptionKind;
  std::vector<OptionRow> rows =
      joined({of_part(data_options(), &RunCommand::data),
              of_part(method_options(), &RunCommand::method),
              {prefixes_option({&RunCommand::experiment, &Experiment::points}),
               seeds_option({&RunCommand::experiment, &Experiment::seeds}, "1"),
               first_seed_option({&RunCommand::experiment, &Experiment::first_seed}),
               {"costs FILE", "what attributes cost, see lib/learn/draws/COSTS.md",
                Types::any_text(&RunCommand::costs)}},
              of_part(tuning_options(), &RunCommand::tuning),
              {{"output-directory DIR",
                "keep the result of every finished run there, one file each, and of every candidate until "
                "cross-validation has chosen; a later call with the same options does only what is "
                "missing. What another version of the program left there counts as well",
                Types::any_text(&RunCommand::folder)}},
              of_part(execution_options(), &RunCommand::execution)});
  std::ranges::find(rows, "step", &OptionRow::name)
      ->rules.push_back(step_beside_cv<RunCommand>([](auto& run) -> auto& { return run.method; },
                                                   [](auto& run) -> auto& { return run.tuning; }));
  return rows;
}

std::string to_text(const Tuned& tuned) {
  std::string text = fmt::format("radius {}", *tuned.radius);
  if (!tuned.step.empty()) text += fmt::format(", step {}", tuned.step);
  if (tuned.phase1_radius)
    text += fmt::format(", in the uniform phase radius {}, step {}", *tuned.phase1_radius,
                        tuned.phase1_step.value_or(0));
  return text;
}

Result<Curve> RunCommand::curve(FileSystem& files, std::size_t dimension) const {
  Curve curve{method.method.learner.algorithm, method.method, tuning_of(tuning, method)};
  if (costs.empty()) return curve;
  const auto text = files.read(costs);
  if (!text) return text.error();
  const auto prices = parse_prices({reinterpret_cast<const char*>(text->data()), text->size()}, dimension,
                                   AttributeNames(dimension));
  if (!prices) return failure(prices.error().code, "{}: {}", costs, prices.error().message);
  curve.method.learner.prices = std::make_shared<const Prices>(*prices);
  return curve;
}

Status RunCommand::run() const {
  const auto source = DataSource::load(data);
  if (!source) return source.error();
  PosixFileSystem files;
  const auto priced = curve(files, source->dimension());
  if (!priced) return priced.error();
  Experiment whole = experiment;
  whole.curves = {*priced};
  if (const Status status = check_prefixes(whole.points, source->training_size()); !status) return status;
  const auto store = JobStore::open(files, folder);
  if (!store) return store.error();
  const auto result = run_experiment(whole, *source, *store, execution);
  if (!result) return result.error();
  for (const TunedCurve& tuned : result->tuned)
    fmt::print(stderr, "{}: cross-validation chose {}, held-out loss ratio {:.4f}\n", tuned.label,
               to_text(tuned.tuned), tuned.tuned.loss_ratio);
  fmt::print(stderr, "{}", warnings(*result));
  Output output;
  output.buffer() += result_header();
  output.buffer() += to_csv(result->rows);
  return output.finish();
}

}  // namespace

ToolCommand run_command() { return tool_command<RunCommand>(kRunText, run_options()); }

}  // namespace glimpse
