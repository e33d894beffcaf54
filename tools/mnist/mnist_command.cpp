#include "mnist/mnist_command.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "common/example_writer.h"
#include "common/output.h"
#include "common/tool.h"
#include "mnist/idx.h"

namespace glimpse {
namespace {

constexpr ProgramText kText{
    .name = "glimpse-mnist",
    .usage =
        "Usage: glimpse-mnist --directory DIR [options]\n"
        "Writes the pictures of two digits of MNIST to standard output, one example a record:\n"
        "784 attributes from 0 to 1, label -1 or 1.\n",
    .notes =
        "\nThe four IDX files of MNIST are fetched by tools/fetch-mnist, which prints their folder:\n\n"
        "  glimpse-mnist --directory \"$(tools/fetch-mnist)\" --seed 1 |\n"
        "    glimpsed --dimension 784 --budget 57 --input - --format vw\n\n"
        "Exit status: 0 done (also when the reader went away), 1 failed, 2 wrong options.\n"};

struct MnistCommand {
  std::string directory;
  std::string set;  // as in the names of the files
  std::uint8_t negative = 0;
  std::uint8_t positive = 0;
  std::unique_ptr<ExampleWriter> writer;
  std::uint64_t seed = 0;
  std::uint64_t skip = 0;
  std::uint64_t examples = std::numeric_limits<std::uint64_t>::max();
  bool unlabelled = false;

  Status run() const;
};

std::vector<OptionRow> mnist_options() {
  using Types = OptionKind;
  constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max();
  return {
      {"directory DIR",
       "folder of MNIST's four files",
       Types::any_text(&MnistCommand::directory),
       {.is_required = true}},
      {"set train|test = train", "which of the two sets",
       Types::choice<std::string>(&MnistCommand::set, {{"train", "train"}, {"test", "t10k"}})},
      {"negative DIGIT = 3", "the digit of label -1", Types::whole(&MnistCommand::negative, 0, 9)},
      {"positive DIGIT = 5", "the digit of label 1", Types::whole(&MnistCommand::positive, 0, 9)},
      {"format NAME = vw", "svmlight, vw, csv, ndjson or f32; the sparse ones leave out pixels of 0",
       Types::parsed(&MnistCommand::writer, "",
                     [](std::string_view format) { return make_example_writer(format); })
           .with_choices(written_formats())},
      {"seed N = 0", "random order, the same for the same N; 0: the order of the file",
       Types::whole(&MnistCommand::seed, 0, kMany)},
      {"skip N = 0", "leave out the first N in that order", Types::whole(&MnistCommand::skip, 0, kMany)},
      {"examples N", "write at most N examples; all by default",
       Types::whole(&MnistCommand::examples, 0, kMany)},
      {"unlabelled", "leave the labels out, so that each example asks for a prediction",
       Types::flag(&MnistCommand::unlabelled)},
  };
}

void shuffle(std::vector<PairExample>& examples, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = examples.size(); i > 1; --i) std::swap(examples[i - 1], examples[random.below(i)]);
}

Status MnistCommand::run() const {
  if (negative == positive)
    return failure(ErrorCode::kInvalidOption, "--negative and --positive are both {}; they must differ",
                   negative);
  PosixFileSystem files;
  GLIMPSE_TRY_ASSIGN(const auto images, read_mnist(files, directory, set));
  auto pictures = select_pair(images, negative, positive);
  if (seed != 0) shuffle(pictures, seed);

  std::array<double, 256> shade{};
  for (std::size_t i = 0; i < shade.size(); ++i) shade[i] = static_cast<double>(i) / 255;

  Output output;
  std::vector<double> values(images.dimension());
  std::uint64_t left = examples;
  for (std::size_t i = skip; i < pictures.size() && left > 0; ++i, --left) {
    const auto pixels = images.image(pictures[i].image);
    for (std::size_t p = 0; p < pixels.size(); ++p) values[p] = shade[pixels[p]];
    std::optional<double> label;
    if (!unlabelled) label = pictures[i].label;
    writer->append(label, values, output.buffer());
    if (!output.write_if_full()) break;
  }
  return output.finish();
}

}  // namespace

ToolCommand mnist_command() { return tool_command<MnistCommand>(kText, mnist_options()); }

}  // namespace glimpse
