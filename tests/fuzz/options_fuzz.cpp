// Command lines and configuration files, up to everything that no file or socket is needed for: the text of
// every option, what contradicts what, and the learner's own rules. The first byte says whether arguments or
// a file follow, an option a line. Nothing is read, written or opened but the file itself, which is memory.

#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "daemon/config/command_line.h"
#include "fuzzing.h"

namespace glimpse::options_fuzz {

// A file in memory, for --config.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("configuration", 0)) { require(descriptor_ >= 0); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void hold(std::string_view text) const {
    require(::ftruncate(descriptor_, 0) == 0);
    require(::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }

 private:
  int descriptor_;
};

void check_addresses(const Configuration& c) {
  for (const Address& address : c.listen) {
    const auto again = parse_address("listen", address.text());
    // An IPv6 number in brackets loses these.
    if (address.kind != Address::Kind::kTcp || address.host.find(':') == std::string::npos)
      require(again && again->text() == address.text());
  }
}

void check(const std::vector<std::string>& arguments, bool twice) {
  const auto invocation = parse_command_line(arguments);
  if (!invocation) {
    require(!invocation.error().message.empty());
    return;
  }
  if (invocation->action != Invocation::Action::kRun) return;
  const Configuration& c = invocation->configuration;
  require(c.max_line_bytes >= 1 && c.max_header_bytes >= 1 && c.max_body_bytes >= 1 && c.queue_bytes >= 1);
  require(c.checkpoint_keep >= 1 && c.max_plans >= 1 && c.max_connections >= 1 && c.index_base <= 1);
  require(!c.inputs.empty() || !c.listen.empty() || !c.http.empty());
  check_addresses(c);
  solves_in_background(c);

  if (twice) {  // then nothing has changed; it takes as long again
    const auto again = parse_command_line(arguments);
    require(again.has_value());
    Configuration running = c;
    require(apply_changes(running, again->configuration).empty());
  }
  if (c.learner.dimension > 0) {
    const Status status = validate(c.learner);
    if (!status) require(!status.error().message.empty());
    if (status) require(!describe(c.learner).empty());
  }
}

const Fuzzer fuzzer("options", [](Input input) {
  static const MemoryFile file;
  const std::uint8_t choice = input.byte();
  std::vector<std::string> arguments;
  if (choice % 2 == 0) {
    while (!input.empty()) {
      std::string argument(input.up_to('\n'));
      if (argument.starts_with("--config")) continue;  // other files
      arguments.push_back(std::move(argument));
    }
  } else {
    file.hold(input.rest());
    arguments = {"--config", file.path()};
  }
  check(arguments, (choice & 2) != 0);
});

}  // namespace glimpse::options_fuzz
