#include <algorithm>
#include <string>

#include "glimpsectl/command_table.h"

namespace glimpse::ctl {

namespace {

constexpr std::size_t kColumn = 28;        // where sentences begin
constexpr std::size_t kLineColumns = 110;  // of a line

// Characters, which UTF-8 writes with one or more bytes.
std::size_t width(std::string_view text) {
  std::size_t characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return characters;
}

// "  left                    the sentence, in lines", with a line of its own for what is too long.
void append_entry(std::string& text, std::string left, std::string_view sentence) {
  std::size_t column = width(left);
  if (column + 2 > kColumn) {
    text += left + '\n';
    left.clear();
    column = 0;
  }
  text += left + std::string(kColumn - column, ' ');
  column = kColumn;
  for (bool first = true; !sentence.empty(); first = false) {
    const std::size_t end = std::min(sentence.find(' '), sentence.size());
    const std::string_view word = sentence.substr(0, end);
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
    if (!first && column + 1 + width(word) > kLineColumns) {
      text += '\n' + std::string(kColumn, ' ');
      column = kColumn;
    } else if (!first) {
      text += ' ';
      ++column;
    }
    text += word;
    column += width(word);
  }
  text += '\n';
}

void append_option(std::string& text, std::string_view indent, const CommandOption& option) {
  const std::string_view value = option.value;
  const std::string_view standard = option.standard;
  append_entry(text, fmt::format("{}--{}{}{}", indent, option.name, value.empty() ? "" : " ", value),
               standard.empty() ? option.sentence : fmt::format("{} ({})", option.sentence, standard));
}

std::string make_help() {
  std::string text = fmt::format(
      "usage: glimpsectl [--server ADDRESS] [--json] [--timeout 10s] COMMAND …\n\n{}\n\ncommands\n",
      help_sentence());
  for (const CommandRow& command : command_table()) {
    append_entry(
        text, fmt::format("  {}{}{}", command.name, command.arguments.empty() ? "" : " ", command.arguments),
        command.sentence);
    for (const CommandOption& option : command.options) append_option(text, "      ", option);
  }
  text += "\noptions of all commands\n";
  for (const CommandOption& option : common_options()) append_option(text, "  ", option);
  text +=
      "  -h, --help; --version\n\n"
      "exit status\n";
  for (const auto& [status, meaning] : exit_statuses()) text += fmt::format("  {}  {}\n", status, meaning);
  return text;
}

}  // namespace

std::string_view help_sentence() {
  return "Asks a running glimpsed over its HTTP door, or looks into a checkpoint.";
}

std::vector<std::pair<int, std::string_view>> exit_statuses() {
  return {
      {0, "done"},
      {1,
       "the server answered with an error, or a file is bad, or cannot be read or written; doctor: warnings"},
      {2, "the command line is wrong; doctor: errors"},
      {3, "the server cannot be reached, does not answer in time, or is not a glimpsed"}};
}

std::string_view help_text() {
  static const std::string text = make_help();
  return text;
}

}  // namespace glimpse::ctl
