#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "daemon/feeds/block.h"
#include "data/records/attribute_names.h"

namespace glimpse {

/// A named stream of records that may come in pieces, over many connections and restarts (SOURCES.md). Owned
/// by the trainer thread.
struct Source {
  std::string name;
  std::uint64_t records = 0;                  ///< inside: lines or rows of any kind, worked through
  std::optional<std::uint64_t> contents = 0;  ///< stands for these (contents_with()); none: not known
  std::uint64_t durable = 0;                  ///< of these, in a checkpoint that survives
  /// The records from which readers learn the format and the names of columns: a connection that goes on in
  /// the middle begins with them. All up to the first that can be read, and kMost of them.
  std::vector<std::string> opening;
  bool opening_is_whole = false;
  std::size_t opening_inside = 0;  ///< of `opening`: of records that are inside
  std::weak_ptr<Feed> feed;        ///< that carries it now
  /// An example of it was read. Before that a record that cannot be read is not inside, nor what follows it:
  /// so many came, and why the first was refused. They are inside once an example is.
  bool has_example = false;
  std::uint64_t refused = 0;
  std::string refusal;

  static constexpr std::size_t kMostOpening = 16;

  /// The record behind which `of` stands, whose carrier it is, was worked through.
  void note_record(const Feed& of, bool is_example, bool is_refused);
  /// What was refused comes again, or something else in its place.
  void forget_refused();
  std::size_t opening_bytes() const;
  /// The next of `opening`, and whether it could be read.
  void note_opening(std::string_view record, bool readable);
};

/// How far a source has come at some moment.
struct SourceMark {
  std::shared_ptr<Source> source;
  std::uint64_t records = 0;
};

/// The named sources that are known: what of each is inside the model, kept in checkpoints for good, since to
/// forget one would be to learn it twice. Thread-safety: none; the trainer thread's.
class SourceTable {
 public:
  /// At most so many are known; those of a checkpoint are kept in any case.
  void set_limit(std::size_t most) { most_ = most; }
  /// Of each, so many bytes of its opening are kept.
  void set_opening_limit(std::size_t bytes) { opening_bytes_ = bytes; }
  std::size_t opening_limit() const { return opening_bytes_; }

  /// The source of that name, which is new if need be. Errors: kUnavailable when there are too many.
  Result<std::shared_ptr<Source>> find_or_add(const std::string& name);
  const std::map<std::string, std::shared_ptr<Source>>& all() const { return sources_; }

  /// How far each has come.
  std::vector<SourceMark> marks() const;
  /// A checkpoint with these marks is durable: the connections that carry the sources are told.
  static void note_durable(const std::vector<SourceMark>& marks);

  /// Those of `other` that are not known here, each with what is inside of it.
  void add_unknown(SourceTable&& other) { sources_.merge(other.sources_); }
  /// Those of `other` and no others, as they are there.
  void take_all(const SourceTable& other) { sources_ = other.sources_; }

  void save(State& state) const;
  /// Everything restored is durable. A State without sources has none of them.
  Status restore(const State& state);

 private:
  std::size_t most_ = 0;
  std::size_t opening_bytes_ = std::size_t{1} << 20;
  std::map<std::string, std::shared_ptr<Source>> sources_;  // in the order of names, in which they are saved
};

// How a source begins: a feed takes it up, and what its readers must know of its first records is kept.
// Thread-safety: the trainer thread's.

/// Lets a feed that nothing has come from yet carry the source `name`. Records of the source before `from`
/// (none: all that are inside) will not come. The feed counts its other records that are inside, and does not
/// learn from them. The feed that carried it before is retired. Its `source`, `framing` and `records` are
/// set. Errors: kUnavailable when there are too many sources, or one that cannot be retired carries it;
/// kInvalidInput when records between those inside and `from` would be missing.
Status open_source(SourceTable& sources, AttributeNames& names, const std::shared_ptr<Feed>& feed,
                   const std::string& name, std::optional<std::uint64_t> from);

/// Whether the first records of such a feed are kept: of rows there is nothing to keep, they are all alike.
bool is_kept_whole(const Feed& feed);
/// Keeps of a record that a reader opened, with that outcome, what one that goes on later must see. The feed
/// has a source whose opening is not whole yet.
void note_opening(Feed& feed, std::string_view record, const Status& opened);

}  // namespace glimpse
