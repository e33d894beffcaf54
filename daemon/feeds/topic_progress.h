#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace glimpse {

/// How far the partitions of a topic are learned from, and how far they reach. Offsets are Kafka's: of the
/// next message. Thread-safety: all members from any thread; each locks for a few assignments.
class TopicProgress {
 public:
  struct Partition {
    std::uint64_t offset = 0;          ///< every message before it is worked through
    std::optional<std::uint64_t> end;  ///< of the partition, as the brokers told it last; none: not yet

    /// Messages that are not learned from yet, the marks of transactions among them included; none: not
    /// known.
    std::optional<std::uint64_t> lag() const;
  };

  /// Reading begins there: what is before `offset` was worked through earlier. `partition` counts from 0, and
  /// those before it are known.
  void begin(std::size_t partition, std::uint64_t offset);
  /// All before `offset` is worked through.
  void note_learned(std::size_t partition, std::uint64_t offset);
  void note_end(std::size_t partition, std::uint64_t end);
  /// Behind the message before `next` nothing is to be read before `end`: marks of transactions take offsets,
  /// and are no messages.
  void note_read_to_end(std::size_t partition, std::uint64_t next, std::uint64_t end);
  /// Why the brokers do not answer; empty: they do.
  void note_trouble(std::string why);

  std::vector<Partition> partitions() const;
  std::string trouble() const;
  /// Of all partitions; none: one of them is not known, or there is none yet.
  static std::optional<std::uint64_t> lag(const std::vector<Partition>& partitions);

 private:
  struct Known : Partition {
    // Who is through the message before the first stands at the second.
    std::pair<std::uint64_t, std::uint64_t> gap{0, 0};
    void pass_gap();
  };

  mutable std::mutex mutex_;
  std::vector<Known> partitions_;
  std::string trouble_;
};

}  // namespace glimpse
