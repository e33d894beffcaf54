#include "daemon/config/configuration_file.h"

#include <cctype>
#include <fmt/format.h>
#include <string_view>

#include "base/command_line.h"
#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

constexpr std::size_t kWidth = 110;

// As comments of at most kWidth characters.
void add_comment(std::string_view text, std::string& out) { out += wrapped("# ", text, "# ", kWidth); }

// Lines as they are.
void add_lines(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += "# ";
    out += text.substr(0, end);
    out += '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

template <class Is>
std::string option_names(const Is& is) {
  std::string names;
  for (const OptionRow* const option : option_rows())
    if (is(*option)) names += (names.empty() ? "" : ", ") + option->name;
  return names;
}

std::string names_with(Reload reload) {
  return option_names([=](const OptionRow& option) { return option.reload == reload; });
}

void add_beginning(std::string& out) {
  add_comment(
      "glimpsed.conf: every option of glimpsed, with its unit, its default and what it trades against what.",
      out);
  for (const std::string& paragraph : configuration_rules()) {
    out += "#\n";
    add_comment(paragraph, out);
  }
}

void add_option(const OptionRow& option, std::string& out) {
  out += '\n';
  std::string text = option.details;
  if (text.empty() && !option.sentence.empty()) {
    text = option.sentence + '.';
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  }
  if (text.find("\n  ") != std::string::npos)
    add_lines(text, out);
  else
    add_comment(option.kind.accepts.empty() ? text : fmt::format("{} Value: {}.", text, option.kind.accepts),
                out);
  const bool has_default = !option.standard.empty() || option.kind.is_flag;
  std::string_view values = option.kind.is_flag ? "off" : option.example;
  if (has_default && !option.kind.is_flag) values = option.standard;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = values.find('\n');
    out += fmt::format("# {} = {}\n", option.name, values.substr(0, end));
    values.remove_prefix(end == std::string_view::npos ? values.size() : end + 1);
  }
}

}  // namespace

std::vector<std::string> configuration_rules() {
  return {
      "Lines are 'name = value'. A line that begins with '#' is a comment. Options that are commented out "
      "show their defaults, or an example where they have none. A name that is not known, a value out of "
      "range, or an option that has no effect beside the others, stops the start with one line.",
      fmt::format(
          "The command line wins over this file, and the log says where it does. Options that may be "
          "repeated ({}) add up: those of the command line come first. The systemd unit gives 'listen', "
          "'http' and 'state-directory' (systemctl cat glimpsed): doors named here open beside its "
          "own, and another state directory is for 'systemctl edit glimpsed'.",
          option_names([](const OptionRow& option) { return option.kind.is_repeated; })),
      fmt::format("SIGHUP (systemctl reload glimpsed) reads the file again. These change at once: {} "
                  "(the times and max-requests for new connections). The files of {} and {} are read "
                  "again. Everything else is named in the log and waits for a restart.",
                  names_with(Reload::kNow), names_with(Reload::kNamedFile), names_with(Reload::kFile)),
  };
}

std::string configuration_file() {
  std::string out;
  add_beginning(out);
  for (const OptionSection& section : option_table()) {
    const std::string title = fmt::format("## {} ", section.title);
    out += '\n' + title + std::string(kWidth - title.size(), '#') + '\n';
    for (const OptionRow& option : section.rows) add_option(option, out);
  }
  return out;
}

}  // namespace glimpse
