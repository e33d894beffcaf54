#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option_row.h"

namespace glimpse::manual {

/// What manual pages and completions say of a program. It is taken from the tables that the program itself
/// reads its command line by.

struct CommandText {
  std::string name;  ///< one word, or two
  std::string arguments;
  std::string sentence;
  std::vector<OptionRow> options;
  std::string more;  ///< behind the sentence: paragraphs, and lines that are indented and stay as they are
  bool takes_file = false;  ///< a shell offers files
};

struct Chapter {
  std::string title;
  std::string text;  ///< as `more`
};

struct Page {
  std::string name;
  int section = 1;
  std::string sentence;             ///< behind the name, in lists of pages
  std::vector<std::string> usages;  ///< behind the program's name
  std::string description;          ///< as `more`
  std::vector<OptionSection> options;
  std::vector<CommandText> commands;
  std::vector<Chapter> before_options, behind_options;
  std::vector<std::pair<std::string, int>> see_also;
  bool is_file = false;  ///< options are lines of a file
};

}  // namespace glimpse::manual
