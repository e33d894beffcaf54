#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "learn/core/learner.h"

namespace glimpse {

/// What became of the examples that learners were given.
struct ExampleCounts {
  std::uint64_t given = 0;
  std::uint64_t diverged = 0;  ///< Outcome::kDiverged: the step is too large for the data
  std::uint64_t out_of_range = 0;
  std::uint64_t missing = 0;

  std::uint64_t unlearned() const { return diverged + out_of_range + missing; }
  /// Whether more than half of the examples diverged: such a model says nothing of the data.
  bool mostly_diverged() const { return diverged > given / 2; }

  /// Adds `given` examples of a learner with these counts.
  void add(std::uint64_t given, const LearnerCounts& counts);
  ExampleCounts& operator+=(const ExampleCounts& other);
  bool operator==(const ExampleCounts&) const = default;
};

/// "12 of 100 examples were not learned from: 10 diverged (…), 2 out of range"
std::string to_text(const ExampleCounts& counts);

/// A line of a job file, "# examples given=100 diverged=10 out_of_range=2 missing=0\n", and back.
std::string to_comment(const ExampleCounts& counts);
std::optional<ExampleCounts> parse_comment(std::string_view line);

}  // namespace glimpse
