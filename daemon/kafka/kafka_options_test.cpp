#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "daemon/kafka/kafka_properties.h"

namespace kafka_options_test {

using glimpse::is_kafka_address;
using glimpse::parse_kafka_address;
using glimpse::parse_kafka_property;

TEST_CASE("kafka: an address has brokers and a topic") {
  const auto one = parse_kafka_address("input", "kafka://localhost:9092/rides");
  REQUIRE(one.has_value());
  CHECK(one->brokers == "localhost:9092");
  CHECK(one->topic == "rides");
  const auto many = parse_kafka_address("input", "kafka://a.example:1,[::1]:65535/a.b_c-9");
  REQUIRE(many.has_value());
  CHECK(many->brokers == "a.example:1,[::1]:65535");
  CHECK(is_kafka_address("kafka://"));
  CHECK_FALSE(is_kafka_address("kafka:"));
}

TEST_CASE("kafka: an address that is none is refused, with the option") {
  for (const std::string text :
       {"kafka://", "kafka://h:1", "kafka://h:1/", "kafka:///t", "kafka://h/t", "kafka://h:/t",
        "kafka://h:0/t", "kafka://h:65536/t", "kafka://h:1x/t", "kafka://:1/t", "kafka://h:1,/t",
        "kafka://,h:1/t", "kafka://::1:1/t", "kafka://[]:1/t", "kafka://user@h:1/t", "kafka://h:1/..",
        "kafka://h:1/a/b", "kafka://h:1/a b"}) {
    CAPTURE(text);
    const auto parsed = parse_kafka_address("input", text);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().message.starts_with("--input "));
  }
  CHECK(parse_kafka_address("input", "kafka://h:1/" + std::string(249, 't')).has_value());
  CHECK_FALSE(parse_kafka_address("input", "kafka://h:1/" + std::string(250, 't')).has_value());
}

TEST_CASE("kafka: properties are passed on as they are, up to the first equals sign") {
  const auto property = parse_kafka_property("kafka", "sasl.username=a=b");
  REQUIRE(property.has_value());
  CHECK(property->name == "sasl.username");
  CHECK(property->value == "a=b");
  CHECK(parse_kafka_property("kafka", "client.rack=")->value.empty());
}

TEST_CASE("kafka: properties that exactly-once learning rests on are refused, with the reason") {
  for (const std::string text : {"group.id=x", "auto.offset.reset=earliest", "enable.auto.commit=true",
                                 "enable.idempotence=false", "bootstrap.servers=h:1", "acks=0"}) {
    CAPTURE(text);
    const auto refused = parse_kafka_property("kafka", text);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message.find("is set by glimpse: ") != std::string::npos);
  }
}

TEST_CASE("kafka: a secret comes from a file that others cannot read, and is never in an error") {
  const auto path = std::filesystem::temp_directory_path() / ("kafka_secret_" + std::to_string(::getpid()));
  std::ofstream(path) << "hunter2\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  const auto read = parse_kafka_property("kafka", "sasl.password=@" + path.string());
  REQUIRE(read.has_value());
  CHECK(read->value == "hunter2");
  std::filesystem::permissions(path,
                               std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
  CHECK_FALSE(parse_kafka_property("kafka", "sasl.password=@" + path.string()).has_value());
  std::filesystem::remove(path);
  for (const std::string text : {"sasl.password=hunter2", "hunter2", "=hunter2", "ssl.key.pem=hunter2"}) {
    CAPTURE(text);
    const auto refused = parse_kafka_property("kafka", text);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message.find("hunter2") == std::string::npos);
  }
}

}  // namespace kafka_options_test
