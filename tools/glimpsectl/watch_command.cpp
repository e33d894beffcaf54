#include <algorithm>
#include <chrono>
#include <optional>
#include <signal.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <utility>

#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/reports/history_reports.h"
#include "glimpsectl/reports/watch.h"
#include "report/fields.h"
#include "report/table.h"

namespace glimpse::ctl {
namespace {

using Clock = std::chrono::steady_clock;

/// Ctrl-C is how a watch ends, at any moment, also while waiting for an answer: nothing is left to tidy up
/// but the line on the terminal.
extern "C" void end_watch_on_terminal(int) {
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, "\n", 1);
  ::_exit(0);
}
extern "C" void end_watch(int) { ::_exit(0); }

std::string local_time() {
  const time_t now = ::time(nullptr);
  tm parts{};
  ::localtime_r(&now, &parts);
  return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

struct Sample {
  std::string body;
  boost::json::object status;
  Clock::time_point taken;
};

// Of several labels the losses are those of `label`.
Result<Sample> take_sample(const HttpClient& client, std::string_view label) {
  const std::string target = "/v1/status";
  GLIMPSE_TRY_ASSIGN(auto body, client.get(target));
  const auto taken = Clock::now();
  auto status = parse_answer(body);
  if (!status) return client.unreadable(target, status.error().message);
  GLIMPSE_TRY(choose_label(*status, label));
  return Sample{std::move(body), std::move(*status), taken};
}

/// The daemon's history, kept up to date by what is new. A daemon of an earlier build has none: then there
/// are no lines of it.
class Past {
 public:
  Past(const HttpClient& client, std::string label) : client_(client), label_(std::move(label)) {}

  /// Asks for what is new. Whatever goes wrong is left to the line of progress to tell.
  void update() {
    // Samples are added to each other, which nobody thins: then the whole is asked for again.
    if (data_ && data_->column("examples").size() > most_) data_.reset();
    if (!is_there_) return;
    auto newer = ask();
    if (!newer) return;
    if (data_ && data_->append(*newer)) return;
    data_ = data_ ? ask_all() : std::move(newer);
    if (data_) most_ = std::max(kMost, 2 * data_->column("examples").size());
  }

  std::string lines(bool has_utf8, std::size_t room) const {
    return data_ ? history_lines(*data_, has_utf8, room) : std::string();
  }

 private:
  static constexpr std::size_t kMost = 5000;

  std::optional<HistoryData> ask_all() {
    data_.reset();
    return ask();
  }

  std::optional<HistoryData> ask() {
    auto data = ask_history(client_, data_ ? data_->last() : 0, label_);
    if (data) return std::move(*data);
    const ErrorCode code = data.error().code;
    is_there_ = code != ErrorCode::kInvalidInput && code != ErrorCode::kCorrupt;
    return std::nullopt;
  }

  const HttpClient& client_;
  const std::string label_;
  std::optional<HistoryData> data_;
  std::size_t most_ = kMost;
  bool is_there_ = true;
};

/// What is shown of one look after the other.
class Screen {
 public:
  Screen(const CommandLine& line, const Console& console)
      : is_json_(line.json),
        // Redrawn where that is possible and wanted.
        redraws_(console.out_is_terminal && !line.json),
        has_utf8_(console.out_is_terminal && console.has_utf8),
        columns_(redraws_ ? console.columns : nullptr) {}

  bool redraws() const { return redraws_; }
  /// Something else was printed: what is drawn next stands below it.
  void begin_again() { height_ = 0; }

  /// A file has the history once, at its beginning.
  bool wants_past() const { return !is_json_ && (redraws_ || !seen_); }

  std::string show(const Sample& now, const Past& past) {
    if (is_json_) return with_final_newline(now.body);
    const std::size_t room = this->room();
    std::string text = wants_past() ? past.lines(has_utf8_, std::min(room, kHistoryRoom)) : std::string();
    // Terminals fold lines that have become too long, each in its own way: what is drawn next stands below.
    const bool is_resized = seen_ && room != drawn_room_;
    if (is_resized) begin_again();
    drawn_room_ = room;
    const bool draws_all = !seen_ || !text.empty() || is_resized;
    if (draws_all) text += watch_header(room) + "\n";
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (redraws_ && draws_all && height_ > 0) text = fmt::format("\r\x1b[{}A\x1b[J", height_) + text;
    if (is_resized) text = "\n" + text;
    if (draws_all) height_ = lines;
    const double seconds = seen_ ? std::chrono::duration<double>(now.taken - seen_->taken).count() : 0;
    const auto shown = watch_line(local_time(), now.status, seen_ ? &seen_->status : nullptr, seconds, room);
    text += redraws_ ? "\r" + shown + "\x1b[K" : shown + "\n";
    return has_utf8_ ? text : in_ascii(std::move(text));
  }

  void note(Sample now) { seen_ = std::move(now); }
  bool has_seen() const { return seen_.has_value(); }

 private:
  static constexpr std::size_t kHistoryRoom = 79;

  // The last column of a terminal stays empty: what is written there may fold the line. One that does not
  // tell its size has the usual one.
  std::size_t room() const {
    if (!redraws_) return kAllRoom;
    const std::size_t columns = columns_ != nullptr ? columns_() : 0;
    return columns > 1 ? columns - 1 : kHistoryRoom;
  }

  const bool is_json_;
  const bool redraws_;
  const bool has_utf8_;
  std::size_t (*const columns_)();
  std::optional<Sample> seen_;
  std::size_t drawn_room_ = 0;
  std::size_t height_ = 0;  // lines above the present one that are drawn again
};

}  // namespace

Status watch_progress(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  Screen screen(line, console);
  Past past(client, line.label);
  if (!line.count) ::signal(SIGINT, screen.redraws() ? end_watch_on_terminal : end_watch);

  Status last;
  auto due = Clock::now();
  for (std::uint64_t lines = 0; !line.count || lines < *line.count; ++lines) {
    std::this_thread::sleep_until(due);
    // After a slow answer the missed lines are left out, not made up for.
    due = std::max(due + line.every, Clock::now());
    auto now = take_sample(client, line.label);
    if (!now) {
      // A daemon that restarts is worth waiting for; one that was never there is not.
      if (!screen.has_seen()) return now.error();
      last = now.error();
      console.err << (screen.redraws() ? "\n" : "") << "glimpsectl: " << printable(now.error().message)
                  << std::endl;
      screen.begin_again();
      continue;
    }
    last = Status();
    if (screen.wants_past()) past.update();
    Console drawn = console;
    drawn.out_is_terminal = console.out_is_terminal && !screen.redraws();  // its own escapes are meant
    GLIMPSE_TRY(write_output("", screen.show(*now, past), drawn));
    screen.note(std::move(*now));
  }
  if (screen.redraws()) console.out << std::endl;
  return last;
}

}  // namespace glimpse::ctl
