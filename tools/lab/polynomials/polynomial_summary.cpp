#include "lab/polynomials/polynomial_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glimpse {

namespace {

constexpr std::string_view kBest = "-best";

PolynomialMeans means_of(std::string_view method, const std::vector<const PolynomialRow*>& rows) {
  PolynomialMeans means;
  means.method = method;
  means.runs = rows.size();
  const auto n = static_cast<double>(rows.size());
  for (const PolynomialRow* row : rows) {
    means.error += row->error / n;
    means.seconds += row->seconds / n;
    means.reading += row->reading / n;
    means.features += row->features / n;
  }
  double squares = 0;
  for (const PolynomialRow* row : rows) squares += (row->error - means.error) * (row->error - means.error);
  if (rows.size() > 1) means.error_deviation = std::sqrt(squares / (n - 1));
  return means;
}

}  // namespace

const PolynomialMeans* PolynomialSummary::find(std::string_view method) const {
  const bool is_best = method.ends_with(kBest);
  if (is_best) method.remove_suffix(kBest.size() - 1);  // "apple-" is left
  const PolynomialMeans* found = nullptr;
  for (const PolynomialMeans& means : methods) {
    if (is_best ? !means.method.starts_with(method) : means.method != method) continue;
    if (found == nullptr || means.error < found->error) found = &means;
  }
  return found;
}

std::optional<double> PolynomialSummary::relative_error(std::string_view method) const {
  const PolynomialMeans* own = find(method);
  const PolynomialMeans* const baselines[] = {find("lin"), find("quad"), find("cubic")};
  if (own == nullptr || std::ranges::count(baselines, nullptr) > 0) return std::nullopt;
  const auto [least, most] =
      std::ranges::minmax({baselines[0]->error, baselines[1]->error, baselines[2]->error});
  if (!(most > least)) return std::nullopt;
  return (own->error - least) / (most - least);
}

std::optional<double> PolynomialSummary::relative_time(std::string_view method) const {
  const PolynomialMeans* own = find(method);
  const PolynomialMeans* lin = find("lin");
  if (own == nullptr || lin == nullptr || !(lin->seconds > 0)) return std::nullopt;
  return own->seconds / lin->seconds;
}

std::vector<PolynomialSummary> summarise(std::span<const PolynomialRow> rows) {
  std::vector<PolynomialSummary> summaries;
  std::vector<std::vector<std::vector<const PolynomialRow*>>> groups;  // of a set and method
  for (const PolynomialRow& row : rows) {
    const auto set = std::ranges::find(summaries, row.set, &PolynomialSummary::set) - summaries.begin();
    const auto s = static_cast<std::size_t>(set);
    if (s == summaries.size()) {
      summaries.push_back({row.set, {}});
      groups.emplace_back();
    }
    auto& methods = summaries[s].methods;
    const auto m = static_cast<std::size_t>(std::ranges::find(methods, row.method, &PolynomialMeans::method) -
                                            methods.begin());
    if (m == methods.size()) {
      methods.emplace_back().method = row.method;
      groups[s].emplace_back();
    }
    groups[s][m].push_back(&row);
  }
  for (std::size_t s = 0; s < summaries.size(); ++s)
    for (std::size_t m = 0; m < groups[s].size(); ++m)
      summaries[s].methods[m] = means_of(summaries[s].methods[m].method, groups[s][m]);
  return summaries;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace glimpse
