// The two IDX files of a set of labelled pictures: any bytes are refused with a message or are what their
// headers say; sound files are taken, and byte for byte.

#include <span>
#include <string>

#include "fuzzing.h"
#include "mnist/idx.h"

namespace glimpse::idx_fuzz {

Result<LabelledImages> parsed(const Exact& images, const Exact& labels) {
  return parse_idx(std::as_bytes(std::span(images.view())), std::as_bytes(std::span(labels.view())));
}

std::string header(std::initializer_list<std::uint32_t> numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

void check_any(std::string_view images, std::string_view labels) {
  const auto set = parsed(Exact(images), Exact(labels));
  if (!set) {
    require(!set.error().message.empty());
    return;
  }
  const auto count = static_cast<std::uint32_t>(set->size());
  const auto rows = static_cast<std::uint32_t>(set->rows);
  const auto columns = static_cast<std::uint32_t>(set->columns);
  const auto text = [](const std::vector<std::uint8_t>& bytes) {
    return std::string(bytes.begin(), bytes.end());
  };
  require(header({2051, count, rows, columns}) + text(set->pixels) == images);
  require(header({2049, count}) + text(set->labels) == labels);
}

void check_sound(std::size_t rows, std::size_t columns, std::string_view content) {
  const std::size_t count = content.size() / (rows * columns + 1);
  const std::string_view labels = content.substr(0, count);
  const std::string_view pixels = content.substr(count, count * rows * columns);
  const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  const auto set =
      parsed(Exact(header({2051, number(count), number(rows), number(columns)}) + std::string(pixels)),
             Exact(header({2049, number(count)}) + std::string(labels)));
  require(set && set->size() == count && set->dimension() == rows * columns);
  for (std::size_t i = 0; i < count; ++i) {
    require(set->labels[i] == static_cast<std::uint8_t>(labels[i]));
    const auto image = set->image(i);
    for (std::size_t p = 0; p < image.size(); ++p)
      require(image[p] == static_cast<std::uint8_t>(pixels[i * rows * columns + p]));
  }
  for (const PairExample& example : select_pair(*set, 3, 5))
    require(set->labels[example.image] == (example.label > 0 ? 5 : 3));
}

const Fuzzer fuzzer("idx", [](Input input) {
  const std::uint8_t choice = input.byte();
  if (choice % 2 == 0) {
    const std::size_t rows = 1 + input.byte() % 8;
    const std::size_t columns = 1 + input.byte() % 8;
    check_sound(rows, columns, input.rest());
  } else {
    const std::string_view images = input.take(input.number<std::uint16_t>());
    check_any(images, input.rest());
  }
});

}  // namespace glimpse::idx_fuzz
