#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/formats.h"

namespace glimpse {

/// The shortest decimals that read back as the same double. Data sets repeat few values (a pixel has 256), so
/// the texts made last are kept: most numbers cost a copy. Thread-safety: none.
class NumberText {
 public:
  NumberText() : kept_(kKept) {}

  /// Puts the text of `value` (finite) at the end of `out`.
  void append(double value, std::string& out);

 private:
  static constexpr std::size_t kKept = 1024;  // a power of two; 40 KiB, within the nearest cache's reach
  struct Text {
    std::uint64_t bits = 0;
    std::uint8_t length = 0;  // 0: nothing is kept here
    std::array<char, 27> characters{};
  };
  std::vector<Text> kept_;
};

/// Writes examples in one of the formats that the readers of lib/data read, one record after the other. The
/// sparse formats (svmlight, VW text, NDJSON) leave out attributes of value 0. Thread-safety: none.
class ExampleWriter {
 public:
  virtual ~ExampleWriter() = default;

  /// Puts one record at the end of `out`, its newline included where the format has lines. `values` are all
  /// attributes, finite; `label` is finite; without one the record asks for a prediction.
  virtual void append(std::optional<double> label, std::span<const double> values, std::string& out) = 0;

 protected:
  NumberText numbers_;
};

/// The writer for `format`. An Error (kInvalidOption) for kAuto, which names no format to write.
Result<std::unique_ptr<ExampleWriter>> make_example_writer(Format format);

/// The formats that have a writer.
std::vector<std::string> written_formats();

/// The same for the value of an option --format, which the Error names.
Result<std::unique_ptr<ExampleWriter>> make_example_writer(std::string_view format);

}  // namespace glimpse
