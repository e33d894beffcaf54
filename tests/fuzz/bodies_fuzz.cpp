// The bodies of /v1/learn and /v1/predict: whatever they hold they are learned from or refused, each record
// counted once; arrays are cut into the elements that Boost.JSON finds; and what an NDJSON example says is
// what Boost.JSON reads in it. The first byte chooses.

#include <cmath>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "daemon/api/http_bodies.h"
#include "daemon/bodies/class_bodies.h"
#include "daemon/bodies/partial_bodies.h"
#include "daemon/training/stream_processor.h"
#include "data/text/number.h"
#include "data/text/text.h"
#include "fuzzing.h"
#include "json/json_elements.h"
#include "learn/factory.h"

namespace glimpse::bodies_fuzz {

namespace json = boost::json;

constexpr std::size_t kDimension = 6;
constexpr Format kFormats[] = {Format::kNdjson, Format::kAuto, Format::kSvmlight, Format::kVw,
                               Format::kCsv,    Format::kF32,  Format::kNpy,      Format::kNdjson};

// What is learned.
enum class Labels { kOne, kClasses, kSeveral };
constexpr const char* kSeveral[] = {"temp", "cnt"};

std::unique_ptr<StreamProcessor> make_processor(Labels labels) {
  LearnerOptions options;
  options.algorithm = labels == Labels::kOne ? "two-phase-ddaerr" : "pairwise";
  if (labels == Labels::kSeveral) options.labels.assign(std::begin(kSeveral), std::end(kSeveral));
  options.dimension = kDimension;
  options.budget = 3;
  auto processor = std::make_unique<StreamProcessor>(*make_learner(options), AttributeNames(kDimension), 1);
  if (labels == Labels::kSeveral) processor->hold_out().set_share(0.125);
  if (labels != Labels::kClasses) return processor;
  const ClassOptions classes{.task = Task::kClasses, .names = {}, .most = 5};
  require(processor->set_classes(classes).has_value());
  require(declare_words({.classes = &classes}, processor->names()).has_value());
  processor->words().note_declared(processor->names(), processor->learner());
  processor->hold_out().set_share(0.125);
  return processor;
}

FormatOptions format_options(Labels labels = Labels::kOne) {
  FormatOptions options;
  options.dimension = kDimension;
  if (labels == Labels::kSeveral) {
    options.table.label = parse_column(kSeveral[0]);
    options.table.further_labels.push_back(parse_column(kSeveral[1]));
  }
  return options;
}

std::optional<json::value> parsed(std::string_view text) {
  json::error_code code;
  json::value value = json::parse(json::string_view(text.data(), text.size()), code);
  if (code) return std::nullopt;
  return value;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

// NaN, which Boost makes of 0e400, is not the same as itself.
std::string text_of(const json::value& value) { return json::serialize(value); }

bool is_container(const json::value& value) { return value.is_object() || value.is_array(); }

void check_cutting(std::string_view body) {
  const Exact exact(body);
  const auto lines = examples_as_lines(std::string(body));
  if (!lines) require(!lines.error().message.empty());
  const std::size_t first = body.find_first_not_of(" \t\n\r");
  const bool is_bracket = first != std::string_view::npos && body[first] == '[';
  JsonTexts texts(exact.view());
  require(texts.is_array() == is_bracket);
  const auto count = texts.count();
  std::vector<std::string_view> elements;
  while (const auto text = texts.next()) elements.push_back(*text);
  if (count) require(elements.size() == *count);
  const auto whole = parsed(body);
  if (!whole || !whole->is_array()) return;
  const json::array& expected = whole->get_array();
  require(count && elements.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    require(parsed(elements[i]) && text_of(*parsed(elements[i])) == text_of(expected[i]));
  if (expected.empty() || !is_container(expected[0])) return require(lines && *lines == body);
  for (const json::value& element : expected)
    if (!is_container(element)) return require(!lines);
  require(lines.has_value());
  const auto cut = lines_of(*lines);
  require(cut.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    require(parsed(cut[i]) && text_of(*parsed(cut[i])) == text_of(expected[i]));
}

// Boost 1.81 rounds numbers of many digits wrongly in their last bits, and makes NaN of 0e400.
bool near(double a, double b) {
  return a == b || !std::isfinite(b) || std::fabs(a - b) <= 1e-14 * std::fabs(b) || std::fabs(b) < 1e-290;
}

double number_of(const json::value& value) {
  if (value.is_null()) return std::nan("");
  return value.to_number<double>();
}

void require_value(double mine, const json::value& theirs) {
  const double expected = number_of(theirs);
  require(std::isnan(mine) ? theirs.is_null() : near(mine, expected));
}

const json::value* member(const json::object& example, const char* name) {
  const json::value* value = example.if_contains(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

// What our reader took, Boost.JSON reads the same.
void check_example(std::string_view record) {
  static AttributeNames names(kDimension);
  static const auto reader = make_example_reader(Format::kNdjson, format_options(), names);
  names = AttributeNames(kDimension);
  const Exact exact(record);
  if (!reader->open(exact.view()) || !reader->has_example()) return;
  std::vector<Entry> entries;
  if (!reader->reveal_all(entries)) return;
  json::error_code code;
  const std::string_view unmarked = without_mark(record);  // Boost.JSON refuses the mark
  const json::value example = json::parse(json::string_view(unmarked.data(), unmarked.size()), code);
  require(!code);
  const json::value* values = &example;
  if (const json::object* object = example.if_object()) {
    const json::value* label = member(*object, "label");
    require((label != nullptr) == reader->head().label.has_value());
    if (label != nullptr) require_value(*reader->head().label, *label);
    if (const json::value* importance = member(*object, "importance"))
      require_value(reader->head().importance, *importance);
    const json::value* tag = member(*object, "tag");
    require(reader->head().tag ==
            (tag != nullptr ? std::string_view(tag->get_string()) : std::string_view()));
    values = object->if_contains("values");
    require(values != nullptr);
  }
  if (const json::array* array = values->if_array()) {
    require(entries.size() == array->size() && array->size() == kDimension);
    for (const Entry& entry : entries) require_value(entry.value, (*array)[entry.attribute]);
    return;
  }
  std::size_t known = 0;
  for (const auto& value : values->get_object()) {
    const std::string_view key(value.key().data(), value.key().size());
    std::uint64_t index = 0;
    const auto attribute = read_index(key, index) ? static_cast<Attribute>(index) : names.find(key);
    if (!attribute) continue;  // counts for nothing in a question
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& entry) { return entry.attribute == *attribute; });
    require(at != entries.end());
    require_value(at->value, value.value());
    ++known;
  }
  require(known == entries.size());
}

// As PredictApi and LearnApi do.
void check_learning(std::string_view body, Format format, bool learns, Labels labels) {
  static std::unique_ptr<StreamProcessor> processors[] = {
      make_processor(Labels::kOne), make_processor(Labels::kClasses), make_processor(Labels::kSeveral)};
  static int uses = 0;
  std::unique_ptr<StreamProcessor>& processor = processors[static_cast<std::size_t>(labels)];
  if (++uses % 256 == 0) processor = make_processor(labels);  // names fill up
  if (format == Format::kNdjson) {
    auto lines = examples_as_lines(std::string(body));
    if (!lines) return;
    if (!learns) {
      if (holds_partial_examples(body)) {
        const auto examples = PartialExamples(body).next(body.size() + 1);
        return require(examples ? !examples->empty() : !examples.error().message.empty());
      }
    }
    return check_learning(*lines, Format::kAuto, learns, labels);
  }
  Block block;
  block.feed = processor->make_feed(std::make_shared<Door>(), format, format_options(labels),
                                    std::size_t{1} << 20, "");
  block.feed->learns = learns;
  const Exact exact(body);
  block.bytes.view = exact.view();
  BlockResult result;
  const std::uint64_t before = processor->learner().counts().examples;
  const bool read = processor->process(block, !learns, result);
  const LearnerCounts& counts = processor->learner().counts();
  // Where an outlier is found, the first examples are learned again without it.
  const bool has_outliers = counts.left_out + counts.bounded_values + counts.bounded_labels > 0;
  require(counts.examples >= before && (has_outliers || counts.examples == before + result.learned));
  require(block.feed->door->parse_errors == result.error_count &&
          read == (learns || result.error_count == 0));
  require(learns ? result.predictions.empty() : result.learned + result.skipped == 0);
  for (const RecordError& error : result.errors) require(!error.message.empty() && error.record > 0);
  if (learns) require(parsed(learned_json(result)).has_value());
  for (const LabelPredictions& further : result.further)
    require(further.predictions.size() == result.predictions.size());
  const bool are_several = labels == Labels::kSeveral && !learns && !result.predictions.empty();
  require(result.further.size() == (are_several ? std::size(kSeveral) - 1 : 0));
  require(result.standard_errors.size() <= result.predictions.size());
  // Labels that are words make a classifier, whatever it began as.
  const bool is_classifier = processor->is_classifier();
  require(is_classifier || labels != Labels::kClasses);
  require(!is_classifier || labels != Labels::kSeveral);
  require(result.classified.probabilities.size() == (is_classifier ? result.predictions.size() : 0));
  if (is_classifier && !learns) {
    const auto names = class_names_json(processor->names().categories().label_words());
    require(parsed("{\"predictions\":[" + class_predictions_json(result.predictions, names, true) +
                   class_numbers_json(result.classified, names, PredictAs::kProbabilities) + "]}")
                .has_value());
  }
  if (!learns)
    require(parsed(predictions_json(result.predictions, result.standard_errors, before)).has_value());
}

const Fuzzer fuzzer("bodies", [](Input input) {
  const std::uint8_t choice = input.byte();
  const std::string_view body = input.rest();
  switch (choice & 3) {
    case 0:
      check_cutting(body);
      break;
    case 1:
      for (const std::string_view line : lines_of(body)) check_example(line);
      break;
    default:
      check_learning(body, kFormats[choice >> 2 & 7], (choice & 1) != 0,
                     (choice & 64) != 0   ? Labels::kSeveral
                     : (choice & 32) != 0 ? Labels::kClasses
                                          : Labels::kOne);
  }
});

}  // namespace glimpse::bodies_fuzz
