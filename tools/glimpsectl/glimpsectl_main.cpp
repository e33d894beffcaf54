#include <clocale>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <langinfo.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

#include "base/file.h"
#include "glimpsectl/commands.h"

namespace {

// Numbers stay as they are in every locale: nothing but the characters is taken from it.
bool has_utf8() {
  std::setlocale(LC_CTYPE, "");
  return std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
}

// Asked for each time: people change the size of a window.
std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace glimpse::ctl;
  glimpse::hold_standard_descriptors();
  try {
    std::ios::sync_with_stdio(false);
    Console console{std::cin,
                    std::cout,
                    std::cerr,
                    ::isatty(STDOUT_FILENO) == 1,
                    has_utf8(),
                    terminal_columns,
                    ::isatty(STDERR_FILENO) == 1};
    const char* server = std::getenv("GLIMPSE_SERVER");
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const bool given = server != nullptr && *server != '\0';
    return static_cast<int>(
        glimpsectl(arguments, given ? std::string_view(server) : kDefaultServer, console));
  } catch (const std::exception& error) {  // out of memory, or a bug
    std::cerr << "glimpsectl: " << error.what() << std::endl;
    return static_cast<int>(ExitCode::kRefused);
  }
}
