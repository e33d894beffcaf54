// What the service learns from beside its doors: files, standard input, topics, and a fleet's partitions.

#include <array>
#include <map>
#include <spdlog/spdlog.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "daemon/config/schema_choice.h"
#include "daemon/service.h"
#include "daemon/support/prepared_post.h"

namespace glimpse {

namespace asio = boost::asio;

namespace {

// The name under which the checkpoint knows what `source` holds, where its file has another name now: there
// is no such file any more, or another one. Empty: there is none.
std::string former_name(const InputSource& source, const std::vector<InputProgress::Reached>& known) {
  std::string name;
  for (const InputProgress::Reached& one : known) {
    if (!source.was_read(one.position, one.fingerprint)) continue;
    if (one.name == source.address()) return {};
    const auto there = InputSource::open(one.name);
    if (!there || !(*there)->was_read(one.position, one.fingerprint)) name = one.name;
  }
  return name;
}

}  // namespace

// A file that was renamed, as by logrotate, goes on where it was.
void Service::find_renamed_inputs() {
  InputProgress& progress = prepared_.processor->input_progress();
  std::map<std::string, std::string> names;
  for (const auto& source : prepared_.inputs.files)
    if (const std::string before = former_name(*source, progress.reached()); !before.empty()) {
      spdlog::info("{}: is the file that was read as {}", source->name(), before);
      names.emplace(before, source->address());
    }
  progress.rename(names);
}

Status Service::open_inputs() {
  inputs_.set_events(
      {[this](const std::shared_ptr<Door>& door, const Status& status) { input_ended(door, status); },
       [this](const std::shared_ptr<Door>& door, const std::string& name) { input_gave_up(door, name); }});
  for (const auto& topic : prepared_.inputs.topics) open_topic(*topic);
  find_renamed_inputs();
  for (std::unique_ptr<InputSource>& source : prepared_.inputs.files) {
    const std::string path = source->is_standard() ? "-" : source->name();
    source->set_ends(configuration_.waits_for_line_end,
                     configuration_.serve && configuration_.format != Format::kNpy);
    if (const InputSource* other = inputs_.same_as(*source))
      return failure(ErrorCode::kInvalidOption, "--input {}: is the same file as --input {}", path,
                     other->name());
    const auto door = add_door(source->name(), source->is_standard() ? "stdin" : "file");
    const TableSchema before = prepared_.processor->schema_before(source->address());
    auto feed = make_feed(door, {configuration_.format, {}}, source->address());
    Status status =
        source->resume(*feed, before, schema_of(configuration_), configuration_.allows_schema_change);
    if (!status && status.error().code == ErrorCode::kMismatch) return status;
    if (!status && status.error().code == ErrorCode::kCorrupt && configuration_.reads_replaced) {
      spdlog::warn("{}; it is read from its beginning (--replaced-input read)", status.error().message);
      feed->position = feed->records = feed->records_before = feed->known_fingerprint = 0;
      feed->fingerprint = {};
      feed->first_question = {};
      status = {};
    }
    if (!status) {
      prepared_.processor->input_progress().close(source->address());
      failed_inputs_.emplace_back(door, status);
      continue;
    }
    feed->error_replies = ErrorReplies::kAnswered;
    if (feed->first_question.position < feed->position && configuration_.replies != Replies::kNone) {
      feed->again = make_feed(door, {configuration_.format, {}});
      feed->again->error_replies = ErrorReplies::kAnswered;
      feed->again->only_answers = true;
      feed->again->goes_on = feed;
      feed->again->position = feed->first_question.position;
      feed->again->records = feed->first_question.records;
      source->show_beginning(*feed->again);
    }
    prepared_.processor->names().take_back();  // what the look at the beginning brought was no record's
    if (source->is_standard() && !configuration_.stdin_source.empty()) {
      const std::string& name = configuration_.stdin_source;
      if (const Status opened = prepared_.processor->open_source(feed, name, 0); !opened)
        return failure(opened.error().code, "--stdin-source {}: {}", name, opened.error().message);
      spdlog::info("stdin: source '{}': the first {} records are inside already", name,
                   feed->source->records);
      named_input_ = feed;
    }
    if (feed->position > 0)
      spdlog::info("{}: resuming at byte {}, after {} records", path, feed->position, feed->records);
    if (feed->again)
      spdlog::info("{}: records without a label before that are answered again, from line {} on", path,
                   feed->again->records + 1);
    const bool can_resume = prepared_.store && (feed->source || source->is_regular());
    GLIMPSE_TRY(inputs_.add(std::move(source), std::move(feed), can_resume));
  }
  const bool is_all = inputs_.empty() && !configuration_.serve;
  return is_all && !failed_inputs_.empty() ? failed_inputs_.front().second : Status();
}

Status Service::open_fleet() {
  if (configuration_.fleet.group.empty()) return {};
  FleetModel::Parts parts{queue_, *trainer_, solver_.get(),
                          [rebuild = rebuild()](const State& state) { return rebuild(state); },
                          [this](StreamProcessor&) { log_->note_promoted(); }};
  auto fleet =
      FleetRuntime::open(configuration_, *prepared_.files, std::move(parts), [this](const Error& error) {
        asio::post(io_, [this, message = error.message] {
          spdlog::error("the fleet cannot go on: {}", message);
          begin_stop("the fleet", 1);
        });
      });
  if (!fleet) return fleet.error();
  fleet_ = std::move(*fleet);
  return {};
}

// Where the others are told that this one answers: its first TCP door of HTTP, with the machine's name where
// that is open to every address of it; the machine's name where there is none.
std::string Service::fleet_address() const {
  if (!configuration_.fleet.address.empty()) return configuration_.fleet.address;
  std::array<char, 256> name{};
  const std::string machine =
      ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
  constexpr std::string_view kTcp = "tcp:";
  for (const std::string& address : http_server_ ? http_server_->addresses() : std::vector<std::string>()) {
    if (!address.starts_with(kTcp)) continue;
    const std::size_t colon = address.rfind(':');
    const std::string host = address.substr(kTcp.size(), colon - kTcp.size());
    const bool is_any = host == "0.0.0.0" || host == "::" || host == "[::]" || host == "*";
    return fmt::format("{}://{}{}", configuration_.tls_certificate.empty() ? "http" : "https",
                       is_any                                                       ? machine
                       : host.find(':') != std::string::npos && host.front() != '[' ? '[' + host + ']'
                                                                                    : host,
                       address.substr(colon));
  }
  return machine;
}

// Its partitions are asked for when it is read, as brokers may be gone for a while.
void Service::open_topic(Topic& topic) {
  const auto door = add_door(name_of(topic), "kafka");
  const auto progress = std::make_shared<TopicProgress>();
  door->topic = progress;
  const auto make = [this, door](StreamProcessor& processor, const std::string& name,
                                 Format format) -> Result<std::shared_ptr<Feed>> {
    auto feed = make_feed(processor, door, {format, {}}, name);
    feed->in_messages = true;
    GLIMPSE_TRY(processor.open_source(feed, name, feed->records));
    if (feed->position > 0)
      spdlog::info("{}: resuming at offset {}, after {} records", name, feed->position,
                   feed->source->records);
    feed->gave_up = [this, door, name, post = std::make_shared<PreparedPost>()] {
      (*post)(io_, [this, door, name] { input_gave_up(door, name); });
    };
    return feed;
  };
  inputs_.add(
      read_topic(topic, configuration_, queue_, replies_, progress, make, inputs_.end_of_running(door)));
}

}  // namespace glimpse
