#include <fmt/format.h>

#include "manual/completions.h"

namespace glimpse::manual {

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

std::string names_of(const std::vector<OptionRow>& options) {
  std::vector<std::string> names;
  for (const OptionRow& option : options) names.push_back("--" + option.name);
  return joined(names, " ");
}

std::string function_of(const Page& page) {
  std::string name = "_" + page.name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

// A line of `case "$command:$option"` for each option that has a value.
void add_values(std::string_view command, const std::vector<OptionRow>& options, std::string& out) {
  for (const OptionRow& option : options) {
    if (option.kind.is_flag) continue;
    out += fmt::format("    {}:--{}) ", command, option.name);
    const Offered offered = offered_for(option);
    if (!option.kind.choices.empty())
      out += fmt::format("words='{}'", joined(option.kind.choices, " "));
    else
      out += offered == Offered::kFiles     ? "action=file"
             : offered == Offered::kFolders ? "action=directory"
                                            : "action=none";
    out += " ;;\n";
  }
}

std::vector<OptionRow> own_options(const Page& page) {
  std::vector<OptionRow> options;
  for (const OptionSection& group : page.options)
    options.insert(options.end(), group.rows.begin(), group.rows.end());
  return options;
}

// Options whose next word is their value.
std::string with_values(const Page& page) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<OptionRow>& options) {
    for (const OptionRow& option : options)
      if (!option.kind.is_flag) names.push_back("--" + option.name);
  };
  add(own_options(page));
  for (const CommandText& command : page.commands) add(command.options);
  return joined(names, "|");
}

std::string quoted_pattern(const std::string& name) {
  return name.find(' ') == std::string::npos ? name : '"' + name + '"';
}

// Which command the line names; one of two words is a command of its own.
void add_search(const Page& page, std::string& out) {
  out += fmt::format(
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${{COMP_WORDS[i]}} in\n"
      "    {}) [[ ${{COMP_WORDS[i + 1]}} == = ]] && ((i++)); ((i++)) ;;\n"
      "    -*) ;;\n"
      "    *) command+=${{command:+ }}${{COMP_WORDS[i]}} ;;\n"
      "    esac\n"
      "  done\n"
      "  case $command in\n",
      with_values(page));
  for (const CommandText& command : page.commands)
    if (command.name.find(' ') != std::string::npos)
      out += fmt::format("  \"{0}\"*) command=\"{0}\" ;;\n", command.name);
  out += "  *) command=${command%% *} ;;\n  esac\n";
}

// What may stand where no value is due.
void add_words(const Page& page, std::string& out) {
  const std::string own = names_of(own_options(page));
  if (page.commands.empty()) {
    out += fmt::format("    words='{}'\n", own);
    return;
  }
  std::string names;
  for (const CommandText& command : page.commands)
    if (command.name.find(' ') == std::string::npos) names += (names.empty() ? "" : " ") + command.name;
  out += "    case $command in\n";
  out += fmt::format("    '') words='{}{}{}' ;;\n", names, own.empty() ? "" : " ", own);
  for (const CommandText& command : page.commands) {
    std::string words = names_of(command.options);
    if (!own.empty()) words += (words.empty() ? "" : " ") + own;
    for (const CommandText& longer : page.commands)
      if (longer.name.starts_with(command.name + ' ')) words += longer.name.substr(command.name.size());
    out += fmt::format("    {}) words='{}'{} ;;\n", quoted_pattern(command.name), words,
                       command.takes_file ? "; [[ $word == -* ]] || action=file" : "");
  }
  out += "    esac\n";
}

}  // namespace

Offered offered_for(const OptionRow& option) {
  if (option.value == "FILE" || option.value == "-|FILE") return Offered::kFiles;
  return option.value == "DIR" ? Offered::kFolders : Offered::kNothing;
}

std::string bash_completion(const Page& page) {
  const std::string function = function_of(page);
  std::string out = fmt::format(
      "# {0} for bash. Made from the program's own table of options.\n"
      "{1}() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} option='' command='' words='' action='' i\n"
      "  ((COMP_CWORD > 0)) && option=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  # bash takes --name=value apart.\n"
      "  if [[ $word == = ]]; then\n    word=''\n"
      "  elif [[ $option == = ]]; then\n    option=${{COMP_WORDS[COMP_CWORD - 2]}}\n  fi\n",
      page.name, function);
  if (!page.commands.empty()) add_search(page, out);
  out += "  case $command:$option in\n";
  for (const CommandText& command : page.commands)
    add_values(quoted_pattern(command.name), command.options, out);
  add_values("*", own_options(page), out);
  out += "  *)\n";
  add_words(page, out);
  out += fmt::format(
      "    ;;\n  esac\n"
      "  COMPREPLY=()\n"
      "  case $action in\n"
      "  none) return ;;\n"
      "  file | directory)\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    mapfile -t COMPREPLY < <(compgen -A \"$action\" -- \"$word\") ;;\n"
      "  *) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
      "  esac\n"
      "}}\n"
      "complete -F {} {}\n",
      function, page.name);
  return out;
}

}  // namespace glimpse::manual
