// What a daemon, or another program in its place, tells glimpsectl: it is shown, or refused with a message.
// Where Boost.JSON reads an object, walking through its arrays finds the same.

#include <map>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "fuzzing.h"
#include "glimpsectl/reports/history_reports.h"
#include "glimpsectl/reports/plan_reports.h"
#include "glimpsectl/reports/reports.h"
#include "json/json_arrays.h"

namespace glimpse::answers_fuzz {

using namespace glimpse::ctl;

std::size_t times(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

void check_walk(std::string_view text) {
  const std::vector<std::string_view> names{"weights", "w"};
  std::map<std::string_view, boost::json::array> walked;
  bool elements_are_json = true;
  const auto rest = walk_arrays(text, names, [&](std::string_view name, std::string_view element) -> Status {
    require(element.data() >= text.data() && element.data() + element.size() <= text.data() + text.size());
    boost::json::error_code error;
    auto value = boost::json::parse(element, error);
    elements_are_json = elements_are_json && !error;
    walked[name].push_back(std::move(value));
    return {};
  });
  if (!rest) require(!rest.error().message.empty());
  boost::json::error_code error;
  auto whole = boost::json::parse(text, error);
  if (error || !whole.is_object()) return;
  require(rest && elements_are_json);
  // Of a key that occurs twice it is not said which counts.
  if (times(text, "\"weights\"") + times(text, "\"w\"") > 1 || text.find('\\') != std::string_view::npos)
    return;
  auto& object = whole.as_object();
  for (auto& [name, elements] : walked) {
    require(object[name].is_array() && serialize(object[name]) == serialize(elements));
    object[name] = boost::json::array();
  }
  require(serialize(object) == serialize(*rest));
}

template <class Report>
void check_report(const Report& report) {
  if (!report) require(!report.error().message.empty());
}

void check_reports(std::string_view text) {
  check_report(status_report(text));
  std::uint64_t explained = 0;
  check_report(explained_predictions(text, explained));
  check_report(plain_report(text));
  check_report(prediction_lines(text));
  check_report(parse_learn_reply(text));
  check_report(asked_report(text));
  check_report(plans_report(text));
  check_report(checkpoints_report(text));
  if (const auto history = read_history(text)) {
    HistoryData twice = *history;
    twice.append(*history);
    for (const bool has_utf8 : {false, true}) history_lines(twice, has_utf8);
    for (const char* const of : {"auto", "loss", "wrong"}) {
      const auto chart = history_chart(*history, of);
      check_report(chart);
      if (chart) draw(*chart);
    }
  }
  const auto told = parse_tell_reply(text);
  check_report(told);
  if (!told) return;
  std::map<std::string, std::uint64_t> counts;
  for (const ToldItem& item : *told) {
    require(!(is_settled(item) && is_refused(item)));
    ++counts[item.status];
  }
  require(told->empty() || !told_summary(counts).empty());
}

const Fuzzer fuzzer("answers", [](Input input) {
  const Exact text(input.rest());
  check_walk(text.view());
  check_reports(text.view());
});

}  // namespace glimpse::answers_fuzz
