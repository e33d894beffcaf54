#include "lab/studies/buying_page.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>

namespace glimpse {

namespace {

std::string share_text(const BuyingCell& cell) { return fmt::format("{:.6g} %", 100 * cell.share); }

std::string header(std::string text, const std::vector<std::string>& columns) {
  std::string rule = "|---|";
  for (const std::string& column : columns) {
    text += fmt::format(" {} |", column);
    rule += "---|";
  }
  return text + '\n' + rule + '\n';
}

// The geometric mean of the losses over the rule's; none: over the best rule's of each cell.
double geometric_mean(const std::vector<const BuyingCell*>& cells, std::size_t rule) {
  double sum = 0;
  for (const BuyingCell* cell : cells) sum += std::log(cell->over(rule == 0 ? cell->best_rule() : rule));
  return std::exp(sum / static_cast<double>(cells.size()));
}

void add_group(std::string& page, const std::string& name, const std::vector<const BuyingCell*>& cells) {
  const BuyingCell* worst = cells.front();
  page += fmt::format("| {} |", name);
  for (std::size_t rule = 1; rule < kBuyers; ++rule)
    page += fmt::format(" {:.3f} |", geometric_mean(cells, rule));
  for (const BuyingCell* cell : cells)
    if (cell->over(cell->best_rule()) > worst->over(worst->best_rule())) worst = cell;
  page += fmt::format(" **{:.3f}** | {:.3f} ({}, {}) |\n", geometric_mean(cells, 0),
                      worst->over(worst->best_rule()), worst->set, share_text(*worst));
}

void add_groups(std::string& page, const std::vector<BuyingCell>& cells, const char* title,
                const std::function<std::string(const BuyingCell&)>& key) {
  std::vector<std::string> names;
  for (const BuyingCell& cell : cells)
    if (std::find(names.begin(), names.end(), key(cell)) == names.end()) names.push_back(key(cell));
  std::vector<std::string> columns(kBuyerNames.begin() + 1, kBuyerNames.end());
  columns.insert(columns.end(), {"the best rule", "worst cell over its best rule"});
  page += "\n" + header(fmt::format("| by {}: over |", title), columns);
  for (const std::string& name : names) {
    std::vector<const BuyingCell*> group;
    for (const BuyingCell& cell : cells)
      if (key(cell) == name) group.push_back(&cell);
    add_group(page, name, group);
  }
}

}  // namespace

std::string page_of(const std::vector<BuyingCell>& cells, const std::string& run) {
  std::string page = fmt::format(
      "# Buying for a share of the full price\n\n{}\n\nLosses are those on the test set over that of the "
      "mean "
      "label, means over the draws; in brackets how many attributes of an example were bought. Means of "
      "cells are geometric.\n\n",
      run);
  std::vector<std::string> columns = {"share"};
  columns.insert(columns.end(), kBuyerNames.begin(), kBuyerNames.end());
  columns.insert(columns.end(), {"planned over the best rule"});
  page += header("| data |", columns);
  for (const BuyingCell& cell : cells) {
    page += fmt::format("| {} | {} |", cell.set, share_text(cell));
    for (std::size_t buyer = 0; buyer < kBuyers; ++buyer)
      page += fmt::format(" {:.4f} ({:.1f}) |", cell.mean(buyer).loss, cell.mean(buyer).attributes);
    const std::size_t best = cell.best_rule();
    page += fmt::format(" {:.3f} ± {:.3f} ({}) |\n", cell.over(best), cell.error(best), kBuyerNames[best]);
  }
  add_groups(page, cells, "share", share_text);
  add_groups(page, cells, "data set", [](const BuyingCell& cell) { return cell.set; });
  return page;
}

}  // namespace glimpse
