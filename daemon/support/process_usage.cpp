#include "daemon/support/process_usage.h"

#include <cstdint>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace glimpse {

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return ProcessUsage::kUnknown;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Field 22 of proc(5), in ticks since the machine started; the program's name, in parentheses, may hold
// blanks.
double read_start() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr int kStart = 22;
  constexpr int kBehindName = 3;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return ProcessUsage::kUnknown;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = kBehindName; field < kStart; ++field) fields >> skipped;
  double ticks = 0;
  if (!(fields >> ticks)) return ProcessUsage::kUnknown;
  const double since_boot = ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME) + since_boot;
}

// Later kernels tell the number as the folder's size.
double count_descriptors() {
  struct stat folder{};
  if (::stat("/proc/self/fd", &folder) != 0) return ProcessUsage::kUnknown;
  if (folder.st_size > 0) return static_cast<double>(folder.st_size);
  DIR* const entries = ::opendir("/proc/self/fd");
  if (entries == nullptr) return ProcessUsage::kUnknown;
  double count = -1;  // the one of this look
  while (const dirent* entry = ::readdir(entries)) count += entry->d_name[0] != '.';
  ::closedir(entries);
  return count;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ProcessUsage process_usage() {
  ProcessUsage usage;
  if (rusage used{}; ::getrusage(RUSAGE_SELF, &used) == 0)
    usage.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  std::ifstream pages("/proc/self/statm");
  double all = 0;
  double resident = 0;
  if (pages >> all >> resident) {
    const auto page = static_cast<double>(::sysconf(_SC_PAGE_SIZE));
    usage.virtual_bytes = all * page;
    usage.resident_bytes = resident * page;
  }
  usage.open_descriptors = count_descriptors();
  if (rlimit limit{}; ::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    usage.most_descriptors = static_cast<double>(limit.rlim_cur);
  static const double started = read_start();  // a clock that is set later moves nothing
  usage.started_seconds = started;
  return usage;
}

// Blocks that are read at once are kept by their pools (BufferPool). Few heaps, as no thread allocates where
// speed matters, and each keeps pieces.
void tune_heap() {
#if defined(__GLIBC__)
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);  // bytes
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

void give_pieces_back() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace glimpse
