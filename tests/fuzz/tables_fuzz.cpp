// Tables as the laboratory reads them, CSV and svmlight: refused with a message that names the file, or a set
// whose numbers are finite, and the same after it was written and read again.

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string>

#include "fuzzing.h"
#include "lab/data/table_file.h"

namespace glimpse::tables_fuzz {

std::string written(const DenseSet& set, bool sparse) {
  std::string text;
  for (std::size_t n = 0; n < set.size(); ++n) {
    fmt::format_to(std::back_inserter(text), "{}", set.labels[n]);
    for (std::size_t i = 0; i < set.dimension; ++i) {
      const float value = set.values[n * set.dimension + i];
      if (sparse) {
        // The last shows the dimension.
        if (value != 0 || i + 1 == set.dimension)
          fmt::format_to(std::back_inserter(text), " {}:{}", i + 1, value);
      } else {
        fmt::format_to(std::back_inserter(text), ",{}", value);
      }
    }
    text += '\n';
  }
  return text;
}

const Fuzzer fuzzer("tables", [](Input input) {
  const std::string_view content = input.rest();
  // A large index is a large set, which is for the machine to hold.
  std::size_t digits = 0;
  for (const char c : content) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 4 && content.find(':') != std::string_view::npos) return;
  }
  const Exact text(content);
  const auto set = parse_table(text.view(), "a table");
  if (!set) {
    require(set.error().message.starts_with("a table: "));
    return;
  }
  require(set->size() > 0 && set->dimension > 0);
  require(set->labels.size() == set->size() && set->values.size() == set->size() * set->dimension);
  for (const double label : set->labels) require(std::isfinite(label));
  for (const float value : set->values) {
    require(!std::isnan(value));
    if (std::isinf(value)) return;  // a double beyond singles, which this format would not write
  }
  for (const bool sparse : {false, true}) {
    const auto again = parse_table(written(*set, sparse), "a table");
    require(again && again->dimension == set->dimension && again->labels == set->labels);
    require(again->values == set->values);
  }
});

}  // namespace glimpse::tables_fuzz
