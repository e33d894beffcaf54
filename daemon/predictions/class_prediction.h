#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/feeds/block.h"
#include "data/table_schema.h"
#include "learn/inference/class_prediction.h"

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

/// The class that a label of a classifier is a code of.
inline std::size_t class_of(double label) { return label > 0 ? static_cast<std::size_t>(label) : 0; }

/// Adds one to the others of its block.
void add_to(ClassifiedRecords& records, const ClassPrediction& prediction, PredictAs as);

/// What a class is called on a line: itself, or as a JSON string where it is empty, begins with a quote, or
/// has a space, a colon or a control character.
std::string class_text(std::string_view name);

/// The line of a reply without its tag and end: "CLASS PROBABILITY", or "CLASS:NUMBER" of all classes by
/// their codes. "?" where there is no class yet.
void append_reply(std::string& text, const ClassPrediction& prediction, std::span<const std::string> names,
                  PredictAs as);

}  // namespace glimpse
