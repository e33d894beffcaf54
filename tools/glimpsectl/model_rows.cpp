#include "glimpsectl/model_rows.h"

#include "glimpsectl/option_readers.h"

namespace glimpse::ctl {

namespace {

using Row = CommandRow;

Status settle_model(CommandLine& line) {
  if (line.json && !line.format.empty() && line.format != "json")
    return refused(fmt::format("--format '{}' contradicts --json", line.format));
  if (line.format.empty()) line.format = line.json ? "json" : "table";
  if (line.has("top") && line.format != "table")
    return refused(fmt::format("--top '{}' is for tables, but the format is {}", line.top, line.format));
  return {};
}

Status settle_any_model(CommandLine& line) {
  GLIMPSE_TRY(settle_model(line));
  if (line.cost.find_first_not_of("0123456789.") != std::string::npos)
    return refused(fmt::format("--cost '{}' must be an amount such as 7.27", line.cost));
  const bool is_small = line.attributes > 0 || !line.cost.empty();
  if (!is_small && line.has("svg"))
    return refused("--svg draws the curve of --attributes N or --cost MONEY: give one of them");
  if (!is_small) return {};
  if (line.format != "table" && line.format != "json")
    return refused(
        fmt::format("--format '{}' is of the whole model: a small one is a table or json", line.format));
  if (line.errors) return refused("--errors is of the whole model: leave it out for a small one");
  if (line.has("top")) return refused("--top is of the whole model: a small one is told as a whole");
  return {};
}

// A file is for glimpsed --moments, unless something else is said.
Status settle_moments(CommandLine& line) {
  if (line.format.empty() && !line.json && !line.output.empty()) line.format = "csv";
  return settle_model(line);
}

Status settle_predict(CommandLine& line) {
  if (line.has("top") && !line.explain)
    return refused(fmt::format("--top '{}' is for the tables of --explain", line.top));
  if (line.has("predict") && line.explain)
    return refused("--predict has no effect on the tables of --explain");
  return {};
}

}  // namespace

CommandOption label_row(const char* sentence) {
  return {.name = "label", .value = "NAME", .sentence = sentence, .type = text_option(&CommandLine::label)};
}

CommandOption checkpoint_row(const char* sentence) {
  return {.name = "checkpoint", .value = "NAME", .sentence = sentence, .type = checkpoint_option()};
}

Row model_row() {
  return {
      .name = "model",
      .command = Command::kModel,
      .sentence = "where the model comes from, and the attributes that are worth most to it",
      .options = {{.name = "format",
                   .value = "table|json|csv|safetensors",
                   .sentence = "all but the table are the whole model",
                   .standard = "table",
                   .type = format_option({"table", "json", "csv", "safetensors"})},
                  {.name = "fresh",
                   .sentence = "wait for a model of this moment, where the newest may be a little older",
                   .type = flag_option(&CommandLine::fresh)},
                  {.name = "errors",
                   .sentence = "with standard errors and 90 % intervals of the weights, for a model of "
                               "this moment",
                   .type = flag_option(&CommandLine::errors)},
                  checkpoint_row("the model of this checkpoint, by its name or by its examples "
                                 "(checkpoints lists them), not the newest"),
                  label_row("the model of this label, of several; else of the first"),
                  {.name = "attributes",
                   .value = "N",
                   .sentence = "a model of the N attributes, at most 256, that predict best together, and "
                               "the expected loss of fewer",
                   .type = count_option("attributes", &CommandLine::attributes)},
                  {.name = "cost",
                   .value = "MONEY",
                   .sentence = "the same of attributes that cost MONEY at most, by the daemon's --costs",
                   .type = text_option(&CommandLine::cost)},
                  {.name = "svg",
                   .value = "FILE",
                   .sentence = "--attributes, --cost: draw the expected losses into FILE as well",
                   .type = file_option("svg", &CommandLine::picture)},
                  {.name = "output",
                   .value = "FILE",
                   .sentence = "write to FILE, atomically, instead of standard output",
                   .type = file_option("output", &CommandLine::output)},
                  {.name = "top",
                   .value = "N",
                   .sentence = "weights in the table",
                   .standard = "20",
                   .type = count_option("top", &CommandLine::top)}},
      .settle = settle_any_model};
}

Row moments_row() {
  return {
      .name = "moments",
      .command = Command::kMoments,
      .sentence = "what is known of each attribute, those most likely to be looked at first",
      .options = {{.name = "format",
                   .value = "table|json|csv",
                   .sentence = "all but the table have all attributes; csv, the usual with --output, is for "
                               "glimpsed --moments FILE",
                   .type = format_option({"table", "json", "csv"})},
                  checkpoint_row("what this checkpoint knows of them"),
                  {.name = "output",
                   .value = "FILE",
                   .sentence = "write to FILE, atomically, instead of standard output",
                   .type = file_option("output", &CommandLine::output)},
                  {.name = "top",
                   .value = "N",
                   .sentence = "attributes in the table",
                   .standard = "20",
                   .type = count_option("top", &CommandLine::top)}},
      .settle = settle_moments};
}

// How examples are written is the server's to understand; only rows of f32, which are no lines, cannot be cut
// here.
CommandOption examples_format(const char* standard) {
  return {.name = "format",
          .value = "F",
          .sentence = "of the examples: auto, svmlight, vw, csv or ndjson",
          .standard = standard,
          .type = format_option({"auto", "svmlight", "vw", "csv", "ndjson"})};
}

Row predict_row() {
  return {
      .name = "predict",
      .command = Command::kPredict,
      .arguments = "[FILE|-]",
      .sentence =
          "one prediction a line, for examples of NDJSON lines or one JSON array: {\"values\": "
          "[0.5, 2]} or {\"values\": {\"3\": 0.5}}; files beyond 1 MB go in pieces, each to the newest "
          "model, "
          "and it is told where models differ",
      .takes = Row::Takes::kFile,
      .options = {examples_format("ndjson"),
                  checkpoint_row("by the model of this checkpoint, and not by the newest"),
                  label_row("of this label alone, of several; else a line has a number of each"),
                  {.name = "explain",
                   .sentence = "a table for each prediction: what each attribute adds to the prediction at "
                               "the means, the largest first",
                   .type = flag_option(&CommandLine::explain)},
                  {.name = "predict",
                   .value = "label|probabilities|scores",
                   .sentence = "of classes: the likeliest and its probability, or the numbers of all",
                   .standard = "label",
                   .type = predict_option()},
                  {.name = "top",
                   .value = "N",
                   .sentence = "attributes in such a table, at most 1000",
                   .standard = "20",
                   .type = count_option("top", &CommandLine::top)}},
      .settle = settle_predict};
}

}  // namespace glimpse::ctl
