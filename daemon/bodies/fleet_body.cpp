#include "daemon/bodies/fleet_body.h"

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace glimpse {

namespace {

std::string joined(const PartitionOffsets& offsets, std::string_view none) {
  std::string text;
  for (const auto& offset : offsets) {
    if (!text.empty()) text += ',';
    if (offset)
      fmt::format_to(std::back_inserter(text), "{}", *offset);
    else
      text += none;
  }
  return text;
}

}  // namespace

std::string offsets_json(const PartitionOffsets& offsets) { return '[' + joined(offsets, "null") + ']'; }

std::string offsets_text(const PartitionOffsets& offsets) { return joined(offsets, "-"); }

namespace json = boost::json;

namespace {

template <class Number>
json::value or_null(const std::optional<Number>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

const char* phase_name(FleetMember::Phase phase) {
  switch (phase) {
    case FleetMember::Phase::kUnowned:
      return "elsewhere";
    case FleetMember::Phase::kFencing:
      return "fencing";
    case FleetMember::Phase::kReading:
      return "reading";
    case FleetMember::Phase::kLearning:
      return "here";
  }
  return "";
}

json::value cut_json(const std::optional<FleetCut>& cut) {
  if (!cut) return nullptr;
  json::array decided_at;
  for (const auto& offset : cut->decided_at) decided_at.push_back(or_null(offset));
  return json::object{{"number", cut->rise.number},
                      {"before", cut->rise.before},
                      {"after", cut->rise.after},
                      {"decided_at", std::move(decided_at)}};
}

}  // namespace

json::value fleet_json(const FleetFacts& facts) {
  const FleetReport& r = facts.report;
  const FleetModelReport& m = facts.model;
  json::array partitions;
  const auto trouble_of = [&m](std::size_t p) {
    const auto left_out = m.left_out.find(static_cast<std::uint32_t>(p));
    return left_out == m.left_out.end() ? json::value(nullptr) : json::value(left_out->second);
  };
  std::optional<std::uint64_t> lag;  // of the partitions here: nobody tells of others
  for (std::size_t p = 0; p < r.partitions.size(); ++p) {
    const PartitionReport& partition = r.partitions[p];
    const auto behind = partition.lag();
    if (behind && partition.phase == FleetMember::Phase::kLearning) lag = lag.value_or(0) + *behind;
    partitions.push_back(
        {{"partition", p},
         {"state", phase_name(partition.phase)},
         {"owner", text_or_null(partition.owner)},
         {"offset", or_null(partition.offset)},
         {"committed_offset",
          partition.newest ? json::value(partition.newest->offset) : json::value(nullptr)},
         {"generation", partition.newest ? json::value(partition.newest->sequence) : json::value(nullptr)},
         {"model_offset", p < m.positions.size() ? or_null(m.positions[p]) : json::value(nullptr)},
         {"model_trouble", trouble_of(p)},
         {"end", or_null(partition.end)},
         {"lag", or_null(behind)},
         {"cut", partition.cut ? json::value(partition.cut->rise.number) : json::value(nullptr)},
         {"cut_offset", partition.cut ? json::value(partition.cut->offset) : json::value(nullptr)},
         {"refused_records", partition.refused},
         {"plans_open", or_null(partition.open_plans)}});
  }
  const bool has_model = m.folds > 0;
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - m.made_at;
  return json::object{{"group", r.group},
                      {"topic", r.topic},
                      {"state_topic", r.state_topic},
                      {"member", text_or_null(r.member)},
                      {"trouble", text_or_null(r.trouble)},
                      {"partitions_here", r.owned()},
                      {"lag", or_null(lag)},
                      {"messages", r.counts.taken},
                      {"empty_messages", r.counts.empty},
                      {"oversized_messages", r.oversized()},
                      {"refused_records", r.refused()},
                      {"repeated_messages", r.counts.repeated},
                      {"dropped_messages", r.counts.dropped},
                      {"commits", r.counts.commits},
                      {"fenced", r.counts.fenced},
                      {"assignments", r.assignments},
                      {"corrupt_states", r.corrupt},
                      {"cut", cut_json(r.cut)},
                      {"model",
                       {{"examples", m.examples},
                        {"folds", m.folds},
                        {"age_seconds", has_model ? json::value(age.count()) : json::value(nullptr)},
                        {"fold_seconds", has_model ? json::value(m.fold.count()) : json::value(nullptr)},
                        {"waits", m.waits},
                        {"left_out", m.left_out.size()},
                        {"error", text_or_null(m.error)}}},
                      {"partitions", std::move(partitions)}};
}

}  // namespace glimpse
