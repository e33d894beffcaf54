#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/data/data_source.h"

namespace glimpse {

/// A data set of a sweep.
struct SweepSet {
  std::string name;  ///< of a file without its endings; of others, the specification
  DataOptions data;
  bool of_folder = false;  ///< then it is left out where it cannot be read
};

/// The tables of a folder: *.csv, *.csv.gz, *.svm and *.svm.gz, by name. Of two that differ in their endings
/// alone, both keep these. `only`: names of those wanted; empty: all. The options are those of `common`.
/// Errors: kNotFound, kSystem for the folder; kInvalidOption for a name in `only` that no table has.
Result<std::vector<SweepSet>> tables_of_folder(const std::string& folder,
                                               const std::vector<std::string>& only,
                                               const DataOptions& common);

/// A data set of a sweep, which gives each run its sets. Files and MNIST are split and ordered by the run's
/// seed as elsewhere; of simulated sets each seed has hidden weights and a stream of its own. Labels are
/// standardised. Immutable, so threads may share it.
class SweepSource {
 public:
  /// Errors: those of DataSource::load(); kInvalidInput where all labels of the training set are the same.
  static Result<SweepSource> load(const SweepSet& set, std::uint64_t first_seed);

  std::size_t dimension() const { return source_.dimension(); }
  /// Examples in a training set.
  std::size_t training_size() const { return source_.training_size(); }
  std::size_t test_size() const { return test_size_; }

  Result<std::shared_ptr<const DataSet>> prepare(std::uint64_t seed) const;

 private:
  SweepSource(const DataOptions& options, DataSource source, std::uint64_t first_seed);

  DataOptions options_;
  bool simulated_;
  std::uint64_t first_seed_;
  DataSource source_;
  std::size_t test_size_;
};

}  // namespace glimpse
