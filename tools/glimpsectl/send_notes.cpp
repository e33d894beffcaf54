#include "glimpsectl/send_notes.h"

#include <algorithm>
#include <ostream>
#include <unistd.h>

#include "data/text/text.h"
#include "glimpsectl/format/units.h"

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

std::string readable(std::chrono::milliseconds time) {
  return readable_duration(std::chrono::duration<double>(time).count());
}

}  // namespace glimpse::ctl
