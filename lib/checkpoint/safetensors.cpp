#include "checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "data/text/encoding.h"
#include "json/strict_json.h"

namespace glimpse {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are copied as they lie in memory");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 64;  // a cache line, for those who map the file
constexpr std::string_view kMetadata = "__metadata__";

constexpr std::array<std::pair<ElementType, std::string_view>, 5> kTypeNames{{{ElementType::kU8, "U8"},
                                                                              {ElementType::kU32, "U32"},
                                                                              {ElementType::kU64, "U64"},
                                                                              {ElementType::kF32, "F32"},
                                                                              {ElementType::kF64, "F64"}}};

std::string_view name_of(ElementType type) {
  for (const auto& [known, name] : kTypeNames)
    if (known == type) return name;
  return {};
}

std::optional<ElementType> type_named(std::string_view wanted) {
  for (const auto& [type, name] : kTypeNames)
    if (name == wanted) return type;
  return std::nullopt;
}

std::string_view characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Error unusable_name(const char* what, std::string_view name, const char* why) {
  if (!is_utf8(name)) return failure(ErrorCode::kInvalidInput, "the name of a {} is not UTF-8", what);
  return failure(ErrorCode::kInvalidInput, "the {} '{}' {}", what, name, why);
}

/// Errors unless `name` is UTF-8 and new to `seen`.
Status take_name(const char* what, std::string_view name, std::unordered_set<std::string_view>& seen) {
  if (!is_utf8(name) || !seen.insert(name).second) return unusable_name(what, name, "occurs twice");
  return {};
}

/// No bytes may lie between tensors, so going from large elements to small ones is what keeps each of them
/// aligned. (By hand: GCC 12's std::stable_sort uses what C++20 deprecates, and Clang says so.)
std::vector<TensorView> in_file_order(std::vector<TensorView> tensors) {
  std::vector<TensorView> ordered;
  ordered.reserve(tensors.size());
  for (const std::size_t size : {8, 4, 1})
    for (auto& tensor : tensors)
      if (size_of(tensor.type) == size) ordered.push_back(std::move(tensor));
  return ordered;
}

Result<boost::json::object> describe(std::span<const TensorView> tensors, std::span<const Text> metadata) {
  boost::json::object header;
  std::unordered_set<std::string_view> seen;
  if (!metadata.empty()) {
    boost::json::object texts;
    for (const auto& [name, value] : metadata) {
      GLIMPSE_TRY(take_name("text", name, seen));
      if (!is_utf8(value)) return failure(ErrorCode::kInvalidInput, "the text '{}' is not UTF-8", name);
      texts.emplace(name, value);
    }
    header.emplace(kMetadata, std::move(texts));
  }

  seen.clear();
  std::size_t begin = 0;
  for (const auto& tensor : tensors) {
    GLIMPSE_TRY(take_name("tensor", tensor.name, seen));
    if (tensor.name == kMetadata) return unusable_name("tensor", tensor.name, "has the metadata's name");
    const std::size_t end = begin + tensor.bytes.size();
    boost::json::object description;
    description.emplace("dtype", name_of(tensor.type));
    description.emplace("shape", boost::json::array{tensor.bytes.size() / size_of(tensor.type)});
    description.emplace("data_offsets", boost::json::array{begin, end});
    header.emplace(tensor.name, std::move(description));
    begin = end;
  }
  return header;
}

/// A tensor's description in the header, before it is known whether all of them fit together.
struct Extent {
  std::string_view name;
  ElementType type;
  std::size_t begin;
  std::size_t end;
};

std::optional<std::size_t> as_size(const boost::json::value& value) {
  if (const auto* number = value.if_int64(); number != nullptr && *number >= 0)
    return static_cast<std::size_t>(*number);
  if (const auto* number = value.if_uint64()) return static_cast<std::size_t>(*number);
  return std::nullopt;
}

Error bad_tensor(std::string_view name, const char* why) {
  return failure(ErrorCode::kCorrupt, "safetensors: the tensor '{}' {}", name, why);
}

Result<Extent> decode_extent(std::string_view name, const boost::json::value& value, std::size_t data_size) {
  const auto* description = value.if_object();
  if (description == nullptr || description->size() != 3)
    return bad_tensor(name, "is not described by dtype, shape and data_offsets");

  const auto* dtype = description->if_contains("dtype");
  const auto type = dtype != nullptr && dtype->is_string() ? type_named(dtype->get_string()) : std::nullopt;
  if (!type) return bad_tensor(name, "has no dtype among U8, U32, U64, F32 and F64");

  const auto* shape = description->if_contains("shape");
  if (shape == nullptr || !shape->is_array() || shape->get_array().size() != 1)
    return bad_tensor(name, "has no shape of one dimension");
  const auto count = as_size(shape->get_array()[0]);

  const auto* offsets = description->if_contains("data_offsets");
  if (offsets == nullptr || !offsets->is_array() || offsets->get_array().size() != 2)
    return bad_tensor(name, "has no pair of data_offsets");
  const auto begin = as_size(offsets->get_array()[0]);
  const auto end = as_size(offsets->get_array()[1]);
  if (!begin || !end || *begin > *end || *end > data_size)
    return bad_tensor(name, "has data_offsets outside of the file");

  // Divided rather than multiplied: the count is anybody's number and the product might wrap around.
  const std::size_t bytes = *end - *begin;
  if (!count || bytes % size_of(*type) != 0 || bytes / size_of(*type) != *count)
    return bad_tensor(name, "has data_offsets that do not agree with its dtype and shape");
  return Extent{name, *type, *begin, *end};
}

Result<std::vector<Text>> decode_metadata(const boost::json::value& value) {
  if (!value.is_object()) return failure(ErrorCode::kCorrupt, "safetensors: __metadata__ is not an object");
  std::vector<Text> texts;
  for (const auto& member : value.get_object()) {
    if (!member.value().is_string())
      return failure(ErrorCode::kCorrupt, "safetensors: __metadata__ '{}' is not a string",
                     std::string_view(member.key()));
    texts.push_back({std::string(member.key()), std::string(std::string_view(member.value().get_string()))});
  }
  return texts;
}

}  // namespace

std::vector<TensorView> views_of(const State& state) {
  std::vector<TensorView> views;
  views.reserve(state.tensors().size());
  for (const auto& tensor : state.tensors()) views.push_back({tensor.name, tensor.type, tensor.bytes});
  return views;
}

std::size_t SafetensorsLayout::size() const {
  std::size_t size = header.size();
  for (const auto& tensor : tensors) size += tensor.bytes.size();
  return size;
}

Status SafetensorsLayout::write_to(WritableFile& file) const {
  // Learners keep many numbers as tensors of one element: together they are one write, not dozens.
  constexpr std::size_t kPage = 4096;
  std::string gathered = header;
  for (const auto& tensor : tensors) {
    if (tensor.bytes.size() < kPage) {
      gathered += characters(tensor.bytes);
      continue;
    }
    GLIMPSE_TRY(file.append(std::as_bytes(std::span(gathered))));
    gathered.clear();
    GLIMPSE_TRY(file.append(tensor.bytes));
  }
  return file.append(std::as_bytes(std::span(gathered)));
}

std::string SafetensorsLayout::bytes() const {
  std::string all;
  all.reserve(size());
  all += header;
  for (const auto& tensor : tensors) all += characters(tensor.bytes);
  return all;
}

Result<SafetensorsLayout> lay_out_safetensors(std::vector<TensorView> tensors,
                                              std::span<const Text> metadata) {
  auto ordered = in_file_order(std::move(tensors));
  GLIMPSE_TRY_ASSIGN(auto description, describe(ordered, metadata));

  const std::string json = boost::json::serialize(description);
  const std::size_t unpadded = kLengthBytes + json.size();
  const std::size_t padded = (unpadded + kAlignment - 1) / kAlignment * kAlignment;
  const std::uint64_t length = padded - kLengthBytes;
  if (length > kMaximalHeader)
    return failure(ErrorCode::kTooLarge, "safetensors: the header of {} bytes is longer than {}", length,
                   kMaximalHeader);
  std::string header(kLengthBytes, '\0');
  std::memcpy(header.data(), &length, kLengthBytes);
  header += json;
  header.resize(padded, ' ');
  return SafetensorsLayout{std::move(header), std::move(ordered)};
}

namespace {

struct Header {
  boost::json::value json;    // an object
  std::uint64_t data_at = 0;  // in the file
};

Result<Header> decode_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kLengthBytes)
    return failure(ErrorCode::kCorrupt, "safetensors: {} bytes are shorter than the length of a header",
                   bytes.size());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  bytes = bytes.subspan(kLengthBytes);
  if (length > bytes.size() || length > kMaximalHeader)
    return failure(ErrorCode::kCorrupt, "safetensors: a header of {} bytes in a file with {} more, limit {}",
                   length, bytes.size(), kMaximalHeader);

  const auto text = characters(bytes.first(length));
  auto header = parse_strict_json(text);
  if (!header) return failure(ErrorCode::kCorrupt, "safetensors: the header is {}", header.error().message);
  if (!text.starts_with('{') || !header->is_object())
    return failure(ErrorCode::kCorrupt, "safetensors: the header is not a JSON object");
  return Header{std::move(*header), kLengthBytes + length};
}

}  // namespace

Result<std::uint64_t> described_size(std::span<const std::byte> first) {
  GLIMPSE_TRY_ASSIGN(const auto header, decode_header(first));
  const std::uint64_t most = ~std::uint64_t{0} - header.data_at;
  std::uint64_t end = 0;
  for (const auto& member : header.json.get_object()) {
    if (std::string_view(member.key()) == kMetadata) continue;
    GLIMPSE_TRY_ASSIGN(const auto extent, decode_extent(member.key(), member.value(), most));
    end = std::max<std::uint64_t>(end, extent.end);
  }
  return header.data_at + end;
}

Result<SafetensorsContent> decode_safetensors(std::span<const std::byte> bytes) {
  GLIMPSE_TRY_ASSIGN(const auto header, decode_header(bytes));
  const auto data = bytes.subspan(header.data_at);

  SafetensorsContent content;
  std::vector<Extent> extents;
  for (const auto& member : header.json.get_object()) {
    if (std::string_view(member.key()) == kMetadata) {
      GLIMPSE_TRY_ASSIGN(content.metadata, decode_metadata(member.value()));
      continue;
    }
    GLIMPSE_TRY_ASSIGN(auto extent, decode_extent(member.key(), member.value(), data.size()));
    extents.push_back(extent);
  }

  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::size_t reached = 0;
  for (const auto& [name, type, begin, end] : extents) {
    if (begin != reached) return bad_tensor(name, "does not begin where the one before it ends");
    content.tensors.push_back({std::string(name), type, data.subspan(begin, end - begin)});
    reached = end;
  }
  if (reached != data.size())
    return failure(ErrorCode::kCorrupt, "safetensors: {} bytes of data, of which tensors fill {}",
                   data.size(), reached);
  return content;
}

}  // namespace glimpse
