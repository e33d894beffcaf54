#include "daemon/bodies/partial_bodies.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include <boost/json.hpp>

#include "daemon/bodies/body_text.h"
#include "data/records/attribute_names.h"
#include "data/text/number.h"
#include "data/text/text.h"
#include "learn/core/learner.h"

namespace glimpse {

namespace {

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
  std::size_t count = 0;
  for (std::size_t child = n + 1; child < json[n].end; child = json[child].end) {
    const JsonNode& node = json[child];
    if (node.kind == JsonNode::Kind::kNull) continue;
    double value = 0;
    const bool is_number = node.kind == JsonNode::Kind::kNumber ||
                           (node.kind == JsonNode::Kind::kString && read_number(trimmed(node.text), value));
    if ((!is_number && node.kind != JsonNode::Kind::kString) ||
        (is_number && !read_number(trimmed(node.text), value)))
      return failure(ErrorCode::kInvalidInput,
                     "the known value of attribute {} is neither a finite number nor a word",
                     in_quotes(node.key));
    if (++count <= kMostKnown)
      known.push_back({std::string(node.key), std::string(trimmed(node.text)), is_number, value});
  }
  if (count > kMostKnown)
    return failure(ErrorCode::kTooLarge, "{} values are known; must be at most {}", count, kMostKnown);
  return known;
}

bool holds_partial_examples(std::string_view body) {
  if (body.find("\"known\"") == std::string_view::npos) return false;
  JsonTexts texts(body);
  const auto first = texts.next();
  if (!first || !texts.count()) return false;
  JsonNodes json(kMostJsonNodes);
  std::string arena;
  arena.reserve(first->size());
  return json.parse(*first, arena) && known_member(json) != 0;
}

Result<std::vector<KnownValues>> PartialExamples::next(std::size_t least) {
  std::vector<KnownValues> examples;
  for (std::size_t bytes = 0; bytes < least;) {
    const auto text = texts_.next();
    if (!text) break;
    bytes += text->size() + 1;
    ++count_;
    auto known = read(*text);
    if (!known) return failure(known.error().code, "example {}: {}", count_, known.error().message);
    examples.push_back(std::move(*known));
  }
  return examples;
}

Result<KnownValues> PartialExamples::read(std::string_view text) {
  arena_.clear();
  arena_.reserve(text.size());
  if (const Status parsed = json_.parse(text, arena_); !parsed)
    return failure(ErrorCode::kInvalidInput, "{}", parsed.error().message);
  const std::size_t member = known_member(json_);
  if (member == 0)
    return failure(ErrorCode::kInvalidInput, "must be {{\"known\": {{...}}}}, as the first is");
  if (json_[member].end != json_[0].end || member != 1)
    return failure(ErrorCode::kInvalidInput, "'known' stands alone: what is not known is predicted");
  return read_known(json_, member);
}

Result<ResolvedKnown> resolve_known(const KnownValues& known, const AttributeNames& names) {
  ResolvedKnown resolved;
  std::vector<Entry>& entries = resolved.entries;
  for (const auto& [text, word, is_number, value] : known) {
    GLIMPSE_TRY_ASSIGN(const auto attribute, names.resolve(text));
    resolved.given.push_back(attribute);
    if (names.categories().holds(attribute)) {
      if (const double code = names.categories().find(attribute, word); !std::isnan(code))
        entries.push_back({attribute, code});
      continue;
    }
    if (const auto days = names.categories().read_date(attribute, word); !is_number && days) {
      entries.push_back({attribute, *days});
      continue;
    }
    if (!is_number)
      return failure(ErrorCode::kInvalidInput, "value {} of attribute {} is a word, which it never had",
                     in_quotes(word), text);
    if (!(std::abs(value) <= kLargestMagnitude))
      return failure(ErrorCode::kInvalidInput, "value {} of attribute {} is beyond {:g}", value, text,
                     kLargestMagnitude);
    entries.push_back({attribute, value});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.attribute < b.attribute; });
  std::sort(resolved.given.begin(), resolved.given.end());
  const auto twice = std::adjacent_find(resolved.given.begin(), resolved.given.end());
  if (twice != resolved.given.end())
    return failure(ErrorCode::kInvalidInput, "attribute {} is given twice", *twice);
  return resolved;
}

std::string next_attributes_json(const NextAttributes& next) {
  std::string body = "{\"choices\":[";
  Money cost = 0;
  for (const NextAttributes::Choice& choice : next.choices) {
    if (body.back() != '[') body += ',';
    fmt::format_to(std::back_inserter(body), "{{\"attribute\":{}", choice.attribute);
    if (!choice.name.empty()) body += ",\"name\":" + boost::json::serialize(boost::json::string(choice.name));
    fmt::format_to(std::back_inserter(body), ",\"cost\":{},\"{}\":{}}}", format_money(choice.cost),
                   next.is_class ? "gain" : "standard_error",
                   number(next.is_class ? choice.gain : choice.standard_error));
    cost = add_money(cost, choice.cost);
  }
  if (next.is_class)
    return body + fmt::format("],\"cost\":{},\"prediction\":{},\"probability\":{}}}\n", format_money(cost),
                              next.predicted_class, number(next.probability));
  return body + fmt::format("],\"cost\":{},\"prediction\":{},\"standard_error\":{}}}\n", format_money(cost),
                            number(next.prediction), number(next.standard_error));
}

HttpResponse whole_examples_only() {
  return error_response(
      409, "whole_examples_only",
      "--algorithm apple has products of attributes, which it does not know from a part of them: "
      "ask with whole examples, in which a missing value counts as its mean");
}

}  // namespace glimpse
