#include "common/command_line.h"

#include <cstdio>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

#include "base/option_words.h"
#include "data/text/number.h"

namespace glimpse {

namespace po = boost::program_options;

int report(std::string_view program, const Error& error) {
  fmt::print(stderr, "{}: {}\n", program, error.message);
  return error.code == ErrorCode::kInvalidOption ? kExitBadOption : kExitFailure;
}

std::optional<int> parse_command_line(int argc, const char* const* argv, std::string_view program,
                                      std::string_view usage, std::string_view notes,
                                      po::options_description options, po::variables_map& values) {
  options.add_options()("help,h", "show this and exit");
  for (int i = 1; i < argc; ++i)
    if (const std::string_view word = argv[i]; word.starts_with('-') && holds_placeholder(word))
      return report(program, failure(ErrorCode::kInvalidOption, "unrecognised option '{}'; see {} --help",
                                     word, program));
  try {
    constexpr int kStyle = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    const auto parsed = po::command_line_parser(argc, argv).options(options).style(kStyle).run();
    for (const auto& option : parsed.options) {
      if (option.position_key < 0) continue;
      return report(program,
                    failure(ErrorCode::kInvalidOption, "argument '{}' belongs to no option; see {} --help",
                            option.original_tokens.front(), program));
    }
    po::store(parsed, values);
    if (values.count("help") != 0) {
      std::ostringstream text;
      text << usage << '\n' << options << notes;
      fmt::print("{}", text.str());
      return 0;
    }
    po::notify(values);
  } catch (const po::error& error) {
    return report(program, failure(ErrorCode::kInvalidOption, "{}; see {} --help", error.what(), program));
  }
  return std::nullopt;
}

Result<std::uint64_t> whole_number(const po::variables_map& values, const std::string& name,
                                   std::uint64_t lowest, std::uint64_t highest) {
  const auto& text = values[name].as<std::string>();
  std::uint64_t value = 0;
  if (read_index(text, value) && value >= lowest && value <= highest) return value;
  return failure(ErrorCode::kInvalidOption, "--{} is '{}'; it must be a whole number from {} to {}", name,
                 text, lowest, highest);
}

Result<double> number(const po::variables_map& values, const std::string& name) {
  const auto& text = values[name].as<std::string>();
  double value = 0;
  if (read_number(text, value)) return value;
  return failure(ErrorCode::kInvalidOption, "--{} is '{}'; it must be a finite number", name, text);
}

}  // namespace glimpse
