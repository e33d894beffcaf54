#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "common/command_line.h"

namespace glimpse::manual {

/// What manual pages and completions say of a program. It is taken from the tables that the program itself
/// reads its command line by.

struct OptionText {
  std::string name;  ///< without dashes
  std::string value;
  std::string sentence;
  std::string standard;
  std::string example;
  std::string details;
  std::string accepts;
  std::vector<std::string> choices;  ///< words that a shell offers as values
  Reload reload = Reload::kRestart;
  bool is_flag = false;
  bool is_repeated = false;
  bool is_required = false;
};

struct OptionGroup {
  std::string title;
  std::vector<OptionText> options;
};

struct CommandText {
  std::string name;  ///< one word, or two
  std::string arguments;
  std::string sentence;
  std::vector<OptionText> options;
  std::string more;   ///< behind the sentence, and
  std::string notes;  ///< behind the options: paragraphs, and lines that are indented and stay as they are
  bool takes_file = false;  ///< a shell offers files
};

struct Chapter {
  std::string title;
  std::string text;  ///< as `notes`
};

struct Page {
  std::string name;
  int section = 1;
  std::string sentence;             ///< behind the name, in lists of pages
  std::vector<std::string> usages;  ///< behind the program's name
  std::string description;          ///< as `notes`
  std::vector<OptionGroup> options;
  std::vector<CommandText> commands;
  std::vector<Chapter> before_options, behind_options;
  std::vector<std::pair<std::string, int>> see_also;
  bool is_file = false;  ///< options are lines of a file
};

/// The words that a shell may offer for the value: those of the row, or of a value such as "on|off".
std::vector<std::string> words_of(const std::string& value, const std::vector<std::string>& choices);

template <class Target>
OptionText described(const Option<Target>& row) {
  return {.name = row.name,
          .value = row.value,
          .sentence = row.sentence,
          .standard = row.standard,
          .example = row.example,
          .details = row.details,
          .accepts = row.type.accepts,
          .choices = words_of(row.value, row.type.choices),
          .reload = row.reload,
          .is_flag = row.type.is_flag,
          .is_repeated = row.type.is_repeated,
          .is_required = row.is_required};
}

template <class Target>
std::vector<OptionText> described(const std::vector<Option<Target>>& rows) {
  std::vector<OptionText> texts;
  for (const Option<Target>& row : rows) texts.push_back(described(row));
  return texts;
}

/// With --help, which every tool has.
std::vector<OptionText> described(const std::vector<BoundOption>& rows);

}  // namespace glimpse::manual
