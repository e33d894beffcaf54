// The records that glimpsectl send counts are those that the daemon's framing makes of the same bytes, from a
// file and from a pipe, and from behind any record that was not forgotten the rest follows. The first bytes
// choose the format and where to go.

#include <fmt/format.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "data/records/record_framer.h"
#include "fuzzing.h"
#include "glimpsectl/input/record_tape.h"

namespace glimpse::tape_fuzz {

using namespace glimpse::ctl;

/// The bytes behind a descriptor of their own.
class Source {
 public:
  Source(std::string_view text, bool is_pipe) {
    if (is_pipe) {
      int ends[2];
      require(::pipe(ends) == 0);
      descriptor_ = ends[0];
      put(ends[1], text);
      open_tape();  // before the writer's end closes: a pipe without one is waited for
      ::close(ends[1]);
    } else {
      descriptor_ = ::memfd_create("tape", 0);
      require(descriptor_ >= 0);
      put(descriptor_, text);
      open_tape();
    }
  }
  ~Source() { ::close(descriptor_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  ByteTape take() { return std::move(*tape_); }

 private:
  static void put(int descriptor, std::string_view text) {
    require(::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }

  void open_tape() { tape_.emplace(ByteTape::open(fmt::format("/proc/self/fd/{}", descriptor_)).value()); }

  int descriptor_ = -1;
  std::optional<ByteTape> tape_;
};

/// The daemon's records: where each begins, and the end of the last.
struct Records {
  std::string text;  // as it is sent
  std::vector<std::size_t> begins{0};
  bool sound = true;

  std::size_t count() const { return begins.size() - 1; }
};

Records records_of(std::string_view text, Framing framing, bool is_npy) {
  Records records{std::string(text)};
  if (framing.is_lines() && !text.empty() && !text.ends_with('\n')) records.text += '\n';
  RecordFramer framer(framing);
  std::size_t at = 0;
  if (is_npy) {
    const auto header = framer.whole_records(records.text);
    if (!header || *header == 0) {
      records.sound = text.empty();
      return records;
    }
    at = *header;
    records.begins.push_back(at);
    framer = RecordFramer(framing.behind_header());  // send knows of one array
  }
  const auto rest = std::string_view(records.text).substr(at);
  const auto whole = framer.whole_records(rest);
  require(whole.has_value());
  records.sound = *whole == rest.size();
  RecordCursor cursor(rest.substr(0, *whole), framing.behind_header());
  while (cursor.next()) records.begins.push_back(at + cursor.position());
  return records;
}

std::string rest_of(RecordTape& tape, bool& ends) {
  std::string all;
  for (;;) {
    const std::uint64_t before = tape.position();
    const auto piece = tape.next();
    ends = piece.has_value();
    if (!piece) {
      require(!piece.error().message.empty());
      return all;
    }
    if (piece->bytes.empty()) return all;
    require(piece->records > 0 && tape.position() == before + piece->records);
    all += piece->bytes;
  }
}

void walk(RecordTape& tape, const Records& records, Input& steps, bool forgets) {
  std::uint64_t floor = 0;
  for (int step = 0; step < 3; ++step) {
    const std::size_t place = steps.byte() % (records.count() + 2);
    const Status found = tape.seek(place);
    require(found.has_value() == (place >= floor && place <= records.count()));
    if (!found) {
      require(!found.error().message.empty());
      require(tape.seek(floor).has_value());
    }
    const std::size_t at = found ? place : floor;
    require(tape.position() == at);
    bool ends = false;
    require(rest_of(tape, ends) ==
            records.text.substr(records.begins[at], records.begins.back() - records.begins[at]));
    require(ends == records.sound && tape.position() == records.count());
    const std::uint64_t forgotten = steps.byte() % (records.count() + 1);
    require(tape.forget(forgotten).has_value() && tape.position() == records.count());
    if (forgets) floor = std::max(floor, forgotten);
  }
}

bool is_packed(std::string_view text) {
  return text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd");
}

// Where each record ends is not known before the bytes are unpacked: none is counted.
void refuse_packed(RecordTape& tape, std::uint64_t place) {
  const auto piece = tape.next();
  require(!piece && piece.error().message.find("packed by") != std::string::npos && tape.position() == 0);
  require(tape.seek(place).has_value() == (place == 0));
  require(tape.seek(0).has_value() && tape.position() == 0);
}

// A header that may be any: its columns are for the daemon to compare with its own.
void read_any_npy(RecordTape& tape, std::uint64_t place) {
  bool ends = false;
  rest_of(tape, ends);
  const std::uint64_t count = tape.position();
  require(tape.seek(0).has_value());
  const Status found = tape.seek(place);
  require(found.has_value() == (place <= count));
  if (!found) require(!found.error().message.empty());
}

const Fuzzer fuzzer("tape", [](Input input) {
  const std::uint8_t choice = input.byte();
  const std::size_t dimension = 1 + choice / 8 % 8;
  const bool is_pipe = choice % 2 != 0;
  const std::string_view chosen = input.take(6);
  Input steps(reinterpret_cast<const std::uint8_t*>(chosen.data()), chosen.size());
  std::string text;
  const std::size_t row = (dimension + 1) * sizeof(float);
  std::string_view format = "auto";
  Framing framing = Framing::lines(std::size_t{1} << 20);
  if (choice / 2 % 4 == 1) {
    format = "f32";
    framing = Framing::rows(row);
  } else if (choice / 2 % 4 == 2) {
    Source source(input.rest(), is_pipe);
    RecordTape tape(source.take(), "npy", dimension);
    read_any_npy(tape, steps.byte() % 8);
    return;
  } else if (choice / 2 % 4 == 3) {
    format = "npy";
    framing = Framing::npy_rows(row);
    std::string header =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': (7, {}), }}", dimension + 1);
    header.resize(117, ' ');
    text = std::string("\x93NUMPY\x01\0\x76\0", 10) + header + '\n';
  }
  text += input.rest();
  if (format == "auto" && is_packed(text)) {
    Source source(text, is_pipe);
    RecordTape tape(source.take(), std::string(format), dimension);
    refuse_packed(tape, steps.byte() % 8);
    return;
  }
  const Records records = records_of(text, framing, format == "npy");
  Source source(text, is_pipe);
  RecordTape tape(source.take(), std::string(format), dimension);
  walk(tape, records, steps, is_pipe);
});

}  // namespace glimpse::tape_fuzz
