#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "common/command_line.h"
#include "common/example_writer.h"
#include "common/output.h"
#include "mnist/idx.h"

namespace glimpse {
namespace {

constexpr std::string_view kUsage =
    "Usage: glimpse-mnist --directory DIR [options]\n"
    "Writes the pictures of two digits of MNIST to standard output, one example a record:\n"
    "784 attributes from 0 to 1, label -1 or 1.\n";
constexpr std::string_view kNotes =
    "\nThe four IDX files of MNIST are fetched by tools/fetch-mnist, which prints their folder:\n\n"
    "  glimpse-mnist --directory \"$(tools/fetch-mnist)\" --seed 1 |\n"
    "    glimpsed --dimension 784 --budget 57 --input - --format vw\n\n"
    "Exit status: 0 done (also when the reader went away), 1 failed, 2 wrong options.\n";

namespace po = boost::program_options;

po::options_description describe_options() {
  po::options_description options("Options", 100);
  auto add = options.add_options();
  add("directory", po::value<std::string>()->required()->value_name("DIR"), "folder of MNIST's four files");
  add("set", po::value<std::string>()->default_value("train")->value_name("train|test"),
      "which of the two sets");
  add("negative", po::value<std::string>()->default_value("3")->value_name("DIGIT"), "the digit of label -1");
  add("positive", po::value<std::string>()->default_value("5")->value_name("DIGIT"), "the digit of label 1");
  add("format", po::value<std::string>()->default_value("vw")->value_name("NAME"),
      "svmlight, vw, csv, ndjson or f32; the sparse ones leave out pixels of 0");
  add("seed", po::value<std::string>()->default_value("0")->value_name("N"),
      "random order, the same for the same N; 0: the order of the file");
  add("skip", po::value<std::string>()->default_value("0")->value_name("N"),
      "leave out the first N in that order");
  add("examples", po::value<std::string>()->value_name("N"), "write at most N examples; all by default");
  add("unlabelled", po::bool_switch(), "leave the labels out, so that each example asks for a prediction");
  return options;
}

struct Options {
  std::string directory;
  std::string set;  // as in the names of the files
  std::uint8_t negative = 0;
  std::uint8_t positive = 0;
  std::uint64_t seed = 0;
  std::uint64_t skip = 0;
  std::uint64_t examples = 0;
  bool unlabelled = false;
};

Result<Options> read_options(const po::variables_map& values) {
  constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max();
  Options options;
  options.directory = values["directory"].as<std::string>();
  const auto& set = values["set"].as<std::string>();
  if (set != "train" && set != "test") {
    return failure(ErrorCode::kInvalidOption, "--set is '{}'; it must be train or test", set);
  }
  options.set = set == "train" ? "train" : "t10k";
  const auto negative = whole_number(values, "negative", 0, 9);
  if (!negative) return negative.error();
  const auto positive = whole_number(values, "positive", 0, 9);
  if (!positive) return positive.error();
  if (*negative == *positive) {
    return failure(ErrorCode::kInvalidOption, "--negative and --positive are both {}; they must differ",
                   *negative);
  }
  options.negative = static_cast<std::uint8_t>(*negative);
  options.positive = static_cast<std::uint8_t>(*positive);
  const auto seed = whole_number(values, "seed", 0, kMany);
  if (!seed) return seed.error();
  options.seed = *seed;
  const auto skip = whole_number(values, "skip", 0, kMany);
  if (!skip) return skip.error();
  options.skip = *skip;
  options.examples = kMany;
  if (values.count("examples") != 0) {
    const auto examples = whole_number(values, "examples", 0, kMany);
    if (!examples) return examples.error();
    options.examples = *examples;
  }
  options.unlabelled = values["unlabelled"].as<bool>();
  return options;
}

void shuffle(std::vector<PairExample>& examples, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = examples.size(); i > 1; --i) std::swap(examples[i - 1], examples[random.below(i)]);
}

Status run(const Options& options, ExampleWriter& writer) {
  PosixFileSystem files;
  const auto images = read_mnist(files, options.directory, options.set);
  if (!images) return images.error();
  auto examples = select_pair(*images, options.negative, options.positive);
  if (options.seed != 0) shuffle(examples, options.seed);

  std::array<double, 256> shade{};
  for (std::size_t i = 0; i < shade.size(); ++i) shade[i] = static_cast<double>(i) / 255;

  Output output;
  std::vector<double> values(images->dimension());
  std::uint64_t left = options.examples;
  for (std::size_t i = options.skip; i < examples.size() && left > 0; ++i, --left) {
    const auto pixels = images->image(examples[i].image);
    for (std::size_t p = 0; p < pixels.size(); ++p) values[p] = shade[pixels[p]];
    std::optional<double> label;
    if (!options.unlabelled) label = examples[i].label;
    writer.append(label, values, output.buffer());
    if (!output.write_if_full()) break;
  }
  return output.finish();
}

int run_program(int argc, char** argv) {
  constexpr std::string_view kProgram = "glimpse-mnist";
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
