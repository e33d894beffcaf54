#include "lab/polynomials/example_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "data/formats.h"

namespace glimpse {

namespace {

constexpr std::size_t kMostAttributes = std::size_t{1} << 24;  // of svmlight
constexpr std::size_t kMostWords = 1000;                       // of a column of CSV
constexpr std::size_t kLongestLine = std::size_t{1} << 30;

// Numbers for attributes and words, in the order in which they come.
class FeatureNumbers {
 public:
  Attribute number(Attribute attribute, std::uint32_t code) {
    return numbers_.try_emplace({attribute, code}, static_cast<Attribute>(numbers_.size())).first->second;
  }

 private:
  std::map<std::pair<Attribute, std::uint32_t>, Attribute> numbers_;
};

// Rows of CSV: each value that is a word is an attribute of its own.
class WordRows {
 public:
  explicit WordRows(const TableReading& reading) : all_are_words_(reading.all_are_words) {
    options_.table.label = parse_column(reading.label);
    names_.categories().set_limit(kMostWords);
    reader_ = make_example_reader(Format::kCsv, options_, names_);
  }

  Status read(std::string_view record, ExampleText& text) {
    if (const Status status = reader_->open(record); !status) return status;
    if (!reader_->has_example()) return {};
    if (!reader_->head().label) return failure(ErrorCode::kInvalidInput, "the row has no label");
    values_.resize(names_.dimension());
    attributes_.resize(names_.dimension());
    std::iota(attributes_.begin(), attributes_.end(), Attribute{0});
    if (all_are_words_)
      for (const Attribute a : attributes_)
        if (const Status status = names_.categories().declare(a, "an attribute"); !status) return status;
    if (const Status status = reader_->reveal(attributes_, values_); !status) return status;
    entries_.clear();
    for (const Attribute a : attributes_) {
      const double value = values_[a];
      if (std::isnan(value)) continue;
      if (names_.categories().holds(a))
        entries_.push_back({numbers_.number(a, static_cast<std::uint32_t>(value) + 1), 1});
      else if (value != 0)
        entries_.push_back({numbers_.number(a, 0), value});
    }
    std::ranges::sort(entries_, {}, &Entry::attribute);
    text.append(entries_, *reader_->head().label);
    return {};
  }

 private:
  bool all_are_words_;
  FormatOptions options_;
  AttributeNames names_{0};
  std::unique_ptr<ExampleReader> reader_;
  FeatureNumbers numbers_;
  std::vector<Attribute> attributes_;
  std::vector<double> values_;
  std::vector<Entry> entries_;
};

Status read_sparse(ExampleReader& reader, std::string_view record, std::vector<Entry>& entries,
                   ExampleText& text) {
  if (const Status status = reader.open(record); !status) return status;
  if (!reader.has_example()) return {};
  if (!reader.head().label) return failure(ErrorCode::kInvalidInput, "the line has no label");
  if (const Status status = reader.reveal_all(entries); !status) return status;
  std::erase_if(entries, [](const Entry& entry) { return !(entry.value != 0); });
  std::ranges::sort(entries, {}, &Entry::attribute);
  text.append(entries, *reader.head().label);
  return {};
}

}  // namespace

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

std::uint64_t ExampleText::hash() const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text_) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

Status read_examples(const ExampleText& text, std::span<const std::uint32_t> rows,
                     const std::function<void(std::span<const Entry>, double label)>& use) {
  AttributeNames names(text.dimension());
  FormatOptions options;
  options.dimension = text.dimension();
  const auto reader = make_example_reader(Format::kSvmlight, options, names);
  std::vector<Entry> entries;
  for (const std::uint32_t row : rows) {
    if (const Status status = reader->open(text.line(row)); !status) return status;
    if (const Status status = reader->reveal_all(entries); !status) return status;
    use(entries, text.label(row));
  }
  return {};
}

Result<ExampleText> parse_examples(std::string_view text, const std::string& name,
                                   const TableReading& reading) {
  ExampleText result;
  const std::string_view first = text.substr(0, text.find('\n'));
  const bool is_sparse = detect_format(first) == Format::kSvmlight;
  FormatOptions options;
  options.dimension = kMostAttributes;
  AttributeNames sparse_names(kMostAttributes);
  const auto sparse = make_example_reader(Format::kSvmlight, options, sparse_names);
  WordRows rows(reading);
  std::vector<Entry> entries;
  RecordCursor cursor(text, framing_of(Format::kCsv, 1, kLongestLine));
  for (std::size_t line = 1;; ++line) {
    const auto record = cursor.next();
    if (!record) break;
    const Status status =
        is_sparse ? read_sparse(*sparse, *record, entries, result) : rows.read(*record, result);
    if (!status)
      return failure(ErrorCode::kInvalidInput, "{}, line {}: {}", name, line, status.error().message);
  }
  if (result.size() == 0) return failure(ErrorCode::kInvalidInput, "{} has no examples", name);
  return result;
}

}  // namespace glimpse
