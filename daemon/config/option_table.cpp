#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

// Those of the learner itself, and the files that say what its attributes are.
std::vector<DaemonOption> model_options() {
  using Types = OptionTypes<Configuration>;
  std::vector<DaemonOption> rows;
  for (const Option<LearnerOptions>& option : learner_option_table())
    if (option.name != std::string_view("budget-cost")) rows.push_back(of_learner(option));
  const std::vector<DaemonOption> files{
      {.name = "moments",
       .value = "FILE",
       .sentence = "known second moments, for ddaerr and ddaelr: CSV with columns attribute, second_moment",
       .example = "/etc/glimpse/moments.csv",
       .details =
           R"(Known second moments, for ddaerr and ddaelr: CSV with columns attribute and second_moment, as
'glimpsectl moments --format csv' writes.)",
       .type = Types::text(at(&Configuration::moments_file))},
      {.name = "attributes",
       .value = "FILE",
       .sentence = "names of the attributes, one a line",
       .example = "/etc/glimpse/attributes.txt",
       .details =
           R"(Names of the attributes, one a line. Without it VW text and JSON give names free indices, which no
number has used (lib/data/FORMATS.md), and a CSV header names all. Attributes that it names may be
said by name and by number.)",
       .type = Types::text(at(&Configuration::attributes_file))},
  };
  rows.insert(rows.end(), files.begin(), files.end());
  return rows;
}

}  // namespace

DaemonOption of_learner(const Option<LearnerOptions>& option) {
  return of_part<Configuration>(option, at(&Configuration::learner));
}

const std::vector<OptionSection>& option_table() {
  static const std::vector<OptionSection> table{
      {"The learner", model_options()}, {"Buying attributes", buying_options()},
      {"Doors", door_options()},        {"Tables", table_options()},
      {"Classes", class_options()},     {"Durability", durability_options()},
      {"Fleet", fleet_options()},       {"Limits", limit_options()},
      {"General", general_options()},
  };
  return table;
}

}  // namespace glimpse
