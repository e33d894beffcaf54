#pragma once

#include <fstream>
#include <istream>
#include <optional>
#include <string>

#include "base/result.h"
#include "glimpsectl/input/console.h"
#include "glimpsectl/input/line_chunks.h"

namespace glimpse::ctl {

/// A file, or the console's input, as bodies of requests: pieces of whole lines, or one JSON array in one
/// piece, as only lines can be cut. Thread-safety: none; the console must outlive it.
class InputBodies {
 public:
  /// `name`: of a file; "-" is the console's input.
  InputBodies(const std::string& name, Console& console);

  /// Whether it is one JSON array. To be asked first. Errors: kSystem when it cannot be opened.
  Result<bool> is_array();

  /// The next body; nothing at the end. Errors: kSystem.
  Result<std::optional<LineChunks::Chunk>> next();

 private:
  const std::string name_;
  std::ifstream file_;
  std::istream& in_;
  LineChunks chunks_;
  bool is_array_ = false;
};

}  // namespace glimpse::ctl
