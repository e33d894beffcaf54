#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "glimpsectl/command_line.h"

namespace glimpse::ctl {

/// How the rows of command_table.h read their values. Each refuses with "--name 'value' must be …".

using Place = OptionType<CommandLine>;

Error refused(std::string message);

/// A checkpoint's name or its examples: what a folder, a blank or a query has is in neither.
Status read_checkpoint_name(const std::string& called, const std::string& text, CommandLine& line);
Place checkpoint_option();

/// Above 0.
Place duration_option(const char* name, std::chrono::milliseconds CommandLine::* member);
Place duration_option(const char* name, std::optional<std::chrono::milliseconds> CommandLine::* member);
/// A whole number from 1.
Place count_option(const char* name, std::size_t CommandLine::* member);
Place count_option(const char* name, std::optional<std::uint64_t> CommandLine::* member);
Place size_option(const char* name, std::uint64_t CommandLine::* member);
Place text_option(std::string CommandLine::* member);
/// Once for each value.
Place texts_option(std::vector<std::string> CommandLine::* member);
/// From 0.
Place partition_option();
Place file_option(const char* name, std::string CommandLine::* member);
/// predict: label, probabilities or scores.
Place predict_option();
/// plot: auto, r2, loss, rmse or wrong.
Place plotted_option();
Place flag_option(bool CommandLine::* member);
/// One of the words, which --help lists.
Place format_option(std::initializer_list<const char*> words);
/// The door that is asked. It keeps a token and authorities that were read before.
Place address_option(const char* name, bool is_stream);
/// send --to: a stream door, or kafka://…, which the command reads itself.
Place destination_option();
/// A file of certificates.
Place authorities_option();
/// The first line of a file, or what stands behind 'read ', 'learn ' or 'write ' there, as in the daemon's
/// own file: no list of processes shows a token that way. The file must be one that may hold a secret.
Place token_file_option();

/// ask: A,B,…; A=X,B=Y,…; prediction; a time for the server to read.
Place available_option();
Place known_option();
Place purpose_option();
Place ttl_option();

}  // namespace glimpse::ctl
