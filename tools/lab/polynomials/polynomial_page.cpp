#include "lab/polynomials/polynomial_page.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>

#include "lab/polynomials/paper_table.h"
#include "lab/polynomials/polynomial_method.h"

namespace glimpse {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kBaselines[] = {"lin", "quad", "cubic"};
constexpr std::size_t kAlphas = std::size(kExponents);

std::string apple(double exponent) { return name_of({Expander::kApple, exponent}); }

// The paper's number in the column of α: the columns are headed from 1 down to .125.
double of_alpha(const double (&row)[8], std::size_t alpha, bool reversed) {
  return row[3 + (reversed ? alpha : kAlphas - 1 - alpha)];
}

std::optional<double> paper_value(const double (&row)[8], std::string_view method, bool reversed) {
  for (std::size_t b = 0; b < std::size(kBaselines); ++b)
    if (method == kBaselines[b]) return row[b];
  for (std::size_t a = 0; a < kAlphas; ++a)
    if (method == apple(kExponents[a])) return of_alpha(row, a, reversed);
  return std::nullopt;
}

std::string cell(const std::optional<double>& value, int digits = 3) {
  return value && !std::isnan(*value) ? fmt::format("{:.{}g}", *value, digits) : std::string();
}

ColumnDistance distance(const PolynomialSummary& set, const double (PaperRow::*column)[8], bool over_lin,
                        const std::function<double(const PolynomialMeans&)>& own) {
  const PaperRow* paper = find_paper_row(set.set);
  const PolynomialMeans* lin = set.find("lin");
  if (paper == nullptr || lin == nullptr) return {kNone, kNone};
  const double own_unit = over_lin ? own(*lin) : 1;
  const double paper_unit = over_lin ? (paper->*column)[0] : 1;
  ColumnDistance result{0, 0};
  for (std::size_t a = 0; a < kAlphas; ++a) {
    const PolynomialMeans* means = set.find(apple(kExponents[a]));
    if (means == nullptr) return {kNone, kNone};
    const double ratio = own(*means) / own_unit;
    const auto apart = [&](bool reversed) {
      return std::abs(std::log(ratio / (of_alpha(paper->*column, a, reversed) / paper_unit)));
    };
    result.as_headed += apart(false) / static_cast<double>(kAlphas);
    result.reversed += apart(true) / static_cast<double>(kAlphas);
  }
  return result;
}

std::string methods_head(const char* first) {
  std::string text = fmt::format("| {} | lin | quad | cubic | bigram |", first);
  for (const double exponent : kExponents) text += fmt::format(" α = {} |", exponent);
  text += " ssm, α = 1 |\n|---|";
  for (std::size_t i = 0; i < 5 + kAlphas; ++i) text += "---|";
  return text + '\n';
}

std::vector<std::string> table_methods() {
  std::vector<std::string> methods(std::begin(kBaselines), std::end(kBaselines));
  methods.emplace_back("bigram");
  for (const double exponent : kExponents) methods.push_back(apple(exponent));
  methods.push_back(name_of({Expander::kSsm, 1}));
  return methods;
}

using Value = std::function<std::optional<double>(const PolynomialSummary&, const std::string& method)>;

std::string table(std::span<const PolynomialSummary> sets, const char* first, const Value& value,
                  const double (PaperRow::*paper)[8]) {
  std::string text = methods_head(first);
  for (const PolynomialSummary& set : sets) {
    text += fmt::format("| {} |", set.set);
    for (const std::string& method : table_methods()) text += fmt::format(" {} |", cell(value(set, method)));
    text += '\n';
    const PaperRow* row = find_paper_row(set.set);
    if (paper == nullptr || row == nullptr) continue;
    text += "| *paper* |";
    for (const std::string& method : table_methods())
      text += fmt::format(" {} |", cell(paper_value(row->*paper, method, true)));
    text += '\n';
  }
  return text;
}

struct Count {
  std::size_t of = 0;
  std::size_t hold = 0;
  void add(bool holds) {
    ++of;
    hold += holds ? 1 : 0;
  }
  std::string text() const { return fmt::format("{} of {}", hold, of); }
};

Count count(std::span<const PolynomialSummary> sets,
            const std::function<std::optional<bool>(const PolynomialSummary&)>& holds) {
  Count result;
  for (const PolynomialSummary& set : sets)
    if (const auto one = holds(set)) result.add(*one);
  return result;
}

std::string claims(std::span<const PolynomialSummary> sets) {
  const auto error_below = [&](const char* method, double bound) {
    return count(sets,
                 [=](const PolynomialSummary& set) -> std::optional<bool> {
                   const auto error = set.relative_error(method);
                   return error ? std::optional(*error < bound) : std::nullopt;
                 })
        .text();
  };
  const auto time_below = [&](const char* method, double bound) {
    return count(sets,
                 [=](const PolynomialSummary& set) -> std::optional<bool> {
                   const auto time = set.relative_time(method);
                   return time ? std::optional(*time <= bound) : std::nullopt;
                 })
        .text();
  };
  const auto nearer = [&](ColumnDistance (*distance_of)(const PolynomialSummary&)) {
    return count(sets,
                 [=](const PolynomialSummary& set) -> std::optional<bool> {
                   const ColumnDistance apart = distance_of(set);
                   if (std::isnan(apart.as_headed)) return std::nullopt;
                   return apart.reversed < apart.as_headed;
                 })
        .text();
  };
  std::string text = "| | the paper, 30 sets | ours |\n|---|---|---|\n";
  const auto row = [&](const char* what, const char* paper, const std::string& own) {
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} |\n", what, paper, own);
  };
  row("relative error below .5, α = 1", "26", error_below("apple-1", 0.5));
  row("… with the best α", "27", error_below("apple-best", 0.5));
  row("… below 0 with α = 1", "12", error_below("apple-1", 0));
  row("time at most 10 times lin's, α = 1", "25", time_below("apple-1", 10));
  row("ssm's error below apple's, both α = 1", "",
      count(sets, [](const PolynomialSummary& set) -> std::optional<bool> {
        const auto* ssm = set.find("ssm-1");
        const auto* own = set.find("apple-1");
        if (ssm == nullptr || own == nullptr) return std::nullopt;
        return ssm->error < own->error;
      }).text());
  row("apple's times are nearer to the paper's with its columns of α reversed", "", nearer(time_distance));
  row("… its errors", "", nearer(error_distance));
  return text;
}

}  // namespace

ColumnDistance time_distance(const PolynomialSummary& set) {
  return distance(set, &PaperRow::seconds, true, [](const PolynomialMeans& means) { return means.seconds; });
}

// Over lin's: units of labels and classes differ.
ColumnDistance error_distance(const PolynomialSummary& set) {
  return distance(set, &PaperRow::errors, true, [](const PolynomialMeans& means) { return means.error; });
}

std::string summary_csv(std::span<const PolynomialSummary> sets) {
  std::string text =
      "set,method,runs,error,error_deviation,relative_error,seconds,reading_seconds,relative_time,features,"
      "paper_error,paper_error_as_headed,paper_relative_time,paper_relative_time_as_headed\n";
  for (const PolynomialSummary& set : sets) {
    const PaperRow* paper = find_paper_row(set.set);
    for (const PolynomialMeans& means : set.methods) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{:.6g},{:.3g},{},{:.6f},{:.6f},{},{:.6g}", set.set,
                     means.method, means.runs, means.error, means.error_deviation,
                     cell(set.relative_error(means.method), 4), means.seconds, means.reading,
                     cell(set.relative_time(means.method), 4), means.features);
      for (const bool of_time : {false, true}) {
        for (const bool reversed : {true, false}) {
          text += ',';
          if (paper == nullptr) continue;
          const auto& row = of_time ? paper->seconds : paper->errors;
          const auto value = paper_value(row, means.method, reversed);
          if (value) text += cell(*value / (of_time ? row[0] : 1), 4);
        }
      }
      text += '\n';
    }
  }
  return text;
}

std::string polynomial_page(std::span<const PolynomialSummary> sets) {
  const Value error = [](const PolynomialSummary& set, const std::string& method) -> std::optional<double> {
    const PolynomialMeans* means = set.find(method);
    return means != nullptr ? std::optional(means->error) : std::nullopt;
  };
  const Value relative = [](const PolynomialSummary& set, const std::string& method) {
    return set.relative_error(method);
  };
  const Value time = [](const PolynomialSummary& set, const std::string& method) {
    return set.relative_time(method);
  };
  const Value features = [](const PolynomialSummary& set,
                            const std::string& method) -> std::optional<double> {
    const PolynomialMeans* means = set.find(method);
    return means != nullptr ? std::optional(means->features) : std::nullopt;
  };
  std::string text =
      "The paper's columns of α are reversed here (see below).\n\n### Claims\n\n" + claims(sets);
  text += "\n### Test errors\n\n" + table(sets, "set", error, &PaperRow::errors);
  text += "\n### Relative errors\n\n" + table(sets, "set", relative, nullptr);
  text += "\n### Times over lin's\n\n" + table(sets, "set", time, nullptr);
  text += "\n### Features an example\n\n" + table(sets, "set", features, nullptr);
  return text;
}

}  // namespace glimpse
