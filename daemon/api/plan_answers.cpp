#include "daemon/api/plan_answers.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include <boost/json.hpp>

#include "daemon/support/wall_clock.h"

namespace glimpse {

std::string utc_text(double seconds) {
  constexpr double kLast = 253402300799;  // of the year 9999, also for a plan that never expires
  const auto time = static_cast<std::time_t>(std::floor(std::clamp(seconds, -kLast, kLast)));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string json_text(const std::string& text) { return boost::json::serialize(boost::json::string(text)); }

void put_number(std::string& body, std::uint64_t number) {
  const fmt::format_int text(number);
  body.append(text.data(), text.size());
}

void put_list(std::string& body, const char* key, const std::vector<std::string>& texts) {
  fmt::format_to(Out(body), ",\"{}\":[", key);
  for (const std::string& text : texts) {
    if (body.back() != '[') body += ',';
    body += json_text(text);
  }
  body += ']';
}

void put_attributes(std::string& body, const Attribute* begin, const Attribute* end,
                    const std::string* names) {
  body += "\"attributes\":[";
  for (const Attribute* at = begin; at != end; ++at) {
    if (at != begin) body += ',';
    put_number(body, *at);
  }
  body += ']';
  if (names == nullptr) return;
  body += ",\"names\":[";
  for (const Attribute* at = begin; at != end; ++at) {
    if (at != begin) body += ',';
    body += json_text(names[at - begin]);
  }
  body += ']';
}

void put_answer(std::string& body, const TellAnswer& answer) {
  body += "{\"id\":";
  if (parse_plan_id(answer.id)) {
    body += '"';
    body += answer.id;
    body += '"';
  } else {
    body += json_text(answer.id);
  }
  body += ",\"status\":\"";
  body += name_of(answer.status);
  body += '"';
  if (!answer.message.empty()) body += ",\"message\":" + json_text(answer.message);
  if (!answer.owner.empty()) body += ",\"owner\":" + json_text(answer.owner);
  if (!answer.expected.empty()) {
    body += ",\"expected\":{";
    put_attributes(body, answer.expected.data(), answer.expected.data() + answer.expected.size(),
                   answer.names.empty() ? nullptr : answer.names.data());
    body += '}';
  }
  if (!answer.told_labels.empty()) {
    body += ",\"told_labels\":{";
    for (const auto& [name, label] : answer.told_labels)
      body += fmt::format("{}{}:{}", body.back() == '{' ? "" : ",", json_text(name), label);
    body += '}';
  }
  if (!answer.told_label) return;
  const auto* const word = std::get_if<std::string>(&*answer.told_label);
  body += ",\"told_label\":";
  body += word != nullptr ? json_text(*word) : fmt::format("{}", std::get<double>(*answer.told_label));
}

}  // namespace

std::string asked_json(const AskedPlans& plans) {
  const std::string tail = ",\"expires_at\":\"" + utc_text(plans.expires_at + wall_clock_shift()) + "\"}";
  std::string body = "{\"plans\":[";
  body.reserve(plans.rows.size() * (80 + tail.size()) + plans.attributes.size() * 6);
  std::size_t begin = 0;
  for (const AskedPlans::Row& row : plans.rows) {
    if (begin > 0) body += ',';
    body += "{\"id\":\"";
    body += plans.prefix;
    body += format_plan_id(row.id);
    body += "\",";
    put_attributes(body, plans.attributes.data() + begin, plans.attributes.data() + row.end,
                   plans.names.empty() ? nullptr : plans.names.data() + begin);
    body += ",\"cost\":";
    if (row.cost % kMoneyUnit == 0) {
      put_number(body, row.cost / kMoneyUnit);
    } else {
      body += format_money(row.cost);
    }
    body += tail;
    begin = row.end;
  }
  body += ']';
  if (!plans.stopped.empty()) body += ",\"stopped\":" + json_text(plans.stopped);
  body += "}\n";
  return body;
}

std::string told_results_json(const std::vector<TellAnswer>& answers, bool is_first, std::size_t& learned) {
  std::string text;
  for (const TellAnswer& answer : answers) {
    if (!std::exchange(is_first, false)) text += ',';
    put_answer(text, answer);
    text += '}';
    learned += answer.status == TellStatus::kLearned ? 1 : 0;
  }
  text.shrink_to_fit();
  return text;
}

std::string told_json(const TellAnswer& answer) {
  std::string body;
  put_answer(body, answer);
  if (is_error(answer.status))
    fmt::format_to(Out(body), R"(,"error":{{"code":"{}","message":{}}})", name_of(answer.status),
                   json_text(answer.message));
  return body + "}\n";
}

std::string plans_json(const OpenPlansPage& page) {
  std::string body = "{\"plans\":[";
  for (const OpenPlansPage::Row& row : page.rows) {
    if (body.back() != '[') body += ',';
    fmt::format_to(Out(body), R"({{"id":"{}{}",)", row.prefix, format_plan_id(row.id));
    put_attributes(body, row.attributes.data(), row.attributes.data() + row.attributes.size(),
                   row.names.empty() ? nullptr : row.names.data());
    fmt::format_to(Out(body), R"(,"cost":{},"expires_at":"{}","label_told":{},"values_told":{})",
                   format_money(row.cost), utc_text(row.expires_at + wall_clock_shift()), row.has_label,
                   row.has_values);
    if (row.has_several) put_list(body, "labels_told", row.told);
    body += '}';
  }
  body += "],\"next\":";
  body += page.more ? '"' + page.rows.back().prefix + format_plan_id(page.rows.back().id) + '"' : "null";
  const PlanBook::Counts& c = page.counts;
  return body +
         fmt::format(R"(,"open":{},"given":{},"learned":{},"not_learned":{},"expired":{},"abandoned":{}}})"
                     "\n",
                     page.open, c.given, c.learned, c.not_learned, c.expired, c.abandoned);
}

}  // namespace glimpse
