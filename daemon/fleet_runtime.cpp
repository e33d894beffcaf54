#include "daemon/fleet_runtime.h"

#ifdef GLIMPSE_HAS_KAFKA

#include <fmt/format.h>
#include <random>
#include <spdlog/spdlog.h>
#include <utility>
#include <xxhash.h>

#include "daemon/config/schema_choice.h"
#include "daemon/config/schema_file.h"
#include "daemon/feed_setup.h"
#include "daemon/group/fleet_worker.h"
#include "daemon/kafka/kafka_properties.h"
#include "daemon/learning_description.h"
#include "daemon/startup.h"

namespace glimpse {

namespace {

constexpr const char* kBrokersAnswer = "8000";  // ms; the user's own comes behind

constexpr std::uint64_t kMostTold = 10;  // of the messages of a partition that cannot be read

// Each partition draws plans of its own, the same on every instance.
std::uint64_t seed_of(std::uint64_t seed, const std::string& topic, std::uint32_t partition) {
  const std::string text = fmt::format("{}/{}", topic, partition);
  return XXH3_64bits_withSeed(text.data(), text.size(), seed) >> 1;
}

// How the learners of partitions are made.
class PartitionMaker {
 public:
  PartitionMaker(Configuration configuration, FileSystem& files, std::string topic)
      : configuration_(std::move(configuration)), files_(files), topic_(std::move(topic)) {
    // Nobody looks whether a message is the first line of a table: --header yes says so.
    if (configuration_.table.header == HeaderChoice::kAuto) configuration_.table.header = HeaderChoice::kNo;
  }

  Result<OwnedPartition> operator()(std::uint32_t partition, const State* state,
                                    const StateVersion& version) const {
    Configuration c = configuration_;
    c.learner.seed = seed_of(c.learner.seed, topic_, partition);
    GLIMPSE_TRY_ASSIGN(auto processor,
                       state != nullptr ? rebuild(c, files_, *state) : begin_from_nothing(c, files_));
    processor->learner().watch_together();
    auto door = std::make_shared<Door>();
    door->name = fmt::format("kafka:{}/{}", topic_, partition);
    door->kind = "kafka";
    StreamProcessor::Hooks hooks;
    hooks.error = [told = std::uint64_t{0}](const Feed& feed, const RecordError& error) mutable {
      if (++told > kMostTold) return;
      spdlog::warn("{}: record {} cannot be read: {}{}", feed.door->name, error.record, error.message,
                   told == kMostTold ? " (further ones of this partition are only counted)" : "");
    };
    processor->set_hooks(std::move(hooks));
    // A message of npy is an array, whose header is taken off: its rows are those of f32.
    const Format of_rows = c.format == Format::kNpy ? Format::kF32 : c.format;
    std::shared_ptr<TableForm> form;
    if (c.decided) {
      form = std::make_shared<TableForm>(*c.decided);
      form->dialect.preamble_lines = 0;
      if (c.table.header == HeaderChoice::kNo) form->dialect.header_records = 0;
      if (!form->is_of_json())
        form->renames = form->renames || (c.table.header == HeaderChoice::kNo && !form->names.empty());
    }
    auto feed = make_feed_of(c, *processor, door, {of_rows, {}}, {},
                             form ? std::optional(record_form_of(*form)) : std::nullopt);
    return OwnedPartition(topic_, partition, std::move(processor), std::move(feed), version,
                          framing_of(c.format, c.learner.dimension, c.max_line_bytes, form));
  }

  // Whether a sample decides for all instances: of objects, and of tables whose rows have no header.
  bool decides() const {
    if (configuration_.decided || configuration_.format == Format::kNdjson) return !configuration_.decided;
    const bool may_be_table = configuration_.format == Format::kAuto || configuration_.format == Format::kCsv;
    return may_be_table && configuration_.table.header == HeaderChoice::kNo;
  }

  std::optional<std::string> sample(std::string_view lines, bool is_whole) const {
    const auto first = read_messages(configuration_, lines, is_whole);
    if (!first) spdlog::warn("fleet: nothing is decided by a sample: {}", first.error().message);
    if (first && !*first && !is_whole) return std::nullopt;
    TableSchema schema = schema_of(configuration_);
    if (first && *first && (*first)->dimension == configuration_.learner.dimension)
      schema.form = (*first)->decided_form();
    return is_of_table(schema.form) ? schema_text(schema) : std::string();
  }

  Status take(const std::string& text) {
    if (text.empty()) return {};
    GLIMPSE_TRY(take_schema_text(configuration_, text, "the decision in the topic of states"));
    GLIMPSE_TRY_ASSIGN(const auto first, records_of_form(*configuration_.decided, configuration_.table));
    spdlog::info("fleet: the topic of states says how all partitions are read: {}", first.describe());
    return {};
  }

 private:
  Configuration configuration_;  // with what is decided, once that is known
  FileSystem& files_;
  const std::string topic_;
};

class KafkaFleet : public FleetRuntime {
 public:
  KafkaFleet(FleetWorker::Settings settings, std::unique_ptr<StateFolder> folder, PartitionMaker make,
             FleetModel::Parts model, std::function<void(const Error&)> failed)
      : folder_(std::move(folder)),
        model_(std::move(model)),
        make_(std::move(make)),
        worker_(std::move(settings),
                FleetWorker::Hooks{.open = std::ref(make_),
                                   .begun = [this](std::uint32_t partitions) { model_.begin(partitions); },
                                   .found =
                                       [this](std::uint32_t partition, const StateVersion& version,
                                              std::shared_ptr<const State> state) {
                                         model_.put(partition, version, std::move(state));
                                       },
                                   .sample = sampler(),
                                   .decided = [this](const std::string& text) { return make_.take(text); },
                                   .failed = std::move(failed)}) {}

  void start(const std::string& owner) override { worker_.start(owner); }
  void post(FleetWorker::Work work) override { worker_.post(std::move(work)); }
  void stop() override { worker_.stop(); }
  void join() override {
    worker_.join();
    model_.stop();
  }
  FleetFacts facts() const override { return {worker_.report(), model_.report()}; }
  FleetModelReport model() const override { return model_.report(); }

 private:
  decltype(FleetWorker::Hooks::sample) sampler() {
    if (!make_.decides()) return {};
    return [this](std::string_view lines, bool is_whole) { return make_.sample(lines, is_whole); };
  }

  const std::unique_ptr<StateFolder> folder_;  // nullptr: there is none
  FleetModel model_;
  PartitionMaker make_;
  FleetWorker worker_;
};

// What two processes that write to one folder must not share.
std::string tag_of_process() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

Result<std::unique_ptr<FleetRuntime>> FleetRuntime::open(const Configuration& c, FileSystem& files,
                                                         FleetModel::Parts model,
                                                         std::function<void(const Error&)> failed) {
  GLIMPSE_TRY_ASSIGN(const auto address, parse_kafka_address("input", c.inputs.front()));
  FleetWorker::Settings settings;
  settings.group = {address, c.fleet.group, c.fleet.instance, c.fleet.session};
  settings.states = {address.brokers, c.fleet.states.empty() ? c.fleet.group + "-states" : c.fleet.states};
  if (settings.states.topic == address.topic)
    return failure(ErrorCode::kInvalidOption, "--fleet-states {}: is the topic of --input", c.fleet.states);
  settings.option = "kafka-property";
  GLIMPSE_TRY_ASSIGN(settings.properties, parse_kafka_properties(settings.option, c.kafka_properties));
  settings.watches_drift = c.learner.drift == Drift::kAuto;
  // Who waits for brokers that hang cannot end meanwhile. Some calls wait for so long, whatever their
  // patience.
  settings.properties.insert(settings.properties.begin(), {"socket.timeout.ms", kBrokersAnswer});
  GLIMPSE_TRY_ASSIGN(settings.learning, describe_learning(c, files));
  settings.commit_every = c.fleet.commit_every;
  settings.most_state_bytes = c.fleet.most_state_bytes;
  std::unique_ptr<StateFolder> folder;
  if (!c.fleet.state_folder.empty()) {
    folder = std::make_unique<StateFolder>(files, c.fleet.state_folder, settings.states.topic,
                                           tag_of_process(), most_restored_bytes());
    if (const Status status = folder->open(); !status)
      return failure(ErrorCode::kInvalidOption, "--fleet-state-folder {}: {}", c.fleet.state_folder,
                     status.error().message);
  }
  settings.folder = folder.get();
  return std::unique_ptr<FleetRuntime>(std::make_unique<KafkaFleet>(std::move(settings), std::move(folder),
                                                                    PartitionMaker(c, files, address.topic),
                                                                    std::move(model), std::move(failed)));
}

}  // namespace glimpse

#else

namespace glimpse {

Result<std::unique_ptr<FleetRuntime>> FleetRuntime::open(const Configuration& c, FileSystem&,
                                                         FleetModel::Parts,
                                                         std::function<void(const Error&)>) {
  return failure(ErrorCode::kInvalidOption,
                 "--fleet {}: this glimpsed was built without Kafka: build it with -DGLIMPSE_KAFKA=ON and "
                 "librdkafka-dev",
                 c.fleet.group);
}

}  // namespace glimpse

#endif
