#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "data/text/text.h"
#include "glimpsectl/client/connection.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/input/record_tape.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{500};  // how often it is seen whether the time is up
constexpr std::uint64_t kSpareCheckpoints =
    1000;  // a record has one at most; a source's checkpoints have others

/// Bytes one way and lines the other, over one connection, until the daemon has answered all and closes.
class Conversation {
 public:
  Conversation(const CommandLine& line, Console& console, ByteTape bytes, std::unique_ptr<Connection> link)
      : line_(line), console_(console), bytes_(std::move(bytes)), link_(std::move(link)) {
    if (!line.server.token.empty()) pending_ = "#glimpse token=" + line.server.token + "\n";
  }

  Status run() {
    for (;;) {
      const Status read = read_replies();
      if (!read) return finish(read);
      if (pending_.empty() && !at_end_ && !bytes_.waits(offset_)) GLIMPSE_TRY(read_input());
      const bool waits = pending_.empty() && !at_end_ && bytes_.waits(offset_);
      link_->wait(!pending_.empty(), waits ? bytes_.descriptor() : -1, kLook);
      if (const Status status = write_input(); !status) return finish(status);
      if (waits) moved_ = Clock::now();  // for the producer
      const bool is_silent = Clock::now() - moved_ > line_.timeout;
      if (is_silent || (at_end_ && Clock::now() - ended_ > HttpClient::longest(line_.timeout, received_)))
        return or_speaks_tls(
            failure(ErrorCode::kUnavailable, "{} does not {} {} (--timeout)", line_.server.text,
                    is_silent ? "answer within"
                              : fmt::format("end its answers within {} times", HttpClient::kLongest),
                    readable_duration(line_.timeout)));
    }
  }

 private:
  // A server of TLS breaks off what is none, or waits for more of it. Only one that has not said a line is
  // asked, as one that is none logs that.
  Error or_speaks_tls(const Error& error) const {
    if (has_line_ || line_.server.is_tls) return error;
    if (!link_->has_tls_alert() && !speaks_tls(line_.server, line_.timeout)) return error;
    return speaks_tls_error(line_.server);
  }

  Status read_input() {
    std::array<char, std::size_t{64} << 10> room;
    GLIMPSE_TRY_ASSIGN(const auto count, bytes_.read_at(offset_, room));
    pending_.assign(room.data(), count);
    offset_ += count;
    bytes_.forget(offset_);
    for (const unsigned char c : pending_) {
      const bool is_row = tail_ == Tail::kRow || (c < ' ' && c != '\t' && c != '\r');
      tail_ = c == '\n' ? Tail::kNone : is_row ? Tail::kRow : Tail::kLine;
    }
    // The end of a file ends its last line as well.
    if (count == 0 && std::exchange(tail_, Tail::kNone) == Tail::kLine) {
      pending_ = "\n";
      return {};
    }
    at_end_ = count == 0;
    ended_ = Clock::now();
    if (at_end_) link_->end_writing();
    return {};
  }

  Status write_input() {
    if (pending_.empty()) return {};
    GLIMPSE_TRY_ASSIGN(const auto count, link_->write(pending_));
    pending_.erase(0, count);
    if (count > 0) moved_ = Clock::now();
    return {};
  }

  Status read_replies() {
    for (const auto end = Clock::now() + kLook; Clock::now() < end;) {
      GLIMPSE_TRY_ASSIGN(const auto line, link_->line());
      if (!line) break;
      if (++replies_ > offset_ + kSpareCheckpoints)
        return failure(ErrorCode::kUnavailable, "{} sends more replies than it was sent bytes",
                       line_.server.text);
      moved_ = Clock::now();
      has_line_ = true;
      received_ += line->size();
      errors_ += line->starts_with("error: ") ? 1 : 0;
      is_http_ = is_http_ || line->starts_with("HTTP/1.");
      console_.out << (console_.out_is_terminal ? printable(*line) : *line) << '\n';
    }
    console_.out.flush();
    return {};
  }

  Status finish(const Status& ended) {
    [[maybe_unused]] const Status last = read_replies();  // what it said before it closed
    console_.out.flush();
    if (is_http_)
      return failure(ErrorCode::kInvalidInput, "{} speaks HTTP: --to takes the address of --listen",
                     line_.server.text);
    if (!at_end_ || !link_->is_closed()) return or_speaks_tls(ended.error());
    if (link_->has_tls_alert()) return or_speaks_tls(ended.error());
    if (errors_ == 0) return {};
    return failure(ErrorCode::kInvalidInput, "'{}': {} of the replies {} an error", line_.file,
                   with_thousands(errors_), errors_ == 1 ? "is" : "are");
  }

  const CommandLine& line_;
  Console& console_;
  ByteTape bytes_;
  std::unique_ptr<Connection> link_;
  enum class Tail : std::uint8_t { kNone, kLine, kRow };
  Tail tail_ = Tail::kNone;   // what was read behind the last newline; rows have bytes that no text has
  std::string pending_;       // not taken by the system yet
  std::uint64_t offset_ = 0;  // in the input
  bool at_end_ = false;       // of the input
  std::uint64_t errors_ = 0;
  std::uint64_t replies_ = 0;
  std::uint64_t received_ = 0;  // bytes of them
  bool has_line_ = false;       // of an answer
  bool is_http_ = false;
  Clock::time_point moved_ = Clock::now();
  Clock::time_point ended_ = moved_;  // the input
};

}  // namespace

Status talk_to_stream(const CommandLine& line, Console& console) {
  GLIMPSE_TRY_ASSIGN(auto bytes, ByteTape::open(line.file));
  GLIMPSE_TRY_ASSIGN(auto link, Connection::open(line.server, line.timeout));
  return Conversation(line, console, std::move(bytes), std::move(link)).run();
}

}  // namespace glimpse::ctl
