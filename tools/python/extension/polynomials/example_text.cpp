#include "example_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "data/formats.h"

namespace glimpse {

void ExampleText::append(std::span<const Entry> entries, double label) {
  const auto out = std::back_inserter(text_);
  fmt::format_to(out, "{}", label);
  for (const Entry& entry : entries) fmt::format_to(out, " {}:{}", entry.attribute + 1, entry.value);
  text_ += '\n';
  begins_.push_back(text_.size());
  labels_.push_back(label);
  if (!entries.empty())
    dimension_ = std::max(dimension_, static_cast<std::size_t>(entries.back().attribute) + 1);
}

Status ExampleText::read(std::span<const std::uint32_t> rows,
                         const std::function<void(std::span<const Entry>, double label)>& use) const {
  AttributeNames names(dimension_);
  FormatOptions options;
  options.dimension = dimension_;
  const auto reader = make_example_reader(Format::kSvmlight, options, names);
  std::vector<Entry> entries;
  for (const std::uint32_t row : rows) {
    GLIMPSE_TRY(reader->open(line(row)));
    GLIMPSE_TRY(reader->reveal_all(entries));
    use(entries, labels_[row]);
  }
  return {};
}

}  // namespace glimpse
