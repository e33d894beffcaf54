#include "glimpsectl/reports/class_reports.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "json/json_arrays.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

using Elements = std::vector<std::string_view>;

const Elements& elements_of(const ElementsByArray& elements, std::string_view array) {
  static const Elements kNone;
  const auto found = elements.find(array);
  return found == elements.end() ? kNone : found->second;
}

// The elements of a list of numbers.
Elements numbers_in(std::string_view list) {
  Elements numbers;
  if (list.size() < 2 || list.front() != '[') return numbers;
  list = list.substr(1, list.size() - 2);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    numbers.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return numbers;
}

}  // namespace

std::string_view class_on_line(std::string_view json_string) {
  if (json_string.size() < 3 || json_string.front() != '"') return json_string;
  const std::string_view inside = json_string.substr(1, json_string.size() - 2);
  return inside.find_first_of(" :\\") == std::string_view::npos ? inside : json_string;
}

Result<std::string> class_prediction_lines(const ElementsByArray& elements) {
  const Elements& predictions = elements_of(elements, "predictions");
  const Elements& classes = elements_of(elements, "classes");
  const Elements& probability = elements_of(elements, "probability");
  const Elements& scores = elements_of(elements, "scores");
  const Elements& numbers = scores.empty() ? elements_of(elements, "probabilities") : scores;
  const bool are_all = !numbers.empty();
  if ((are_all ? numbers : probability).size() != predictions.size())
    return failure(ErrorCode::kCorrupt, "it has {} predictions, but probabilities of {}", predictions.size(),
                   (are_all ? numbers : probability).size());
  std::string lines;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i] == "null") {
      lines += "?\n";
      continue;
    }
    if (!are_all) {
      GLIMPSE_TRY(check_number(probability[i], 0, 1));
      lines += fmt::format("{} {}\n", class_on_line(predictions[i]), probability[i]);
      continue;
    }
    const Elements row = numbers_in(numbers[i]);
    if (row.size() != classes.size())
      return failure(ErrorCode::kCorrupt, "it has {} classes, but {} numbers for them", classes.size(),
                     row.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      GLIMPSE_TRY(scores.empty() ? check_number(row[c], 0, 1) : check_number(row[c], -INFINITY, INFINITY));
      lines += fmt::format("{}{}:{}", c == 0 ? "" : " ", class_on_line(classes[c]), row[c]);
    }
    lines += '\n';
  }
  return lines;
}

std::string confusion_table(const json::object& status) {
  try {
    const json::array& rows = status.at("held_out_classes").at("confusion").as_array();
    const json::array& classes = status.at("classes").at("first").as_array();
    if (rows.empty() || rows.size() > kMostConfused + 1) return {};
    const auto name = [&](std::size_t c) {
      return c + 1 < rows.size() ? field_text("name", classes.at(c).at("name")) : std::string("others");
    };
    std::vector<Table::Column> columns{{"class"}};
    for (std::size_t c = 0; c < rows.size(); ++c) columns.push_back({name(c)});
    Table table(columns);
    for (std::size_t a = 0; a < rows.size(); ++a) {
      std::vector<std::string> cells{name(a)};
      for (const json::value& count : rows[a].as_array())
        cells.push_back(with_thousands(count.to_number<std::uint64_t>()));
      table.add(std::move(cells));
    }
    return "\nheld out: records of each class by the class that was predicted\n" + table.text();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace glimpse::ctl
