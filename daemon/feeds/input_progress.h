#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/state.h"
#include "daemon/feeds/block.h"
#include "data/table_schema.h"

namespace glimpse {

/// How far each addressable input was read, and how: kept in checkpoints, for inputs of earlier runs as well.
/// Thread-safety: none; the trainer thread's.
class InputProgress {
 public:
  /// `feed` reads the input of its addressable_name from now on. One that was read before goes on: position,
  /// records, first question and known fingerprint of the feed are set.
  void open(const std::shared_ptr<Feed>& feed);
  /// How far an input was read, and the fingerprint of what stands before that; 0: not known.
  struct Reached {
    std::string name;
    std::uint64_t position = 0;
    std::uint64_t fingerprint = 0;
  };
  std::vector<Reached> reached() const;
  /// How an input was read, which begins beyond its beginning; nothing: it was not, or that is not known.
  std::optional<TableSchema> schema_of(const std::string& addressable_name) const;
  /// The feed of that name is not read: what is known of its input stays as it is.
  void close(const std::string& addressable_name);
  /// Inputs have other names now, by their old ones. What else had one of the new names is forgotten.
  void rename(const std::map<std::string, std::string>& names);

  /// How many inputs are known whose names begin so.
  std::size_t count_of(std::string_view beginning) const;

  /// The inputs of `other` that are not known here: they were read as far as it says.
  void add_unknown(const InputProgress& other);

  /// `schema`: how inputs are read, where nothing else is known. `fingerprint`: of what stands before the
  /// position of a feed.
  void save(State& state, const TableSchema& schema,
            const std::function<std::uint64_t(const Feed&)>& fingerprint) const;
  /// Continues from what save() wrote. Errors: kCorrupt; this is unchanged then.
  Status restore(const State& state);

 private:
  struct Entry {
    std::string name;
    std::uint64_t position = 0;
    std::uint64_t records = 0;
    std::uint64_t fingerprint = 0;                     // of what stands before it; 0: not known
    std::shared_ptr<Feed> feed;                        // while it is open
    RecordPlace first_question;                        // as in Feed
    InputBeginning beginning = {};                     // as in Feed; of 0 bytes: not known
    std::optional<TableSchema> schema = std::nullopt;  // how, while it is not open; none: not known
  };

  std::vector<Entry> entries_;
};

}  // namespace glimpse
