#include "daemon/kafka/kafka_settings.h"

#include <array>
#include <stdexcept>
#include <string>

namespace glimpse {

KafkaSettings::KafkaSettings() : conf_(rd_kafka_conf_new()) {
  rd_kafka_conf_set_log_cb(conf_.get(), [](const rd_kafka_t*, int, const char*, const char*) {});
}

void KafkaSettings::own(const char* name, const char* value) {
  std::array<char, 512> why{};
  if (rd_kafka_conf_set(conf_.get(), name, value, why.data(), why.size()) != RD_KAFKA_CONF_OK)
    throw std::logic_error(std::string("librdkafka refuses ") + name + ": " + why.data());
}

void KafkaSettings::own_where_known(const char* name, const char* value) {
  std::array<char, 512> there{};
  std::size_t size = there.size();
  if (rd_kafka_conf_get(conf_.get(), name, there.data(), &size) == RD_KAFKA_CONF_OK) own(name, value);
}

Status KafkaSettings::pass_through(std::string_view option, std::span<const KafkaProperty> properties) {
  std::array<char, 512> why{};
  for (const auto& [name, value] : properties) {
    const rd_kafka_conf_res_t result =
        rd_kafka_conf_set(conf_.get(), name.c_str(), value.c_str(), why.data(), why.size());
    if (result == RD_KAFKA_CONF_OK) continue;
    if (result == RD_KAFKA_CONF_UNKNOWN)
      return invalid_option(option, name,
                            "is no property of librdkafka " + std::string(rd_kafka_version_str()));
    // What librdkafka says may quote the value.
    if (is_kafka_secret(name)) return invalid_option(option, name, "its value is refused by librdkafka");
    return invalid_option(option, name + "=" + value, std::string("librdkafka says: ") + why.data());
  }
  return {};
}

Result<rd_kafka_t*> KafkaSettings::make_client(std::string_view option, rd_kafka_type_t type) {
  std::array<char, 512> why{};
  rd_kafka_t* client = rd_kafka_new(type, conf_.get(), why.data(), why.size());
  if (client == nullptr)
    return failure(ErrorCode::kInvalidOption, "--{}: no client of Kafka can be made of these properties: {}",
                   option, why.data());
  static_cast<void>(conf_.release());  // the client's
  return client;
}

}  // namespace glimpse
