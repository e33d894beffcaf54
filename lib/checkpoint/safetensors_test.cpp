#include "checkpoint/safetensors.h"

#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/faulty_file_system_test_support.h"

namespace safetensors_test {

using namespace glimpse;

namespace {

/// A file from its JSON and data, as somebody else might write it.
std::string file_of(std::string_view json, std::string_view data = "") {
  const std::uint64_t length = json.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  return file.append(json).append(data);
}

Result<SafetensorsContent> decode(std::string_view file) {
  return decode_safetensors(std::as_bytes(std::span(file)));
}

/// The reason why a file with this JSON is refused.
std::string refusal(std::string_view json, std::string_view data = "") {
  const auto content = decode(file_of(json, data));
  if (content) return "accepted";
  CHECK(content.error().code == ErrorCode::kCorrupt);
  return content.error().message;
}

State example_state() {
  State state;
  state.begin();
  state.put<std::uint8_t>("flags", 3)[1] = 7;
  state.put_number("loss", 0.25);
  state.put<std::uint32_t>("indices", 5)[4] = 1U << 31;
  state.put<double>("empty", 0);
  state.put<float>("small", 2)[0] = 1.5F;
  state.put_number("examples", std::uint64_t{1} << 63);
  state.finish();
  return state;
}

}  // namespace

TEST_CASE("the layout is that of safetensors, to the byte") {
  State state;
  state.begin();
  state.put<std::uint8_t>("b", 1)[0] = 'B';
  state.put<std::uint64_t>("a", 1)[0] = 0x4141414141414141;
  state.finish();
  const std::vector<Text> metadata{{"who", "\"me\""}};
  const auto layout = lay_out_safetensors(views_of(state), metadata);
  REQUIRE(layout.has_value());

  std::string json = R"({"__metadata__":{"who":"\"me\""},)"
                     R"("a":{"dtype":"U64","shape":[1],"data_offsets":[0,8]},)"
                     R"("b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}})";
  json.resize(184, ' ');
  CHECK(layout->bytes() == file_of(json, "AAAAAAAAB"));
  CHECK(layout->size() == layout->bytes().size());
}

TEST_CASE("data begins at a multiple of 64 and every tensor at a multiple of its element size") {
  const State state = example_state();
  const auto layout = lay_out_safetensors(views_of(state), {});
  REQUIRE(layout.has_value());
  CHECK(layout->header.size() % 64 == 0);
  std::size_t offset = layout->header.size();
  for (const auto& tensor : layout->tensors) {
    CHECK(offset % size_of(tensor.type) == 0);
    offset += tensor.bytes.size();
  }
}

TEST_CASE("what was laid out is decoded to the bit, with its metadata") {
  const State state = example_state();
  const std::vector<Text> metadata{{"a", ""}, {"caf\xc3\xa9 \"\\\n", std::string("x\0y", 3)}};
  const auto file = lay_out_safetensors(views_of(state), metadata)->bytes();
  const auto content = decode(file);
  REQUIRE(content.has_value());
  REQUIRE(content->metadata.size() == 2);
  CHECK(content->metadata[1].name == metadata[1].name);
  CHECK(content->metadata[1].value == metadata[1].value);
  CHECK(content->tensors.size() == state.tensors().size());
  for (const auto& view : content->tensors) {
    const auto* tensor = state.find(view.name);
    REQUIRE(tensor != nullptr);
    CHECK(view.type == tensor->type);
    CHECK(std::vector<std::byte>(view.bytes.begin(), view.bytes.end()) == tensor->bytes);
  }
}

TEST_CASE("a file that is written piece by piece has the bytes of the whole") {
  State state = example_state();
  state.begin();
  state.put<std::uint8_t>("small", 10)[9] = 9;
  state.put<double>("large", 5000)[4999] = 1e-300;
  state.put<float>("medium", 1024)[3] = 3;
  state.finish();
  const auto layout = lay_out_safetensors(views_of(state), {});
  REQUIRE(layout.has_value());
  FaultyFileSystem files;
  REQUIRE(files.create_directories("/d").has_value());
  REQUIRE(layout->write_to(**files.create("/d/file")).has_value());
  const auto written = files.read("/d/file").value();
  CHECK(std::string_view(reinterpret_cast<const char*>(written.data()), written.size()) == layout->bytes());
}

TEST_CASE("no tensors, no metadata and files of other writers are read") {
  CHECK(decode(lay_out_safetensors({}, {})->bytes())->tensors.empty());
  CHECK(decode(file_of("{}"))->metadata.empty());
  CHECK(decode(file_of("{\"__metadata__\": {}}  \n"))->metadata.empty());

  // Tensors in another order than their data, and not aligned.
  const auto content = decode(file_of(R"({"b":{"shape":[2],"data_offsets":[1,9],"dtype":"F32"},)"
                                      R"("z":{"dtype":"F64","shape":[0],"data_offsets":[9,9]},)"
                                      R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                                      "123456789"));
  REQUIRE(content.has_value());
  CHECK(content->tensors[0].name == "a");
  CHECK(content->tensors[1].bytes.size() == 8);
  CHECK(content->tensors[2].bytes.empty());
}

TEST_CASE("what no reader would open is not written") {
  const std::vector<TensorView> twice{{"a", ElementType::kU8, {}}, {"a", ElementType::kF64, {}}};
  CHECK(lay_out_safetensors(twice, {}).error().message == "the tensor 'a' occurs twice");
  CHECK(lay_out_safetensors({{"__metadata__", ElementType::kU8, {}}}, {}).error().message ==
        "the tensor '__metadata__' has the metadata's name");
  CHECK(lay_out_safetensors({{"\xff", ElementType::kU8, {}}}, {}).error().message ==
        "the name of a tensor is not UTF-8");
  const std::vector<Text> texts{{"t", "1"}, {"t", "1"}};
  CHECK(lay_out_safetensors({}, texts).error().message == "the text 't' occurs twice");
  const std::vector<Text> long_text{{"t", std::string(100'000'000, 'x')}};
  CHECK(lay_out_safetensors({}, long_text).error().code == ErrorCode::kTooLarge);
}

TEST_CASE("lengths that do not fit are refused") {
  CHECK(decode("").error().message == "safetensors: 0 bytes are shorter than the length of a header");
  CHECK(decode("1234567").error().code == ErrorCode::kCorrupt);
  CHECK(decode(file_of("{} ").substr(0, 10)).error().message ==
        "safetensors: a header of 3 bytes in a file with 2 more, limit 100000000");
  CHECK(decode(std::string(8, '\xff') + "{}").error().code == ErrorCode::kCorrupt);
  CHECK(decode(std::string(8, '\0')).error().code == ErrorCode::kCorrupt);
  CHECK(refusal("{}", "x") == "safetensors: 1 bytes of data, of which tensors fill 0");
}

TEST_CASE("a header that is not one plain JSON object is refused") {
  CHECK(refusal(" {}") == "safetensors: the header is not a JSON object");
  CHECK(refusal("[]") == "safetensors: the header is not a JSON object");
  CHECK(refusal("{") == "safetensors: the header is not valid JSON: incomplete JSON");
  CHECK(refusal(R"({"__metadata__":{"a":1}})") == "safetensors: __metadata__ 'a' is not a string");
  CHECK(refusal(R"({"__metadata__":[]})") == "safetensors: __metadata__ is not an object");
  CHECK(refusal(R"({"__metadata__":{"a":"1","a":"1"}})") ==
        "safetensors: the header is a key occurs twice in a JSON object");
  CHECK(refusal(std::string(1000, '[')).find("not valid JSON") != std::string::npos);
}

TEST_CASE("every part of a tensor's description is verified") {
  const auto tensor = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    const auto json =
        fmt::format(R"({{"t":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", dtype, shape, offsets);
    const auto reason = refusal(json, "12345678");
    return reason.substr(reason.find("'t' ") == std::string::npos ? 0 : reason.find("'t' ") + 4);
  };
  CHECK(tensor("\"F64\"", "[1]", "[0,8]") == "accepted");

  for (const char* dtype : {"\"BF16\"", "\"\"", "\"f64\"", "1", "null"})
    CHECK(tensor(dtype, "[1]", "[0,8]") == "has no dtype among U8, U32, U64, F32 and F64");
  for (const char* shape : {"[]", "[1,1]", "1", "null", "{}"})
    CHECK(tensor("\"F64\"", shape, "[0,8]") == "has no shape of one dimension");
  // 2^61 + 1 elements of 8 bytes are 8 bytes to arithmetic that wraps around.
  for (const char* shape :
       {"[0]", "[2]", "[-1]", "[1.0]", "[\"1\"]", "[2305843009213693953]", "[18446744073709551615]"})
    CHECK(tensor("\"F64\"", shape, "[0,8]") == "has data_offsets that do not agree with its dtype and shape");
  CHECK(tensor("\"F64\"", "[0]", "[0,7]") == "has data_offsets that do not agree with its dtype and shape");
  for (const char* offsets : {"[]", "[0]", "[0,8,8]", "8", "null"})
    CHECK(tensor("\"F64\"", "[1]", offsets) == "has no pair of data_offsets");
  for (const char* offsets : {"[0,9]", "[1,9]", "[8,0]", "[-8,0]", "[0,8.0]", "[0,18446744073709551615]",
                              "[18446744073709551608,18446744073709551615]", "[0,1e400]", "[null,8]"})
    CHECK(tensor("\"F64\"", "[1]", offsets) == "has data_offsets outside of the file");

  CHECK(refusal(R"({"t":1})") ==
        "safetensors: the tensor 't' is not described by dtype, shape and data_offsets");
  CHECK(refusal(R"({"t":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})") ==
        "safetensors: the tensor 't' is not described by dtype, shape and data_offsets");
}

TEST_CASE("tensors that overlap or leave a hole are refused") {
  const auto two = [](std::string_view first, std::string_view second) {
    return refusal(fmt::format(R"({{"a":{{"dtype":"U8","shape":[2],"data_offsets":{}}},)"
                               R"("b":{{"dtype":"U8","shape":[2],"data_offsets":{}}}}})",
                               first, second),
                   "12345");
  };
  CHECK(two("[0,2]", "[2,4]") == "safetensors: 5 bytes of data, of which tensors fill 4");
  CHECK(two("[0,2]", "[3,5]") == "safetensors: the tensor 'b' does not begin where the one before it ends");
  CHECK(two("[1,3]", "[3,5]") == "safetensors: the tensor 'a' does not begin where the one before it ends");
  CHECK(two("[0,2]", "[1,3]") == "safetensors: the tensor 'b' does not begin where the one before it ends");
  CHECK(two("[0,2]", "[0,2]") == "safetensors: the tensor 'b' does not begin where the one before it ends");
}

TEST_CASE("no change of one byte makes the decoder reach outside of the file") {
  const State state = example_state();
  const std::vector<Text> metadata{{"key", "value"}};
  const std::string good = lay_out_safetensors(views_of(state), metadata)->bytes();
  std::size_t accepted = 0;
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (const char other : {'\0', '\xff', '"', '0', '9', '{', ']', ',', ' ', 'e', '-', '\\'}) {
      std::string file = good;
      file[place] = other;
      const auto content = decode(file);
      if (!content) continue;
      ++accepted;
      const char* begin = file.data();
      for (const auto& tensor : content->tensors) {
        const auto* data = reinterpret_cast<const char*>(tensor.bytes.data());
        REQUIRE(data >= begin);
        REQUIRE(data + tensor.bytes.size() <= begin + file.size());
      }
    }
  }
  CHECK(accepted > 0);  // changed data or names are not the layout's to notice
}

}  // namespace safetensors_test
