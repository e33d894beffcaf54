#include "scan.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "data/records/record_framer.h"
#include "data/text/text_kernel.h"

namespace glimpse {

namespace {
constexpr std::size_t kReadBytes = std::size_t{256} << 10;  // as FileInput
constexpr std::size_t kMostLine = std::size_t{16} << 20;
}  // namespace

Result<Scan> scan_csv(const std::string& path) {
  using Clock = std::chrono::steady_clock;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return failure(ErrorCode::kSystem, "{}: {}", path, std::strerror(errno));
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  const Framing framing = Framing::lines(kMostLine);
  RecordFramer framer(framing);
  std::string buffer;
  std::vector<FieldBlock> blocks;
  Scan scan;
  const auto scan_lines = [&](std::string_view lines) {
    RecordCursor cursor(lines, framing);
    while (const auto line = cursor.next()) {
      if (blocks.size() < field_blocks(line->size())) blocks.resize(field_blocks(line->size()));
      scan.delimiters += text_kernel().mark_fields(line->data(), line->size(), ',', blocks.data()).delimiters;
      ++scan.lines;
    }
  };
  for (std::size_t kept = 0;;) {
    buffer.resize(kept + kReadBytes);
    const std::size_t count = std::fread(buffer.data() + kept, 1, kReadBytes, file.get());
    if (std::ferror(file.get()) != 0)
      return failure(ErrorCode::kSystem, "{}: {}", path, std::strerror(errno));
    scan.bytes += count;
    buffer.resize(kept + count);
    const auto begin = Clock::now();
    std::size_t whole = buffer.size();
    if (count > 0) {
      const auto records = framer.whole_records(buffer);
      if (!records) return records.error();
      whole = *records;
    }
    scan_lines(std::string_view(buffer).substr(0, whole));
    scan.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    if (count == 0) return scan;
    kept = buffer.size() - whole;
    std::memmove(buffer.data(), buffer.data() + whole, kept);
  }
}

}  // namespace glimpse
