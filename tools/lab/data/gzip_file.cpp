#include "lab/data/gzip_file.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <zlib.h>

namespace glimpse {

Result<std::string> read_maybe_gzip(const std::string& path) {
  constexpr unsigned kBlock = 1U << 20;
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };
  errno = 0;
  const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rb"));
  if (!file) {
    return failure(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem, "cannot open file '{}': {}",
                   path, std::strerror(errno));
  }
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kBlock);
    const int count = gzread(file.get(), text.data() + before, kBlock);
    text.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count <= 0) break;
  }
  int code = Z_OK;
  const char* message = gzerror(file.get(), &code);
  if (code == Z_ERRNO)
    return failure(ErrorCode::kSystem, "cannot read file '{}': {}", path, std::strerror(errno));
  if (code != Z_OK && code != Z_STREAM_END)
    return failure(ErrorCode::kCorrupt, "file '{}' is not a whole gzip file: {}", path, message);
  return text;
}

}  // namespace glimpse
