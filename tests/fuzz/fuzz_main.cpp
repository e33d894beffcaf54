// The program of all fuzzers: `fuzz NAME ARGUMENT...` is what libFuzzer makes of fuzzer NAME, with its
// arguments.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fuzzing.h"

namespace {

// This environment variable passes the name to the processes that libFuzzer starts (-jobs, -fork, -merge,
// -minimize_crash) with the other arguments. Where it is set, the first argument is not a name.
constexpr const char* kVariable = "GLIMPSE_FUZZER";

Fuzz chosen = nullptr;

[[noreturn]] void refuse(const char* name) {
  if (name != nullptr) std::fprintf(stderr, "fuzz: there is no fuzzer '%s'\n", name);
  std::fputs("Usage: fuzz NAME [ARGUMENT...]; 'fuzz NAME -help=1' lists the arguments\nNAME:", stderr);
  for (const auto& [known, fuzz] : fuzzers())
    std::fprintf(stderr, " %.*s", static_cast<int>(known.size()), known.data());
  std::fputs("\n", stderr);
  std::exit(2);
}

}  // namespace

/// Half of the time of a short input is the sanitizer's, which notes who allocated what and holds freed
/// memory back. To see who: ASAN_OPTIONS=malloc_context_size=30 with the input that was found.
extern "C" const char* __asan_default_options() { return "malloc_context_size=0:quarantine_size_mb=1"; }

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const char* name = std::getenv(kVariable);
  if (name == nullptr && *argc > 1) {
    name = (*argv)[1];
    std::copy(*argv + 2, *argv + *argc + 1, *argv + 1);
    --*argc;
    ::setenv(kVariable, name, 1);
  }
  const auto found = name != nullptr ? fuzzers().find(name) : fuzzers().end();
  if (found == fuzzers().end()) refuse(name);
  chosen = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen(Input(data, size));
  return 0;
}
