#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace glimpse {

/// --task: what labels are.
enum class Task : std::uint8_t {
  kAuto,        ///< classes where they are words, or --classes names them
  kRegression,  ///< numbers; of words two are 0 and 1
  kClasses,     ///< names of classes, also where they are numbers
};

/// What is known of classes before any record is read.
struct ClassOptions {
  static constexpr std::size_t kUsualMost = 100;
  static constexpr std::size_t kLargestMost = 1000;
  Task task = Task::kAuto;
  std::vector<std::string> names;  ///< --classes: they have the first codes
  std::size_t most = kUsualMost;   ///< --max-classes
  bool are_wanted() const { return task == Task::kClasses || !names.empty(); }
};

}  // namespace glimpse
