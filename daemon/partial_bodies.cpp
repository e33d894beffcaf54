#include "daemon/partial_bodies.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include <boost/json.hpp>

#include "daemon/json_elements.h"
#include "data/number.h"
#include "data/text.h"
#include "learn/learner.h"

namespace glimpse {

namespace {

std::string number_text_or_null(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string("null");
}

// The texts of a body's examples.
Result<std::vector<std::string_view>> texts_of(std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::vector<std::string_view>();
  body.remove_prefix(first);
  if (body[0] == '[') return array_elements(body);
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    const std::string_view line = body.substr(begin, end - begin);
    if (!trimmed(line).empty()) lines.push_back(line);
    begin = end + 1;
  }
  return lines;
}

// Node of the member "known" of the object that was parsed; 0: it has none.
std::size_t known_member(const JsonNodes& json) {
  if (json.nodes().empty() || json[0].kind != JsonNode::Kind::kObject) return 0;
  for (std::size_t child = 1; child < json[0].end; child = json[child].end)
    if (json[child].key == "known") return child;
  return 0;
}

}  // namespace

Result<KnownValues> read_known(const JsonNodes& json, std::size_t n) {
  if (json[n].kind != JsonNode::Kind::kObject)
    return failure(ErrorCode::kInvalidInput, "'known' must be an object such as {{\"17\": 0.5}}, not {}",
                   name_of(json[n].kind));
  KnownValues known;
  for (std::size_t child = n + 1; child < json[n].end; child = json[child].end) {
    const JsonNode& node = json[child];
    if (node.kind == JsonNode::Kind::kNull) continue;
    double value = 0;
    if (node.kind != JsonNode::Kind::kNumber || !read_number(node.text, value))
      return failure(ErrorCode::kInvalidInput, "the known value of attribute {} is not a finite number",
                     quoted(node.key));
    known.emplace_back(node.key, value);
  }
  return known;
}

Result<std::optional<std::vector<KnownValues>>> read_partial_examples(std::string_view body) {
  std::optional<std::vector<KnownValues>> examples;
  if (body.find("\"known\"") == std::string_view::npos) return examples;
  const auto texts = texts_of(body);
  if (!texts) return examples;  // whoever reads whole examples says what is wrong
  JsonNodes json(kMostJsonNodes);
  std::string arena;
  arena.reserve(body.size());
  for (const std::string_view text : *texts) {
    const auto wrong = [&](const std::string& what) {
      return failure(ErrorCode::kInvalidInput, "example {}: {}", examples ? examples->size() + 1 : 1, what);
    };
    const Status parsed = json.parse(text, arena);
    const std::size_t member = known_member(json);
    if (!examples) {
      if (!parsed || member == 0) return examples;
      examples.emplace();
    }
    if (!parsed) return wrong(parsed.error().message);
    if (member == 0) return wrong("must be {\"known\": {...}}, as the first is");
    if (json[member].end != json[0].end || member != 1)
      return wrong("'known' stands alone: what is not known is predicted");
    auto known = read_known(json, member);
    if (!known) return wrong(known.error().message);
    examples->push_back(std::move(*known));
  }
  return examples;
}

Result<std::vector<Entry>> resolve_known(const KnownValues& known, const AttributeNames& names) {
  if (known.size() > kMostKnown)
    return failure(ErrorCode::kInvalidInput, "{} values are known; must be at most {}", known.size(),
                   kMostKnown);
  std::vector<Entry> entries;
  for (const auto& [text, value] : known) {
    const auto attribute = names.resolve(text);
    if (!attribute) return attribute.error();
    if (!(std::abs(value) <= kLargestMagnitude))
      return failure(ErrorCode::kInvalidInput, "value {} of attribute {} is beyond {:g}", value, text,
                     kLargestMagnitude);
    entries.push_back({*attribute, value});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.attribute < b.attribute; });
  const auto twice = std::adjacent_find(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.attribute == b.attribute;
  });
  if (twice != entries.end())
    return failure(ErrorCode::kInvalidInput, "attribute {} is given twice", twice->attribute);
  return entries;
}

std::string partial_predictions_json(const std::vector<double>& predictions,
                                     const std::vector<double>& standard_errors, std::uint64_t examples) {
  const auto list = [](const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ",") + number_text_or_null(value);
    return text;
  };
  return fmt::format("{{\"predictions\":[{}],\"standard_errors\":[{}],\"examples\":{}}}\n", list(predictions),
                     list(standard_errors), examples);
}

std::string next_attributes_json(const NextAttributes& next) {
  std::string body = "{\"choices\":[";
  Money cost = 0;
  for (const NextAttributes::Choice& choice : next.choices) {
    if (body.back() != '[') body += ',';
    fmt::format_to(std::back_inserter(body), "{{\"attribute\":{}", choice.attribute);
    if (!choice.name.empty()) body += ",\"name\":" + boost::json::serialize(boost::json::string(choice.name));
    fmt::format_to(std::back_inserter(body), ",\"cost\":{},\"standard_error\":{}}}",
                   format_money(choice.cost), number_text_or_null(choice.standard_error));
    cost = add_money(cost, choice.cost);
  }
  return body + fmt::format("],\"cost\":{},\"prediction\":{},\"standard_error\":{}}}\n", format_money(cost),
                            number_text_or_null(next.prediction), number_text_or_null(next.standard_error));
}

}  // namespace glimpse
