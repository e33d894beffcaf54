#pragma once

#include <librdkafka/rdkafka.h>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "daemon/kafka/kafka_properties.h"

namespace glimpse {

/// The properties of a client that is to be made, and the client made of them. Thread-safety: none.
class KafkaSettings {
 public:
  /// Logs nothing to standard error: what fails is told by errors.
  KafkaSettings();

  /// Of those that this program sets itself; a name or value that librdkafka refuses is a bug
  /// (std::logic_error).
  void own(const char* name, const char* value);
  /// The same of a property that not every version has that this program is built for.
  void own_where_known(const char* name, const char* value);
  /// Of the user, in their order. Errors (kInvalidOption) name `option` and the property, and no secret.
  Status pass_through(std::string_view option, std::span<const KafkaProperty> properties);
  rd_kafka_conf_t* get() { return conf_.get(); }

  /// The client, which the caller destroys. Not to be used any more after it. Errors (kInvalidOption):
  /// properties that contradict each other, files of keys that cannot be read.
  Result<rd_kafka_t*> make_client(std::string_view option, rd_kafka_type_t type);

 private:
  struct Destroy {
    void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
  };
  std::unique_ptr<rd_kafka_conf_t, Destroy> conf_;
};

}  // namespace glimpse
