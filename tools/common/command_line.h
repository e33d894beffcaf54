#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/program_options.hpp>

#include "base/result.h"

namespace glimpse {

/// What the small tools share of their command lines: --help, errors in one line, exit statuses (0 fine, 1 it
/// failed, 2 the options were wrong).

inline constexpr int kExitFailure = 1;
inline constexpr int kExitBadOption = 2;

/// Prints "PROGRAM: message" to standard error and gives the status that belongs to the error.
int report(std::string_view program, const Error& error);

/// Parses the command line into `values`. `usage` is what --help shows before the options, `notes` after
/// them. Returns the exit status when the program is done: --help or --version was given, or an option was
/// wrong. Options named twice, unknown or left over are errors.
std::optional<int> parse_command_line(int argc, const char* const* argv, std::string_view program,
                                      std::string_view usage, std::string_view notes,
                                      boost::program_options::options_description options,
                                      boost::program_options::variables_map& values);

/// The whole number in the option `name`, within [lowest, highest]. A string option, so that "-1" is refused
/// and not taken modulo 2⁶⁴.
Result<std::uint64_t> whole_number(const boost::program_options::variables_map& values,
                                   const std::string& name, std::uint64_t lowest, std::uint64_t highest);

/// The finite number in the string option `name`.
Result<double> number(const boost::program_options::variables_map& values, const std::string& name);

}  // namespace glimpse
