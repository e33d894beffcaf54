#include "daemon/config/option_table.h"

#include "base/numbers.h"
#include "data/text/number.h"

namespace glimpse {

namespace {

using Types = OptionKind;

// A number, which the learner's row reads, or a part of all attributes, whose number is known later.
Status read_budget(const std::string& text, Configuration& c) {
  double percent = 100;
  const bool is_percent = text.ends_with('%') &&
                          read_number(std::string_view(text).substr(0, text.size() - 1), percent) &&
                          percent > 0 && percent <= 100;
  c.budget_share = is_percent || text == "all" ? percent / 100 : 0;
  if (c.budget_share > 0) return {};
  if (whole_text_as<std::uint64_t>(text)) return learner_option("budget").read(c.learner, text);
  return invalid_option("budget", text, "must be a whole number from 1, all, or a percentage such as 10%");
}

OptionRow budget_option() {
  OptionRow row = of_part(learner_option("budget"), &Configuration::learner);
  row.sentence = "attributes to look at in each example, from 2; or all, or 10% of them";
  row.details =
      R"(Attributes to look at in each example, from 2 to the dimension: a number, a percentage of all, or all. More
learn faster and cost more; a step takes time proportional to it. A start that restores a checkpoint needs none.)";
  row.kind = Types::custom(read_budget, {&Configuration::budget_share,
                                         OptionMember{&Configuration::learner, &LearnerOptions::budget}});
  row.kind.accepts = "a whole number, a percentage or all";
  return row;
}

// Those of the learner itself, and the files that say what its attributes are.
std::vector<OptionRow> model_options() {
  std::vector<OptionRow> rows;
  for (const OptionRow& row : learner_option_table()) {
    if (row.name == "budget")
      rows.push_back(budget_option());
    else if (row.name != "budget-cost" && find_row(research_options(), row.name) == nullptr)
      rows.push_back(of_part(row, &Configuration::learner));
  }
  const std::vector<OptionRow> files{
      {"moments FILE",
       "known second moments, for ddaerr and ddaelr: CSV with columns attribute, second_moment",
       Types::text(&Configuration::moments_file),
       R"(Known second moments, for ddaerr and ddaelr: CSV with columns attribute and second_moment, as
'glimpsectl moments --format csv' writes.)",
       OptionExtras{.example = "/etc/glimpse/moments.csv"}},
      {"attributes FILE", "names of the attributes, one a line", Types::text(&Configuration::attributes_file),
       R"(Names of the attributes, one a line. Without it VW text and JSON give names free indices, which no
number has used (lib/data/FORMATS.md), and a CSV header names all. Attributes that it names may be
said by name and by number.)",
       OptionExtras{.example = "/etc/glimpse/attributes.txt"}},
  };
  rows.insert(rows.end(), files.begin(), files.end());
  return rows;
}

}  // namespace

const std::vector<OptionSection>& option_table() {
  static const std::vector<OptionSection> table{
      {"The learner", model_options()}, {"Buying attributes", buying_options()},
      {"Doors", door_options()},        {"Tables", table_options()},
      {"Classes", class_options()},     {"Durability", durability_options()},
      {"Fleet", fleet_options()},       {"Limits", limit_options()},
      {"General", general_options()},   {"Research", of_part(research_options(), &Configuration::learner)},
  };
  return table;
}

const std::vector<const OptionRow*>& option_rows() {
  static const std::vector<const OptionRow*> rows = [] {
    std::vector<const OptionRow*> all;
    for (const OptionSection& section : option_table())
      for (const OptionRow& row : section.rows) all.push_back(&row);
    return all;
  }();
  return rows;
}

namespace {

const std::string* value_of(const GivenOptions& given, std::string_view name) {
  const auto found = given.find(name);
  return found == given.end() ? nullptr : &found->second;
}

// Writing down what holds anyway asks for nothing.
bool asks(const OptionRow& option, const std::string& value) { return value != option.standard; }

// Whether the option is of no use to pairwise, but of some to a first-order learner.
bool is_for_first_order(const OptionRow& option, const Configuration& configuration) {
  Configuration pairwise = configuration;
  pairwise.learner.algorithm = kPairwise;
  Configuration first_order = configuration;
  first_order.learner.algorithm = kFirstOrder;
  for (const auto& rule : option.rules)
    if (!rule.holds(pairwise) && rule.holds(first_order)) return true;
  return false;
}

void choose(Configuration& configuration, std::string_view algorithm, std::string_view option) {
  configuration.learner.algorithm = algorithm;
  configuration.algorithm_reason = fmt::format("as --{} is given", option);
}

}  // namespace

void resolve_algorithm(Configuration& configuration, const GivenOptions& given) {
  if (configuration.learner.algorithm != kAutomatic) return;
  if (given.contains("moments")) return choose(configuration, kKnownMoments, "moments");
  if (given.contains("active")) return choose(configuration, kScreenedPairwise, "active");
  for (const OptionRow* const option : option_rows()) {
    const std::string* value = value_of(given, option->name);
    if (value == nullptr || !asks(*option, *value) || !is_for_first_order(*option, configuration)) continue;
    return choose(configuration, kFirstOrder, option->name);
  }
}

Status check_rules(const Configuration& configuration, const GivenOptions& given,
                   const GivenOptions& places) {
  const bool is_open = configuration.learner.algorithm == kAutomatic;
  for (const OptionRow* const option : option_rows()) {
    const std::string* const value = value_of(given, option->name);
    const OptionRule* const rule = value == nullptr ? nullptr : option->broken_rule(configuration);
    if (rule == nullptr) continue;
    if (is_open && !asks(*option, *value) && is_for_first_order(*option, configuration)) continue;
    const std::string* place = value_of(places, option->name);
    return failure(ErrorCode::kInvalidOption, "{}{}", place == nullptr ? "" : *place,
                   invalid_option(option->name, *value, rule->constraint).message);
  }
  return {};
}

}  // namespace glimpse
