#include "daemon/api/plan_requests.h"

#include <fmt/format.h>
#include <utility>

#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::size_t kMostLists = 100;     // of expected attributes
constexpr std::size_t kMostReasons = 1000;  // why items could not be read
constexpr std::size_t kStandardPage = 100;  // plans
constexpr std::size_t kLargestPage = 10000;

}  // namespace

std::optional<HttpResponse> read_whole_ask(std::string_view body, const std::optional<std::string>& label,
                                           AskRequest& request) {
  auto read = read_ask(body);
  if (!read) return error_response(400, "invalid_ask", read.error().message);
  const auto refuse = [](const char* message) { return error_response(400, "invalid_label", message); };
  if (label && read->label)
    return refuse("the label is named in the path and in the body: leave one of them out");
  if (label) read->label = label;
  if (read->label && !read->for_prediction)
    return refuse("label is for asks with \"for\": \"prediction\" only: a plan is for all labels");
  request = std::move(*read);
  return std::nullopt;
}

HttpResponse ask_refusal(const Error& error) {
  if (error.code == ErrorCode::kTooLarge) return error_response(429, "too_many_plans", error.message);
  if (error.code == ErrorCode::kUnavailable) return error_response(409, "not_buying", error.message);
  return error_response(error);
}

unsigned http_status(TellStatus status) {
  switch (status) {
    case TellStatus::kExpired:
    case TellStatus::kAbandoned:
      return 410;
    case TellStatus::kUnknown:
      return 404;
    case TellStatus::kWrongAttributes:
    case TellStatus::kInvalidValue:
      return 422;
    case TellStatus::kInvalid:
      return 400;
    case TellStatus::kFrozen:
    case TellStatus::kElsewhere:
      return 409;
    default:
      return 200;
  }
}

void AnswerBounds::shorten(TellAnswer& answer) {
  if (answer.status == TellStatus::kInvalid && ++reasons_ > kMostReasons) answer.message = {};
  if (answer.expected.empty() || ++lists_ <= kMostLists) return;
  answer.expected = {};
  answer.names = {};
}

Result<std::size_t> read_plan_limit(const std::string& query) {
  const std::string text = query_value(query, "limit");
  std::uint64_t limit = kStandardPage;
  if (!text.empty() && (!read_index(text, limit) || limit < 1 || limit > kLargestPage))
    return failure(ErrorCode::kInvalidInput, "limit {} must be from 1 to {}", in_quotes(text), kLargestPage);
  return static_cast<std::size_t>(limit);
}

OpenPlansPage::Row row_of(const OpenPlan& plan, const StreamProcessor& processor) {
  OpenPlansPage::Row row;
  row.id = plan.id;
  row.expires_at = plan.expires_at;
  row.cost = plan.cost;
  row.attributes = plan.plan.attributes;
  row.has_label = plan.labels.are_all_told();
  row.has_values = !plan.values.empty();
  row.has_several = plan.labels.size() > 1;
  const auto& labels = processor.learner().options().labels;
  for (std::size_t l = 0; row.has_several && l < labels.size(); ++l)
    if (plan.labels[l]) row.told.push_back(valid_utf8(labels[l]));
  if (!processor.names().empty())
    for (const Attribute i : row.attributes) row.names.push_back(processor.names().callable_name(i));
  return row;
}

}  // namespace glimpse
