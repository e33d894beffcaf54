#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "common/output.h"
#include "common/tool.h"
#include "manual/completions.h"
#include "manual/mdoc.h"
#include "manual/pages.h"

namespace {

constexpr std::string_view kUsage =
    "Usage: glimpse-manual FOLDER DATE\n"
    "Writes the manual pages of all programs, with DATE (as \"May 1, 2026\") at their feet, to FOLDER/man, "
    "and\n"
    "completions to FOLDER/bash and FOLDER/zsh. The build runs it.\n";

glimpse::Status write_all(const std::string& folder, std::string_view date) {
  using namespace glimpse::manual;
  for (const char* part : {"man", "bash", "zsh"}) std::filesystem::create_directories(folder + '/' + part);
  for (const Page& page : all_pages()) {
    const std::string path = fmt::format("{}/man/{}.{}", folder, page.name, page.section);
    GLIMPSE_TRY(glimpse::write_file(path, mdoc(page, date)));
    if (page.is_file) continue;
    for (const auto& [file, text] :
         {std::pair(fmt::format("{}/bash/{}", folder, page.name), bash_completion(page)),
          std::pair(fmt::format("{}/zsh/_{}", folder, page.name), zsh_completion(page))})
      GLIMPSE_TRY(glimpse::write_file(file, text));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "{}", kUsage);
    return glimpse::kExitBadOption;
  }
  try {
    const auto status = write_all(argv[1], argv[2]);
    return status ? 0 : glimpse::report("glimpse-manual", status.error());
  } catch (const std::exception& error) {
    return glimpse::report("glimpse-manual", {glimpse::ErrorCode::kSystem, error.what()});
  }
}
