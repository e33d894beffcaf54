#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/table_schema.h"

namespace glimpse {

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
