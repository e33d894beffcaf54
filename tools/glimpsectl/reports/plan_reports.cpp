#include "glimpsectl/reports/plan_reports.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "json/json_arrays.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

std::string quoted_json(const std::string& text) { return json::serialize(json::string(text)); }

std::string text_in(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value == nullptr ? std::string() : field_text(name, *value);
}

/// All of them: the reader is about to buy them.
std::string attributes_text(const json::object& plan) {
  const auto* list = plan.if_contains("names");
  if (list == nullptr) list = plan.if_contains("attributes");
  if (list == nullptr || !list->is_array()) return std::string(kAbsent);
  std::string text;
  for (const auto& item : list->get_array())
    text += (text.empty() ? "" : ", ") + field_text("attribute", item);
  return text;
}

/// What was told of an open plan: of several labels those by name, and values beside some of them.
std::string told_text(const json::object& plan) {
  const auto* const labels = plan.if_contains("labels_told");
  std::string text;
  if (labels != nullptr && labels->is_array()) {
    for (const auto& item : labels->get_array())
      text += (text.empty() ? "" : ", ") + field_text("label", item);
  } else if (is_true(plan, "label_told")) {
    text = "label";
  }
  if (is_true(plan, "values_told")) text += text.empty() ? "values" : ", values";
  return text.empty() ? std::string(kAbsent) : text;
}

Result<const json::array*> plans_in(const json::object& answer) {
  const auto* plans = answer.if_contains("plans");
  const auto is_object = [](const auto& item) { return item.is_object(); };
  if (plans == nullptr || !plans->is_array() ||
      !std::all_of(plans->get_array().begin(), plans->get_array().end(), is_object))
    return failure(ErrorCode::kCorrupt, "it has no list 'plans'");
  return &plans->get_array();
}

}  // namespace

std::string ask_body(const PlanRequest& request) {
  std::string body = "{";
  const auto add = [&body](std::string_view name, const std::string& value) {
    body += fmt::format("{}\"{}\":{}", body.size() > 1 ? "," : "", name, value);
  };
  if (request.for_prediction) add("for", "\"prediction\"");
  if (request.count) add("count", std::to_string(*request.count));
  if (!request.available.empty()) {
    std::string list;
    for (const auto& attribute : request.available)
      list += (list.empty() ? "" : ",") + quoted_json(attribute);
    add("available", "[" + list + "]");
  }
  if (!request.ttl.empty()) add("ttl", quoted_json(request.ttl));
  if (request.for_prediction) {
    std::string known;
    for (const auto& [attribute, value, word] : request.known)
      known += fmt::format("{}{}:{}", known.empty() ? "" : ",", quoted_json(attribute),
                           word.empty() ? fmt::format("{}", value) : quoted_json(word));
    add("known", "{" + known + "}");
    if (!request.label.empty()) add("label", quoted_json(request.label));
  }
  return body + "}";
}

Result<std::string> asked_report(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(const auto answer, parse_answer(body));
  GLIMPSE_TRY_ASSIGN(const auto plans, plans_in(answer));
  if (plans->empty()) return failure(ErrorCode::kCorrupt, "it has no plan");
  Table table({{"plan", true}, {"cost"}, {"expires", true}, {"attributes", true}});
  for (const auto& item : *plans) {
    const auto& plan = item.get_object();
    table.add(
        {text_in(plan, "id"), text_in(plan, "cost"), text_in(plan, "expires_at"), attributes_text(plan)});
  }
  return table.text();
}

Result<std::string> plans_report(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(auto answer, parse_answer(body));
  GLIMPSE_TRY_ASSIGN(const auto plans, plans_in(answer));
  Table table({{"plan", true}, {"cost"}, {"expires", true}, {"told", true}, {"attributes", true}});
  for (const auto& item : *plans) {
    const auto& plan = item.get_object();
    table.add({text_in(plan, "id"), text_in(plan, "cost"), text_in(plan, "expires_at"), told_text(plan),
               attributes_text(plan)});
  }
  std::string text = table.empty() ? std::string() : table.text() + "\n";
  const std::string after = word_in(answer, "next");
  answer.stable_erase("plans");
  answer.stable_erase("next");
  text += object_report(answer);
  if (!after.empty()) text += fmt::format("\nmore are open: glimpsectl plans --after {}\n", printable(after));
  return text;
}

Result<std::vector<ToldItem>> parse_tell_reply(std::string_view body) {
  std::vector<ToldItem> items;
  const auto add = [&items](const json::object& object) -> Status {
    ToldItem item{
        text_in(object, "id"), text_in(object, "status"), text_in(object, "message"),
        text_in(object, "owner"),
        object.if_contains("told_label") != nullptr || object.if_contains("told_labels") != nullptr};
    if (item.status.empty()) return failure(ErrorCode::kCorrupt, "an item of it has no 'status'");
    const auto* expected = object.if_contains("expected");
    if (expected != nullptr && expected->is_object())
      item.message += fmt::format("{}expected: {}", item.message.empty() ? "" : "; ",
                                  attributes_text(expected->get_object()));
    items.push_back(std::move(item));
    return {};
  };
  const auto object =
      walk_arrays(body, {"results"}, [&](std::string_view, std::string_view element) -> Status {
        json::error_code error;
        const auto value = json::parse(element, error);
        if (error || !value.is_object())
          return failure(ErrorCode::kCorrupt, "an element of 'results' is not an object");
        return add(value.get_object());
      });
  if (!object) return object.error();
  if (object->if_contains("results") == nullptr) GLIMPSE_TRY(add(*object));
  return items;
}

bool says_abandoned(std::string_view body, std::string_view id) {
  const auto answer = parse_object(body);
  return answer && text_in(*answer, "id") == id && text_in(*answer, "status") == "abandoned";
}

bool is_settled(const ToldItem& item) { return item.status == "learned" || item.status == "duplicate"; }

bool is_refused(const ToldItem& item) {
  return !is_settled(item) && item.status != "incomplete" && item.status != "not_learned";
}

std::string told_summary(const std::map<std::string, std::uint64_t>& counts) {
  const auto learned = counts.find("learned");
  const std::uint64_t most = learned == counts.end() ? 0 : learned->second;
  std::string text = fmt::format("{} {} learned", with_thousands(most), most == 1 ? "plan" : "plans");
  for (const auto& [status, count] : counts)
    if (status != "learned") text += fmt::format(", {} {}", with_thousands(count), printable(status));
  return text;
}

}  // namespace glimpse::ctl
