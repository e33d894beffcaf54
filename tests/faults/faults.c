// A library for LD_PRELOAD that lets system calls of a running program fail. The file that GLIMPSE_FAULTS names says
// which, at any moment, a line each:
//
//   write ENOSPC      write() to a regular file fails so, except standard error; of a call that has more than a page, half
//                     is written first
//   fsync EIO         fsync() does
//   rename EIO        rename() does
//   create EROFS      open() for writing does
//   clock -3600       CLOCK_REALTIME is so many seconds off
//
// Known errors: EIO, ENOSPC, EROFS, EDQUOT.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The value that the file gives for `call`, or 0. Reads by system calls alone, since ours stand in for the others.
static int find_fault(const char* call, char* value, size_t room) {
  const char* path = getenv("GLIMPSE_FAULTS");
  if (path == NULL) return 0;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return 0;
  char text[512];
  const ssize_t size = read(file, text, sizeof text - 1);
  syscall(SYS_close, file);
  if (size <= 0) return 0;
  text[size] = '\0';
  for (const char* line = text; line != NULL && *line != '\0';) {
    char name[32];
    char word[32];
    if (sscanf(line, "%31s %31s", name, word) == 2 && strcmp(name, call) == 0) {
      snprintf(value, room, "%s", word);
      return 1;
    }
    line = strchr(line, '\n');
    if (line != NULL) ++line;
  }
  return 0;
}

static int error_of(const char* call) {
  char value[32];
  if (!find_fault(call, value, sizeof value)) return 0;
  if (strcmp(value, "ENOSPC") == 0) return ENOSPC;
  if (strcmp(value, "EROFS") == 0) return EROFS;
  if (strcmp(value, "EDQUOT") == 0) return EDQUOT;
  return EIO;
}

static int is_regular(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int file, const void* data, size_t size) {
  static const size_t kPage = 4096;
  if (size > 0 && file != STDERR_FILENO && is_regular(file)) {
    const int error = error_of("write");
    if (error != 0 && size <= kPage) {
      errno = error;
      return -1;
    }
    if (error != 0) size /= 2;
  }
  return syscall(SYS_write, file, data, size);
}

int fsync(int file) {
  errno = error_of("fsync");
  return errno != 0 ? -1 : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  errno = error_of("fsync");
  return errno != 0 ? -1 : (int)syscall(SYS_fdatasync, file);
}

int rename(const char* from, const char* to) {
  errno = error_of("rename");
  return errno != 0 ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int open_file(const char* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) != O_RDONLY) {
    const int error = error_of("create");
    if (error != 0) {
      errno = error;
      return -1;
    }
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path, flags, mode);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const int status = (int)syscall(SYS_clock_gettime, clock, time);
  char value[32];
  if (status == 0 && clock == CLOCK_REALTIME && find_fault("clock", value, sizeof value))
    time->tv_sec += atol(value);
  return status;
}
