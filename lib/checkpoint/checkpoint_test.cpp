#include "checkpoint/checkpoint.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>
#include <xxhash.h>

#include "base/faulty_file_system_test_support.h"
#include "checkpoint/safetensors.h"

namespace checkpoint_test {

using namespace glimpse;

namespace {

Result<State> decode(std::string_view file) { return decode_checkpoint(std::as_bytes(std::span(file))); }

State small_state() {
  State state;
  state.begin();
  state.put_number("examples", std::uint64_t{12});
  state.put<double>("weights", 2)[1] = -0.0;
  state.put<std::uint8_t>("phase", 1)[0] = 1;
  state.put_text("algorithm", "aerr");
  state.put_text("a \"quoted\" name", "text\nwith \\ and \xc3\xa9");
  state.finish();
  return state;
}

void check_same(const State& a, const State& b) {
  REQUIRE(a.tensors().size() == b.tensors().size());
  for (const auto& tensor : a.tensors()) {
    const auto* other = b.find(tensor.name);
    REQUIRE(other != nullptr);
    CHECK(other->type == tensor.type);
    CHECK(other->bytes == tensor.bytes);
  }
  REQUIRE(a.texts().size() == b.texts().size());
  for (const auto& text : a.texts()) CHECK(b.get_text(text.name).value() == text.value);
}

/// Writes the right checksum into a file that was changed, as somebody who can compute it would.
void seal(std::string& file) {
  const std::size_t digits = file.find("xxh3:") + 5;
  file.replace(digits, 16, 16, '0');
  file.replace(digits, 16, fmt::format("{:016x}", XXH3_64bits(file.data(), file.size())));
}

void replace_once(std::string& file, std::string_view from, std::string_view to) {
  REQUIRE(from.size() == to.size());
  const auto place = file.find(from);
  REQUIRE(place != file.npos);
  file.replace(place, from.size(), to);
}

}  // namespace

TEST_CASE("a state comes back from its checkpoint to the bit") {
  State state = small_state();
  check_same(state, decode(*encode_checkpoint(state)).value());

  state.begin();
  auto odd = state.put<double>("odd", 5);
  odd[0] = std::nan("0x123");
  odd[1] = -std::numeric_limits<double>::infinity();
  odd[2] = std::numeric_limits<double>::denorm_min();
  odd[3] = std::numeric_limits<double>::max();
  state.put<float>("floats", 70'001)[70'000] = 0.1F;
  state.put<std::uint32_t>("indices", 3)[2] = 0xffffffffU;
  state.put<std::uint64_t>("none", 0);
  state.put_text("empty", "");
  state.finish();
  check_same(state, decode(*encode_checkpoint(state)).value());

  state.begin();
  state.finish();
  check_same(state, decode(*encode_checkpoint(state)).value());
}

TEST_CASE("a decoded state has the same checkpoint again") {
  const auto file = encode_checkpoint(small_state()).value();
  CHECK(encode_checkpoint(decode(file).value()).value() == file);
}

TEST_CASE("the bytes written to a file are those encoded in memory, and any safetensors reader opens them") {
  FaultyFileSystem files;
  REQUIRE(files.create_directories("/d").has_value());
  REQUIRE(write_checkpoint(**files.create("/d/c"), small_state()).has_value());
  const auto written = files.read("/d/c").value();
  const std::string_view text(reinterpret_cast<const char*>(written.data()), written.size());
  CHECK(text == encode_checkpoint(small_state()).value());
  CHECK(decode_safetensors(written)->metadata.at(0).name == "glimpse");
}

TEST_CASE("a checkpoint of format 1 that was written once is read for ever") {
  // Built by hand from FORMAT.md, not by encode_checkpoint.
  std::string json = R"({"__metadata__":{"glimpse":"{\"checksum\":\"xxh3:0000000000000000\",\"format\":1,)"
                     R"(\"texts\":{\"algorithm\":\"aerr\"}}"},)"
                     R"("w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
  json.resize((json.size() + 8 + 63) / 64 * 64 - 8, ' ');
  std::string file{static_cast<char>(json.size()), 0, 0, 0, 0, 0, 0, 0};
  file += json;
  file += std::string_view("\0\0\0\0\0\0\xf8\x3f", 8);
  replace_once(file, "xxh3:0000000000000000", "xxh3:e9c4d3a167e7f897");
  const auto state = decode(file);
  REQUIRE_MESSAGE(state.has_value(), (state ? "" : state.error().message));
  CHECK(state->get_number<double>("w").value() == 1.5);
  CHECK(state->get_text("algorithm").value() == "aerr");
}

TEST_CASE("every flipped bit is found") {
  const auto good = encode_checkpoint(small_state()).value();
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string file = good;
      file[place] = static_cast<char>(file[place] ^ (1 << bit));
      const auto state = decode(file);
      REQUIRE(!state.has_value());
      REQUIRE(state.error().code == ErrorCode::kCorrupt);
    }
  }
}

TEST_CASE("every truncation is found, and bytes too many as well") {
  const auto good = encode_checkpoint(small_state()).value();
  for (std::size_t length = 0; length < good.size(); ++length) {
    // A buffer of its own, so that the sanitizer sees a read behind the end.
    const std::vector<char> file(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    const auto state = decode_checkpoint(std::as_bytes(std::span(file)));
    REQUIRE(!state.has_value());
    REQUIRE(state.error().code == ErrorCode::kCorrupt);
  }
  CHECK(decode(good + '\0').error().code == ErrorCode::kCorrupt);
  CHECK(decode(good + good).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("a sound checkpoint of another format is a mismatch that names both numbers") {
  auto file = encode_checkpoint(small_state()).value();
  replace_once(file, R"(\"format\":1)", R"(\"format\":2)");
  CHECK(decode(file).error().code == ErrorCode::kCorrupt);
  seal(file);
  const auto state = decode(file);
  REQUIRE(!state.has_value());
  CHECK(state.error().code == ErrorCode::kMismatch);
  CHECK(state.error().message == "the checkpoint has format 2; this build reads format 1");
}

TEST_CASE("another format is recognised although nothing else in it makes sense here") {
  auto file = encode_checkpoint(small_state()).value();
  replace_once(file, R"(\"format\":1)", R"(\"format\":7)");
  replace_once(file, R"("dtype":"U64")", R"("dtype":"I16")");
  seal(file);
  CHECK(decode(file).error().code == ErrorCode::kMismatch);
}

TEST_CASE("a file with the right checksum is still not believed") {
  const auto refused = [](std::string_view from, std::string_view to) {
    auto file = encode_checkpoint(small_state()).value();
    replace_once(file, from, to);
    seal(file);
    const auto state = decode(file);
    REQUIRE(!state.has_value());
    CHECK(state.error().code == ErrorCode::kCorrupt);
    return state.error().message;
  };
  CHECK(refused(R"(\"format\":1)", R"(\"format\":x)") == "the checkpoint has no format number");
  CHECK(refused(R"(\"format\":1)", R"(\"formal\":1)") == "the checkpoint has no format number");
  CHECK(refused(R"(\"texts\")", R"(\"tests\")") ==
        "the metadata 'glimpse' of the checkpoint is not a checksum, a format and texts");
  CHECK(refused(R"(\"aerr\")", R"([\"ae\"])") ==
        "the metadata 'glimpse' of the checkpoint has a text that is no string");
  CHECK(refused(R"("shape":[1])", R"("shape":[9])").starts_with("safetensors: the tensor 'examples' has"));
}

TEST_CASE("other files are not checkpoints") {
  CHECK(decode("hello").error().message == "not a glimpse checkpoint: it does not begin like one");
  CHECK(decode(lay_out_safetensors(views_of(small_state()), {})->bytes()).error().code ==
        ErrorCode::kCorrupt);
}

TEST_CASE("a state that could not be read back is not written") {
  State state = small_state();
  state.put_text("algorithm", "again");
  CHECK(encode_checkpoint(state).error().message == "the text 'algorithm' occurs twice");

  state = small_state();
  state.put_text("names", "caf\xe9");
  CHECK(encode_checkpoint(state).error().message == "the text 'names' is not UTF-8");
  CHECK(encode_checkpoint(state).error().code == ErrorCode::kInvalidInput);

  FaultyFileSystem files;
  REQUIRE(files.create_directories("/d").has_value());
  CHECK(!write_checkpoint(**files.create("/d/c"), state).has_value());
  CHECK(files.read("/d/c")->empty());
}

}  // namespace checkpoint_test
