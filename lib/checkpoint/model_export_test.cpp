#include "checkpoint/model_export.h"

#include <cstring>
#include <doctest/doctest.h>
#include <vector>

#include "checkpoint/safetensors.h"

namespace model_export_test {

using glimpse::encode_safetensors;
using glimpse::Text;

TEST_CASE("an exported model holds the weights, the bias and where they come from") {
  const std::vector<double> weights{0.1, -2, 3e300};
  const std::vector<double> bias_alone{-0.5};
  const std::vector<Text> provenance{{"algorithm", "aerr"}, {"examples", "12"}};
  const auto file = encode_safetensors({{"weights", weights}, {"bias", bias_alone}}, {}, provenance);
  REQUIRE(file.has_value());

  const auto content = glimpse::decode_safetensors(std::as_bytes(std::span(*file)));
  REQUIRE(content.has_value());
  REQUIRE(content->tensors.size() == 2);
  CHECK(content->tensors[0].name == "weights");
  CHECK(content->tensors[0].bytes.size() == 24);
  CHECK(std::memcmp(content->tensors[0].bytes.data(), weights.data(), 24) == 0);
  CHECK(content->tensors[1].name == "bias");
  double bias = 0;
  std::memcpy(&bias, content->tensors[1].bytes.data(), sizeof bias);
  CHECK(bias == -0.5);
  REQUIRE(content->metadata.size() == 2);
  CHECK(content->metadata[1].name == "examples");
  CHECK(content->metadata[1].value == "12");
}

TEST_CASE("lists that are empty are left out, and indices have four bytes") {
  const std::vector<double> weights{0.1, -2};
  const std::vector<std::uint32_t> attributes{7, 9};
  const auto file = encode_safetensors({{"weights", weights}, {"weight_errors", {}}},
                                       {{"attributes", attributes}, {"degrees", {}}}, {});
  REQUIRE(file.has_value());
  const auto content = glimpse::decode_safetensors(std::as_bytes(std::span(*file)));
  REQUIRE(content.has_value());
  REQUIRE(content->tensors.size() == 2);
  CHECK(content->tensors[1].name == "attributes");
  REQUIRE(content->tensors[1].bytes.size() == 8);
  CHECK(std::memcmp(content->tensors[1].bytes.data(), attributes.data(), 8) == 0);
}

TEST_CASE("provenance that is not UTF-8 is refused, since no reader would open the file") {
  const std::vector<Text> provenance{{"source", "caf\xe9"}};
  const auto file = encode_safetensors({}, {}, provenance);
  REQUIRE(!file.has_value());
  CHECK(file.error().message == "the text 'source' is not UTF-8");
}

}  // namespace model_export_test
