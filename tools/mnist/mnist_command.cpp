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
#include "common/option_table.h"
#include "common/output.h"
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

Result<std::string> parse_set(std::string_view option, std::string_view text) {
  if (text == "train") return std::string("train");
  if (text == "test") return std::string("t10k");
  return wrong_value(option, text, "train or test");
}

std::vector<Option<MnistCommand>> mnist_options() {
  using Types = ToolTypes<MnistCommand>;
  constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max();
  return {
      {.name = "directory",
       .value = "DIR",
       .sentence = "folder of MNIST's four files",
       .type = Types::text(at(&MnistCommand::directory)),
       .is_required = true},
      {.name = "set",
       .value = "train|test",
       .sentence = "which of the two sets",
       .standard = "train",
       .type = Types::parsed(at(&MnistCommand::set), parse_set)},
      {.name = "negative",
       .value = "DIGIT",
       .sentence = "the digit of label -1",
       .standard = "3",
       .type = Types::whole(at(&MnistCommand::negative), 0, 9)},
      {.name = "positive",
       .value = "DIGIT",
       .sentence = "the digit of label 1",
       .standard = "5",
       .type = Types::whole(at(&MnistCommand::positive), 0, 9)},
      {.name = "format",
       .value = "NAME",
       .sentence = "svmlight, vw, csv, ndjson or f32; the sparse ones leave out pixels of 0",
       .standard = "vw",
       .type = with_choices(Types::parsed(at(&MnistCommand::writer),
                                          [](std::string_view text) { return make_example_writer(text); }),
                            written_formats())},
      {.name = "seed",
       .value = "N",
       .sentence = "random order, the same for the same N; 0: the order of the file",
       .standard = "0",
       .type = Types::whole(at(&MnistCommand::seed), 0, kMany)},
      {.name = "skip",
       .value = "N",
       .sentence = "leave out the first N in that order",
       .standard = "0",
       .type = Types::whole(at(&MnistCommand::skip), 0, kMany)},
      {.name = "examples",
       .value = "N",
       .sentence = "write at most N examples; all by default",
       .type = Types::whole(at(&MnistCommand::examples), 0, kMany)},
      {.name = "unlabelled",
       .sentence = "leave the labels out, so that each example asks for a prediction",
       .type = Types::flag(at(&MnistCommand::unlabelled))},
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

ToolCommand mnist_command() {
  return tool_command<MnistCommand>(kText, OptionTable<MnistCommand>().add(mnist_options()));
}

}  // namespace glimpse
