#include "data/table_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "daemon/config/option_table.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

using Types = OptionKind;

constexpr std::uint64_t kLargestColumn = std::uint64_t{1} << 31;
constexpr const char* kNumbers = "the number of a column is from #1 to #2147483648";

bool may_be_csv(const Configuration& c) { return c.format == Format::kAuto || c.format == Format::kCsv; }
const OptionRule kIsForTables{may_be_csv, "is for --format csv or auto only"};
// Flat objects of JSON have columns as well.
bool may_have_columns(const Configuration& c) { return may_be_csv(c) || c.format == Format::kNdjson; }
const OptionRule kIsForColumns{may_have_columns, "is for --format csv, ndjson or auto only"};

bool divides_otherwise(const Configuration& c) { return !c.table.decimal_comma || c.table.delimiter != ','; }
bool has_label_column(const Configuration& c) {
  return c.learner.dimension == 0 || c.table.label.kind != ColumnChoice::Kind::kNumber ||
         c.table.label.number < c.learner.dimension + TableLayout::beside_attributes(c.table);
}

Status read_label(const std::string& text, Configuration& c) {
  constexpr const char* kOne =
      "must be a name, a number from 1 as #5, or last; of several labels with commas between";
  std::vector<ColumnChoice> labels;
  for (const std::string& name : names_between_commas(text)) {
    if (name.empty()) return invalid_option("label", text, kOne);
    labels.push_back(parse_column(name));
    if (labels.back().number >= kLargestColumn) return invalid_option("label", text, kNumbers);
    if (std::ranges::count(labels, name, &ColumnChoice::name) > 1)
      return invalid_option("label", text, fmt::format("names {} twice", name));
  }
  // Answers and checkpoints name several.
  for (const ColumnChoice& label : labels)
    if (labels.size() > 1 && !is_utf8(label.name))
      return failure(ErrorCode::kInvalidOption,
                     "--label: the name {} is no UTF-8, in which answers and checkpoints are: convert the "
                     "input (iconv -f LATIN1 -t UTF-8), and give the name as it is there",
                     in_quotes(label.name));
  if (labels.size() > LearnerOptions::kMostLabels)
    return failure(ErrorCode::kInvalidOption, "--label: names {} labels; must be at most {}", labels.size(),
                   LearnerOptions::kMostLabels);
  c.table.label = labels.front();
  c.table.further_labels.assign(labels.begin() + 1, labels.end());
  c.learner.labels = c.table.label_names();
  return {};
}

// Of earlier releases, where columns counted from 0.
Status refuse_label_column(const std::string& text, Configuration&) {
  const auto number = bare_number(parse_column(text));
  return invalid_option("label-column", text,
                        number ? fmt::format("is --label=#{} now, as columns count from 1", *number + 1)
                               : "is --label now, which takes a name, a number from 1 as #5, or last");
}

Status read_weight(const std::string& text, Configuration& c) {
  c.table.weight = parse_column(text);
  if (text.empty()) return invalid_option("weight", text, "must be a name, a number from 1 as #5, or last");
  if (c.table.weight->number >= kLargestColumn) return invalid_option("weight", text, kNumbers);
  return {};
}

Status read_categories(const std::string& text, Configuration& c) {
  for (const std::string& name : names_between_commas(text)) {
    if (name.empty())
      return invalid_option(
          "categories", text,
          "must be names of attributes, or numbers of columns from 1 as #5, with commas between");
    c.categories.push_back(name);
  }
  return {};
}

OptionRow reading(std::string_view name, std::vector<OptionRule> rules) {
  OptionRow row = of_part(*find_row(table_reading_options(), name), &Configuration::table);
  row.rules = std::move(rules);
  return row;
}

}  // namespace

std::vector<OptionRow> table_options() {
  return {
      {"label COLUMN = #1",
       "the label's column in a table: its name in the header, its number from 1 as #5, or last; default "
       "#1; several with commas between",
       Types::custom(read_label, {{&Configuration::table, &TableOptions::label}}),
       R"(Tables (CSV): the column that is learned, by its name in the header, by its number from 1 as #5, or
last. Where it is not given, the first line of the log says which it is. Several labels, as temp,cnt, get a
model each from the same looks (pairwise and pairwise-screened). In JSON they are
"labels": {"temp": 3, "cnt": 12}, by what this option calls them. A name with a comma stands in
double quotes.)",
       {.rules = {kIsForColumns, {has_label_column, "a row has --dimension columns beside the label"}}}},
      {"label-column N", "no longer taken: --label=#5 is what --label-column 4 was",
       Types::custom(refuse_label_column, {{&Configuration::table, &TableOptions::label}})},
      reading("ignore", {kIsForColumns}),
      {"weight COLUMN",
       "the column of a table that says how much each row counts: its name, its number from 1 as "
       "#5, or last; or the key of flat JSON",
       Types::custom(read_weight, {{&Configuration::table, &TableOptions::weight}}),
       R"(The column that says how much each row of a table counts (its importance, as vw and JSON have it; 1
without this): by its name, by its number from 1 as #5, or last; of flat JSON its key. A row with a label
needs a finite number of at least 0 there. It is no attribute, and questions may lack it.)",
       {.example = "persons", .rules = {kIsForColumns}}},
      reading("header", {kIsForTables}),
      reading("delimiter", {kIsForTables}),
      reading("decimal-comma", {kIsForTables, {divides_otherwise, "needs another --delimiter than ','"}}),
      reading("missing", {kIsForTables}),
      reading("encoding", {kIsForTables}),
      reading("short-rows", {kIsForTables}),
      {"missing-columns refuse|allow = refuse",
       "rows with a label below a header that lacks attributes of the model",
       Types::choice<bool>(&Configuration::allows_missing_columns, {{"refuse", false}, {"allow", true}}),
       R"(A table whose header lacks some of the model's attributes may ask: each prediction is made without them.
Its rows with a label are refused, or are learned from as where these attributes are missing (allow). In flat
JSON each object may lack keys (absent).)"},
      {"categories ATTRIBUTES",
       "attributes that are categories even where they look like numbers: names, or columns of a "
       "table as #5, with commas between; may be repeated",
       Types::custom(read_categories, {&Configuration::categories}).repeated(),
       R"(Attributes whose values are categories even where they look like numbers, as those of codes and of
months, with commas between; may be repeated: by name, in a table by the column's number from 1, as #5, and
elsewhere by the attribute's number from 0. Others are where more than one in ten of the sample's values is a word;
where no sample was read, where the first value is.)",
       OptionExtras{.example = "zip,month"}},
      {"max-categories N = 32", "categories of an attribute that have a weight of their own; default 32",
       Types::whole(&Configuration::max_categories, 1, Categories::kLargestLimit),
       R"(Attributes that hold words, in CSV and JSON: so many categories of each have a weight of their own, in
the order in which they come; all others of the attribute share one.)"},
      {"sample-records N = 10000",
       "records at the beginning that decide how a table or JSON is read; default 10000",
       Types::whole({&Configuration::sample, &SampleLimits::records}, 1, 100000000),
       R"(Records at the beginning of a file, or sample-bytes of it, that decide how it is read: its format, delimiter,
header, and which columns hold numbers and which words. Of a pipe, a connection or a topic it is 100 where this is not
given, and none behind the first that asks for a prediction. Nothing is learned before all of it has come. A model that
has learned from a table reads others as that one. There is no sample where every line is answered (replies all), of
named sources, whose clients count records, and of topics whose attributes are known (dimension, attributes), as they
may have no message yet: the first value of each column decides, or schema.)"},
      {"sample-bytes SIZE = 1MiB",
       "bytes at the beginning that decide how a table or JSON is read; default 1MiB",
       Types::bytes({&Configuration::sample, &SampleLimits::bytes})},
      {"schema FILE",
       "write to FILE how the table is read, where there is no such file, and read the table as it "
       "says where there is one",
       Types::text(&Configuration::schema_file),
       R"(A JSON file that says how a table is read: its dialect, and of each column the name, use, type, form of
numbers, unit and marks for missing values. Where there is no such file, what the sample shows is written to it
before the first example is learned, also by --dry-run. Where there is one, every input is read as it says, and
no sample decides: so a decision can be edited, and used elsewhere.)",
       {.example = "sales-schema.json", .rules = {kIsForColumns}}},
      {"schema-change refuse|allow = refuse",
       "at a restart, options that read records differently than the checkpoint's were read",
       Types::choice<bool>(&Configuration::allows_schema_change, {{"refuse", false}, {"allow", true}}),
       R"(A checkpoint holds how its records were read: format, index-base, absent, task, label, ignore, weight,
delimiter, header, decimal-comma and categories. A restart takes from it what is not given. What is given and
reads the same record differently is refused, or holds from then on (allow). More columns in ignore are fine
where the model has none of them.)"},
  };
}

}  // namespace glimpse
