#include "daemon/kafka/kafka_address.h"

#include <algorithm>
#include <charconv>

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

}  // namespace glimpse
