// glimpsectl plot: what a model is and how it was learned, as a picture.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "data/text/text.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/input/table_bodies.h"
#include "glimpsectl/own_daemon.h"
#include "glimpsectl/reports/history_reports.h"
#include "glimpsectl/reports/progress_bar.h"
#include "glimpsectl/reports/worths.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

std::string class_name(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

// The field that is kept of a row, as it was before it became CSV.
std::string field_of(const std::string& kept) {
  if (!kept.starts_with('"')) return kept.substr(0, kept.size() - 1);  // a comma stands behind it
  std::string field;
  for (std::size_t i = 1; i + 2 < kept.size(); ++i) {
    field += kept[i];
    if (kept[i] == '"') ++i;
  }
  return field;
}

/// What was predicted of rows whose labels are known.
struct Predicted {
  std::string label;                                   // which, of several
  std::vector<std::pair<double, double>> numbers;      // true, predicted
  std::map<std::string, std::vector<double>> classes;  // by the true one: the probabilities that it was given
  std::size_t left_out = 0;                            // rows whose label cannot be read
};

// The column of the labels: that of --label, else the model's (of several labels the first one's), else the
// one that the model knows nothing of.
Result<std::string> label_column(const CommandLine& line, const TableBodies& table,
                                 const std::vector<std::string>& attributes, const json::object& status) {
  if (!line.label.empty()) return line.label;
  std::vector<std::string> others;
  for (const std::string& name : table.names())
    if (std::ranges::find(attributes, name) == attributes.end()) others.push_back(name);
  const std::vector<std::string> labels = columns_for(status, "label");
  if (!labels.empty() && (table.names().empty() || std::ranges::count(others, labels.front()) > 0))
    return labels.front();
  if (others.size() == 1 && others.size() < table.names().size()) return others.front();
  return failure(ErrorCode::kInvalidOption,
                 "plot: --label NAME says which column of '{}' is true (of '{}'); without a header its "
                 "number, as --label '#3'",
                 line.file, fmt::join(others.empty() ? table.names() : others, "', '"));
}

Status add_answer(const json::object& answer, const std::vector<std::string>& labels, const ColumnForm& form,
                  Predicted& predicted) {
  const json::array& predictions = answer.at("predictions").as_array();
  if (predictions.size() != labels.size())
    return failure(ErrorCode::kCorrupt, "it has {} for {}", counted(double(predictions.size()), "prediction"),
                   counted(double(labels.size()), "row"));
  const auto* const classes = answer.if_contains("classes");
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const std::string label = field_of(labels[r]);
    double number = 0;
    if (classes != nullptr) {
      const auto& names = classes->as_array();
      const auto place =
          std::ranges::find_if(names, [&](const auto& name) { return class_name(name) == label; }) -
          names.begin();
      if (std::size_t(place) == names.size())
        ++predicted.left_out;
      else
        predicted.classes[label].push_back(
            answer.at("probabilities").as_array()[r].as_array()[std::size_t(place)].to_number<double>());
    } else if (predictions[r].is_number() && read_in_form(trimmed(label), form, number)) {
      predicted.numbers.emplace_back(number, predictions[r].to_number<double>());
    } else {
      ++predicted.left_out;
    }
  }
  return {};
}

Result<Predicted> predict_rows(const HttpClient& client, const CommandLine& line, Console& console) {
  constexpr std::size_t kPiece = 8'000;  // an answer has a number of each class for each row
  GLIMPSE_TRY_ASSIGN(const auto scratch, ScratchFolder::make());
  GLIMPSE_TRY_ASSIGN(const auto path, scratch->spool(line.file, console));
  GLIMPSE_TRY_ASSIGN(const auto names, attribute_names(client));
  GLIMPSE_TRY_ASSIGN(const auto body, client.get("/v1/status"));
  GLIMPSE_TRY_ASSIGN(const auto status, parse_answer(body));
  const bool has_classes = status.contains("classes") && !status.at("classes").is_null();
  std::string format = "auto";
  GLIMPSE_TRY_ASSIGN(const auto table, TableBodies::open(path, line.file, format, names, line.table));
  if (!table)
    return failure(ErrorCode::kInvalidInput, "plot draws of tables, and '{}' is {}", line.file, format);
  GLIMPSE_TRY_ASSIGN(const auto column, label_column(line, *table, names, status));
  GLIMPSE_TRY(table->keep({column}, "--label"));
  table->send_only(names);
  Predicted predicted;
  double rows_read = 0;
  if (status.contains("labels")) predicted.label = column;
  const std::string target = "/v1/predict" + table->query() + "&odd=missing" +
                             (has_classes ? "&predict=probabilities" : "") +
                             (predicted.label.empty() ? "" : "&label=" + as_query_value(column));
  ProgressBar bar({path}, console);
  for (;;) {
    GLIMPSE_TRY_ASSIGN(auto rows, table->next(has_classes ? kPiece : LineChunks::kDefaultSize));
    if (!rows) return predicted;
    GLIMPSE_TRY_ASSIGN(const auto text, client.post(target, std::move(rows->text), "text/plain"));
    const auto answer = parse_answer(text);
    const Status added =
        answer ? add_answer(*answer, rows->kept, table->kept_form(), predicted) : answer.error();
    if (!added) return client.unreadable(target, added.error().message);
    bar.show(double(table->bytes_read()), rows_read += double(rows->kept.size()));
  }
}

Chart chart_of_classes(const Predicted& predicted) {
  constexpr std::size_t kShown = 30;
  Chart chart;
  chart.title = "Predicted against true: the probability of the true class";
  if (predicted.classes.size() > kShown)
    chart.title += fmt::format(" ({} of {} classes)", kShown, predicted.classes.size());
  chart.x_label = "mean, and the middle half of the rows";
  std::vector<std::pair<std::string, std::vector<double>>> classes(predicted.classes.begin(),
                                                                   predicted.classes.end());
  std::ranges::sort(classes, [](const auto& a, const auto& b) {
    return a.second.size() != b.second.size() ? a.second.size() > b.second.size() : a.first < b.first;
  });
  classes.resize(std::min(classes.size(), kShown));
  for (auto& [name, shares] : classes) {
    std::ranges::sort(shares);
    double sum = 0;
    for (const double share : shares) sum += share;
    chart.bars.push_back({fmt::format("{} ({})", clipped(name, 45), counted(double(shares.size()), "row")),
                          sum / double(shares.size()), shares[shares.size() / 4],
                          shares[shares.size() * 3 / 4]});
  }
  return chart;
}

Chart chart_of_numbers(const Predicted& predicted) {
  constexpr std::size_t kDots = 3000;
  Chart chart;
  Chart::Series dots{"a row", {}, true, false};
  double mean = 0, squares = 0, errors = 0;
  for (const auto& [real, told] : predicted.numbers) mean += real / double(predicted.numbers.size());
  const std::size_t step = (predicted.numbers.size() - 1) / kDots + 1;
  chart.x_min = chart.x_max = predicted.numbers.front().first;
  for (std::size_t i = 0; i < predicted.numbers.size(); ++i) {
    const auto [real, told] = predicted.numbers[i];
    squares += (real - mean) * (real - mean);
    errors += (real - told) * (real - told);
    chart.x_min = std::min({chart.x_min, real, told});
    chart.x_max = std::max({chart.x_max, real, told});
    if (i % step == 0) dots.points.push_back({real, told, std::nan(""), std::nan("")});
  }
  const double margin = 0.02 * (chart.x_max - chart.x_min);
  chart.x_min -= margin;
  chart.x_max += margin;
  chart.y_min = chart.x_min;
  chart.y_max = chart.x_max;
  chart.title = "Predicted against true: " + counted(double(predicted.numbers.size()), "row");
  if (step > 1) chart.title += ", of which " + readable_number(double(dots.points.size())) + " are drawn";
  if (squares > 0) chart.title += fmt::format("; R² {:.3f}", 1 - errors / squares);
  chart.x_label = "true";
  chart.y_label = "predicted";
  const double nan = std::nan("");
  chart.series = {
      std::move(dots),
      {"as it should be", {{chart.x_min, chart.x_min, nan, nan}, {chart.x_max, chart.x_max, nan, nan}}}};
  return chart;
}

}  // namespace

Status plot_model(const CommandLine& line, Console& console) {
  const bool to_terminal = console.out_is_terminal && (line.output.empty() || line.output == "-");
  if (to_terminal && !line.json)
    return failure(ErrorCode::kInvalidOption, "plot must have --output FILE or a pipe, not a terminal");
  const HttpClient client(line.server, line.timeout, line.max_answer);
  if (line.json) {
    const std::string query = line.label.empty() ? "" : "?label=" + as_query_value(line.label);
    GLIMPSE_TRY_ASSIGN(const auto body, client.get("/v1/history" + query));
    return write_output(line.output, with_final_newline(body), console);
  }
  Predicted predicted;
  const bool has_table = !line.files.empty();
  if (has_table) {
    GLIMPSE_TRY_ASSIGN(predicted, predict_rows(client, line, console));
  }
  // With one label --label is the name of a column, and no choice.
  const std::string label = has_table ? predicted.label : line.label;
  std::vector<Chart> charts;
  const auto history = ask_history(client, 0, label);
  if (!history && history.error().code == ErrorCode::kCorrupt)
    return client.unreadable("/v1/history", history.error().message);
  if (!history) return history.error();
  const auto curve = history_chart(*history, line.plotted);
  if (curve) charts.push_back(*curve);
  const std::string target =
      "/v1/model?format=json" + (label.empty() ? "" : "&label=" + as_query_value(label));
  const auto body = client.get(target);
  if (!body && body.error().code == ErrorCode::kUnavailable) return body.error();
  const auto model = body ? parse_answer(*body) : Result<json::object>(body.error());
  const std::vector<Worth> worths =
      model && model->contains("importances") ? worths_of(*model) : std::vector<Worth>();
  if (!worths.empty() && worths.front().importance > 0) charts.push_back(worth_chart(worths));
  // Without a curve there was nothing to learn from, or its history was not kept.
  if (!curve && (line.plotted != "auto" || charts.empty())) return curve.error();
  if (!predicted.classes.empty()) charts.push_back(chart_of_classes(predicted));
  if (!predicted.numbers.empty()) charts.push_back(chart_of_numbers(predicted));
  GLIMPSE_TRY(write_output(line.output, draw(charts), console));
  const auto note = [&](const std::string& text) {
    console.err << "glimpsectl: " << printable(text) << '\n';
  };
  if (!curve) note("no learning curve: " + curve.error().message);
  if (worths.empty() || !(worths.front().importance > 0))
    note("no importances: " + (model ? "they are not known" : model.error().message));
  if (!has_table && !line.model.empty())
    note("predicted against true is drawn of a table with labels: plot FILE");
  if (predicted.left_out > 0)
    note(fmt::format("'{}': {} left out, whose label is missing or nothing that this model predicts",
                     line.file, counted(double(predicted.left_out), "row")));
  return {};
}

}  // namespace glimpse::ctl
