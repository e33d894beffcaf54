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
#include "common/output.h"
#include "common/pacer.h"
#include "common/tool.h"
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

enum class SetName : std::uint8_t { kRidge, kLasso, kPictures };

// A stream of examples, whatever its set.
struct Examples {
  std::size_t dimension = 0;
  std::function<double(std::span<double>)> next;  // values; returns the label
};

struct GenCommand {
  SetName name = SetName::kRidge;
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

// What is drawn, how much of it, and what is written beside the examples.
std::vector<OptionRow> gen_options() {
  using Types = OptionKind;
  using Set = SimulatedOptions;
  constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max() / 2;
  return {
      {"set ridge|lasso|pictures = ridge",
       "ridge: chances in the unit L2 ball, weights fair in {-1, 1}; "
       "lasso: chances in the unit L-infinity ball, weights -1, 0, 1 with .15, .7, .15; "
       "pictures: 28 by 28 pixels of a drawn 3 (label -1) or 5 (label 1)",
       Types::choice<SetName>(
           &GenCommand::name,
           {{"ridge", SetName::kRidge}, {"lasso", SetName::kLasso}, {"pictures", SetName::kPictures}})},
      {"alpha A = -1",
       "exponent of ridge and lasso; the papers use 0, -0.5, -1, -2: the lower, the fewer attributes "
       "matter",
       Types::number({&GenCommand::set, &Set::alpha}, {-Set::kLargestAlpha, Set::kLargestAlpha})},
      {"dimension D = 500", "number of attributes of ridge and lasso; pictures have 784",
       Types::whole({&GenCommand::set, &Set::dimension}, 1, Set::kLargestDimension)},
      {"examples M = 20000", "number of examples", Types::whole(&GenCommand::examples, 0, kMany)},
      {"skip N = 0", "leave out the first N examples of the stream, at no cost",
       Types::whole(&GenCommand::skip, 0, kMany)},
      {"format NAME = vw", "svmlight, vw, csv, ndjson or f32",
       Types::parsed(&GenCommand::writer, "",
                     [](std::string_view format) { return make_example_writer(format); })
           .with_choices(written_formats())},
      {"seed N = 1", "which hidden weights and which stream",
       Types::whole({&GenCommand::set, &Set::seed}, 0, std::numeric_limits<std::uint64_t>::max())},
      {"noise SIGMA = 0", "standard deviation of noise on the labels",
       Types::number({&GenCommand::set, &Set::noise}, {0, Set::kLargestNoise})},
      {"flip-at N = 0",
       "drift: from example N of the stream on (counted from 0) all weights have the other sign, "
       "of pictures the labels; 0: never",
       Types::whole({&GenCommand::set, &Set::flip_at}, 0, kMany)},
      {"rate R = 0", "at most so many examples a second, each written when it is due; 0: as fast as they go",
       Types::number(&GenCommand::rate, {0, 1e9})},
      {"unlabelled-tail N = 0", "the last N examples have no labels, so that they ask for predictions",
       Types::whole(&GenCommand::unlabelled_tail, 0, kMany)},
      {"labels-to FILE", "write the labels that --unlabelled-tail leaves out to FILE, one a line",
       Types::any_text(&GenCommand::labels_to)},
      {"moments FILE", "write the true moments to FILE, as glimpsed --moments reads them",
       Types::any_text(&GenCommand::moments)},
      {"weights FILE", "write the hidden weights to FILE, as CSV", Types::any_text(&GenCommand::weights)},
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
  if (name == SetName::kPictures) {
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
  options.kind = name == SetName::kLasso ? SimulatedKind::kLasso : SimulatedKind::kRidge;
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

ToolCommand gen_command() { return tool_command<GenCommand>(kText, gen_options()); }

}  // namespace glimpse
