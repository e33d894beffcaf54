#include "daemon/kafka/kafka_properties.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>

#include "base/secret_file.h"

namespace glimpse {

namespace {
constexpr std::string_view kScheme = "kafka://";
constexpr std::size_t kLongestTopic = 249;  // as the broker has it

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

bool is_broker(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !is_port(text.substr(colon + 1))) return false;
  const std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) return host.ends_with(']') && host.size() > 2;
  return !host.empty() && host.find_first_of(":@ []") == std::string_view::npos;
}

bool is_topic_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
}

bool is_topic(std::string_view text) {
  return !text.empty() && text.size() <= kLongestTopic && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), is_topic_letter);
}
}  // namespace

bool is_kafka_address(std::string_view text) { return text.starts_with(kScheme); }

Result<KafkaAddress> parse_kafka_address(std::string_view option, std::string_view text) {
  if (!is_kafka_address(text)) return invalid_option(option, text, "begins with kafka://");
  const std::string_view rest = text.substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos)
    return invalid_option(option, text, "needs a topic: kafka://HOST:PORT/TOPIC");
  const std::string_view brokers = rest.substr(0, slash);
  const std::string_view topic = rest.substr(slash + 1);
  for (std::size_t begin = 0; begin <= brokers.size();) {
    const std::size_t end = std::min(brokers.find(',', begin), brokers.size());
    if (!is_broker(brokers.substr(begin, end - begin)))
      return invalid_option(option, text,
                            "each broker is HOST:PORT or [IPv6]:PORT, and several are parted by commas");
    begin = end + 1;
  }
  if (!is_topic(topic))
    return invalid_option(option, text,
                          "the topic is 1 to 249 letters, digits, '.', '_' and '-', and not \".\" or \"..\"");
  return KafkaAddress{std::string(brokers), std::string(topic)};
}

namespace {
struct Owned {
  std::string_view name;
  std::string_view why;
};

// What exactly-once learning rests on, and what the address says.
constexpr std::array kOwned = {
    Owned{"bootstrap.servers", "the address of the topic names the brokers"},
    Owned{"metadata.broker.list", "the address of the topic names the brokers"},
    Owned{"group.id", "positions are kept in checkpoints, not in a group"},
    Owned{"enable.auto.commit", "positions are kept in checkpoints"},
    Owned{"auto.commit.enable", "positions are kept in checkpoints"},
    Owned{"enable.auto.offset.store", "positions are kept in checkpoints"},
    Owned{"transactional.id", "each source that is sent, and each partition of a fleet, has one of its own"},
    Owned{"group.instance.id", "--fleet-instance is it"},
    Owned{"auto.offset.reset", "no message is skipped without a word"},
    Owned{"enable.partition.eof", "glimpse needs to know the end of a partition"},
    Owned{"partition.assignment.strategy", "partitions are assigned by glimpse"},
    Owned{"allow.auto.create.topics", "a topic that is misspelt is to be refused"},
    Owned{"isolation.level", "records of transactions that were given up are never learned"},
    Owned{"enable.idempotence", "no record is sent twice, or in another order"},
    Owned{"acks", "every record is acknowledged by all replicas in step"},
    Owned{"request.required.acks", "every record is acknowledged by all replicas in step"},
};

constexpr std::array<std::string_view, 4> kSecrets = {
    "sasl.password", "ssl.key.password", "ssl.keystore.password", "sasl.oauthbearer.client.secret"};

Result<std::string> read_secret(std::string_view option, const std::string& name, const std::string& path) {
  const std::string subject = std::string(option) + " " + name;
  GLIMPSE_TRY(check_secret_file(subject.c_str(), path));
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.empty())
    return invalid_option(option, name + "=@" + path,
                          "the first line of the file is the secret; it is empty");
  if (line.back() == '\r') line.pop_back();
  return line;
}
}  // namespace

bool is_kafka_secret(std::string_view name) {
  // A key as text is one as well; its file is given by ssl.key.location.
  return name == "ssl.key.pem" || std::find(kSecrets.begin(), kSecrets.end(), name) != kSecrets.end();
}

Result<KafkaProperty> parse_kafka_property(std::string_view option, std::string_view text) {
  const std::size_t equals = text.find('=');
  // What has no name may be a secret that was mistyped: it is not shown.
  if (equals == std::string_view::npos || equals == 0)
    return invalid_option(option, "", "is NAME=VALUE, as security.protocol=ssl");
  const std::string name(text.substr(0, equals));
  const std::string value(text.substr(equals + 1));
  for (const Owned& owned : kOwned)
    if (owned.name == name)
      return invalid_option(option, name, "is set by glimpse: " + std::string(owned.why));
  if (name == "ssl.key.pem")
    return invalid_option(option, name, "is a secret; give the key's file by ssl.key.location=FILE");
  if (name == "sasl.jaas.config")
    return invalid_option(option, name,
                          "is of Java's client; use sasl.username=NAME and sasl.password=@FILE");
  if (!is_kafka_secret(name)) return KafkaProperty{name, value};
  if (!value.starts_with('@') || value.size() == 1)
    return invalid_option(option, name, "is a secret; give it by a file, as " + name + "=@FILE");
  GLIMPSE_TRY_ASSIGN(auto secret, read_secret(option, name, value.substr(1)));
  return KafkaProperty{name, std::move(secret)};
}

Result<std::vector<KafkaProperty>> parse_kafka_properties(std::string_view option,
                                                          std::span<const std::string> texts) {
  std::vector<KafkaProperty> properties;
  for (const std::string& text : texts) {
    GLIMPSE_TRY_ASSIGN(auto property, parse_kafka_property(option, text));
    properties.push_back(std::move(property));
  }
  return properties;
}

}  // namespace glimpse
