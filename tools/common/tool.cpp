#include "common/tool.h"

#include <cstdio>
#include <fmt/format.h>

#include "base/command_line.h"

namespace glimpse {

namespace {

std::string help_of(const ProgramText& text, const std::vector<OptionRow>& rows) {
  std::string help = fmt::format("{}\nOptions\n", text.usage);
  for (const OptionRow& row : rows) append_help(help, "  ", row);
  append_help(help, "  ", help_row());
  return help + std::string(text.notes);
}

}  // namespace

int report(std::string_view program, const Error& error) {
  fmt::print(stderr, "{}: {}\n", program, error.message);
  return error.code == ErrorCode::kInvalidOption ? kExitBadOption : kExitFailure;
}

const OptionRow& help_row() {
  static const OptionRow row{"help", "show this and exit", OptionKind::word()};
  return row;
}

Result<std::optional<std::vector<ToolValue>>> read_tool_line(int argc, const char* const* argv,
                                                             const ProgramText& text,
                                                             const std::vector<OptionRow>& rows) {
  const auto refused = [&](std::string_view what) {
    return failure(ErrorCode::kInvalidOption, "{}; see {} --help", what, text.name);
  };
  std::vector<const OptionRow*> known{&help_row()};
  for (const OptionRow& row : rows) known.push_back(&row);
  const auto line = take_apart({argv + (argc > 0 ? 1 : 0), argv + argc}, known);
  if (!line) return refused(line.error().message);
  if (!line->words.empty())
    return refused(fmt::format("argument '{}' belongs to no option", line->words.front()));
  if (line->has("help")) {
    fmt::print("{}", help_of(text, rows));
    return std::nullopt;
  }
  std::vector<ToolValue> values;
  for (const OptionRow& row : rows) {
    const std::vector<std::string> given = line->values_of(row.name);
    for (const std::string& value : given) values.push_back({&row, value, true});
    if (!given.empty()) continue;
    if (row.is_required) return refused(fmt::format("the option '--{}' is required but missing", row.name));
    if (!row.standard.empty()) values.push_back({&row, row.standard, false});
  }
  return values;
}

}  // namespace glimpse
