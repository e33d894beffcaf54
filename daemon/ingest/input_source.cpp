#include "daemon/ingest/input_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "daemon/feeds/source_table.h"

namespace glimpse {

namespace {
constexpr std::size_t kComparedBytes = std::size_t{256} << 10;
}

Result<std::unique_ptr<InputSource>> InputSource::open(const std::string& path) {
  const bool standard = path == "-";
  // O_NONBLOCK: a FIFO that nobody writes to yet must not keep the other doors shut.
  const int descriptor = standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                  : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return failure(ErrorCode::kSystem, "--input {}: {}", path, std::strerror(errno));
  std::unique_ptr<InputSource> source(new InputSource(descriptor, standard ? "stdin" : path));
  if (::fstat(descriptor, &source->status_) < 0) return source->refuse(std::strerror(errno));
  if (S_ISDIR(source->status_.st_mode)) return source->refuse("is a directory");
  if (!standard && source->is_regular()) {
    const std::unique_ptr<char, decltype(&std::free)> canonical(::realpath(path.c_str(), nullptr),
                                                                &std::free);
    if (!canonical) return source->refuse(std::strerror(errno));
    source->address_ = canonical.get();
    // Better refused now than when its turn comes.
    char first = 0;
    if (::pread(descriptor, &first, 1, 0) < 0) return source->refuse(std::strerror(errno));
  }
  return source;
}

InputSource::~InputSource() { ::close(descriptor_); }

bool InputSource::is_same_as(const InputSource& other) const {
  return (is_regular() || S_ISFIFO(status_.st_mode)) && status_.st_dev == other.status_.st_dev &&
         status_.st_ino == other.status_.st_ino;
}

Error InputSource::refuse(const std::string& why) const {
  return failure(ErrorCode::kSystem, "--input {}: {}", name_, why);
}

Result<std::string> InputSource::read_at(std::uint64_t position, std::size_t size) const {
  std::string bytes(size, '\0');
  for (std::size_t filled = 0; filled < size;) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data() + filled, size - filled, static_cast<off_t>(position + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse(std::strerror(errno));
    if (count == 0) return refuse("became shorter while it was examined");
    filled += static_cast<std::size_t>(count);
  }
  return bytes;
}

// A reader that resumes in the middle of a file must take it as one that began at the beginning did: the
// first record that can be read tells the format, and may be a header.
Format InputSource::show_beginning(Feed& feed) const {
  if (!feed.framing.is_lines() && !feed.framing.has_header()) return Format::kAuto;
  RecordFramer framer(feed.framing);
  std::string lines;
  std::size_t shown = 0;
  Format format = Format::kAuto;
  for (std::uint64_t at = 0; at < feed.position;) {
    const auto piece =
        read_at(at, static_cast<std::size_t>(std::min<std::uint64_t>(kComparedBytes, feed.position - at)));
    if (!piece) return format;
    at += piece->size();
    lines += *piece;
    const auto whole = framer.whole_records(lines);
    if (!whole) return format;
    RecordCursor cursor(std::string_view(lines).substr(0, *whole), feed.framing);
    while (const auto record = cursor.next()) {
      const Format detected = feed.framing.is_lines() ? detect_format(*record) : Format::kAuto;
      if (feed.framing.is_lines() && detected == Format::kAuto) continue;  // blank or a comment
      if (format == Format::kAuto) format = detected;
      const Status opened = feed.reader->open(*record);
      if (opened || !feed.framing.is_lines() || ++shown == Source::kMostOpening) return format;
    }
    lines.erase(0, *whole);
  }
  return format;
}

Status InputSource::resume(Feed& feed, const ReadingOptions& before, const ReadingOptions& now) {
  if (feed.position == 0) return {};
  static constexpr const char* kAdvice = "give it another name, or start from nothing with --restore never";
  if (static_cast<std::uint64_t>(status_.st_size) < feed.position)
    return refuse(
        fmt::format("has {} bytes, but the checkpoint had read {}: it is not the same file any more; {}",
                    status_.st_size, feed.position, kAdvice));
  const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(feed.position, Fingerprint::kBytes));
  const auto head = read_at(0, part);
  if (!head) return head.error();
  const auto tail = read_at(feed.position - part, part);
  if (!tail) return tail.error();
  feed.fingerprint = Fingerprint(*head, *tail);
  if (feed.known_fingerprint != 0 && feed.known_fingerprint != feed.fingerprint.value())
    return refuse(fmt::format(
        "its first {} bytes are not those that the checkpoint had read: it is not the same file any more; {}",
        feed.position, kAdvice));
  const Format actual = show_beginning(feed);
  if (const std::string option = before.difference(now, actual); !option.empty())
    return refuse(
        fmt::format("its first {} bytes were read with {}, and this start asks for {}: the rest would be "
                    "taken otherwise; start with {}, or from nothing with --restore never",
                    feed.position, option, now.difference(before, actual), option));
  if (::lseek(descriptor_, static_cast<off_t>(feed.position), SEEK_SET) < 0)
    return refuse(std::strerror(errno));
  return {};
}

}  // namespace glimpse
