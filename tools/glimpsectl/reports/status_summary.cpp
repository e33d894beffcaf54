#include "glimpsectl/reports/status_summary.h"

#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/units.h"
#include "data/text/text.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

class Summary {
 public:
  explicit Summary(const json::object& status) : status_(status) {}

  std::string text() {
    learner();
    examples();
    looks();
    quality("R2", "r2", "recent_r2");
    quality("loss", "progressive_loss", "recent_loss");
    quality("root of it", "rmse", "recent_rmse");
    quality("held-out loss", "held_out_loss", "held_out_recent_loss");
    absolute("error, looked at whole", "");
    absolute("error, held out", "held_out_");
    classes("wrong, held out", "held_out_classes");
    frozen();
    add("looks", word("phase_reason"));
    model();
    checkpoint();
    memory();
    trouble();
    return lines_.text();
  }

  /// R2 of it, of several labels the first one's.
  std::string r2() const {
    if (const auto* const labels = status_.if_contains("labels"))
      return Summary(labels->as_array().at(0).as_object()).r2();
    return mean_of("frozen_r2");
  }

  /// Of what was evaluated while nothing was learned.
  std::string test() {
    if (const auto came = number("frozen_examples")) add("rows", readable_number(*came));
    const auto* const labels = status_.if_contains("labels");  // where there are several
    if (labels == nullptr) quality("R2", "frozen_r2", "");
    if (labels == nullptr) absolute("error", "frozen_");
    if (labels != nullptr && labels->is_array())
      for (const json::value& value : labels->get_array()) {
        if (!value.is_object()) continue;
        const std::string name = in_quotes(word_in(value.get_object(), "name"));
        Summary of(value.get_object());
        of.lines_ = std::move(lines_);
        of.quality("R2 of " + name, "frozen_r2", "");
        of.absolute("error of " + name, "frozen_");
        lines_ = std::move(of.lines_);
      }
    classes("wrong", "frozen_classes");
    if (const auto* const report = status_.if_contains("frozen_classes"); report && report->is_object())
      for (const auto& [what, name] : {std::pair("log loss", "log_loss"),
                                       {"Brier score", "brier"},
                                       {"calibration error", "calibration_error"}})
        if (const auto mean = number_in(report->get_object(), name))
          add(what, in_unit(*mean, number_in(report->get_object(), std::string(name) + "_error")));
    if (const auto of = number("examples")) add("model", "of " + counted(*of, "example"));
    return lines_.text();
  }

 private:
  std::optional<double> number(std::string_view name) const { return number_in(status_, name); }
  std::string word(std::string_view name) const { return word_in(status_, name); }
  bool is_frozen() const { return is_true(status_, "frozen"); }
  void add(const std::string& what, std::string text) {
    if (!text.empty()) lines_.add({what, std::move(text)});
  }

  void learner() {
    std::string text = word("algorithm");
    const auto budget = number("budget");
    const auto dimension = number("dimension");
    if (budget && dimension)
      text += fmt::format(", {} of {} attributes an example", readable_number(*budget),
                          readable_number(*dimension));
    add("learner", text);
  }

  void examples() {
    const auto learned = number("examples");
    if (!learned) return;
    std::string text = readable_number(*learned);
    if (const auto asked = number("predictions"); asked && *asked > 0)
      text += fmt::format(" learned, {} predicted", readable_number(*asked));
    add("examples", text);
  }

  void looks() {
    const auto seen = number("attributes_revealed");
    const auto learned = number("examples");
    const auto dimension = number("dimension");
    if (!seen || !learned || !dimension || !(*learned * *dimension > 0)) return;
    std::string text = fmt::format("{} attributes, {} % of all", readable_number(*seen),
                                   readable_percent(100 * *seen / (*learned * *dimension)));
    if (const auto cost = number("cost_spent"); cost && *cost != *seen)
      text += fmt::format(", for {}", readable_number(*cost));
    add("looked at", text);
  }

  static std::string with_error(double mean, std::optional<double> error) {
    return fixed_text(mean, 3) + (error ? fmt::format(" ± {:.2g}", *error) : std::string());
  }
  // Large and small numbers, as losses are, have six digits and no fixed point.
  static std::string in_unit(double mean, std::optional<double> error) {
    if (std::abs(mean) >= 0.01 && std::abs(mean) < 100) return with_error(mean, error);
    return error ? fmt::format("{:.4g} ± {:.2g}", mean, *error) : fmt::format("{:.4g}", mean);
  }

  // Empty: it is not known.
  std::string mean_of(const std::string& name) const {
    const auto mean = number(name);
    return mean ? in_unit(*mean, number(name + "_error")) : std::string();
  }
  void quality(const std::string& what, const std::string& name, const std::string& recent) {
    std::string text = mean_of(name);
    const std::string now = recent.empty() || text.empty() ? "" : mean_of(recent);
    add(what, text + (now.empty() ? "" : ", recently " + now));
  }

  // Errors in the unit of the label, where records were looked at whole. The median is of a histogram.
  void absolute(const std::string& what, const std::string& of) {
    const auto mean = number(of + "mean_absolute_error");
    const auto median = number(of + "median_absolute_error");
    const auto root = number(of + "rmse");
    if (mean && median && root)
      add(what, fmt::format("root mean square {}, mean {}, median {}", in_unit(*root, {}), in_unit(*mean, {}),
                            two_digits(*median)));
  }

  void classes(const char* what, const char* name) {
    const auto* const report = status_.if_contains(name);
    if (report == nullptr || !report->is_object()) return;
    const auto text = [&](const std::string& error) {
      const auto mean = number_in(report->get_object(), error);
      if (!mean) return std::string();
      const auto off = number_in(report->get_object(), error + "_error");
      return fmt::format("{} %{}", fixed_text(100 * *mean, 1),
                         off ? " ± " + readable_percent(100 * *off) : std::string());
    };
    const std::string now = text("recent_error");
    add(what, text("error") + (now.empty() ? "" : ", recently " + now));
  }

  // What its own doors bring is not learned; that is no freeze that anybody asked for.
  bool fleet() {
    const auto* const value = status_.if_contains("fleet");
    if (value == nullptr || !value->is_object()) return false;
    const json::object& of = value->get_object();
    std::string line =
        fmt::format("group {} learns from topic {}", word_in(of, "group"), word_in(of, "topic"));
    const auto* const partitions = of.if_contains("partitions");
    if (const auto here = number_in(of, "partitions_here"); here && partitions && partitions->is_array())
      line += fmt::format("; {} of {} here", readable_number(*here),
                          counted(static_cast<double>(partitions->get_array().size()), "partition"));
    if (const auto lag = number_in(of, "lag")) line += fmt::format(", {} behind", counted(*lag, "message"));
    add("fleet", line);
    if (const std::string trouble = word_in(of, "trouble"); !trouble.empty()) add("fleet's trouble", trouble);
    return true;
  }

  // While nothing is learned the losses above stand still; these go on.
  void frozen() {
    if (!is_frozen() || fleet()) return;
    if (const auto came = number("frozen_examples"))
      add("frozen", fmt::format("nothing is learned; {} came meanwhile", counted(*came, "labelled example")));
    quality("R2, frozen", "frozen_r2", "frozen_recent_r2");
    quality("loss, frozen", "frozen_loss", "frozen_recent_loss");
    absolute("error, frozen", "frozen_");
    classes("wrong, frozen", "frozen_classes");
  }

  void model() {
    const auto of = number("model_examples");
    if (!of) return;
    if (*of == 0) return add("model", "none yet; predictions are the mean of the labels");
    std::string text = "of " + counted(*of, "example");
    if (const auto age = number("model_age_seconds")) text += ", " + readable_duration(*age) + " old";
    if (is_frozen() && status_.if_contains("fleet") == nullptr) text += ", frozen";
    const std::string served = word("model_served");
    if (!served.empty() && served != "newest") text += fmt::format("; the {} model answers", served);
    add("model", text);
  }

  void checkpoint() {
    const std::string name = word("checkpoint_name");
    const auto age = number("checkpoint_age_seconds");
    if (name.empty() && !age) return;
    add("checkpoint",
        age ? fmt::format("{}{}{} old", name, name.empty() ? "" : ", ", readable_duration(*age)) : name);
  }

  void memory() {
    const auto bytes = number("memory_bytes");
    if (!bytes) return;
    std::string text = readable_bytes(*bytes);
    if (const auto up = number("uptime_seconds")) text += ", up " + readable_duration(*up);
    add("memory", text);
  }

  // What is counted when something went wrong.
  void trouble() {
    std::string text;
    struct Trouble {
      const char* field;
      const char* one;
      const char* several;
    };
    for (const auto& [field, one, several] : std::initializer_list<Trouble>{
             {"parse_errors", "line that could not be read", "lines that could not be read"},
             {"examples_skipped_missing", "example that lacked an attribute",
              "examples that lacked an attribute"},
             {"examples_out_of_range", "example beyond all numbers", "examples beyond all numbers"},
             {"examples_diverged", "step that diverged", "steps that diverged"},
             {"examples_left_out", "example far beyond all others", "examples far beyond all others"},
             {"drift_alarms", "drift alarm", "drift alarms"},
             {"checkpoint_failures", "checkpoint that failed", "checkpoints that failed"}})
      if (const auto count = number(field); count && *count > 0)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", readable_number(*count),
                            *count == 1 ? one : several);
    if (const std::string error = word("checkpoint_error"); !error.empty()) text += ": " + error;
    add("trouble", text.empty() ? "none" : text);
  }

  const json::object& status_;
  Table lines_{{{"", true}, {"", true}}};
};

}  // namespace

Result<std::string> status_summary(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(const auto status, parse_answer(body));
  return Summary(status).text();
}

Result<std::string> fallback_report(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(const auto status, parse_answer(body));
  std::string text;
  const auto add = [&](const json::object& of, const std::string& label) {
    const std::string served = word_in(of, "model_served");
    if (served.empty() || served == "newest") return;
    text += fmt::format(
        "{}{} answers in place of the model, which predicted later rows worse than the mean of those before "
        "(fallback model): rows in an order of the label or of time do that, or a label that nothing "
        "explains; "
        "learn from them in a random order (shuf)\n",
        label, served == "mean" ? "the mean of the labels" : "an earlier model");
  };
  const auto* const labels = status.if_contains("labels");
  if (labels == nullptr || !labels->is_array())
    add(status, "");
  else
    for (const json::value& label : labels->get_array())
      if (label.is_object()) add(label.get_object(), in_quotes(word_in(label.get_object(), "name")) + ": ");
  return text;
}

Result<std::string> test_report(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(const auto status, parse_answer(body));
  return Summary(status).test();
}

std::string test_r2(const json::object& status) { return Summary(status).r2(); }

Result<std::string> test_json(std::string_view body) {
  static constexpr std::string_view kOf = "frozen_";
  GLIMPSE_TRY_ASSIGN(const auto status, parse_answer(body));
  const auto add = [](const json::object& from, json::object& to) {
    for (const auto& [name, value] : from)
      if (std::string_view(name).starts_with(kOf)) to.emplace(name.substr(kOf.size()), value);
  };
  json::object test;
  add(status, test);
  if (const auto* const labels = status.if_contains("labels"); labels && labels->is_array()) {
    json::array all;
    for (const json::value& label : labels->get_array()) {
      if (!label.is_object()) continue;
      json::object of{{"name", word_in(label.get_object(), "name")}};
      add(label.get_object(), of);
      all.push_back(std::move(of));
    }
    test["labels"] = std::move(all);
  }
  return json::serialize(test) + "\n";
}

}  // namespace glimpse::ctl
