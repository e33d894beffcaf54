#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option_row.h"
#include "base/result.h"

namespace glimpse {

/// The command lines of all programs, and the text of their --help.

/// What somebody typed, taken apart. Values are texts that nobody has looked at yet.
struct CommandWords {
  std::vector<std::pair<std::string, std::string>> options;  ///< name and value as given; of a flag "on"
  std::vector<std::string> words;                            ///< beside options, and all behind "--"

  bool has(std::string_view option) const;
  /// In the order given.
  std::vector<std::string> values_of(std::string_view option) const;
};

/// Takes arguments (without the program's name) apart: "--name value", "--name=value"; -h is --help, and -o
/// is
/// --output where there is one; "-" alone is a word. Of rows of one name the first counts. Errors
/// (kInvalidOption): an option that is not known, with the nearest that is; one without its value, or with a
/// value though it takes none; one given twice that is not repeated.
Result<CommandWords> take_apart(const std::vector<std::string>& arguments,
                                const std::vector<const OptionRow*>& rows);

/// The known name that is most like `name`, whatever its case; empty: none is like it. Empty names are none.
/// O(names), of which the first 1,000 are looked at.
std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

/// `text` in lines of at most `columns` characters behind `first`; further lines begin with `indent`.
std::string wrapped(std::string first, std::string_view text, std::string_view indent, std::size_t columns);

/// An entry of --help: what is explained, and the sentence beside it, or below it where it is long.
void append_help(std::string& help, std::string what, std::string_view sentence);
/// "  --budget K    the sentence; default …".
void append_help(std::string& help, std::string_view indent, const OptionRow& row);

}  // namespace glimpse
