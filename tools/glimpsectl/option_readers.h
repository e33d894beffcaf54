#pragma once

#include <string>

#include "base/result.h"
#include "glimpsectl/command_line.h"

namespace glimpse::ctl {

/// What rows of command_table.h read that no other program has. Errors (kInvalidOption) are whole messages.

Error refused(std::string message);

/// A checkpoint's name or its examples: what a folder, a blank or a query has is in neither.
Status read_checkpoint_name(const std::string& called, const std::string& text, CommandLine& line);
Status read_checkpoint(const std::string& text, CommandLine& line);
/// The door that is asked. It keeps a token and authorities that were read before.
Status read_server(const std::string& text, CommandLine& line);
/// --to: a door that does not speak HTTP; of send also kafka://…, which the command reads itself.
Status read_stream_door(const std::string& text, CommandLine& line);
Status read_destination(const std::string& text, CommandLine& line);
/// The first line of a file, or what stands behind 'read ', 'learn ' or 'write ' there, as in the daemon's
/// own file: no list of processes shows a token that way. The file must be one that may hold a secret.
Status read_token(const std::string& path, CommandLine& line);
/// predict: A,B,…
Status read_keep(const std::string& text, CommandLine& line);
/// ask: A,B,… and A=X,B=Y,…
Status read_available(const std::string& text, CommandLine& line);
Status read_known(const std::string& text, CommandLine& line);

}  // namespace glimpse::ctl
