#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/example_writer.h"
#include "common/output.h"
#include "gen/simulated_set.h"

namespace glimpse {
namespace {

constexpr std::string_view kUsage =
    "Usage: glimpse-gen [options]\n"
    "Writes examples of the simulated sets of Kukliansky & Shamir (ICML 2015, section 5.1) to standard "
    "output:\n"
    "attribute i (from 1) is 1 with a chance proportional to i^ALPHA and 0 otherwise, independently; the "
    "label\n"
    "is their sum weighted by hidden weights of -1 and 1 (lasso: -1, 0 and 1).\n";
constexpr std::string_view kNotes =
    "\nThe same options and seed give the same stream on every machine; example N does not depend on "
    "--skip,\n"
    "--examples or --format. Test examples are those behind the training examples:\n\n"
    "  glimpse-gen --examples 20000 | glimpsed --dimension 500 --budget 5 --input - --format vw\n"
    "  glimpse-gen --skip 20000 --examples 2000 > test.vw\n\n"
    "Exit status: 0 done (also when the reader went away), 1 failed, 2 wrong options.\n";

namespace po = boost::program_options;

po::options_description describe_options() {
  const auto text = [](const char* standard) { return po::value<std::string>()->default_value(standard); };
  po::options_description options("Options", 100);
  auto add = options.add_options();
  add("set", text("ridge")->value_name("ridge|lasso"),
      "ridge: chances in the unit L2 ball, weights fair in {-1, 1}; "
      "lasso: chances in the unit L-infinity ball, weights -1, 0, 1 with .15, .7, .15");
  add("alpha", text("-1")->value_name("A"),
      "exponent; the papers use 0, -0.5, -1, -2: the lower, the fewer attributes matter");
  add("dimension", text("500")->value_name("D"), "number of attributes");
  add("examples", text("20000")->value_name("M"), "number of examples");
  add("skip", text("0")->value_name("N"), "leave out the first N examples of the stream, at no cost");
  add("format", text("vw")->value_name("NAME"), "svmlight, vw, csv, ndjson or f32");
  add("seed", text("1")->value_name("N"), "which hidden weights and which stream");
  add("noise", text("0")->value_name("SIGMA"), "standard deviation of noise on the labels");
  add("flip-at", text("0")->value_name("N"),
      "drift: from example N of the stream on (counted from 0) all weights have the other sign; 0: never");
  add("unlabelled-tail", text("0")->value_name("N"),
      "the last N examples have no labels, so that they ask for predictions");
  add("labels-to", po::value<std::string>()->value_name("FILE"),
      "write the labels that --unlabelled-tail leaves out to FILE, one a line");
  add("moments", po::value<std::string>()->value_name("FILE"),
      "write the true moments to FILE, as glimpsed --moments reads them");
  add("weights", po::value<std::string>()->value_name("FILE"), "write the hidden weights to FILE, as CSV");
  return options;
}

struct Options {
  SimulatedOptions set;
  std::uint64_t examples = 0;
  std::uint64_t skip = 0;
  std::uint64_t unlabelled_tail = 0;
  std::string labels_to, moments, weights;  // names of files; empty: not wanted
};

std::string file_option(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? values[name].as<std::string>() : std::string();
}

Result<Options> read_options(const po::variables_map& values) {
  constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max() / 2;
  Options options;
  const auto kind = parse_simulated_kind(values["set"].as<std::string>());
  if (!kind) return kind.error();
  options.set.kind = *kind;
  const auto alpha = number(values, "alpha");
  if (!alpha) return alpha.error();
  options.set.alpha = *alpha;
  const auto noise = number(values, "noise");
  if (!noise) return noise.error();
  options.set.noise = *noise;
  struct Count {
    const char* name;
    std::uint64_t lowest;
    std::uint64_t highest;
    std::uint64_t* value;
  };
  std::uint64_t dimension = 0;
  const Count counts[] = {
      {"dimension", 1, std::numeric_limits<std::uint32_t>::max(), &dimension},
      {"examples", 0, kMany, &options.examples},
      {"skip", 0, kMany, &options.skip},
      {"seed", 0, std::numeric_limits<std::uint64_t>::max(), &options.set.seed},
      {"flip-at", 0, kMany, &options.set.flip_at},
      {"unlabelled-tail", 0, kMany, &options.unlabelled_tail},
  };
  for (const Count& count : counts) {
    const auto value = whole_number(values, count.name, count.lowest, count.highest);
    if (!value) return value.error();
    *count.value = *value;
  }
  options.set.dimension = dimension;
  if (options.unlabelled_tail > options.examples) {
    return failure(ErrorCode::kInvalidOption, "--unlabelled-tail is {}; it must be at most --examples, {}",
                   options.unlabelled_tail, options.examples);
  }
  options.labels_to = file_option(values, "labels-to");
  options.moments = file_option(values, "moments");
  options.weights = file_option(values, "weights");
  if (const Status status = validate(options.set); !status) return status.error();
  return options;
}

// "attribute,count,mean,second_moment"; the count is empty where a moment is known exactly.
std::string moments_text(const SimulatedSet& set) {
  std::string text = "attribute,count,mean,second_moment\n";
  for (std::size_t i = 0; i < set.dimension(); ++i) {
    fmt::format_to(std::back_inserter(text), "{},,{},{}\n", i, set.moments()[i], set.moments()[i]);
  }
  return text;
}

std::string weights_text(const SimulatedSet& set) {
  std::string text = "attribute,weight\n";
  for (std::size_t i = 0; i < set.dimension(); ++i) {
    fmt::format_to(std::back_inserter(text), "{},{}\n", i, set.weights()[i]);
  }
  return text;
}

Status run(const Options& options, ExampleWriter& writer) {
  SimulatedSet set(options.set);
  if (!options.moments.empty()) {
    if (const Status status = write_file(options.moments, moments_text(set)); !status) return status;
  }
  if (!options.weights.empty()) {
    if (const Status status = write_file(options.weights, weights_text(set)); !status) return status;
  }
  set.seek(options.skip);
  Output output;
  std::string labels;
  std::vector<double> values(set.dimension());
  for (std::uint64_t left = options.examples; left > 0; --left) {
    const double label = set.next(values);
    const bool labelled = left > options.unlabelled_tail;
    writer.append(labelled ? std::optional(label) : std::nullopt, values, output.buffer());
    if (!labelled && !options.labels_to.empty()) fmt::format_to(std::back_inserter(labels), "{}\n", label);
    if (!output.write_if_full()) break;
  }
  if (!options.labels_to.empty()) {
    if (const Status status = write_file(options.labels_to, labels); !status) return status;
  }
  return output.finish();
}

int run_program(int argc, char** argv) {
  constexpr std::string_view kProgram = "glimpse-gen";
  po::variables_map values;
  if (const auto exit =
          parse_command_line(argc, argv, kProgram, kUsage, kNotes, describe_options(), values)) {
    return *exit;
  }
  const auto options = read_options(values);
  if (!options) return report(kProgram, options.error());
  const auto writer = make_example_writer(std::string_view(values["format"].as<std::string>()));
  if (!writer) return report(kProgram, writer.error());
  ignore_broken_pipes();
  if (const Status status = run(*options, **writer); !status) return report(kProgram, status.error());
  return 0;
}

}  // namespace
}  // namespace glimpse

int main(int argc, char** argv) { return glimpse::run_program(argc, argv); }
