#include "glimpsectl/send_patience.h"

#include <fmt/format.h>
#include <ostream>
#include <thread>
#include <unistd.h>
#include <utility>

#include "data/text/text.h"
#include "report/units.h"

namespace glimpse::ctl {

SendNotes::SendNotes(Console& console) : console_(console), shows_(::isatty(STDERR_FILENO) == 1) {}

void SendNotes::note(const std::string& message) {
  clear();
  console_.err << "glimpsectl: " << printable(message) << std::endl;
}

void SendNotes::show(const Progress& progress) {
  if (!shows_ || Clock::now() - drawn_ < kRedraw) return;
  drawn_ = Clock::now();
  const double seconds = std::chrono::duration<double>(drawn_ - begun_).count();
  console_.err << "\r" << readable_bytes(static_cast<double>(progress.bytes)) << " sent, "
               << with_thousands(progress.position) << " records, "
               << compact_number(static_cast<double>(progress.sent) / std::max(seconds, 1e-9)) << "/s, "
               << with_thousands(progress.durable) << " durable\x1b[K" << std::flush;
  shown_ = true;
}

void SendNotes::clear() {
  if (shown_) console_.err << "\r\x1b[K";
  shown_ = false;
}

void tell_end(Console& console, const std::string& source, std::uint64_t durable, std::uint64_t sent) {
  console.err << records(durable) << " of " << source << (durable == 1 ? " is" : " are") << " durable, "
              << with_thousands(sent) << " of them sent now" << std::endl;
}

std::string records(std::uint64_t count) { return counted(count, "record"); }

std::string records_are(std::uint64_t count) { return records(count) + (count == 1 ? " is" : " are"); }

SendPatience::SendPatience(const CommandLine& line, std::chrono::milliseconds longest_unmet)
    : wait_(line.wait), patience_(line.patience), longest_unmet_(longest_unmet) {}

void SendPatience::note_met() {
  if (!std::exchange(has_met_, true)) is_fruitless_ = false;
  note_moved();
}

void SendPatience::note_break(bool is_fruitful) {
  if (is_fruitful || !is_fruitless_) {
    began_ = Clock::now();
    pause_ = kFirstPause;
  }
  is_fruitless_ = !is_fruitful;
}

std::string SendPatience::limit() const {
  return fmt::format("{} ({})", readable_duration(most()), is_waiting() ? "--wait" : "--patience");
}

void SendPatience::pause() {
  std::this_thread::sleep_for(std::min(pause_, left()));
  pause_ = std::min(2 * pause_, has_met_ ? kLongestPause : longest_unmet_);
}

std::optional<std::string> SendPatience::trying_again(const std::string& reason) {
  if (std::exchange(told_, reason) == reason) return std::nullopt;
  return fmt::format("{}; trying again for up to {}", reason, limit());
}

}  // namespace glimpse::ctl
