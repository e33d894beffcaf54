#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace glimpse::ctl {

/// Cuts whole records into messages of a topic, each of whole records: what glimpsed reads back from a topic
/// as the same records. Thread-safety: none.
class RecordMessages {
 public:
  /// `row_bytes`: of a row; 0: records are lines. `as_npy`: each message is an array of numpy's. A message
  /// has at most `most` bytes, or one record; >= 1, without numpy's header.
  RecordMessages(std::size_t row_bytes, bool as_npy, std::size_t most)
      : row_bytes_(row_bytes), as_npy_(as_npy), most_(most) {}

  /// Takes the next message's records off `records`, which are whole and not empty. Of lines the last newline
  /// is left out, so that a message of one line is that line. Valid until the next call, as long as `records`
  /// are.
  std::string_view take(std::string_view& records);

 private:
  std::size_t row_bytes_;
  bool as_npy_;
  std::size_t most_;
  std::string array_;
};

}  // namespace glimpse::ctl
