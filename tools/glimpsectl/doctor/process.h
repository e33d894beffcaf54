#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <sys/types.h>
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

/// Starts a program that is looked for in PATH, with these descriptors as its own: it ends with this process,
/// however that ends, and with the thread that started it, and has its own signal mask. Errors: kNotFound
/// where there is no such program; kSystem. Thread-safe.
Result<pid_t> start_program(const std::vector<std::string>& words, int in, int out, int err);

/// Signals that end this process, SIGINT, SIGTERM and SIGHUP where they are not ignored, first kill what
/// start_program() started and call `clean_up` on a thread of their own, from now on. Before other threads
/// are started; once, else nothing is done.
void clean_up_at_signals(void (*clean_up)());

/// Whether such a signal came: this process ends soon.
bool a_signal_ends_this();

/// Whether standard output is a pipe that nobody reads.
bool is_output_closed();

/// Runs a program that is looked for in PATH, with nothing as its standard input. Blocks until it ends, and
/// for `limit` and a second at most. Errors: kNotFound where there is no such program; kUnavailable where it
/// has not ended within `limit`, whether it closed its output or not: it is killed then; kSystem.
/// Of its output the first `most_output` bytes are kept. Thread-safe.
Result<Ended> run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                          std::size_t most_output = std::size_t{64} << 10);

/// Ended::status, of what waitpid() says.
int status_of_exit(int status);

/// What a log of glimpsed says at a level, without times and levels.
std::vector<std::string> lines_of(const std::string& log, std::string_view level);

/// Why glimpsed failed: the reason with which it refused to start, else its first error, with the first
/// record that was refused where all were, else the signal that ended it, else its last line.
std::string reason_of(const Ended& ended);

/// A whole file as text; empty where it cannot be read. For those of /proc and /sys, which say no size.
std::string text_of_file(const std::string& path);

/// The number behind `key` and blanks at the beginning of a line: "Max open files   1024". Nothing: there is
/// none, or it is no number.
std::string word_behind(const std::string& text, const std::string& key);

}  // namespace glimpse::ctl
