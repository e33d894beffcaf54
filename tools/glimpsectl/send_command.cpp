#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/numbers.h"
#include "data/text/text.h"
#include "glimpsectl/client/connection.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/input/record_tape.h"
#include "glimpsectl/send_patience.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLongestWaitPause{1000};  // a daemon that starts is found soon
constexpr std::uint64_t kSpareReplies = 16;      // a record has one at most; this is for the end
constexpr milliseconds kPromise{5000};           // a daemon repeats that a checkpoint is to come each second
constexpr std::uint64_t kMostPromises = 1000;    // and for 10 minutes at most

std::optional<std::uint64_t> number_behind(std::string_view line, std::string_view word) {
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  return whole_text_as<std::uint64_t>(line);
}

/// Sends one source over as many connections as it takes.
class Sender {
 public:
  Sender(const CommandLine& line, Console& console, ByteTape bytes)
      : line_(line),
        console_(console),
        tape_(std::move(bytes), line.format, line.dimension),
        notes_(console),
        patience_(line, kLongestWaitPause) {}

  Status run() {
    for (;;) {
      const std::uint64_t before = inside_;
      const Status status = serve_connection();
      if (status || fatal_) return finish(status);
      if (std::exchange(is_refused_, false)) continue;
      inside_ = std::max({inside_, resume_.value_or(0), durable_});
      patience_.note_break(inside_ > before);
      if (patience_.is_over()) return finish(no_patience(status.error()));
      note_break(status.error());
      patience_.pause();
    }
  }

 private:
  // Success: everything is durable. `fatal_`: it makes no sense to come back.
  Status serve_connection() {
    auto link = Connection::open(line_.server, patience_.within(line_.timeout));
    // Where the command line is at fault, another try is in vain.
    if (!link && link.error().code == ErrorCode::kInvalidOption) return give_up(link.error());
    if (!link) return link.error();
    if (const Status status = greet(**link); !status) return without_greeting(status);
    patience_.note_met();
    if (const Status status = tape_.seek(*resume_); !status) return give_up(status);
    if (contents_ && *contents_ != tape_.contents())
      if (const Status status = other_contents(); !status) return give_up(status);
    if (!first_) first_ = *resume_;
    if (*resume_ > 0) note(records(tape_.without_header(*resume_)) + " received before");
    return send_rest(**link);
  }

  // Until the daemon says where to go on.
  Status greet(Connection& link) {
    resume_.reset();
    contents_.reset();
    replies_ = 0;
    promised_ = false;
    if (const auto sent = link.write(greeting()); !sent) return sent.error();
    const auto limit = patience_.within(line_.timeout);
    for (const auto end = Clock::now() + limit; !resume_;) {
      if (Clock::now() > end)
        return failure(ErrorCode::kUnavailable, "{} does not answer within {}", line_.server.text,
                       readable_duration(limit));
      link.wait(false, -1, SendNotes::kRedraw);
      if (const Status status = read_lines(link); !status) return status;
    }
    return {};
  }

  // A server of TLS breaks off what is none. It is asked once, as one that is none logs that, and not beyond
  // the patience.
  Status without_greeting(const Status& status) {
    if (fatal_ || is_refused_ || patience_.has_met() || line_.server.is_tls || patience_.is_over())
      return status;
    if (std::exchange(has_probed_, true)) return status;
    if (!speaks_tls(line_.server, patience_.within(line_.timeout))) return status;
    return give_up(speaks_tls_error(line_.server));
  }

  std::string greeting() const {
    const std::string& token = line_.server.token;
    const std::uint64_t memory = tape_.is_file() ? 0 : line_.memory;
    return "#glimpse " + (token.empty() ? "" : "token=" + token + " ") + "source=" + line_.source +
           (tells_memory() ? fmt::format(" memory={}", memory) : "") +
           (keys_refused_ == 0 ? " contents=1" : "") + "\n";
  }

  // The records inside are not those before the next one. A producer that makes its lines again need not make
  // the same.
  Status other_contents() {
    const std::string what = fmt::format(
        "the first {} records of '{}' are not those of source '{}' that the daemon received: it was changed, "
        "replaced or rotated since they were sent, or its last line had not ended",
        with_thousands(tape_.without_header(*resume_)), line_.file, line_.source);
    note(what + (tape_.is_file() ? "" : "; what is behind them is sent"));
    if (!tape_.is_file()) return {};
    return failure(
        ErrorCode::kInvalidInput,
        "send it as another source (--source NAME), or what is behind them all the same, as a pipe: "
        "cat FILE | glimpsectl send -");
  }

  // Whether the file begins with what was sent.
  Status check_file() const {
    if (!tape_.was_touched()) return {};
    auto bytes = ByteTape::open(line_.file);
    if (bytes) {
      RecordTape now(std::move(*bytes), line_.format, line_.dimension);
      if (now.seek(tape_.position()) && now.contents() == tape_.contents()) return {};
    }
    return failure(
        ErrorCode::kInvalidInput,
        "'{}' was changed, cut short, replaced or rotated while it was sent; send what it holds now "
        "as another source (--source NAME)",
        line_.file);
  }

  Error no_patience(const Error& error) const {
    return failure(
        error.code, "{}; given up after {}{}", error.message, patience_.limit(),
        patience_.has_met() ? "" : fmt::format(": does a glimpsed listen there (--listen {})?", listen()));
  }
  std::string listen() const {
    return line_.server.is_tls ? line_.server.with_tls(false) : line_.server.text;
  }

  // The same reason once while nobody is there yet, and each time afterwards.
  void note_break(const Error& error) {
    if (patience_.has_met()) return note(fmt::format("{}; trying again", error.message));
    if (const auto trying = patience_.trying_again(error.message)) note(*trying);
  }

  Status send_rest(Connection& link) {
    RecordTape::Piece piece;
    bool ended = false;
    for (;;) {
      if (ended && durable_ >= tape_.position()) return {};
      if (piece.bytes.empty())
        if (const Status status = tape_.forget(durable_); !status) return give_up(status);
      const bool may_read = !ended && piece.bytes.empty() && (tape_.kept_bytes() < line_.memory);
      const bool waits = may_read && tape_.waits();
      if (may_read && !waits) {
        auto next = tape_.next();
        if (!next) return give_up(next.error());
        piece = *next;
        ended = piece.bytes.empty();
        if (ended) link.end_writing();
        continue;
      }
      link.wait(!piece.bytes.empty(), waits ? tape_.descriptor() : -1, SendNotes::kRedraw);
      const Status read = read_lines(link);
      if (!read) return ended && durable_ >= tape_.position() ? Status() : read;
      if (!piece.bytes.empty()) {
        const auto count = link.write(piece.bytes);
        if (!count) return after_break(link, count.error());
        piece.bytes.remove_prefix(*count);
        sent_bytes_ += *count;
        if (*count > 0) patience_.note_moved();
      }
      if (waits) patience_.note_idle();  // the producer is slow, not the daemon
      if (patience_.still() > (promised_ ? std::max(line_.patience, kPromise) : line_.patience)) {
        return give_up(failure(ErrorCode::kUnavailable, "nothing moved for {} (--patience); {} durable{}{}",
                               readable_duration(line_.patience), records_are(durable()),
                               errors_ == 0 ? "" : "; the first that could not be read: " + first_error_,
                               failing_.empty() ? "" : "; the daemon cannot write checkpoints: " + failing_));
      }
      show();
    }
  }

  // What the daemon said before it closed says more than a broken pipe.
  Status after_break(Connection& link, const Error& error) {
    const Status last = read_lines(link);
    return fatal_ ? last : Status(error);
  }

  // What has come, but not for ever: patience goes on.
  Status read_lines(Connection& link) {
    for (const auto end = Clock::now() + SendNotes::kRedraw; Clock::now() < end;) {
      GLIMPSE_TRY_ASSIGN(const auto line, link.line());
      if (!line) break;
      GLIMPSE_TRY(take_line(*line));
    }
    console_.out.flush();
    return {};
  }

  Status take_line(const std::string& line) {
    if (take_news(line)) return {};
    const auto durable = resume_ ? number_behind(line, "durable ") : std::nullopt;
    if (!durable || *durable > durable_) patience_.note_moved();
    if (!resume_) {
      resume_ = number_behind(line, "resume ");
      if (resume_) return {};
      if (const auto contents = number_behind(line, "contents ")) {
        contents_ = contents;
        return {};
      }
      if (tells_memory() && line.starts_with("error: greeting #glimpse: '") &&
          line.find("' is not a key") != std::string::npos) {
        ++keys_refused_;
        is_refused_ = true;
        if (!tells_memory() && !tape_.is_file())
          note(
              "this glimpsed writes no checkpoints when it is asked to: what a pipe brings waits for those "
              "of "
              "its own (--checkpoint-every)");
        return failure(ErrorCode::kUnavailable, "{} is an older glimpsed", line_.server.text);
      }
      if (!line.starts_with("error: "))
        return give_up(failure(ErrorCode::kUnavailable,
                               "{} does not answer like a stream door of glimpsed: {}", line_.server.text,
                               line.substr(0, 80)));
    }
    if (durable) {
      if (const std::uint64_t most = std::max(*resume_, tape_.position()); *durable > most)
        return give_up(failure(ErrorCode::kUnavailable, "{} reports {} durable, and {} were sent",
                               line_.server.text, records(*durable), with_thousands(most)));
      if (*durable > durable_) {
        failing_.clear();
        promises_ = 0;
      }
      promised_ = false;
      durable_ = std::max(durable_, *durable);
    } else if (line.starts_with("error: ") && line.ends_with("; closing")) {
      return give_up(failure(ErrorCode::kInvalidInput, "{}: {}", line_.server.text, line.substr(7)));
    } else if (++replies_ > asked_here() + kSpareReplies) {
      return give_up(failure(ErrorCode::kUnavailable, "{} sent {} replies to {}", line_.server.text, replies_,
                             records(asked_here())));
    } else if (line.starts_with("error: ")) {
      if (++errors_ == 1) first_error_ = line.substr(7);
      if (errors_ <= kErrorsShown) note(line.substr(7));
      if (!console_.out_is_terminal) console_.out << line << '\n';  // in its place among the answers
    } else {
      console_.out << (console_.out_is_terminal ? printable(line) : line) << '\n';
    }
    return {};
  }

  // Of a checkpoint that was asked for. A promise counts as long as none fails: a disk that stays full must
  // not be waited for for ever.
  bool take_news(const std::string& line) {
    constexpr std::string_view kFailed = "checkpoint failed: ";
    if (!resume_ || !tells_memory()) return false;
    if (line == "checkpoint pending") {
      promised_ = failing_.empty() && ++promises_ <= kMostPromises;
      if (promised_) patience_.note_moved();
      return true;
    }
    if (!line.starts_with(kFailed)) return false;
    const std::string why = line.substr(kFailed.size());
    if (why != failing_)
      note(fmt::format("the daemon could not write a checkpoint, and tries again: {}", why));
    failing_ = why;
    promised_ = false;
    return true;
  }

  Status give_up(Status status) {
    fatal_ = true;
    return status;
  }

  bool tells_memory() const { return keys_refused_ < 2; }
  void note(const std::string& message) { notes_.note(message); }

  // Without a header, as people count.
  std::uint64_t position() const { return tape_.without_header(tape_.position()); }
  std::uint64_t durable() const { return tape_.without_header(durable_); }
  std::uint64_t sent_records() const {
    return position() - std::min(tape_.without_header(first_.value_or(0)), position());
  }

  // Records of this connection.
  std::uint64_t asked_here() const {
    return tape_.position() - std::min(resume_.value_or(tape_.position()), tape_.position());
  }

  void show() { notes_.show({sent_bytes_, position(), sent_records(), durable()}); }

  Status finish(const Status& status) {
    notes_.clear();
    console_.out.flush();
    if (!status) return status;
    if (tape_.has_ended_line() && tape_.is_file()) notes_.note(kEndedLine);
    tell_end(console_, line_.source, durable(), sent_records());
    if (const Status same = check_file(); !same) return same;
    if (const Status whole = tape_.check_end(); !whole)
      return failure(whole.error().code, "'{}': {}", line_.file, whole.error().message);
    if (errors_ == 0) return {};
    return failure(ErrorCode::kInvalidInput, "'{}': {} could not be read{}", line_.file, records(errors_),
                   errors_ > kErrorsShown ? fmt::format("; the first {} are shown", kErrorsShown) : "");
  }

  const CommandLine& line_;
  Console& console_;
  RecordTape tape_;
  SendNotes notes_;
  SendPatience patience_;
  int keys_refused_ = 0;                   // of the greeting: older daemons know no contents, or no memory
  bool is_refused_ = false;                // one of them, just now
  bool fatal_ = false;                     // it makes no sense to come back
  bool has_probed_ = false;                // for TLS
  std::optional<std::uint64_t> resume_;    // of this connection
  std::optional<std::uint64_t> first_;     // of the first
  std::optional<std::uint64_t> contents_;  // of what is inside, as the daemon knows it
  std::uint64_t durable_ = 0;
  std::uint64_t inside_ = 0;    // the most that any connection said
  bool promised_ = false;       // a checkpoint that was asked for
  std::uint64_t promises_ = 0;  // since more became durable
  std::string failing_;         // why the last checkpoint that was asked for failed; empty: it did not
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t errors_ = 0;
  std::string first_error_;
  std::uint64_t replies_ = 0;  // on this connection
};

}  // namespace

Status send_source(const CommandLine& line, Console& console) {
  GLIMPSE_TRY_ASSIGN(auto bytes, ByteTape::open(line.file));
  return Sender(line, console, std::move(bytes)).run();
}

}  // namespace glimpse::ctl
