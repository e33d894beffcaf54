#include "lab/data_options.h"

#include <fmt/format.h>
#include <limits>

#include "common/tool.h"
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
std::vector<OptionRow> content_options() {
  using Types = OptionKind;
  return {
      {"data DATA",
       "mnist:A,B[:DIR] (digit A is -1, B is +1; DIR or GLIMPSE_MNIST is the folder of the four files), "
       "simulated:ridge|lasso:ALPHA (Kukliansky & Shamir 2015, section 5.1), simulated:factors:F "
       "(attributes are noisy views of F factors; :D behind either is its number of attributes), or a "
       "file: CSV or svmlight, gzip-ed or not",
       Types::any_text(&DataOptions::data),
       {.is_required = true}},
      {"label-column WHICH = first",
       "files in CSV: the column of the label: first, last, or a number from 1 as #5",
       Types::parsed(&DataOptions::label, of_text(parse_label_column))},
      {"scale HOW",
       "none; norm: all by one factor, largest ||x||_2 = 1; maxabs: each attribute by its own, largest "
       "|x_i| = 1; maxabs-norm. By default norm for MNIST (whose pixels are divided by 255 in any case), "
       "none elsewhere. Factors come from the training set",
       Types::parsed(&DataOptions::scaling, of_text(parse_scaling))},
      {"positive LABEL", "files: examples with this label are +1, all others -1",
       Types::number(&DataOptions::positive)},
      {"standardise-labels",
       "labels less their mean, over their standard deviation; the zero predictor is then the mean",
       Types::flag(&DataOptions::standardise_labels)},
  };
}

// How it is split, and how much there is of it.
std::vector<OptionRow> size_options() {
  using Types = OptionKind;
  return {
      {"test-share P%",
       "draw a test set of this share from all examples; without it the test set is the data's own, or "
       "10% of a file",
       Types::parsed(&DataOptions::test_share, parse_share)},
      {"split-seed N|each = 0", "which test set --test-share draws; each: another with every seed",
       Types::custom(read_split_seed)},
      {"examples M", "at most this many training examples; simulated: exactly, 20000 by default",
       Types::custom(read_examples)},
      {"test-examples M = 2000", "simulated: length of the test set",
       Types::whole(&DataOptions::test_examples, 1, kLargestCount)},
      {"dimension D = 500", "simulated: number of attributes",
       Types::whole(&DataOptions::dimension, 1, kLargestCount)},
      {"data-seed N = 1", "simulated: which hidden weights and which stream",
       Types::whole(&DataOptions::data_seed, 0, kLargestSeed)},
  };
}

}  // namespace

std::vector<OptionRow> data_options() { return joined({content_options(), size_options()}); }

}  // namespace glimpse
