// Streams that come in pieces: the framer and the buffer of the doors find the records that a walk over
// single bytes finds in the whole. The first bytes choose the framing and the sizes of the pieces.

#include <string>
#include <vector>

#include "daemon/ingest/record_buffer.h"
#include "data/records/npy_header.h"
#include "fuzzing.h"

namespace glimpse::framer_fuzz {

// Everything of `text` that is whole records, or what is before the first line over the limit.
struct Naive {
  std::size_t whole = 0;
  bool fails = false;
};

Naive whole_records(std::string_view text, const Framing& framing) {
  Naive found;
  for (bool at_header = framing.has_header(); at_header;) {  // of one array behind the other
    const std::string_view rest = text.substr(found.whole);
    const auto header = npy_header_length(rest);
    found.fails = !header;
    if (!header || *header == 0) return found;
    found.whole += *header;
    const auto rows = npy_rows_bytes(rest.substr(0, *header), framing.row_bytes());
    at_header = rows && rest.size() - *header > *rows && begins_npy_header(rest.substr(*header + *rows));
    if (at_header) found.whole += *rows;
  }
  if (!framing.is_lines()) {
    while (text.size() - found.whole >= framing.row_bytes()) found.whole += framing.row_bytes();
    return found;
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      found.whole = i + 1;
      length = 0;
    } else if (++length > framing.max_line_bytes()) {
      found.fails = true;
      return found;
    }
  }
  return found;
}

Framing framing_of(std::uint8_t choice) {
  const std::size_t bytes = 1 + (choice >> 2);
  switch (choice & 3) {
    case 0:
      return Framing::rows(bytes);
    case 1:
      return Framing::npy_rows(bytes);
    default:
      return Framing::lines(bytes);
  }
}

void in_pieces(std::string_view text, const Framing& framing, std::string_view sizes, const Naive& expected) {
  RecordFramer framer(framing);
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t piece = 0; end < text.size(); ++piece) {
    const std::size_t size = sizes.empty() ? 1 : 1 + static_cast<unsigned char>(sizes[piece % sizes.size()]);
    end = std::min(text.size(), end + size);
    for (;;) {  // a header is given out alone
      const Exact seen(text.substr(begin, end - begin));
      const auto whole = framer.whole_records(seen.view());
      if (!whole) {
        require(!whole.error().message.empty() && expected.fails && begin == expected.whole);
        return;
      }
      require(*whole <= end - begin);
      if (*whole == 0) break;
      begin += *whole;
    }
  }
  require(begin == expected.whole && !expected.fails);
}

void through_buffer(std::string_view text, const Framing& framing, std::string_view sizes,
                    const Naive& expected) {
  BufferPool pool(4 + (sizes.empty() ? 0 : static_cast<unsigned char>(sizes[0])), 2);
  RecordBuffer buffer(framing, pool);
  std::string taken;
  std::string_view rest = text;
  std::vector<Bytes> kept;  // what was given out stays as it was
  for (std::size_t piece = 0; !rest.empty(); ++piece) {
    const std::span<char> room = buffer.room();
    require(!room.empty());
    const std::size_t wanted =
        sizes.empty() ? 1 : 1 + static_cast<unsigned char>(sizes[piece % sizes.size()]);
    const std::size_t size = std::min({room.size(), rest.size(), wanted});
    std::copy_n(rest.begin(), size, room.begin());
    rest.remove_prefix(size);
    buffer.filled(size);
    for (;;) {
      auto records = buffer.take_records();
      if (!records) {
        require(expected.fails && taken.size() == expected.whole);
        return;
      }
      if (!*records) break;
      require((*records)->size() > 0);
      taken += (*records)->view;
      kept.push_back(std::move(**records));
    }
  }
  require(taken.size() == expected.whole && !expected.fails);
  require(taken == text.substr(0, taken.size()));
  require(buffer.size() == text.size() - taken.size());
  require(buffer.take_rest().view == text.substr(taken.size()));
  std::string again;
  for (const Bytes& bytes : kept) again += bytes.view;
  require(again == taken);
}

void through_cursor(std::string_view text, const Framing& framing) {
  const Exact exact(text);
  RecordCursor cursor(exact.view(), framing);
  std::size_t at = 0;
  while (const auto record = cursor.next()) {
    require(cursor.position() > at && cursor.position() <= text.size());
    require(record->size() <= cursor.position() - at);
    if (framing.is_lines()) require(record->find('\n') == std::string_view::npos);
    at = cursor.position();
  }
  require(at == text.size());
}

const Fuzzer fuzzer("framer", [](Input input) {
  const Framing framing = framing_of(input.byte());
  const std::string_view sizes = input.take(input.byte() % 8);
  const std::string_view text = input.rest();
  const Naive expected = whole_records(text, framing);
  in_pieces(text, framing, sizes, expected);
  through_buffer(text, framing, sizes, expected);
  through_cursor(text, framing);
});

}  // namespace glimpse::framer_fuzz
