#include <span>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"
#include "data/text/text.h"
#include "glimpsectl/commands.h"
#include "json/strict_json.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::kU8:
      return "U8";
    case ElementType::kU32:
      return "U32";
    case ElementType::kU64:
      return "U64";
    case ElementType::kF32:
      return "F32";
    case ElementType::kF64:
      return "F64";
  }
  return "?";
}

/// What a verified checkpoint says of itself. Errors: kCorrupt, kMismatch.
Result<json::object> describe(const std::string& file, std::span<const std::byte> bytes) {
  GLIMPSE_TRY(decode_checkpoint(bytes));
  GLIMPSE_TRY_ASSIGN(const auto content, decode_safetensors(bytes));
  GLIMPSE_TRY_ASSIGN(const auto metadata, parse_strict_json(content.metadata.at(0).value));

  json::object result = metadata.as_object();  // checksum, format, texts
  result.emplace("file", valid_utf8(file));
  result.emplace("size_bytes", bytes.size());
  result.emplace("checksum_ok", true);
  json::array tensors;
  for (const auto& tensor : content.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"type", name_of(tensor.type)},
                       {"count", tensor.bytes.size() / size_of(tensor.type)},
                       {"bytes", tensor.bytes.size()}});
  result.emplace("tensors", std::move(tensors));
  return result;
}

std::string checkpoint_report(const json::object& description) {
  Table summary({{"", true}, {"", true}});
  summary.add({"file", field_text("file", description.at("file"))});
  summary.add({"size", field_text("size_bytes", description.at("size_bytes"))});
  summary.add({"format", field_text("format", description.at("format"))});
  summary.add({"checksum", field_text("checksum", description.at("checksum")) + " ok"});
  std::string report = summary.text();

  Table texts({{"", true}, {"", true}});
  for (const auto& text : description.at("texts").as_object())
    texts.add({std::string(text.key()), field_text(text.key(), text.value())});
  if (!texts.empty()) report += "\ntexts\n" + texts.text();

  Table tensors({{"tensor", true}, {"type", true}, {"count"}, {"bytes"}});
  for (const auto& tensor : description.at("tensors").as_array())
    tensors.add({field_text("name", tensor.at("name")), field_text("type", tensor.at("type")),
                 field_text("count", tensor.at("count")), field_text("bytes", tensor.at("bytes"))});
  if (!tensors.empty()) report += "\n" + tensors.text();
  return report;
}

}  // namespace

Status inspect_checkpoint(const CommandLine& line, Console& console) {
  PosixFileSystem files;
  GLIMPSE_TRY_ASSIGN(const auto bytes, files.read(line.file));
  const auto description = describe(line.file, bytes);
  if (!description) {
    // Nothing in a file that does not verify is believed, let alone shown.
    if (line.json) {
      const json::object bad{{"file", valid_utf8(line.file)},
                             {"size_bytes", bytes.size()},
                             {"checksum_ok", description.error().code == ErrorCode::kMismatch},
                             {"error", description.error().message}};
      GLIMPSE_TRY(write_output("", json::serialize(bad) + "\n", console));
    }
    return failure(description.error().code, "'{}': {}", line.file, description.error().message);
  }
  return write_output("", line.json ? json::serialize(*description) + "\n" : checkpoint_report(*description),
                      console);
}

}  // namespace glimpse::ctl
