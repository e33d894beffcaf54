#include "base/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

namespace glimpse {

// open() gives the lowest number that is free.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)
      (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace glimpse
