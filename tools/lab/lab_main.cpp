#include <algorithm>
#include <fmt/core.h>
#include <string_view>

#include "common/tool.h"
#include "lab/commands.h"

int main(int argc, char** argv) {
  using namespace glimpse;
  const std::string_view name = argc > 1 ? argv[1] : "";
  const auto& table = lab_commands();
  const auto command =
      std::find_if(table.begin(), table.end(), [&](const LabCommand& row) { return row.name == name; });
  if (command != table.end()) return command->make().run(argc - 1, argv + 1);
  if (name == "--help" || name == "-h") {
    fmt::print("{}\n", lab_usage());
    for (const LabCommand& row : table) fmt::print("  {:<12} {}\n", row.name, row.sentence);
    fmt::print("\nglimpse-lab COMMAND --help explains a command.\n");
    return 0;
  }
  fmt::print(stderr, "glimpse-lab: {}; see glimpse-lab --help\n",
             name.empty() ? "which command?" : fmt::format("command '{}' is unknown", name));
  return kExitBadOption;
}
