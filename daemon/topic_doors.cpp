#include "daemon/topic_doors.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "daemon/training/stream_processor.h"
#ifdef GLIMPSE_HAS_KAFKA
#include "daemon/topics/topic_input.h"
#endif

namespace glimpse {

bool is_topic(std::string_view input) { return input.starts_with("kafka://"); }

#ifdef GLIMPSE_HAS_KAFKA

class Topic {
 public:
  explicit Topic(std::unique_ptr<KafkaConsumer> opened) : consumer(std::move(opened)) {}

  std::unique_ptr<KafkaConsumer> consumer;  // nullptr once it is read
};

Result<std::vector<std::shared_ptr<Topic>>> open_topics(const Configuration& c) {
  GLIMPSE_TRY_ASSIGN(const auto properties, parse_kafka_properties("kafka-property", c.kafka_properties));
  std::vector<std::shared_ptr<Topic>> topics;
  for (const std::string& input : c.inputs) {
    if (!is_topic(input)) continue;
    GLIMPSE_TRY_ASSIGN(const auto address, parse_kafka_address("input", input));
    for (const auto& other : topics)
      if (other->consumer->address().topic == address.topic)
        return invalid_option("input", input,
                              "the topic " + address.topic +
                                  " is given twice; positions are kept by its name, whichever the brokers");
    GLIMPSE_TRY_ASSIGN(auto consumer, KafkaConsumer::open("kafka-property", address, properties));
    topics.push_back(std::make_shared<Topic>(std::move(consumer)));
  }
  return topics;
}

std::string name_of(const Topic& topic) { return "kafka:" + topic.consumer->address().topic; }

Status look_at(Topic& topic, std::size_t most,
               const std::function<Result<bool>(std::string_view, bool)>& enough) {
  return look_at_topic(*topic.consumer, most, enough);
}

std::unique_ptr<RunningInput> read_topic(Topic& topic, const Configuration& c,
                                         const std::optional<RecordForm>& sampled, BlockQueue& queue,
                                         ReplyWriter& replies, std::shared_ptr<TopicProgress> progress,
                                         MakePartitionFeed make_feed, std::function<void(Status)> ended) {
  TopicInput::Hooks hooks;
  hooks.ended = std::move(ended);
  // A message of npy is an array, whose header is taken off: its rows are those of f32.
  const Format format = c.format == Format::kNpy ? Format::kF32 : c.format;
  hooks.make_feeds = [name = name_of(topic), format, make = std::move(make_feed)](
                         StreamProcessor& processor, std::int32_t first,
                         std::int32_t count) -> Result<std::vector<std::shared_ptr<Feed>>> {
    const std::int64_t known = processor.known_partitions(name);
    if (known > count)
      return failure(ErrorCode::kMismatch,
                     "has {} partitions, and the checkpoint has read {}: a topic never loses any, so it is "
                     "another one; give it another name or --state-directory",
                     count, known);
    std::vector<std::shared_ptr<Feed>> feeds;
    for (std::int32_t number = first; number < count; ++number) {
      GLIMPSE_TRY_ASSIGN(auto feed, make(processor, fmt::format("{}/{}", name, number), format));
      feeds.push_back(std::move(feed));
    }
    return feeds;
  };
  const bool is_table = sampled && sampled->table && (c.format == Format::kCsv || c.format == Format::kAuto);
  const auto form = is_table ? std::make_shared<const TableForm>(*sampled->table) : nullptr;
  const TopicInput::Options options{
      framing_of(is_table ? Format::kCsv : c.format, c.learner.dimension, c.max_line_bytes, form),
      c.skips_lost};
  return std::make_unique<TopicInput>(std::move(topic.consumer), options, queue, replies, std::move(progress),
                                      std::move(hooks));
}

#else

class Topic {};

Result<std::vector<std::shared_ptr<Topic>>> open_topics(const Configuration& c) {
  for (const std::string& input : c.inputs)
    if (is_topic(input))
      return invalid_option("input", input,
                            "this glimpsed was built without Kafka (librdkafka, -DGLIMPSE_KAFKA=ON)");
  return std::vector<std::shared_ptr<Topic>>();
}

std::string name_of(const Topic&) { return {}; }

Status look_at(Topic&, std::size_t, const std::function<Result<bool>(std::string_view, bool)>&) { return {}; }

std::unique_ptr<RunningInput> read_topic(Topic&, const Configuration&, const std::optional<RecordForm>&,
                                         BlockQueue&, ReplyWriter&, std::shared_ptr<TopicProgress>,
                                         MakePartitionFeed, std::function<void(Status)>) {
  return nullptr;
}

#endif

}  // namespace glimpse
