#include "lab/sweeps/sweep_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace glimpse {

namespace {

constexpr std::size_t kWorstShown = 10;

std::string ratio(double value) {
  return value < 100 ? fmt::format("{:.3f}", value) : fmt::format("{:.3g}", value);
}
std::string ratio(const std::optional<double>& value) { return value ? ratio(*value) : "–"; }

template <class... Values>
void add_row(std::string& page, const Values&... values) {
  page += '|';
  (fmt::format_to(std::back_inserter(page), " {} |", values), ...);
  page += '\n';
}

void add_group(std::string& page, const SweepGroup& group, const char* form) {
  add_row(page, group.learner, group.key, form, group.cells, ratio(group.over_mean), ratio(group.over_best),
          ratio(group.over_offline),
          fmt::format("{} ({:.1f} %)", group.harmful,
                      100 * static_cast<double>(group.harmful) / static_cast<double>(group.cells)),
          group.very_harmful, ratio(group.worst));
}

template <class KeyOfCell>
void add_groups(std::string& page, const std::vector<SweepCell>& cells, const std::string& title,
                const KeyOfCell& key) {
  page += fmt::format("\n## By {}\n\n", title);
  add_row(page, "learner", title == "learner" ? "cells of" : title, "answers", "cells",
          "loss over the mean's", "over the best λ's", "over offline ridge's",
          fmt::format("cells above {}", kHarmful), fmt::format("above {}", kVeryHarmful), "worst");
  page += "|---|---|---|---|---|---|---|---|---|---|\n";
  const auto exported = groups_of(cells, &SweepCell::exported, key);
  const auto clipped = groups_of(cells, &SweepCell::clipped, key);
  for (std::size_t g = 0; g < exported.size(); ++g) {
    add_group(page, exported[g], "exported");
    add_group(page, clipped[g], "clipped");
  }
}

void add_cells(std::string& page, const std::vector<const SweepCell*>& cells, FormOfCell form) {
  if (cells.empty()) {
    page += "none\n";
    return;
  }
  add_row(page, "data", "d", "learner", "K", "examples", "loss over the mean's", "its worst seed", "exported",
          "clipped", "over the best λ's", "over offline ridge's");
  page += "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const SweepCell* cell : cells) {
    const CellForm& answers = cell->*form;
    add_row(page, cell->set, cell->dimension, cell->learner, cell->attributes_each, cell->examples,
            ratio(answers.over_mean) + " ± " + ratio(answers.error), ratio(answers.worst),
            ratio(cell->exported.over_mean), ratio(cell->clipped.over_mean), ratio(answers.over_best),
            ratio(answers.over_offline));
  }
}

void add_notes(std::string& page, const SweepNotes& notes) {
  page += fmt::format("# A sweep over {} data sets\n\n{}\n\n", notes.sets.size(), notes.run);
  page += fmt::format(
      "A cell is a data set, learner, K and prefix; its loss is the mean over the seeds, on the test set, "
      "over "
      "that of predicting the mean label of the {}. Means of cells are geometric. Exported: the model's "
      "predictions as they are. Clipped: as the daemon answers by default, with the labels seen as bounds "
      "and, "
      "for pairwise learners and offline ridge, attributes within 1.5 times the largest value seen.\n\n",
      notes.reference == SweepReference::kPrefixMean ? "prefix" : "training set");
  add_row(page, "data", "d", "training examples", "test examples");
  page += "|---|---|---|---|\n";
  for (const SweptSet& set : notes.sets) add_row(page, set.name, set.dimension, set.training, set.test);
  if (!notes.skipped.empty()) page += "\nLeft out:\n\n";
  for (const std::string& line : notes.skipped) page += fmt::format("- {}\n", line);
}

void add_form(std::string& row, const CellForm& form) {
  const auto optional = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
  };
  fmt::format_to(std::back_inserter(row), ",{:.6g},{:.6g},{:.3g},{:.6g},{},{},{}", form.loss, form.over_mean,
                 form.error, form.worst, optional(form.best_factor), optional(form.over_best),
                 optional(form.over_offline));
}

}  // namespace

std::string page_of(const std::vector<SweepCell>& cells, const SweepNotes& notes) {
  std::string page;
  add_notes(page, notes);
  if (cells.empty()) return page;
  add_groups(page, cells, "learner",
             [](const SweepCell&) { return std::string("all sets, K and prefixes"); });
  add_groups(page, cells, "K", [](const SweepCell& cell) { return cell.budget; });
  add_groups(page, cells, "prefix", [](const SweepCell& cell) { return cell.prefix; });
  add_groups(page, cells, "data set", [](const SweepCell& cell) { return cell.set; });
  for (const auto& [name, form] :
       {std::pair{"exported", &SweepCell::exported}, std::pair{"clipped", &SweepCell::clipped}}) {
    page += fmt::format("\n## The worst cells, {}\n\n", name);
    add_cells(page, worst_cells(cells, form, 0, kWorstShown), form);
  }
  for (const auto& [name, form] :
       {std::pair{"exported", &SweepCell::exported}, std::pair{"clipped", &SweepCell::clipped}}) {
    page += fmt::format("\n## All cells above {}, {}\n\n", kHarmful, name);
    add_cells(page, worst_cells(cells, form, kHarmful, cells.size()), form);
  }
  return page;
}

namespace {
// As RFC 4180 has it: a name may hold a comma (mnist:3,5).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}
}  // namespace

std::string to_csv(const std::vector<SweepCell>& cells) {
  std::string text = "data,dimension,learner,budget,K,prefix,examples,attributes,seeds";
  for (const char* form : {"exported", "clipped"})
    text += fmt::format(
        ",{0}_loss,{0}_over_mean,{0}_error,{0}_worst_seed,{0}_best_factor,{0}_over_best,{0}_over_offline",
        form);
  text += '\n';
  for (const SweepCell& cell : cells) {
    text += fmt::format("{},{},{},{},{},{},{},{:.1f},{}", csv_field(cell.set), cell.dimension, cell.learner,
                        cell.budget, cell.attributes_each, cell.prefix, cell.examples, cell.attributes,
                        cell.seeds);
    add_form(text, cell.exported);
    add_form(text, cell.clipped);
    text += '\n';
  }
  return text;
}

std::string to_csv(const std::vector<SweepRow>& rows) {
  std::string text =
      "data,dimension,learner,budget,K,prefix,examples,attributes,seed,exported_loss,clipped_loss,"
      "offline_exported_loss,offline_clipped_loss,prefix_mean_loss\n";
  for (const SweepRow& row : rows)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{},{},{:.6g}\n",
                   csv_field(row.set), row.dimension, row.learner, row.budget, row.attributes_each,
                   row.prefix, row.examples, row.attributes, row.seed, row.loss.exported, row.loss.clipped,
                   row.offline ? fmt::format("{:.6g}", row.offline->exported) : "",
                   row.offline ? fmt::format("{:.6g}", row.offline->clipped) : "", row.prefix_mean);
  return text;
}

}  // namespace glimpse
