// Records of every format, by every kernel that this processor runs. The first byte chooses the format, the
// second the plan, and lines follow. Kernels agree; what reveal() finds is what reveal_all() finds; and a
// sparse line is read alike field by field, which adding something without a meaning brings about.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats.h"
#include "data/record_framer.h"

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 12;
constexpr Format kFormats[] = {Format::kSvmlight, Format::kVw,  Format::kCsv,
                               Format::kNdjson,   Format::kF32, Format::kNpy};

void require(bool condition) {
  if (!condition) __builtin_trap();
}

bool same(double a, double b) { return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b); }

// What a reader made of a record.
struct Outcome {
  std::string error;  // of open(), reveal() or reveal_all(), whichever came first
  bool has_example = false;
  ExampleHead head;
  std::vector<double> values;
  std::vector<Entry> entries;
};

Outcome read(ExampleReader& reader, std::string_view record, const std::vector<Attribute>& plan,
             bool may_move_names) {
  // In memory of exactly its size, so that the address sanitizer sees a step beyond it.
  const std::vector<char> memory(record.begin(), record.end());
  const std::string_view exact(memory.data(), memory.size());
  Outcome outcome;
  const auto note = [&](const Status& status) {
    if (status.has_error()) require(!status.error().message.empty());
    if (status.has_error() && outcome.error.empty()) outcome.error = status.error().message;
    return status.has_value();
  };
  if (!note(reader.open(exact))) require(!reader.has_example());
  outcome.has_example = reader.has_example();
  if (!outcome.has_example) return outcome;
  outcome.head = reader.head();
  outcome.head.tag = {};
  outcome.values.resize(plan.size());
  const bool revealed = note(reader.reveal(plan, outcome.values));
  if (!revealed) outcome.values.clear();
  if (!note(reader.reveal_all(outcome.entries))) {
    outcome.entries.clear();
    return outcome;
  }
  // The same record read again may be fine in VW text, whose new name then stands in no number's way any
  // more.
  require(revealed || may_move_names);
  if (!revealed) return outcome;
  std::vector<double> all(plan.size());
  for (const Entry& entry : outcome.entries) {
    require(entry.attribute < kDimension);
    const auto place = std::lower_bound(plan.begin(), plan.end(), entry.attribute);
    if (place != plan.end() && *place == entry.attribute)
      all[static_cast<std::size_t>(place - plan.begin())] = entry.value;
  }
  for (std::size_t i = 0; i < plan.size(); ++i)
    require(all[i] == outcome.values[i] || (all[i] != all[i] && outcome.values[i] != outcome.values[i]));
  return outcome;
}

void require_same(const Outcome& a, const Outcome& b) {
  require(a.error == b.error);
  require(a.has_example == b.has_example && a.head.label == b.head.label);
  require(a.values.size() == b.values.size() && a.entries.size() == b.entries.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) require(same(a.values[i], b.values[i]));
  for (std::size_t i = 0; i < a.entries.size(); ++i)
    require(a.entries[i].attribute == b.entries[i].attribute && same(a.entries[i].value, b.entries[i].value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Format format = kFormats[data[0] % std::size(kFormats)];
  std::vector<Attribute> plan;
  for (Attribute a = 0; a < kDimension; ++a)
    if ((data[1] >> a % 8 & 1) != 0) plan.push_back(a);
  FormatOptions options;
  options.dimension = kDimension;
  options.svmlight_index_base = data[0] >> 7;
  options.csv_label_column = data[1] % 3 == 0 ? kDimension : data[1] % 3;
  options.csv_delimiter = ",;\t "[data[0] >> 5 & 3];

  std::vector<AttributeNames> names;
  std::vector<std::unique_ptr<ExampleReader>> readers;
  for (std::size_t i = 0; i < text_kernels().size() + 1; ++i) names.emplace_back(kDimension);
  for (std::size_t i = 0; i < names.size(); ++i) {
    // The last one is for the lines that are read field by field.
    options.kernel = text_kernels()[std::min(i, text_kernels().size() - 1)];
    readers.push_back(make_example_reader(format, options, names[i]));
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  RecordCursor cursor(text, framing_of(format, kDimension, 1000000));
  RecordCursor measuring = cursor;  // the first reader finds the ends of lines by itself
  while (const auto record = cursor.next()) {
    const auto measured =
        measuring.next([&](std::string_view rest) { return readers[0]->line_length(rest); });
    require(measured && measured->data() == record->data() && measured->size() == record->size());
    const Outcome first = read(*readers[0], *record, plan, format == Format::kVw);
    for (std::size_t i = 1; i < text_kernels().size(); ++i) {
      require_same(first, read(*readers[i], *record, plan, format == Format::kVw));
      require(names[i].size() == names[0].size());
    }
    if (format != Format::kSvmlight && format != Format::kVw) continue;
    const bool can_be_longer = first.has_example && record->find('#') == std::string_view::npos;
    const std::string longer = std::string(*record) + (!can_be_longer          ? ""
                                                       : format == Format::kVw ? " |x"
                                                                               : " qid:1");
    require_same(first, read(*readers.back(), longer, plan, format == Format::kVw));
    require(names.back().size() == names[0].size());
  }
  return 0;
}
