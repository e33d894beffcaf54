#include "base/command_line.h"

#include <algorithm>
#include <fmt/format.h>

namespace glimpse {

namespace {

Error unknown_option(std::string_view word, const std::vector<const OptionRow*>& rows) {
  std::string_view name = word;
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::vector<std::string_view> names;
  for (const OptionRow* const row : rows) names.emplace_back(row->name);
  const std::string nearest = nearest_name(name, names);
  return failure(ErrorCode::kInvalidOption, "unrecognised option '{}'{}", word,
                 nearest.empty() ? "" : fmt::format("; did you mean '--{}'?", nearest));
}

// "--name", or one letter that stands for a name; empty: neither.
std::string_view name_of(std::string_view word) {
  if (word == "-h") return "help";
  if (word == "-o") return "output";
  return word.starts_with("--") ? word.substr(2) : std::string_view();
}

}  // namespace

bool CommandWords::has(std::string_view option) const {
  return std::ranges::any_of(options, [&](const auto& given) { return given.first == option; });
}

std::vector<std::string> CommandWords::values_of(std::string_view option) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : options)
    if (name == option) values.push_back(value);
  return values;
}

Result<CommandWords> take_apart(const std::vector<std::string>& arguments,
                                const std::vector<const OptionRow*>& rows) {
  CommandWords given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      given.words.insert(given.words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         arguments.end());
      break;
    }
    if (!argument.starts_with('-') || argument == "-") {
      given.words.push_back(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string word = argument.substr(0, equals);
    const std::string_view name = name_of(word);
    const auto found = std::ranges::find(rows, name, &OptionRow::name);
    if (found == rows.end()) return unknown_option(word, rows);
    const OptionRow& row = **found;
    std::string value = "on";
    if (row.kind.is_flag && equals != std::string::npos)
      return failure(ErrorCode::kInvalidOption, "option '--{}' does not take any arguments", name);
    if (equals != std::string::npos)
      value = argument.substr(equals + 1);
    else if (!row.kind.is_flag && i + 1 == arguments.size())
      return failure(ErrorCode::kInvalidOption, "the required argument for option '--{}' is missing", name);
    else if (!row.kind.is_flag)
      value = arguments[++i];
    if (!row.kind.is_repeated && given.has(name))
      return invalid_option(
          name, value,
          fmt::format("can be given once only, and is '{}' before", given.values_of(name).front()));
    given.options.emplace_back(name, std::move(value));
  }
  return given;
}

namespace {

constexpr std::size_t kMostNames = 1000;  // a stream of wrong names costs little
constexpr std::size_t kMostCharacters = 100;

// How many single characters are to be put in, left out or changed.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + static_cast<std::size_t>(a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string lower(std::string_view text) {
  std::string result(text.substr(0, kMostCharacters));
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  const std::string wanted = lower(name);
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(2, wanted.size() / 2);  // more is another word
  for (const std::string_view one : known.first(std::min(known.size(), kMostNames))) {
    if (one.empty()) continue;
    const std::size_t distance = edits(wanted, lower(one));
    if (distance >= fewest && !(best.empty() && distance == fewest && wanted.size() > 2)) continue;
    fewest = distance;
    best = one;
  }
  return std::string(best);
}

namespace {

constexpr std::size_t kColumn = 28;        // where sentences of --help begin
constexpr std::size_t kLineColumns = 110;  // of a line of --help

// Characters, which UTF-8 writes with one or more bytes.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string wrapped(std::string first, std::string_view text, std::string_view indent, std::size_t columns) {
  std::string lines = std::move(first);
  std::size_t column = width(lines);
  for (bool begins_line = true; !text.empty(); begins_line = false) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!begins_line && column + 1 + width(word) > columns) {
      lines += '\n';
      lines += indent;
      column = width(indent);
    } else if (!begins_line) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += width(word);
  }
  return lines + '\n';
}

void append_help(std::string& help, std::string what, std::string_view sentence) {
  const std::string indent(kColumn, ' ');
  if (width(what) + 2 > kColumn) {
    help += what + '\n';
    what.clear();
  }
  what.append(kColumn - width(what), ' ');
  help += wrapped(std::move(what), sentence, indent, kLineColumns);
}

void append_help(std::string& help, std::string_view indent, const OptionRow& row) {
  append_help(help, fmt::format("{}--{}{}{}", indent, row.name, row.value.empty() ? "" : " ", row.value),
              row.described());
}

}  // namespace glimpse
