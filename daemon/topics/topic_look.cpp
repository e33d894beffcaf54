#include "daemon/topics/topic_look.h"

#include <spdlog/spdlog.h>
#include <string>
#include <utility>
#include <vector>

namespace glimpse {

namespace {
constexpr std::chrono::milliseconds kLookAnswer{2000};
constexpr std::chrono::milliseconds kPatience{1000};  // until it is said what is waited for

Result<std::int32_t> await_partitions(const KafkaConsumer& consumer) {
  for (bool is_told = false;;) {
    auto count = consumer.partitions(kLookAnswer);
    if (count || count.error().code != ErrorCode::kUnavailable) return count;
    if (!std::exchange(is_told, true)) spdlog::info("{}; waiting for the brokers", count.error().message);
  }
}
}  // namespace

Status look_at_topic(KafkaConsumer& consumer, std::size_t most, const EnoughMessages& enough) {
  GLIMPSE_TRY_ASSIGN(const auto count, await_partitions(consumer));
  std::vector<KafkaPosition> positions;
  for (std::int32_t number = 0; number < count; ++number) positions.push_back({number});
  GLIMPSE_TRY(consumer.assign(positions));
  std::vector<std::string> lines(positions.size());
  for (bool is_told = false;;) {
    const auto message = consumer.poll(kPatience);
    if (!message) {
      if (!std::exchange(is_told, true))
        spdlog::info("kafka:{}: waiting for its first messages, which show the attributes",
                     consumer.address().topic);
      continue;
    }
    if (message->kind() != KafkaMessage::Kind::kRecord) continue;
    std::string& of_partition = lines[static_cast<std::size_t>(message->partition())];
    of_partition += message->value();
    if (!of_partition.ends_with('\n')) of_partition += '\n';
    GLIMPSE_TRY_ASSIGN(const auto fine, enough(of_partition));
    if (fine) return {};
    if (of_partition.size() >= most)
      return failure(ErrorCode::kInvalidInput,
                     "the first {} bytes of partition {} do not tell the attributes", of_partition.size(),
                     message->partition());
  }
}

}  // namespace glimpse
