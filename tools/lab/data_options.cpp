#include "lab/data_options.h"

#include <fmt/format.h>
#include <limits>

#include "common/option_table.h"
#include "lab/option_readers.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::uint64_t>::max();

Status read_split_seed(DataOptions& data, std::string_view option, const std::string& text) {
  data.split_seed.reset();
  if (text == "each") return {};
  const auto seed = whole_number(option, text, 0, kLargestSeed);
  if (!seed)
    return wrong_value(option, text, fmt::format("each or a whole number from 0 to {}", kLargestSeed));
  data.split_seed = *seed;
  return {};
}

Status read_examples(DataOptions& data, std::string_view option, const std::string& text) {
  const auto examples = whole_number(option, text, 1, kLargestCount);
  if (!examples) return examples.error();
  data.examples = *examples;
  data.largest_training = *examples;
  return {};
}

// What the data is, and how it is read.
std::vector<Option<DataOptions>> content_options() {
  using Types = ToolTypes<DataOptions>;
  return {
      {.name = "data",
       .value = "DATA",
       .sentence =
           "mnist:A,B[:DIR] (digit A is -1, B is +1; DIR or GLIMPSE_MNIST is the folder of the four files), "
           "simulated:ridge|lasso:ALPHA (Kukliansky & Shamir 2015, section 5.1), simulated:factors:F "
           "(attributes are noisy views of F factors; :D behind either is its number of attributes), or a "
           "file: CSV or svmlight, gzip-ed or not",
       .type = Types::text(at(&DataOptions::data)),
       .is_required = true},
      {.name = "label-column",
       .value = "WHICH",
       .sentence = "files in CSV: the column of the label: first, last, or a number from 1 as #5",
       .standard = "first",
       .type = Types::parsed(at(&DataOptions::label), parse_label_column)},
      {.name = "scale",
       .value = "HOW",
       .sentence =
           "none; norm: all by one factor, largest ||x||_2 = 1; maxabs: each attribute by its own, largest "
           "|x_i| = 1; maxabs-norm. By default norm for MNIST (whose pixels are divided by 255 in any case), "
           "none elsewhere. Factors come from the training set",
       .type = Types::parsed(at(&DataOptions::scaling), parse_scaling)},
      {.name = "positive",
       .value = "LABEL",
       .sentence = "files: examples with this label are +1, all others -1",
       .type = Types::real(at(&DataOptions::positive))},
      {.name = "standardise-labels",
       .sentence =
           "labels less their mean, over their standard deviation; the zero predictor is then the mean",
       .type = Types::flag(at(&DataOptions::standardise_labels))},
  };
}

// How it is split, and how much there is of it.
std::vector<Option<DataOptions>> size_options() {
  using Types = ToolTypes<DataOptions>;
  return {
      {.name = "test-share",
       .value = "P%",
       .sentence =
           "draw a test set of this share from all examples; without it the test set is the data's own, or "
           "10% of a file",
       .type = Types::parsed(at(&DataOptions::test_share), parse_share)},
      {.name = "split-seed",
       .value = "N|each",
       .sentence = "which test set --test-share draws; each: another with every seed",
       .standard = "0",
       .type = Types::set(read_split_seed)},
      {.name = "examples",
       .value = "M",
       .sentence = "at most this many training examples; simulated: exactly, 20000 by default",
       .type = Types::set(read_examples)},
      {.name = "test-examples",
       .value = "M",
       .sentence = "simulated: length of the test set",
       .standard = "2000",
       .type = Types::whole(at(&DataOptions::test_examples), 1, kLargestCount)},
      {.name = "dimension",
       .value = "D",
       .sentence = "simulated: number of attributes",
       .standard = "500",
       .type = Types::whole(at(&DataOptions::dimension), 1, kLargestCount)},
      {.name = "data-seed",
       .value = "N",
       .sentence = "simulated: which hidden weights and which stream",
       .standard = "1",
       .type = Types::whole(at(&DataOptions::data_seed), 0, kLargestSeed)},
  };
}

}  // namespace

std::vector<Option<DataOptions>> data_options() {
  return OptionTable<DataOptions>().add(content_options()).add(size_options()).rows();
}

}  // namespace glimpse
