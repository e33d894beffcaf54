#include <doctest/doctest.h>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "compression/packing_test_support.h"
#include "daemon/ingest/input_source.h"

namespace byte_stream_test {

using namespace glimpse;

namespace {

class Pipe {
 public:
  Pipe() { REQUIRE(::pipe2(ends_, O_NONBLOCK | O_CLOEXEC) == 0); }
  ~Pipe() {
    ::close(ends_[0]);
    close();
  }
  int reader() const { return ends_[0]; }
  void write(std::string_view bytes) {
    REQUIRE(::write(ends_[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  void close() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

// Until the end, or until no more is there.
Result<std::string> read_all(ByteStream& stream, std::size_t room, bool& is_at_end) {
  std::string text;
  std::vector<char> space(room);
  for (;;) {
    const auto count = stream.read(space);
    if (!count) return count.error();
    is_at_end = *count == std::size_t{0};
    if (!*count || is_at_end) return text;
    text.append(space.data(), **count);
  }
}

}  // namespace

TEST_CASE("what is read from amid a plain file is not taken for packed bytes") {
  const int file = ::memfd_create("plain", MFD_CLOEXEC);
  const std::string packed = gzip_of("x");
  REQUIRE(::write(file, ("1234" + packed).data(), packed.size() + 4) > 4);
  ByteStream stream = ByteStream::from_beginning(file, 4);
  bool is_at_end = false;
  CHECK(*read_all(stream, 1000, is_at_end) == packed);
  ::close(file);
}

TEST_CASE("bytes come as they are, and decompressed where they were compressed, byte by byte as well") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "1,0.5,0.25\n";  // of high compression: much comes of a byte
  for (const std::string& bytes : {text, gzip_of(text), zstd_of(text)})
    for (const std::size_t room : {1UL, 1000UL, 100000UL})
      for (const std::size_t piece : {1UL, 3UL, 10000UL}) {
        Pipe pipe;
        ByteStream stream(pipe.reader());
        std::string back;
        bool is_at_end = false;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
          pipe.write(std::string_view(bytes).substr(at, piece));
          const auto part = read_all(stream, room, is_at_end);
          REQUIRE(part.has_value());
          back += *part;
          CHECK_FALSE(is_at_end);
        }
        pipe.close();
        const auto rest = read_all(stream, room, is_at_end);
        REQUIRE(rest.has_value());
        CHECK(is_at_end);
        CHECK(back + *rest == text);
        CHECK(stream.compression() == (bytes == text ? "" : bytes == gzip_of(text) ? "gzip" : "zstd"));
      }
}

TEST_CASE("data that ends where the room does ends there, from a pipe and from a file") {
  constexpr std::size_t kRoom = 500;
  for (const std::size_t size : {0UL, kRoom - 1, kRoom, kRoom + 1, 2 * kRoom, 131072 * 3UL}) {
    const std::string text(size, 'x');
    std::vector<std::string> streams = packings_of(text);
    streams.push_back(text);
    for (const std::string& bytes : streams) {
      CAPTURE(size);
      CAPTURE(bytes.size());
      const int file = ::memfd_create("packed", MFD_CLOEXEC);
      REQUIRE(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
      const std::size_t room = size > 2 * kRoom ? size / 3 : kRoom;
      bool is_at_end = false;
      ByteStream from_file = ByteStream::from_beginning(file);
      auto back = read_all(from_file, room, is_at_end);
      REQUIRE(back.has_value());
      CHECK(is_at_end);
      CHECK(*back == text);
      ::close(file);
      if (bytes.size() > 60000) continue;  // more than a pipe takes
      Pipe pipe;
      pipe.write(bytes);
      ByteStream from_pipe(pipe.reader());
      back = read_all(from_pipe, room, is_at_end);
      REQUIRE(back.has_value());
      CHECK_FALSE(is_at_end);
      CHECK_FALSE(from_pipe.has_bytes());
      pipe.close();
      const auto rest = read_all(from_pipe, room, is_at_end);
      REQUIRE(rest.has_value());
      CHECK(*back + *rest == text);
    }
  }
}

TEST_CASE("compressed bytes that are cut short are an error, and no end") {
  const std::string text(100000, 'x');
  for (const std::string& bytes : {gzip_of(text), zstd_of(text)}) {
    Pipe pipe;
    pipe.write(std::string_view(bytes).substr(0, bytes.size() - 3));
    pipe.close();
    ByteStream stream(pipe.reader());
    bool is_at_end = false;
    const auto back = read_all(stream, 4096, is_at_end);
    REQUIRE(back.has_error());
    CHECK(back.error().code == ErrorCode::kCorrupt);
    CHECK(back.error().message.find("it is cut short") != std::string::npos);
  }
}

TEST_CASE("fewer bytes than tell whether they are compressed are given at the end") {
  Pipe pipe;
  pipe.write("1\n");
  ByteStream stream(pipe.reader());
  bool is_at_end = false;
  CHECK(*read_all(stream, 100, is_at_end) == "");
  pipe.close();
  CHECK(*read_all(stream, 100, is_at_end) == "1\n");
  CHECK(is_at_end);
}

}  // namespace byte_stream_test
