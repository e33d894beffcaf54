#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace glimpse::ctl {

/// How a program ended.
struct Ended {
  int status = 0;      ///< of the exit; 128 and its number where a signal ended it
  std::string output;  ///< standard output and error together, as far as it was wanted
};

/// How long doctor waits for one.
constexpr std::chrono::seconds kPatience{20};

/// Runs a program that is looked for in PATH, with nothing as its standard input. Blocks until it ends, and
/// for `limit` and a second at most. Errors: kNotFound where there is no such program; kUnavailable where it
/// has not ended within `limit`, whether it closed its output or not: it is killed then; kSystem.
/// Of its output the first `most_output` bytes are kept. Thread-safe.
Result<Ended> run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                          std::size_t most_output = std::size_t{64} << 10);

/// The last line of what glimpsed wrote, without its name: why it did not start.
std::string last_line_of(std::string text);

/// A whole file as text; empty where it cannot be read. For those of /proc and /sys, which say no size.
std::string text_of_file(const std::string& path);

/// The number behind `key` and blanks at the beginning of a line: "Max open files   1024". Nothing: there is
/// none, or it is no number.
std::string word_behind(const std::string& text, const std::string& key);

}  // namespace glimpse::ctl
