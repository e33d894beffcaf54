#include "manual/mdoc.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace glimpse::manual {

namespace {

/// Each word of a text between blanks and ends of lines.
template <class Use>
void for_each_word(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    use(text.substr(0, end));
    text.remove_prefix(end);
  }
}

constexpr std::size_t kColumns = 78;

// A backslash begins an escape, and two hyphens are no dash.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-' && (text.substr(i, 2) == "--" || out.ends_with("\\-")))
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

// A line must not begin like a request.
std::string guarded(std::string line) {
  if (line.starts_with('.') || line.starts_with('\'')) line.insert(0, "\\&");
  return line;
}

// An argument of a macro: no macro itself, and no punctuation that moves out of it.
std::string argument(std::string_view text) {
  constexpr std::string_view kDelimiters = ".,:;()[]?!|";
  std::string word = escaped(text);
  const bool may_be_macro =
      word.size() <= 3 && std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (may_be_macro || kDelimiters.find(word.front()) != std::string_view::npos) word.insert(0, "\\&");
  if (kDelimiters.find(word.back()) != std::string_view::npos) word += "\\&";
  return word.find(' ') == std::string::npos ? word : '"' + word + '"';
}

bool ends_sentence(std::string_view word) {
  while (!word.empty() && std::string_view(")'\"").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return word.size() > 1 && (word.ends_with('.') || word.ends_with('?') || word.ends_with('!'));
}

// mandoc measures a letter beyond ASCII by its escape.
std::size_t width(std::string_view text) {
  const auto begins_letter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0xC0; };
  return text.size() + 6 * static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_letter));
}

void add_paragraph(std::string_view text, std::string& out) {
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) out += guarded(line) + '\n';
    line.clear();
  };
  for_each_word(text, [&](std::string_view word) {
    const std::string next = escaped(word);
    if (width(line) + 1 + width(next) > kColumns) end_line();
    line += (line.empty() ? "" : " ") + next;
    if (ends_sentence(word)) end_line();
  });
  end_line();
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "word  what it means", with what follows behind four blanks.
bool has_items(std::string_view text) {
  const std::size_t first = text.find("  ");
  return first != std::string_view::npos && first > 0 && first < text.find('\n') &&
         text.find("\n    ") != std::string_view::npos;
}

void add_items(std::string_view text, std::string& out) {
  out += ".Bl -tag -width Ds\n";
  std::string item;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t gap = line.find("  ");
    if (gap != std::string_view::npos && gap > 0) {
      add_paragraph(item, out);
      out += fmt::format(".It {}\n", escaped(line.substr(0, gap)));
      item = line.substr(gap);
    } else {
      item += ' ';
      item += line;
    }
  }
  add_paragraph(item, out);
  out += ".El\n";
}

std::string as_sentence(std::string text) {
  if (!text.empty() && !ends_sentence(text)) text += '.';
  return text;
}

// What is known of an option beside its sentence.
std::string facts_of(const OptionRow& option, bool is_file) {
  std::string text;
  const bool says_default = option.sentence.find("default") != std::string::npos;
  if (!option.standard.empty() && !option.kind.is_flag && (is_file || !says_default))
    text += fmt::format(" Default: {}.", option.standard);
  if (option.is_required) text += " Required.";
  if (option.kind.is_repeated && option.sentence.find("repeated") == std::string::npos)
    text += " May be repeated.";
  return text;
}

void add_option(const OptionRow& option, std::string& out) {
  out += fmt::format(".It Fl \\-{}", escaped(option.name));
  if (!option.value.empty()) out += " Ar " + argument(option.value);
  out += '\n';
  add_paragraph(as_sentence(option.sentence) + facts_of(option, false), out);
}

std::string reloading(Reload reload) {
  switch (reload) {
    case Reload::kNow:
      return " SIGHUP changes it.";
    case Reload::kFile:
      return " SIGHUP reads the file again; another name waits for a restart.";
    case Reload::kNamedFile:
      return " SIGHUP reads the file again, and another one too.";
    case Reload::kRestart:
      break;
  }
  return "";
}

void add_line_of_file(const OptionRow& option, std::string& out) {
  out += fmt::format(".It Ic {} = ", escaped(option.name));
  out += option.kind.is_flag ? "on | off" : "Ar " + argument(option.value);
  out += '\n';
  if (has_items(option.details))
    add_items(option.details, out);
  else
    out += mdoc_text(option.details.empty() ? as_sentence(option.sentence) : option.details);
  std::string facts;
  if (!option.kind.accepts.empty() && !option.kind.is_flag)
    facts += fmt::format(" Value: {}.", option.kind.accepts);
  facts += facts_of(option, true);
  std::string example = option.standard.empty() ? option.example : "";
  std::replace(example.begin(), example.end(), '\n', ' ');
  if (!example.empty()) facts += fmt::format(" Example: {}", example);
  if (!example.empty() && example.find(' ') == std::string::npos && !ends_sentence(example)) facts += '.';
  add_paragraph(facts + reloading(option.reload), out);
}

void add_options(const std::vector<OptionRow>& options, bool is_file, std::string& out) {
  out += ".Bl -tag -width Ds\n";
  for (const OptionRow& option : options) is_file ? add_line_of_file(option, out) : add_option(option, out);
  out += ".El\n";
}

void add_command(const CommandText& command, std::string& out) {
  const std::string arguments = command.arguments.empty() ? "" : ' ' + command.arguments + "\\&";
  out += fmt::format(".Ss {}{}\n", command.name, arguments);
  out += mdoc_text(as_sentence(command.sentence));
  if (!command.more.empty()) out += ".Pp\n" + mdoc_text(command.more);
  if (!command.options.empty()) add_options(command.options, false, out);
}

void add_chapters(const std::vector<Chapter>& chapters, std::string& out) {
  for (const Chapter& chapter : chapters)
    out += fmt::format(".Sh {}\n{}", chapter.title, mdoc_text(chapter.text));
}

void add_head(const Page& page, std::string_view date, std::string& out) {
  std::string title = page.name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  out += fmt::format(".Dd {}\n.Dt {} {}\n.Os\n.Sh NAME\n.Nm {}\n.Nd {}\n", date, title, page.section,
                     page.name, page.sentence);
  if (!page.usages.empty()) out += ".Sh SYNOPSIS\n";
  for (const std::string& usage : page.usages) out += fmt::format(".Nm\n{}\n", usage);
  out += ".Sh DESCRIPTION\n" + mdoc_text(page.description);
}

}  // namespace

std::string mdoc_text(std::string_view text) {
  std::string out, paragraph;
  bool is_apart = false;
  const auto end_paragraph = [&] {
    if (paragraph.empty()) return;
    if (is_apart) out += ".Pp\n";
    add_paragraph(paragraph, out);
    paragraph.clear();
    is_apart = false;
  };
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (line.empty()) {
      end_paragraph();
      is_apart = !out.empty() && !out.ends_with(".Ed\n");
    } else if (line.starts_with("  ")) {
      end_paragraph();
      if (out.ends_with(".Ed\n")) {
        out.erase(out.size() - 4);
        if (is_apart) out += '\n';
      } else {
        out += ".Bd -literal -offset 2n\n";
      }
      is_apart = false;
      out += guarded(escaped(line.substr(2))) + "\n.Ed\n";
    } else {
      if (paragraph.empty() && out.ends_with(".Ed\n")) is_apart = true;
      paragraph += ' ';
      paragraph += line;
    }
  }
  end_paragraph();
  return out;
}

std::string mdoc(const Page& page, std::string_view date) {
  std::string out;
  add_head(page, date, out);
  add_chapters(page.before_options, out);
  if (!page.options.empty()) out += ".Sh OPTIONS\n";
  for (const OptionSection& group : page.options) {
    if (!group.title.empty()) out += fmt::format(".Ss {}\n", group.title);
    add_options(group.rows, page.is_file, out);
  }
  if (!page.commands.empty()) out += ".Sh COMMANDS\n";
  for (const CommandText& command : page.commands) add_command(command, out);
  add_chapters(page.behind_options, out);
  if (page.see_also.empty()) return out;
  out += ".Sh SEE ALSO\n";
  for (const auto& [name, section] : page.see_also)
    out += fmt::format(".Xr {} {}{}\n", name, section, &name == &page.see_also.back().first ? "" : " ,");
  return out;
}

}  // namespace glimpse::manual
