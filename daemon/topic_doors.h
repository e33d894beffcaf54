#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/config/configuration.h"
#include "daemon/feeds/topic_progress.h"
#include "daemon/ingest/reply_writer.h"
#include "daemon/ingest/running_input.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// Topics of Kafka that --input names. Where this was built without Kafka, there are none, and naming one is
/// refused. Thread-safety: none.

/// A topic that was opened: a client that reaches for no broker yet.
class Topic;

/// Whether --input means a topic by that: kafka://…
bool is_topic(std::string_view input);

/// Those of --input. Errors (kInvalidOption): an address that is none, a topic that is named twice,
/// properties that are refused.
Result<std::vector<std::shared_ptr<Topic>>> open_topics(const Configuration& configuration);

/// The {source} of metrics: "kafka:TOPIC".
std::string name_of(const Topic& topic);

/// look_at_topic().
Status look_at(Topic& topic, std::size_t most,
               const std::function<Result<bool>(std::string_view, bool)>& enough);

/// What reads it, and keeps `progress` up; once. `make_feed` makes the feed of a partition by its name, on
/// the trainer's thread, for records of the format that it is given. `sampled`: what a sample of it showed.
/// `ended`: on the reader's thread.
using MakePartitionFeed =
    std::function<Result<std::shared_ptr<Feed>>(StreamProcessor&, const std::string& name, Format)>;
std::unique_ptr<RunningInput> read_topic(Topic& topic, const Configuration& configuration,
                                         const std::optional<RecordForm>& sampled, BlockQueue& queue,
                                         ReplyWriter& replies, std::shared_ptr<TopicProgress> progress,
                                         MakePartitionFeed make_feed, std::function<void(Status)> ended);

}  // namespace glimpse
