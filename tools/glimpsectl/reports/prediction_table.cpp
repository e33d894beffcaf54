#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "data/text/dialect.h"
#include "glimpsectl/reports/reports.h"
#include "json/json_arrays.h"

namespace glimpse::ctl {

namespace {

namespace json = boost::json;

// How many standard errors an interval that holds nine of ten goes up and down: those of a normal
// distribution, and, as standard errors of few examples are estimates, of Student's t of half as many degrees
// of freedom, which is about how many the errors are taken of (Abramowitz & Stegun 1964, 26.7.5).
double nine_of_ten(std::optional<std::uint64_t> examples) {
  constexpr double kNormal = 1.6448536269514722;
  const double freedom = examples ? std::max(static_cast<double>(*examples) / 2, 1.0) : HUGE_VAL;
  return kNormal * (1 + (kNormal * kNormal + 1) / (4 * freedom));
}

// Elements of a list, as the daemon wrote them: numbers to the last bit.
using Elements = std::vector<std::string_view>;

Result<Elements> cells_of_list(std::string_view object, std::string_view list) {
  Elements elements;
  GLIMPSE_TRY(walk_arrays(object, {list}, [&](std::string_view, std::string_view element) {
    elements.push_back(element);
    return Status();
  }));
  return elements;
}

// Without the quotes of JSON; nothing for null.
std::string cell_text(std::string_view element) {
  if (element == "null") return {};
  json::error_code error;
  const json::value string = element.starts_with('"') ? json::parse(element, error) : json::value();
  return string.is_string() ? std::string(string.get_string()) : std::string(element);
}

class Columns {
 public:
  Columns(std::size_t rows, double errors) : errors_(errors) { table_.rows.resize(rows); }

  Status add(const std::string& name, const Elements& cells) {
    if (cells.size() != table_.rows.size())
      return failure(ErrorCode::kCorrupt, "it has {} predictions, but {} of '{}'", table_.rows.size(),
                     cells.size(), name);
    append(name, table_.header);
    for (std::size_t r = 0; r < cells.size(); ++r) append(cell_text(cells[r]), table_.rows[r]);
    has_any_ = true;
    return {};
  }
  // `errors`: of the predictions, or none.
  Status add_numbers(const std::string& of, const Elements& predictions, const Elements& errors) {
    GLIMPSE_TRY(add("prediction" + of, predictions));
    for (const auto& [name, times] : {std::pair("lower", -errors_), {"upper", errors_}}) {
      std::vector<std::string> ends(predictions.size());
      for (std::size_t r = 0; r < std::min(ends.size(), errors.size()); ++r) {
        if (predictions[r] == "null" || errors[r] == "null") continue;
        GLIMPSE_TRY_ASSIGN(const double prediction, parse_json_number(predictions[r]));
        GLIMPSE_TRY_ASSIGN(const double error, parse_json_number(errors[r]));
        ends[r] = fmt::format("{}", prediction + times * error);
      }
      GLIMPSE_TRY(add(name + of, {ends.begin(), ends.end()}));
    }
    return {};
  }
  // Of lists of a number for each class.
  Status add_classes(const std::string& of, const Elements& classes, const Elements& lists) {
    std::vector<Elements> by_class(classes.size());
    for (std::string_view rest : lists) {
      for (Elements& numbers : by_class) {
        rest.remove_prefix(std::min<std::size_t>(rest.size(), 1));  // a bracket or a comma
        numbers.push_back(rest.substr(0, rest.find_first_of(",]")));
        rest.remove_prefix(numbers.back().size());
      }
    }
    for (std::size_t c = 0; c < classes.size(); ++c)
      GLIMPSE_TRY(add(of + "_" + cell_text(classes[c]), by_class[c]));
    return {};
  }
  PredictionTable take() { return std::move(table_); }

 private:
  void append(std::string_view cell, std::string& row) const {
    if (has_any_) row += ',';
    append_field(cell, false, row);
  }

  double errors_;  // of an interval
  PredictionTable table_;
  bool has_any_ = false;
};

// The text of {"temp":[…],"cnt":[…]} in a field; empty: there is none.
std::string_view object_of_lists(std::string_view body, std::string_view field) {
  const std::size_t at = body.find(fmt::format("\"{}\":{{", field));
  if (at == std::string_view::npos) return {};
  body.remove_prefix(at + field.size() + 3);
  return body.substr(0, std::min(body.find("]}"), body.size() - 2) + 2);
}

}  // namespace

Result<PredictionTable> prediction_table(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(const auto predictions, cells_of_list(body, "predictions"));
  GLIMPSE_TRY_ASSIGN(const auto facts, facts_of_predictions(body));
  const double of_interval = nine_of_ten(facts.examples);
  if (const std::string_view of_labels = object_of_lists(body, "predictions"); !of_labels.empty()) {
    const std::string_view errors_of_labels = object_of_lists(body, "standard_errors");
    GLIMPSE_TRY_ASSIGN(const auto labels, parse_object(of_labels));
    std::optional<Columns> columns;
    for (const auto& [label, list] : labels) {
      GLIMPSE_TRY_ASSIGN(const auto of_label, cells_of_list(of_labels, label));
      Elements errors;
      if (!errors_of_labels.empty()) {
        GLIMPSE_TRY_ASSIGN(errors, cells_of_list(errors_of_labels, label));
      }
      if (!columns) columns.emplace(of_label.size(), of_interval);
      GLIMPSE_TRY(columns->add_numbers("_" + std::string(label), of_label, errors));
    }
    return columns ? columns->take() : PredictionTable();
  }
  Columns columns(predictions.size(), of_interval);
  GLIMPSE_TRY_ASSIGN(const auto classes, cells_of_list(body, "classes"));
  if (classes.empty()) {
    GLIMPSE_TRY_ASSIGN(const auto errors, cells_of_list(body, "standard_errors"));
    GLIMPSE_TRY(columns.add_numbers("", predictions, errors));
    return columns.take();
  }
  GLIMPSE_TRY(columns.add("prediction", predictions));
  GLIMPSE_TRY_ASSIGN(const auto chances, cells_of_list(body, "probabilities"));
  GLIMPSE_TRY_ASSIGN(const auto scores, cells_of_list(body, "scores"));
  if (chances.empty() && scores.empty()) {
    GLIMPSE_TRY_ASSIGN(const auto probability, cells_of_list(body, "probability"));
    GLIMPSE_TRY(columns.add("probability", probability));
  } else {
    GLIMPSE_TRY(columns.add_classes(scores.empty() ? "probability" : "score", classes,
                                    scores.empty() ? chances : scores));
  }
  return columns.take();
}

}  // namespace glimpse::ctl
