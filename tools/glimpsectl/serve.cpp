// glimpsectl serve: glimpsed on a model in a file.

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "data/text/text.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/own_daemon.h"

namespace glimpse::ctl {

// This process becomes glimpsed, so that signals and service managers reach it.
Status serve_model(const CommandLine& line, Console& console) {
  const std::string& model = line.files.front();
  GLIMPSE_TRY_ASSIGN(const auto checkpoint, checkpoint_of(model));
  const std::string address = line.server.text.empty() ? "127.0.0.1:9318" : line.server.text;
  std::vector<std::string> words{daemon_program(line.daemon), "--serve", "--http", address};
  const bool learns = line.has("state-directory");
  if (learns) words.insert(words.end(), {"--state-directory", line.state_directory});
  if (!learns) words.insert(words.end(), {"--learn", "off"});
  // What was learned there goes on.
  const bool goes_on = learns && checkpoint_of(line.state_directory);
  if (!goes_on) words.insert(words.end(), {"--restore", checkpoint});
  words.insert(words.end(), line.passed.begin(), line.passed.end());
  console.out << "serving " << printable(goes_on ? line.state_directory : model) << " at " << address
              << (goes_on  ? std::string(", and learning on there")
                  : learns ? ", and learning on from a copy in " + printable(line.state_directory)
                           : ", reading only; --state-directory DIR learns on from a copy")
              << "\nnext: glimpsectl predict NEW.csv --keep id --server " << address << std::endl;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  return failure(ErrorCode::kSystem, "cannot run {}: {}", words.front(), std::strerror(errno));
}

}  // namespace glimpse::ctl
