#include <fmt/format.h>

#include "manual/completions.h"

namespace glimpse::manual {

namespace {

// Within single quotes, brackets and behind colons.
std::string quoted_for_zsh(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string action_of(const OptionRow& option) {
  std::string words;
  for (const std::string& word : option.kind.choices) words += (words.empty() ? "" : " ") + word;
  if (!words.empty()) return "(" + words + ")";
  const Offered offered = offered_for(option);
  return offered == Offered::kFiles ? "_files" : offered == Offered::kFolders ? "_files -/" : " ";
}

// A specification of _arguments for each.
void add_specifications(const std::vector<OptionRow>& options, std::string_view indent, std::string& out) {
  for (const OptionRow& option : options) {
    out += fmt::format("{}'{}--{}", indent, option.kind.is_repeated ? "*" : "", option.name);
    out += fmt::format("{}[{}]", option.kind.is_flag ? "" : "=", quoted_for_zsh(option.sentence));
    if (!option.kind.is_flag) out += fmt::format(":{}:{}", quoted_for_zsh(option.value), action_of(option));
    out += "'\n";
  }
}

void add_commands(const Page& page, std::string& out) {
  out +=
      "  local -a commands\n"
      "  _arguments -C $own '1:command:->command' '*::argument:->argument' && return\n"
      "  case $state in\n  command)\n    commands=(\n";
  for (const CommandText& command : page.commands)
    if (command.name.find(' ') == std::string::npos)
      out += fmt::format("      '{}:{}'\n", command.name, quoted_for_zsh(command.sentence));
  out += "    )\n    _describe command commands ;;\n  argument)\n    case $line[1] in\n";
  for (const CommandText& command : page.commands) {
    if (command.name.find(' ') != std::string::npos) continue;
    out += fmt::format("    {})\n      options=(\n", command.name);
    add_specifications(command.options, "        ", out);
    for (const CommandText& longer : page.commands)
      if (longer.name.starts_with(command.name + ' '))
        out += fmt::format("        '1::command:({})'\n        '2:file:_files'\n",
                           longer.name.substr(command.name.size() + 1));
    if (command.takes_file) out += "        '*:file:_files'\n";
    out += "      ) ;;\n";
  }
  out += "    esac\n    _arguments $own $options ;;\n  esac\n";
}

}  // namespace

std::string zsh_completion(const Page& page) {
  std::string out = fmt::format(
      "#compdef {}\n# Made from the program's own table of options.\n"
      "local curcontext=\"$curcontext\" state line\nlocal -a own options\ntypeset -A opt_args\nown=(\n",
      page.name);
  for (const OptionSection& group : page.options) add_specifications(group.rows, "  ", out);
  out += ")\n";
  if (page.commands.empty())
    out += "_arguments $own\n";
  else
    add_commands(page, out);
  return out;
}

}  // namespace glimpse::manual
