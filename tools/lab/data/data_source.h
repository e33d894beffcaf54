#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "lab/data/dense_set.h"
#include "lab/data/scaling.h"
#include "lab/data/table_file.h"

namespace glimpse {

/// Which data an experiment uses; as on glimpse-lab's command line.
struct DataOptions {
  /// "mnist:3,5[:DIR]" (first digit −1, second +1), "mnist:all[:DIR]" (the digits),
  /// "simulated:ridge|lasso:ALPHA[:D]", "simulated:factors:F[:D]", or a file.
  std::string data;
  LabelColumn label;                       ///< files in CSV
  std::size_t most_attributes = SIZE_MAX;  ///< files: one with more is an Error
  std::optional<Scaling> scaling;          ///< default: norm for MNIST, none elsewhere
  std::optional<double> positive;  ///< files: this label is +1, every other −1; none: labels as they are
  /// Labels less their mean, over their standard deviation, both of the training set: the zero predictor is
  /// then the mean.
  bool standardise_labels = false;
  std::optional<double> test_share;  ///< 0 < share < 1: pool everything and draw the test set from it.
                                     ///< Default: the data's own test set, or 0.1 for a file, which has none
  std::optional<std::uint64_t> split_seed;  ///< which test set is drawn; none: another one with every seed
  std::size_t examples = 20000;             ///< simulated: length of the training set
  std::size_t test_examples = 2000;         ///< simulated: length of the test set
  std::size_t dimension = 500;              ///< simulated: d, unless `data` says it
  std::uint64_t data_seed = 1;              ///< simulated: which hidden weights and stream
  std::size_t largest_training = SIZE_MAX;  ///< what the training set is cut down to after the split
};

/// A training and a test set, scaled.
struct DataSet {
  DenseSet train;
  DenseSet test;
};

/// Data that was read and can be split. Immutable, so threads may share it.
class DataSource {
 public:
  /// Reads or generates the data. Errors: kInvalidOption for a specification that cannot be, kNotFound,
  /// kCorrupt, kInvalidInput for files.
  static Result<DataSource> load(const DataOptions& options);

  /// Whether another seed has another split.
  bool resplits() const;
  /// The sets of a run with this seed. Shared where all seeds have the same.
  std::shared_ptr<const DataSet> prepare(std::uint64_t seed) const;

  std::size_t dimension() const { return whole_->train.dimension; }
  /// Examples in a training set.
  std::size_t training_size() const;

  /// What decides the sets, with a hash of the data, one `name=value` a line.
  std::string describe() const;

 private:
  DataSource(const DataOptions& options, DataSet whole);
  DataSet split(std::uint64_t split_seed) const;

  DataOptions options_;
  std::shared_ptr<const DataSet> whole_;  // unscaled, as it ships
  std::uint64_t content_;                 // hash of whole_
  std::shared_ptr<const DataSet> fixed_;  // scaled and split, where all seeds have the same
};

}  // namespace glimpse
