#include "daemon/learning_description.h"

#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>
#include <xxhash.h>

#include "daemon/config/schema_choice.h"
#include "daemon/config/schema_file.h"
#include "data/table_schema.h"
#include "learn/options/prices.h"

namespace glimpse {

namespace {

std::string checksum_of(std::string_view bytes) {
  return fmt::format("xxh3:{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

std::string text_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}{}", text.empty() ? "" : ",", name);
  constexpr std::size_t kMostTold = 200;
  return text.empty() ? "none" : text.size() <= kMostTold ? text : checksum_of(text);
}

std::string text_of(const Prices& prices) {
  std::string text;
  for (Attribute i = 0; i < prices.dimension(); ++i)
    text += fmt::format("{} {}\n", prices.own(i), prices.group(i));
  for (std::uint32_t g = 0; g < prices.groups(); ++g) text += fmt::format("{}\n", prices.shared(g));
  return checksum_of(text);
}

const char* text_of(Outliers outliers) { return outliers == Outliers::kBound ? "bound" : "keep"; }

std::string text_of(const std::vector<ColumnChoice>& choices) {
  std::vector<std::string> names;
  for (const ColumnChoice& choice : choices) names.push_back(earlier_text_of(choice));
  return text_of(names);
}

template <class Value>
std::string or_none(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : "none";
}

}  // namespace

Result<std::string> describe_learning(const Configuration& c, FileSystem& files) {
  std::string attributes = "none";
  if (!c.attributes_file.empty()) {
    const auto bytes = files.read(c.attributes_file);
    if (!bytes)
      return failure(ErrorCode::kInvalidOption, "--attributes {}: {}", c.attributes_file,
                     bytes.error().message);
    std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    std::erase(text, '\r');
    attributes = checksum_of(text);
  }
  const LearnerOptions& o = c.learner;
  std::vector<ColumnChoice> labels{c.table.label};
  labels.insert(labels.end(), c.table.further_labels.begin(), c.table.further_labels.end());
  return fmt::format(
      "seed={}\nattributes={}\ncosts={}\nbudget-cost={}\nlook-at-best={}\nhold-out={}\n"
      "outliers={}\nmax-importance={}\nformat={}\nindex-base={}\nlabel={}\nignore={}\nheader={}\n"
      "decimal-comma={}\ndelimiter={}\nabsent={}\nmax-line={}\nmax-opening={}\ncategories={}\nmax-categories="
      "{}\n"
      "task={}\nclasses={}\nmax-classes={}\nvalidate={}\nweight={}\nschema={}\n",
      o.seed, attributes, o.prices && !c.costs_file.empty() ? text_of(*o.prices) : "none",
      or_none(o.budget_cost), o.look_at_best, c.hold_out, text_of(o.outliers), or_none(o.max_importance),
      name_of(c.format), c.index_base, text_of(labels), text_of(c.table.ignored), name_of(c.table.header),
      c.table.decimal_comma ? "on" : "off",
      static_cast<unsigned>(static_cast<unsigned char>(c.table.delimiter)), name_of(c.absent),
      c.max_line_bytes, c.max_opening_bytes, text_of(c.categories), c.max_categories, name_of(c.classes.task),
      text_of(c.classes.names), c.classes.most, c.validate_full ? "full" : "planned",
      c.table.weight ? earlier_text_of(*c.table.weight) : "none",
      c.decided ? checksum_of(schema_text(schema_of(c))) : "none");
}

}  // namespace glimpse
