#include "common/command_line.h"

#include <cstdio>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

#include <boost/program_options.hpp>

#include "base/option.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr unsigned kColumns = 100;  // of --help

// Values are texts: the library's own numbers would take -1 for a huge one.
po::options_description described(const std::vector<BoundOption>& options) {
  po::options_description all("Options", kColumns);
  auto add = all.add_options();
  for (const BoundOption& option : options) {
    if (option.is_flag) {
      add(option.name.c_str(), po::bool_switch(), option.sentence.c_str());
    } else if (option.is_repeated) {
      auto* values = po::value<std::vector<std::string>>()->value_name(option.value);
      add(option.name.c_str(), option.is_required ? values->required() : values, option.sentence.c_str());
    } else {
      auto* value = po::value<std::string>()->value_name(option.value);
      if (!option.standard.empty()) value->default_value(option.standard);
      add(option.name.c_str(), option.is_required ? value->required() : value, option.sentence.c_str());
    }
  }
  add("help,h", "show this and exit");
  return all;
}

// In the order given; the default where none is.
std::vector<std::string> values_of(const BoundOption& option, const po::variables_map& values) {
  if (values.count(option.name) == 0) return {};
  const po::variable_value& value = values[option.name];
  if (option.is_flag) return value.as<bool>() ? std::vector<std::string>{"on"} : std::vector<std::string>{};
  if (option.is_repeated) return value.as<std::vector<std::string>>();
  return {value.as<std::string>()};
}

Status read_values(const std::vector<BoundOption>& options, const po::variables_map& values) {
  for (const BoundOption& option : options)
    for (const std::string& value : values_of(option, values)) GLIMPSE_TRY(option.read(value));
  for (const BoundOption& option : options) {
    if (values[option.name].defaulted()) continue;
    for (const std::string& value : values_of(option, values)) GLIMPSE_TRY(option.check(value));
  }
  return {};
}

}  // namespace

int report(std::string_view program, const Error& error) {
  fmt::print(stderr, "{}: {}\n", program, error.message);
  return error.code == ErrorCode::kInvalidOption ? kExitBadOption : kExitFailure;
}

Result<bool> parse_command_line(int argc, const char* const* argv, const ProgramText& text,
                                const std::vector<BoundOption>& options) {
  const auto refused = [&](std::string_view what) {
    return failure(ErrorCode::kInvalidOption, "{}; see {} --help", what, text.name);
  };
  for (int i = 1; i < argc; ++i)
    if (const std::string_view word = argv[i]; word.starts_with('-') && holds_placeholder(word))
      return refused(fmt::format("unrecognised option '{}'", word));
  const po::options_description all = described(options);
  po::variables_map values;
  try {
    constexpr int kStyle = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    const auto parsed = po::command_line_parser(argc, argv).options(all).style(kStyle).run();
    for (const auto& option : parsed.options)
      if (option.position_key >= 0)
        return refused(fmt::format("argument '{}' belongs to no option", option.original_tokens.front()));
    po::store(parsed, values);
    if (values.count("help") != 0) {
      std::ostringstream help;
      help << text.usage << '\n' << all << text.notes;
      fmt::print("{}", help.str());
      return false;
    }
    po::notify(values);
  } catch (const po::error& error) {
    return refused(error.what());
  }
  GLIMPSE_TRY(read_values(options, values));
  return true;
}

}  // namespace glimpse
