#include "mnist/idx.h"

#include <algorithm>
#include <string_view>

namespace glimpse {

namespace {

constexpr std::uint32_t kImagesMagic = 2051;
constexpr std::uint32_t kLabelsMagic = 2049;

std::uint32_t big_endian_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

// Whether `bytes` begins with `magic` and `sizes` numbers. `what` is "images" or "labels".
Status check_header(std::span<const std::byte> bytes, std::string_view what, std::uint32_t magic,
                    std::size_t sizes) {
  const std::size_t header = 4 + 4 * sizes;
  if (bytes.size() < header) {
    return failure(ErrorCode::kCorrupt, "{}: {} bytes, but the header alone has {}", what, bytes.size(),
                   header);
  }
  if (const std::uint32_t found = big_endian_at(bytes, 0); found != magic) {
    return failure(ErrorCode::kCorrupt, "{}: begins with the number {}; an IDX file of {} begins with {}",
                   what, found, what, magic);
  }
  return {};
}

Status check_length(std::span<const std::byte> bytes, std::string_view what, std::uint64_t expected) {
  if (bytes.size() == expected) return {};
  return failure(ErrorCode::kCorrupt, "{}: the file has {} bytes; its header says {}", what, bytes.size(),
                 expected);
}

std::vector<std::uint8_t> bytes_from(std::span<const std::byte> bytes, std::size_t begin) {
  std::vector<std::uint8_t> result(bytes.size() - begin);
  std::transform(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end(), result.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return result;
}

}  // namespace

Result<LabelledImages> parse_idx(std::span<const std::byte> images, std::span<const std::byte> labels) {
  constexpr std::size_t kImagesHeader = 16;
  constexpr std::size_t kLabelsHeader = 8;
  constexpr std::uint32_t kLargestSide = 1 << 12;  // keeps every product below within 64 bits
  GLIMPSE_TRY(check_header(images, "images", kImagesMagic, 3));
  GLIMPSE_TRY(check_header(labels, "labels", kLabelsMagic, 1));

  LabelledImages result;
  const std::uint32_t count = big_endian_at(images, 4);
  const std::uint32_t rows = big_endian_at(images, 8);
  const std::uint32_t columns = big_endian_at(images, 12);
  if (rows == 0 || columns == 0 || rows > kLargestSide || columns > kLargestSide) {
    return failure(ErrorCode::kCorrupt, "images: of {} x {} pixels; each side must be from 1 to {}", rows,
                   columns, kLargestSide);
  }
  result.rows = rows;
  result.columns = columns;
  const std::uint64_t pixels = std::uint64_t{count} * rows * columns;
  GLIMPSE_TRY(check_length(images, "images", kImagesHeader + pixels));

  const std::uint32_t label_count = big_endian_at(labels, 4);
  if (const Status status = check_length(labels, "labels", kLabelsHeader + std::uint64_t{label_count});
      !status) {
    return status.error();
  }
  if (label_count != count) {
    return failure(ErrorCode::kCorrupt, "labels: {} labels, but there are {} images", label_count, count);
  }
  result.pixels = bytes_from(images, kImagesHeader);
  result.labels = bytes_from(labels, kLabelsHeader);
  return result;
}

Result<LabelledImages> read_mnist(FileSystem& files, const std::string& directory, const std::string& set) {
  const std::string stem = directory + "/" + set;
  GLIMPSE_TRY_ASSIGN(const auto images, files.read(stem + "-images-idx3-ubyte"));
  GLIMPSE_TRY_ASSIGN(const auto labels, files.read(stem + "-labels-idx1-ubyte"));
  auto result = parse_idx(images, labels);
  if (!result) return failure(result.error().code, "{}-*: {}", stem, result.error().message);
  return result;
}

std::vector<PairExample> select_pair(const LabelledImages& images, std::uint8_t negative,
                                     std::uint8_t positive) {
  std::vector<PairExample> examples;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::uint8_t label = images.labels[i];
    if (label != negative && label != positive) continue;
    const auto sign = static_cast<std::int8_t>(label == positive ? 1 : -1);
    examples.push_back({static_cast<std::uint32_t>(i), sign});
  }
  return examples;
}

}  // namespace glimpse
