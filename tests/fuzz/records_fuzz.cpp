// Records of every format, by two of the kernels that this processor runs. The first byte chooses the format,
// the second the plan and whether there are several labels, and lines follow, of which the first few are
// read. Kernels agree. What reveal() finds is what reveal_all() finds. A sparse line is read alike field by
// field, which an addition without a meaning brings about, and so is a line of JSON by its grammar. Lines of
// CSV are read alike whether another thread has marked their fields or not. Readers that know nothing of the
// records before are kept for the next input: to make them again would take most of the time.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats.h"
#include "data/records/record_framer.h"
#include "data/text/line_marks.h"
#include "data/text/text.h"
#include "fuzzing.h"

namespace glimpse::records_fuzz {

constexpr std::size_t kDimension = 12;
constexpr int kMostRecords = 8;
constexpr Format kFormats[] = {Format::kSvmlight, Format::kVw,  Format::kCsv,
                               Format::kNdjson,   Format::kF32, Format::kNpy};

bool same(double a, double b) { return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b); }

// What a reader made of a record.
struct Outcome {
  std::string error;  // of open(), reveal() or reveal_all(), whichever came first
  bool has_example = false;
  std::optional<double> label;
  std::vector<double> further_labels;
  double importance = 1;
  std::string tag;
  std::vector<double> values;
  std::vector<Entry> entries;

  void clear() {
    error.clear();
    has_example = false;
    values.clear();
    entries.clear();
  }
};

// Whether each attribute of `plan` is among the entries with its value, or is 0.
void require_among(const std::vector<Entry>& entries, const std::vector<Attribute>& plan,
                   const std::vector<double>& values) {
  double all[kDimension] = {};
  for (const Entry& entry : entries) {
    require(entry.attribute < kDimension);
    all[entry.attribute] = entry.value;
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const double expected = all[plan[i]];
    require(expected == values[i] || (expected != expected && values[i] != values[i]));
  }
}

void read(ExampleReader& reader, std::string_view record, const std::vector<Attribute>& plan,
          Outcome& outcome) {
  outcome.clear();
  const auto note = [&](const Status& status) {
    if (status.has_error()) require(!status.error().message.empty());
    if (status.has_error() && outcome.error.empty()) outcome.error = status.error().message;
    return status.has_value();
  };
  if (!note(reader.open(record))) require(!reader.has_example());
  outcome.has_example = reader.has_example();
  if (!outcome.has_example) return;
  outcome.label = reader.head().label;
  const auto further = reader.head().further_labels;
  outcome.further_labels.assign(further.begin(), further.end());
  outcome.importance = reader.head().importance;
  outcome.tag = reader.head().tag;
  outcome.values.resize(plan.size());
  const bool revealed = note(reader.reveal(plan, outcome.values));
  if (!revealed) outcome.values.clear();
  if (!note(reader.reveal_all(outcome.entries))) return outcome.entries.clear();
  require(revealed);
  if (revealed) require_among(outcome.entries, plan, outcome.values);
}

void require_same(const Outcome& a, const Outcome& b) {
  require(a.error == b.error && a.has_example == b.has_example);
  if (!a.has_example) return;
  require(a.label == b.label && a.further_labels == b.further_labels && same(a.importance, b.importance) &&
          a.tag == b.tag);
  require(a.values.size() == b.values.size() && a.entries.size() == b.entries.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) require(same(a.values[i], b.values[i]));
  for (std::size_t i = 0; i < a.entries.size(); ++i)
    require(a.entries[i].attribute == b.entries[i].attribute && same(a.entries[i].value, b.entries[i].value));
}

// A reader of each format, kernel and index base. Those of CSV, ndjson, f32 and npy are made at each call, as
// they remember their first record.
class Readers {
 public:
  ExampleReader& reader(Format format, const FormatOptions& options) {
    names_ = AttributeNames(kDimension);
    const auto kernel = static_cast<std::size_t>(
        std::find(text_kernels().begin(), text_kernels().end(), options.kernel) - text_kernels().begin());
    const bool has_several = !options.table.further_labels.empty();
    auto& kept = kept_[static_cast<std::size_t>(format)][options.svmlight_index_base][has_several]
                      [kernel % kMostKernels];
    const bool knows_its_first = format == Format::kCsv || format == Format::kNdjson ||
                                 format == Format::kF32 || format == Format::kNpy;
    if (kept == nullptr || knows_its_first) kept = make_example_reader(format, options, names_);
    return *kept;
  }
  const AttributeNames& names() const { return names_; }

 private:
  static constexpr std::size_t kMostKernels = 8;
  AttributeNames names_{kDimension};
  std::unique_ptr<ExampleReader> kept_[8][2][2][kMostKernels];
};

// What is kept between inputs.
struct Bench {
  Readers first, second, by_fields, marked;
  Outcome of_first, of_second, of_fields;
  LineMarks marks;
  std::vector<Attribute> plan;
  std::string longer;
};

// The first lines of `text` by a reader that is given their marks, up to some line, and by one that is not.
void require_marks_change_nothing(Bench& bench, const FormatOptions& options, std::string_view text,
                                  std::size_t marked_lines) {
  RecordCursor first_lines(text, framing_of(Format::kCsv, kDimension, 1000000));
  for (int lines = 0; lines < kMostRecords; ++lines) (void)first_lines.next();
  std::string lines(text.substr(0, first_lines.position()));
  // Short lines are not marked, unless there is a long one.
  lines += '\n' + std::string((kMostRecords + 2) * kLeastMarkedLine, 'x');
  const Exact exact(lines);
  if (!mark_lines(exact.view(), options.table.delimiter, *options.kernel, bench.marks)) return;
  ExampleReader& marked = bench.marked.reader(Format::kCsv, options);
  ExampleReader& plain = bench.second.reader(Format::kCsv, options);
  marked.use_marks(&bench.marks);
  RecordCursor with(exact.view(), framing_of(Format::kCsv, kDimension, 1000000));
  RecordCursor without = with;
  for (std::size_t line = 0;; ++line) {
    if (line == marked_lines) marked.use_marks(nullptr);
    const auto record = with.next([&](std::string_view rest) { return marked.line_length(rest); });
    const auto same_record = without.next();
    require(record == same_record);
    if (!record) break;
    read(marked, *record, bench.plan, bench.of_first);
    read(plain, *same_record, bench.plan, bench.of_second);
    require_same(bench.of_first, bench.of_second);
  }
  marked.use_marks(nullptr);
}

const Fuzzer fuzzer("records", [](Input input) {
  static Bench bench;
  const std::uint8_t choice = input.byte();
  const std::uint8_t plan = input.byte();
  const Format format = kFormats[choice % std::size(kFormats)];
  bench.plan.clear();
  for (Attribute a = 0; a < kDimension; ++a)
    if ((plan >> a % 8 & 1) != 0) bench.plan.push_back(a);
  FormatOptions options;
  options.dimension = kDimension;
  options.svmlight_index_base = choice >> 7;
  options.table.label.number = plan % 3 == 0 ? kDimension : plan % 3;
  options.table.delimiter = ",;\t "[choice >> 5 & 3];
  const bool has_several = plan % 7 == 6;  // and are called 0 and 2
  if (has_several) {
    options.table.label = parse_column("#1");
    options.table.further_labels.push_back(parse_column("#3"));
  }

  const auto kernels = text_kernels();
  options.kernel = kernels.back();
  ExampleReader& second = bench.second.reader(format, options);
  ExampleReader& by_fields = bench.by_fields.reader(format, options);
  options.kernel = kernels[(choice / 6 + plan) % std::max<std::size_t>(kernels.size() - 1, 1)];
  ExampleReader& first = bench.first.reader(format, options);

  const std::string_view text = input.rest();
  RecordCursor cursor(text, framing_of(format, kDimension, 1000000));
  RecordCursor measuring = cursor;  // the first reader finds the ends of lines by itself
  for (int records = 0; records < kMostRecords; ++records) {
    const auto record = cursor.next();
    if (!record) break;
    const auto measured = measuring.next([&](std::string_view rest) { return first.line_length(rest); });
    require(measured && measured->data() == record->data() && measured->size() == record->size());
    const Exact exact(*record);
    // Where it was measured, as the daemon does, or elsewhere.
    read(first, (plan & 1) != 0 ? *measured : exact.view(), bench.plan, bench.of_first);
    read(second, exact.view(), bench.plan, bench.of_second);
    require_same(bench.of_first, bench.of_second);
    if (has_several && bench.of_first.has_example && bench.of_first.label &&
        (format == Format::kCsv || format == Format::kNdjson))
      require(bench.of_first.further_labels.size() == 1);
    require(bench.first.names().size() == bench.second.names().size());
    bench.longer = *record;
    if (format == Format::kNdjson && !is_blank_or_comment(without_mark(*record))) {
      bench.longer += '\n';  // a blank of JSON, and none of plain lines
      read(by_fields, bench.longer, bench.plan, bench.of_fields);
      // The newline is quoted, or is in a string that does not end.
      const std::string_view error = bench.of_first.error;
      if (error.starts_with("text behind") || error.starts_with("not valid JSON"))
        require(error.substr(0, 10) == std::string_view(bench.of_fields.error).substr(0, 10));
      else
        require_same(bench.of_first, bench.of_fields);
      require(bench.by_fields.names().size() == bench.first.names().size());
    }
    if (format != Format::kSvmlight && format != Format::kVw) continue;
    if (bench.of_first.has_example && record->find('#') == std::string_view::npos)
      bench.longer += format == Format::kVw ? " |x" : " qid:1";
    read(by_fields, bench.longer, bench.plan, bench.of_fields);
    require_same(bench.of_first, bench.of_fields);
    require(bench.by_fields.names().size() == bench.first.names().size());
  }
  if (format == Format::kCsv) require_marks_change_nothing(bench, options, text, plan >> 4);
});

}  // namespace glimpse::records_fuzz
