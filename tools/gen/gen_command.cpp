#include "gen/gen_command.h"

#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/example_writer.h"
#include "common/option_table.h"
#include "common/output.h"
#include "common/pacer.h"
#include "gen/picture_set.h"
#include "gen/simulated_set.h"

namespace glimpse {
namespace {

constexpr ProgramText kText{
    .name = "glimpse-gen",
    .usage =
        "Usage: glimpse-gen [options]\n"
        "Writes examples of the simulated sets of Kukliansky & Shamir (ICML 2015, section 5.1) to standard "
        "output:\n"
        "attribute i (from 1) is 1 with a chance proportional to i^ALPHA and 0 otherwise, independently; the "
        "label\n"
        "is their sum weighted by hidden weights of -1 and 1 (lasso: -1, 0 and 1). Or drawn pictures of "
        "digits.\n",
    .notes =
        "\nThe same options and seed give the same stream on every machine; example N does not depend on "
        "--skip,\n"
        "--examples or --format. Test examples are those behind the training examples:\n\n"
        "  glimpse-gen --examples 20000 | glimpsed --dimension 500 --budget 5 --input - --format vw\n"
        "  glimpse-gen --skip 20000 --examples 2000 > test.vw\n\n"
        "Exit status: 0 done (also when the reader went away), 1 failed, 2 wrong options.\n"};

struct SetName {
  SimulatedKind kind = SimulatedKind::kRidge;
  bool is_pictures = false;
};

Result<SetName> parse_set(std::string_view name) {
  if (name == "pictures") return SetName{.is_pictures = true};
  const Result<SimulatedKind> kind = parse_simulated_kind(name);
  if (kind) return SetName{.kind = *kind};
  return failure(ErrorCode::kInvalidOption, "--set is '{}'; it must be ridge, lasso or pictures", name);
}

// A stream of examples, whatever its set.
struct Examples {
  std::size_t dimension = 0;
  std::function<double(std::span<double>)> next;  // values; returns the label
};

struct GenCommand {
  SetName name;
  SimulatedOptions set;
  std::uint64_t examples = 0;
  std::uint64_t skip = 0;
  std::uint64_t unlabelled_tail = 0;
  double rate = 0;  // examples a second; 0: as many as go
  std::unique_ptr<ExampleWriter> writer;
  std::string labels_to, moments, weights;  // names of files; empty: not wanted

  Status run() const;

 private:
  Result<Examples> begin() const;
};

// What is drawn, and how much of it.
std::vector<Option<GenCommand>> stream_options() {
  using Types = ToolTypes<GenCommand>;
  using Set = SimulatedOptions;
  constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max() / 2;
  return {
      {.name = "set",
       .value = "ridge|lasso|pictures",
       .sentence = "ridge: chances in the unit L2 ball, weights fair in {-1, 1}; "
                   "lasso: chances in the unit L-infinity ball, weights -1, 0, 1 with .15, .7, .15; "
                   "pictures: 28 by 28 pixels of a drawn 3 (label -1) or 5 (label 1)",
       .standard = "ridge",
       .type = Types::parsed(at(&GenCommand::name), parse_set)},
      {.name = "alpha",
       .value = "A",
       .sentence =
           "exponent of ridge and lasso; the papers use 0, -0.5, -1, -2: the lower, the fewer attributes "
           "matter",
       .standard = "-1",
       .type = Types::real(at(&GenCommand::set, &Set::alpha), {-Set::kLargestAlpha, Set::kLargestAlpha})},
      {.name = "dimension",
       .value = "D",
       .sentence = "number of attributes of ridge and lasso; pictures have 784",
       .standard = "500",
       .type = Types::whole(at(&GenCommand::set, &Set::dimension), 1, Set::kLargestDimension)},
      {.name = "examples",
       .value = "M",
       .sentence = "number of examples",
       .standard = "20000",
       .type = Types::whole(at(&GenCommand::examples), 0, kMany)},
      {.name = "skip",
       .value = "N",
       .sentence = "leave out the first N examples of the stream, at no cost",
       .standard = "0",
       .type = Types::whole(at(&GenCommand::skip), 0, kMany)},
      {.name = "format",
       .value = "NAME",
       .sentence = "svmlight, vw, csv, ndjson or f32",
       .standard = "vw",
       .type = with_choices(Types::parsed(at(&GenCommand::writer),
                                          [](std::string_view text) { return make_example_writer(text); }),
                            written_formats())},
      {.name = "seed",
       .value = "N",
       .sentence = "which hidden weights and which stream",
       .standard = "1",
       .type = Types::whole(at(&GenCommand::set, &Set::seed), 0, std::numeric_limits<std::uint64_t>::max())},
      {.name = "noise",
       .value = "SIGMA",
       .sentence = "standard deviation of noise on the labels",
       .standard = "0",
       .type = Types::real(at(&GenCommand::set, &Set::noise), {0, Set::kLargestNoise})},
      {.name = "flip-at",
       .value = "N",
       .sentence = "drift: from example N of the stream on (counted from 0) all weights have the other sign, "
                   "of pictures the labels; 0: never",
       .standard = "0",
       .type = Types::whole(at(&GenCommand::set, &Set::flip_at), 0, kMany)},
      {.name = "rate",
       .value = "R",
       .sentence = "at most so many examples a second, each written when it is due; 0: as fast as they go",
       .standard = "0",
       .type = Types::real(at(&GenCommand::rate), {0, 1e9})},
      {.name = "unlabelled-tail",
       .value = "N",
       .sentence = "the last N examples have no labels, so that they ask for predictions",
       .standard = "0",
       .type = Types::whole(at(&GenCommand::unlabelled_tail), 0, kMany)},
  };
}

// What is written beside the examples.
std::vector<Option<GenCommand>> file_options() {
  using Types = ToolTypes<GenCommand>;
  return {
      {.name = "labels-to",
       .value = "FILE",
       .sentence = "write the labels that --unlabelled-tail leaves out to FILE, one a line",
       .type = Types::text(at(&GenCommand::labels_to))},
      {.name = "moments",
       .value = "FILE",
       .sentence = "write the true moments to FILE, as glimpsed --moments reads them",
       .type = Types::text(at(&GenCommand::moments))},
      {.name = "weights",
       .value = "FILE",
       .sentence = "write the hidden weights to FILE, as CSV",
       .type = Types::text(at(&GenCommand::weights))},
  };
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

Result<Examples> GenCommand::begin() const {
  if (name.is_pictures) {
    for (const auto& [option, file] : {std::pair("moments", moments), std::pair("weights", weights)})
      if (!file.empty())
        return failure(ErrorCode::kInvalidOption,
                       "--{} is for --set ridge and lasso: pictures have no such numbers", option);
    auto pictures = std::make_shared<PictureSet>(
        PictureOptions{.noise = set.noise, .flip_at = set.flip_at, .seed = set.seed});
    pictures->seek(skip);
    return Examples{PictureSet::kPixels,
                    [pictures](std::span<double> values) { return pictures->next(values); }};
  }
  SimulatedOptions options = set;
  options.kind = name.kind;
  auto simulated = std::make_shared<SimulatedSet>(options);
  if (!moments.empty()) GLIMPSE_TRY(write_file(moments, moments_text(*simulated)));
  if (!weights.empty()) GLIMPSE_TRY(write_file(weights, weights_text(*simulated)));
  simulated->seek(skip);
  return Examples{simulated->dimension(),
                  [simulated](std::span<double> values) { return simulated->next(values); }};
}

Status GenCommand::run() const {
  if (unlabelled_tail > examples)
    return failure(ErrorCode::kInvalidOption, "--unlabelled-tail is {}; it must be at most --examples, {}",
                   unlabelled_tail, examples);
  GLIMPSE_TRY_ASSIGN(const Examples stream, begin());
  Output output;
  std::string labels;
  std::vector<double> values(stream.dimension);
  std::optional<Pacer> pacer;
  if (rate > 0) pacer.emplace(rate);
  for (std::uint64_t left = examples; left > 0; --left) {
    const double label = stream.next(values);
    const bool labelled = left > unlabelled_tail;
    writer->append(labelled ? std::optional(label) : std::nullopt, values, output.buffer());
    if (!labelled && !labels_to.empty()) fmt::format_to(std::back_inserter(labels), "{}\n", label);
    if (!output.write_if_full()) break;
    if (!pacer || left == 1) continue;
    if (const auto due = pacer->after_example(Pacer::Clock::now())) {
      if (!output.write()) break;
      std::this_thread::sleep_until(*due);
    }
  }
  if (!labels_to.empty()) GLIMPSE_TRY(write_file(labels_to, labels));
  return output.finish();
}

}  // namespace

ToolCommand gen_command() {
  return tool_command<GenCommand>(kText, OptionTable<GenCommand>().add(stream_options()).add(file_options()));
}

}  // namespace glimpse
