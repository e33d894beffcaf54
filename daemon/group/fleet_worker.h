#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "daemon/fleet/fleet_member.h"
#include "daemon/fleet/fleet_report.h"
#include "daemon/group/extents_client.h"
#include "daemon/group/group_link.h"
#include "daemon/group/kafka_group.h"
#include "daemon/kafka/kafka_consumer.h"

namespace glimpse {

/// The thread on which one instance takes part in a fleet over Kafka: it joins the group, learns from the
/// partitions that it is given, commits their states, and reads those of all. Where brokers do not answer it
/// goes on trying, and says so once.
class FleetWorker {
 public:
  struct Settings {
    KafkaGroup::Settings group;
    KafkaAddress states;
    std::string option;  ///< of properties, for errors
    std::vector<KafkaProperty> properties;
    std::chrono::milliseconds commit_every{10'000};
    std::size_t chunk_bytes = 900'000;
    std::uint64_t most_state_bytes = std::uint64_t{1} << 30;
    StateFolder* folder = nullptr;  ///< FleetMember::Options::folder
    bool watches_drift = false;     ///< the same
    std::string learning;           ///< the same
  };

  /// Called on the thread.
  struct Hooks {
    std::function<Result<OwnedPartition>(std::uint32_t partition, const State* state, const StateVersion&)>
        open;
    /// How many partitions there are, once that is known: before any other call.
    std::function<void(std::uint32_t partitions)> begun;
    std::function<void(std::uint32_t partition, const StateVersion&, std::shared_ptr<const State>)> found;
    /// What a sample of the input's messages, as lines, decides for all instances; nothing: it is to be
    /// longer. `is_whole`: it cannot. Empty: nothing is decided beforehand.
    std::function<std::optional<std::string>(std::string_view lines, bool is_whole)> sample = {};
    /// What the first of such decisions in the topic of states says, before any other call of open().
    std::function<Status(const std::string&)> decided = {};
    /// Nothing can be learned, and why: the thread ends.
    std::function<void(const Error&)> failed;
  };

  FleetWorker(Settings settings, Hooks hooks);
  /// stop() and join().
  ~FleetWorker();

  /// What may be done with the member on the thread; nullptr: there is none, now or any more.
  using Work = std::function<void(FleetMember*)>;
  /// Runs `work` on the thread between two messages, soon, or here where the thread has ended. Any thread.
  void post(Work work);

  /// `owner`: where this instance answers, which the others are told.
  void start(std::string owner);
  /// Asks the thread to commit what was learned and to leave the group. Any thread.
  void stop() { stopping_ = true; }
  /// Waits for its end.
  void join();

  /// As it is now, or was a moment ago. Any thread.
  FleetReport report() const;

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  Status reach_topics();
  Status agree(KafkaConsumer& input, const ExtentsClient& extents);
  Result<std::string> take_sample(KafkaConsumer& input);
  void work();
  bool read_states();
  std::optional<KafkaMessage> await_message();
  bool read_input();
  void commit_what_is_due();
  void look_at_brokers();
  void tell_of_trouble();
  void publish();
  void run_posted();
  void end_posted();

  const Settings settings_;
  const Hooks hooks_;
  std::string owner_;
  std::atomic<bool> stopping_{false};

  // The thread's own.
  std::uint32_t partitions_ = 0;
  std::unique_ptr<KafkaConsumer> states_;
  std::unique_ptr<KafkaGroup> group_;
  std::unique_ptr<GroupLink> link_;
  std::unique_ptr<FleetMember> member_;
  std::vector<Clock::time_point> commit_at_;
  Clock::time_point awaited_at_{};  // when states that somebody waits for are committed again
  std::vector<std::string> owners_;
  Clock::time_point next_hastening_{};
  Clock::time_point next_look_{};
  int hastened_ = 0;                               // since the last message
  bool may_be_missing_ = false;                    // the input: messages failed, or the brokers say so
  std::optional<Clock::time_point> missed_since_;  // it, as all of their answers since then say
  std::optional<Error> refused_;                   // by the brokers: a message that is not there any more
  std::uint64_t corrupt_ = 0;
  std::uint64_t assignments_ = 0;
  std::string told_trouble_;

  std::mutex posted_mutex_;
  std::vector<Work> posted_;      // under posted_mutex_
  bool takes_posted_ = true;      // the same
  KafkaGroup* polled_ = nullptr;  // the same: to be woken

  mutable std::mutex mutex_;
  FleetReport report_;  // under mutex_
  std::thread thread_;
};

}  // namespace glimpse
