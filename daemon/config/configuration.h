#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/buying/spending.h"
#include "daemon/feeds/replies.h"
#include "daemon/net/address.h"
#include "daemon/predictions/class_prediction.h"
#include "daemon/statistics/history.h"
#include "daemon/support/attribute_grid.h"
#include "data/formats.h"
#include "data/sniff.h"
#include "learn/options/options.h"

namespace glimpse {

/// Where a model is solved for that has to be.
enum class SolverPlace : std::uint8_t {
  kAuto,        ///< in the background where there is a door, inline where pipes and files alone are read
  kInline,      ///< by the trainer, before a prediction: the same predictions every time
  kBackground,  ///< on a thread of its own: learning and queries do not wait
};

/// Whether labelled examples are learned from.
enum class Learning : std::uint8_t {
  kAuto,  ///< as the checkpoint says that is restored; on where there is none
  kOn,
  kOff,   ///< they are judged and counted alone
  kTest,  ///< as kOn, and at the end the model is evaluated with what was held out
};

/// One instance among those that learn together from a topic of Kafka.
struct FleetOptions {
  std::string group;     ///< of consumers; empty: no fleet
  std::string states;    ///< the topic of states; empty: GROUP-states
  std::string instance;  ///< a name that keeps its partitions over a restart; empty: none
  std::string address;   ///< where others are told that this one answers; empty: nowhere
  std::chrono::milliseconds commit_every{10'000};
  std::chrono::milliseconds session{10'000};  ///< of silence, until its partitions are given away
  std::uint64_t most_state_bytes = std::uint64_t{1} << 30;  ///< in messages
  std::string state_folder;                                 ///< of larger states; empty: there is none
};

/// Everything that configures glimpsed, with its defaults. Units stand in the types and names.
struct Configuration {
  Configuration() {
    learner.algorithm = kAutomatic;
    table.delimiter = 0;
  }

  LearnerOptions learner;
  double budget_share = 0;       ///< --budget as a part of all attributes: 1 of all; 0: it is a number
  std::string algorithm_reason;  ///< why resolve_algorithm() chose one; empty: it did not
  std::string moments_file;      ///< empty: none
  std::string attributes_file;   ///< empty: none
  std::string costs_file;        ///< empty: every attribute costs 1
  SpendingLimits spending;
  std::size_t max_plans = 100000;
  std::chrono::milliseconds plan_ttl{std::chrono::hours(7 * 24)};

  std::vector<std::string> inputs;            ///< "-", a path or kafka://…
  std::vector<std::string> kafka_properties;  ///< NAME=VALUE, where a secret is NAME=@FILE
  bool skips_lost = false;                    ///< messages that a topic's retention removed
  bool reads_replaced =
      false;  ///< a file that is another one than the checkpoint had read, from its beginning
  bool waits_for_line_end = false;  ///< a file's last line without newline is not read
  /// No --input is given beside the doors, and standard input is a pipe or a file: it is read as well, and
  /// its end is no reason to stop. Not an option.
  bool reads_standard_input = false;
  FleetOptions fleet;
  std::string stdin_source;  ///< the name of what standard input brings; empty: none
  std::vector<Address> listen;
  std::vector<Address> http;
  bool page = true;                   ///< on the HTTP door
  std::optional<AttributeGrid> grid;  ///< none: attributes are no picture
  bool serve = false;
  Format format = Format::kAuto;
  unsigned index_base = 1;
  TableOptions table;
  std::size_t max_categories = Categories::kUsual;  ///< of an attribute
  std::vector<std::string> categories;  ///< attributes that hold words even where these look like numbers
  Absent absent = Absent::kAuto;
  bool allows_missing_columns = false;  ///< rows with labels are learned from below a header that lacks some
  std::string schema_file;              ///< that decides how tables are read; empty: none
  std::shared_ptr<const TableForm> decided;  ///< what it says; nullptr: there is none yet. Not an option
  bool allows_schema_change = false;         ///< records may be read otherwise than the checkpoint's were
  /// The options that were given, by name, with their values as texts; of those given several times the last,
  /// and "on" of those without a value. Not an option.
  std::map<std::string, std::string, std::less<>> given;
  double hold_out = 0;          ///< the share of labelled records that are not learned from
  std::uint64_t recent = 1000;  ///< how many examples the recent losses are of
  Learning learn = Learning::kAuto;
  bool validate_full = false;  ///< every value of a record is read before it is learned from
  Replies replies = Replies::kUnlabelled;
  Clip clip;  ///< of predictions, on every door
  ClassOptions classes;
  PredictAs predict_as = PredictAs::kLabel;
  SolverPlace solver = SolverPlace::kAuto;
  bool strict = false;

  bool allow_remote = false;
  std::string token_file;       ///< empty: nobody needs a token
  std::string socket_group;     ///< of Unix sockets; empty: the process' own
  std::string tls_certificate;  ///< PEM files; empty: no TLS
  std::string tls_key;

  std::string state_directory;  ///< empty: no checkpoints
  std::chrono::milliseconds checkpoint_every{30000};
  std::uint64_t checkpoint_examples = 0;  ///< 0: by time only
  unsigned checkpoint_share = 50;         ///< percent of the time for checkpoints that clients ask for
  std::size_t checkpoint_keep = 3;
  std::string restore = "auto";  ///< auto, never or a path
  std::size_t max_compared =
      2;  ///< checkpoints that are asked for by name and stay in memory; 0: none answers
  std::uint64_t compared_bytes = std::uint64_t{1} << 30;  ///< of their files together

  SampleLimits sample;
  std::size_t max_line_bytes = std::size_t{16} << 20;
  std::size_t max_header_bytes = std::size_t{16} << 10;
  std::size_t max_body_bytes = std::size_t{16} << 20;
  std::size_t queue_bytes = std::size_t{16} << 20;
  std::size_t max_connections = 10000;
  std::optional<std::size_t> max_connections_per_address;  ///< 0: no limit; default: 100 with allow_remote
  std::uint64_t max_requests = 0;                          ///< on one HTTP connection; 0: no limit
  std::size_t max_sources = 1000;
  std::size_t max_opening_bytes = std::size_t{256} << 10;     ///< of the records that a source begins with
  std::size_t max_unfinished_bytes = std::size_t{256} << 20;  ///< of lines that are not whole; and of bodies
  std::size_t max_unread_bytes = std::size_t{256} << 20;      ///< of answers that have not left
  std::chrono::milliseconds greeting_timeout{10000};          ///< 0: never
  std::chrono::milliseconds http_timeout{30000};
  std::chrono::milliseconds idle_timeout{0};  ///< of a stream connection; 0: never

  std::size_t threads = 0;  ///< that read and learn; 0: as many as there are cores
  bool progress = false;
  std::size_t history = History::kUsual;  ///< samples; 0: none
  std::string log_level = "info";
};

/// Up to this dimension pairwise solves in less than a millisecond, and auto is inline.
inline constexpr std::size_t kSolvedAtOnce = 128;

/// What `solver` comes to beside the doors and the dimension, once that is known.
bool solves_in_background(const Configuration& configuration);

/// What `threads` comes to on this machine, ≥ 1.
std::size_t threads_of(const Configuration& configuration);

}  // namespace glimpse
