#include "daemon/reports/metrics.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/format.h>
#include <limits>

#include "daemon/reports/class_status.h"
#include "daemon/reports/exposition.h"
#include "daemon/reports/topic_report.h"
#include "daemon/support/wall_clock.h"

namespace glimpse {

std::string render_fleet_metrics(const FleetFacts& facts) {
  const FleetReport& r = facts.report;
  const FleetModelReport& m = facts.model;
  Exposition out;
  const auto gauges = [&](const std::string& name, const std::string& help, const auto& value_of) {
    auto& family = out.family(name, help, Exposition::Type::Gauge);
    for (std::size_t p = 0; p < r.partitions.size(); ++p)
      if (const auto value = value_of(r.partitions[p]))
        Exposition::add(family, static_cast<double>(*value), {{"partition", std::to_string(p)}});
  };
  using Number = std::optional<std::uint64_t>;
  gauges("glimpse_fleet_partition_here", "1: this instance learns from that partition.",
         [](const PartitionReport& p) { return Number(p.phase == FleetMember::Phase::kLearning ? 1 : 0); });
  gauges("glimpse_fleet_partition_offset", "Of the partition's first message that is not learned from.",
         [](const PartitionReport& p) {
           return p.offset ? p.offset : p.newest ? Number(p.newest->offset) : std::nullopt;
         });
  gauges("glimpse_fleet_partition_lag_messages", "Messages of a partition that nobody learned from yet.",
         [](const PartitionReport& p) { return p.lag(); });
  gauges("glimpse_fleet_partition_generation",
         "States that were committed of that partition, by any instance.",
         [](const PartitionReport& p) { return p.newest ? Number(p.newest->sequence) : std::nullopt; });
  gauges("glimpse_fleet_partition_cut",
         "The last change of the stream that a partition's state has forgotten.",
         [](const PartitionReport& p) { return p.cut ? Number(p.cut->rise.number) : std::nullopt; });
  auto& owners =
      out.family("glimpse_fleet_partition_owner",
                 "1: the newest state of that partition was committed by the instance that answers there.",
                 Exposition::Type::Gauge);
  for (std::size_t p = 0; p < r.partitions.size(); ++p)
    if (const std::string& owner = r.partitions[p].owner; !owner.empty())
      Exposition::add(owners, 1, {{"partition", std::to_string(p)}, {"owner", owner}});
  auto& refused = out.family("glimpse_fleet_refused_records_total",
                             "Records, and messages as a whole, that this instance could not read.",
                             Exposition::Type::Counter);
  for (std::size_t p = 0; p < r.partitions.size(); ++p)
    Exposition::add(refused, static_cast<double>(r.partitions[p].refused),
                    {{"partition", std::to_string(p)}});
  out.gauge("glimpse_fleet_up", "1: this instance is a member of the group, and the brokers answer.",
            !r.member.empty() && r.trouble.empty() ? 1 : 0);
  out.counter("glimpse_fleet_messages_total", "Messages that this instance learned from.", r.counts.taken);
  out.counter("glimpse_fleet_repeated_messages_total", "Messages that were received before.",
              r.counts.repeated);
  out.counter("glimpse_fleet_empty_messages_total", "Messages without content.", r.counts.empty);
  out.counter("glimpse_fleet_oversized_messages_total", "Messages with a line over --max-line.",
              r.oversized());
  out.counter("glimpse_fleet_dropped_messages_total",
              "Messages that were learned from here, and are learned again where their partition went.",
              r.counts.dropped);
  out.counter("glimpse_fleet_commits_total", "States that this instance committed.", r.counts.commits);
  out.counter("glimpse_fleet_fenced_total",
              "Commits that were refused, as another instance owns the partition.", r.counts.fenced);
  out.counter("glimpse_fleet_assignments_total", "How often this instance was given partitions.",
              r.assignments);
  out.counter("glimpse_fleet_corrupt_states_total", "Messages of the topic of states that were left out.",
              r.corrupt);
  out.counter("glimpse_fleet_cuts_total",
              "Changes of the stream that were decided from the states of all partitions (--drift auto).",
              r.cut ? r.cut->rise.number : 0);
  out.counter("glimpse_fleet_folds_total", "Models that were made of the states of all partitions.", m.folds);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - m.made_at;
  out.gauge("glimpse_fleet_model_age_seconds", "Since the states were there that the model is made of.",
            m.folds > 0 ? age.count() : kUnknown);
  out.gauge("glimpse_fleet_fold_seconds", "From the newest states to answers by their model.",
            m.folds > 0 ? m.fold.count() : kUnknown);
  out.gauge("glimpse_fleet_model_left_out",
            "Partitions that are not in the model, as their states do not fit those of most.",
            static_cast<double>(m.left_out.size()));
  out.gauge("glimpse_fleet_model_failed",
            "1: the newest states cannot be folded, and an older model answers.", m.error.empty() ? 0 : 1);
  return out.text();
}

namespace {

using prometheus::MetricType;

template <class Time>
double since_epoch(Time time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// The names that Prometheus' own clients give them.
void add_process(const ProcessUsage& usage, Exposition& out) {
  if (!std::isnan(usage.cpu_seconds))
    Exposition::add(out.family("process_cpu_seconds_total", "Processor time of all threads, user and system.",
                               MetricType::Counter),
                    usage.cpu_seconds);
  out.gauge("process_resident_memory_bytes", "Memory that is in use now.", usage.resident_bytes);
  out.gauge("process_virtual_memory_bytes", "Addresses that are in use now.", usage.virtual_bytes);
  out.gauge("process_open_fds", "Open file descriptors.", usage.open_descriptors);
  out.gauge("process_max_fds", "File descriptors that the system allows.", usage.most_descriptors);
  out.gauge("process_start_time_seconds", "When the process started, since 1970.", usage.started_seconds);
}

void add_request_times(const RequestTimes& times, Exposition& out) {
  auto& family =
      out.family("glimpse_http_request_duration_seconds",
                 "From a whole request to its answer, by path and class of status; those that the door "
                 "refused itself are in glimpse_refused_total.",
                 MetricType::Histogram);
  for (const RequestTimes::Histogram& histogram : times.histograms()) {
    Exposition::Metric metric;
    metric.label = {{"path", histogram.path}, {"status", histogram.status}};
    metric.histogram.sample_sum = histogram.seconds;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < RequestTimes::kBounds.size(); ++i) {
      count += histogram.counts[i];
      metric.histogram.bucket.push_back({count, RequestTimes::kBounds[i]});
    }
    metric.histogram.sample_count = count + histogram.counts.back();
    family.metric.push_back(std::move(metric));
  }
}

// Each beside what it bounds.
void add_limits(const Statistics& s, const ReportedLimits& limits, Exposition& out) {
  out.gauge("glimpse_queue_limit_bytes", "Where reading pauses (--queue).",
            static_cast<double>(limits.queue_bytes));
  out.gauge("glimpse_named_sources_limit", "Where further sources are refused (--max-sources).",
            static_cast<double>(limits.sources));
  out.gauge("glimpse_plans_limit", "Where further plans are refused (--max-plans).",
            static_cast<double>(limits.plans));
  if (s.spending.limits.attributes)
    out.gauge("glimpse_attributes_limit", "Where looking at attributes ends (--total-budget).",
              static_cast<double>(*s.spending.limits.attributes));
  if (s.spending.limits.cost)
    out.gauge("glimpse_cost_limit", "Where the buying ends (--total-cost), in the unit of --costs.",
              money_in_units(*s.spending.limits.cost));
}

void add_checkpoints(const CheckpointStatus& checkpoint, double every_seconds, Exposition& out) {
  if (!checkpoint.enabled) return;
  out.counter("glimpse_checkpoint_failures_total", "Checkpoints that could not be written.",
              checkpoint.failures);
  out.gauge("glimpse_checkpoint_failing", "1: the last checkpoint that was tried could not be written.",
            checkpoint.last_error.empty() ? 0 : 1);
  out.gauge("glimpse_checkpoint_interval_seconds",
            "Time between two checkpoints while something comes in (--checkpoint-every).", every_seconds);
  out.gauge("glimpse_checkpoint_overdue_seconds",
            "Time since when a checkpoint that was asked for should have been durable; 0: none is overdue.",
            checkpoint.overdue_seconds.value_or(0));
  if (checkpoint.free_bytes)
    out.gauge("glimpse_state_free_bytes",
              "Room on the file system of --state-directory after the last attempt to write a checkpoint.",
              static_cast<double>(*checkpoint.free_bytes));
  if (checkpoint.bytes)
    out.gauge("glimpse_checkpoint_size_bytes", "Size of the newest checkpoint that this process wrote.",
              static_cast<double>(*checkpoint.bytes));
  if (!checkpoint.last_success) return;
  out.gauge("glimpse_checkpoint_last_success_timestamp_seconds", "When the newest checkpoint became durable.",
            *checkpoint.last_success + wall_clock_shift());
  out.gauge("glimpse_checkpoint_duration_seconds", "Time that the newest checkpoint took.",
            checkpoint.duration_seconds);
  out.gauge("glimpse_checkpoint_pause_seconds", "Time for which learning paused for the newest checkpoint.",
            checkpoint.pause_seconds);
}

void add_readiness(const ProcessFacts& facts, Exposition& out) {
  auto& ready = out.family("glimpse_ready", "1: /readyz?for= answers 200.", MetricType::Gauge);
  Exposition::add(ready, facts.is_ready ? 1 : 0, {{"for", "predictions"}});
  Exposition::add(ready, facts.is_ready_to_learn ? 1 : 0, {{"for", "learning"}});
}

}  // namespace

std::string render_metrics(const Statistics& s, const CheckpointStatus& checkpoint,
                           const ProcessFacts& facts) {
  Exposition out;
  auto& examples =
      out.family("glimpse_examples_total", "Examples learned from since the start.", MetricType::Counter);
  for (const Door& door : s.doors)
    Exposition::add(examples, static_cast<double>(door.examples), {{"source", door.name}});
  auto& predictions =
      out.family("glimpse_predictions_total", "Predictions answered since the start.", MetricType::Counter);
  for (const Door& door : s.doors)
    Exposition::add(predictions, static_cast<double>(door.predictions), {{"source", door.name}});
  auto& odd =
      out.family("glimpse_odd_values_total",
                 "Words where numbers are, which counted as missing, since the start.", MetricType::Counter);
  for (const Door& door : s.doors)
    Exposition::add(odd, static_cast<double>(door.odd_values), {{"source", door.name}});
  auto& filled =
      out.family("glimpse_filled_records_total",
                 "Rows that lacked fields, which counted as missing, since the start.", MetricType::Counter);
  for (const Door& door : s.doors)
    Exposition::add(filled, static_cast<double>(door.filled_records), {{"source", door.name}});
  auto& errors = out.family("glimpse_parse_errors_total", "Records that could not be read since the start.",
                            MetricType::Counter);
  for (const Door& door : s.doors)
    Exposition::add(errors, static_cast<double>(door.parse_errors), {{"source", door.name}});
  if (std::ranges::any_of(s.doors, &Door::is_input)) {
    auto& failed =
        out.family("glimpse_input_failed", "1: reading of the input ended with an error.", MetricType::Gauge);
    for (const Door& door : s.doors)
      if (door.is_input()) Exposition::add(failed, door.failure.empty() ? 0 : 1, {{"source", door.name}});
  }
  add_topics(s, out);
  auto& bytes = out.family("glimpse_input_bytes_total", "Bytes of records worked through since the start.",
                           MetricType::Counter);
  for (const Door& door : s.doors)
    Exposition::add(bytes, static_cast<double>(door.bytes), {{"source", door.name}});

  out.counter("glimpse_state_examples_total",
              "Examples that the state has learned from, restored ones included.", s.counts.examples);
  out.counter("glimpse_attributes_revealed_total",
              "Distinct attributes looked at for learning, restored ones included.",
              s.counts.attributes_revealed);
  auto& skipped =
      out.family("glimpse_examples_skipped_total",
                 "Labelled examples not learned from, restored ones included.", MetricType::Counter);
  Exposition::add(skipped, static_cast<double>(s.counts.missing), {{"reason", "missing"}});
  Exposition::add(skipped, static_cast<double>(s.counts.out_of_range), {{"reason", "out_of_range"}});
  Exposition::add(skipped, static_cast<double>(s.counts.diverged), {{"reason", "diverged"}});
  Exposition::add(skipped, static_cast<double>(s.counts.left_out), {{"reason", "left_out"}});
  auto& bounded =
      out.family("glimpse_bounded_values_total",
                 "Numbers far beyond what was seen that were cut or left out, and importances cut to "
                 "--max-importance, restored ones included.",
                 MetricType::Counter);
  Exposition::add(bounded, static_cast<double>(s.counts.bounded_values), {{"of", "attributes"}});
  Exposition::add(bounded, static_cast<double>(s.counts.bounded_labels), {{"of", "label"}});
  Exposition::add(bounded, static_cast<double>(s.counts.bounded_importances), {{"of", "importance"}});
  out.counter("glimpse_values_beyond_range_total",
              "Values of attributes beyond 1e30, which count as missing, restored ones included.",
              s.counts.beyond_values);
  out.gauge("glimpse_phase", "1: attributes are drawn uniformly; 2: by what was learned, or given, of them.",
            s.phase);
  if (s.phase_since)
    out.gauge("glimpse_phase_since_examples", "Examples learned from when this phase began.",
              static_cast<double>(*s.phase_since));
  out.gauge("glimpse_look_ratio", "The largest chance of an attribute in a draw over the smallest.",
            s.looks.ratio);
  out.gauge("glimpse_effective_attributes",
            "1 over the sum of the squared chances: the dimension where draws are uniform.",
            s.looks.effective);
  if (s.best_wanted > 0)
    out.gauge("glimpse_best_attributes",
              "Attributes that looks are spent on (--look-at-best); 0: all, as the choice is not sure.",
              s.best ? static_cast<double>(s.best->size()) : 0);
  if (s.best)
    out.gauge("glimpse_best_since_examples", "Examples learned from when these attributes were chosen.",
              static_cast<double>(s.best_since));
  const auto losses = [&](const std::string& of, const std::string& of_what,
                          const ProgressiveLoss::Part& part) {
    const NonNegative loss = part.reported();
    const std::string name = of + "_loss";
    out.gauge(name, of_what, loss.value());
    out.gauge(name + "_error", fmt::format("Standard error of {}.", name), loss.error);
    if (!s.classes)
      out.gauge(of + "_rmse", fmt::format("Square root of {}, in the label's unit.", name), loss.root());
    const LossShare share = s.loss_share(part);
    out.gauge(of + "_r2", fmt::format("1 less {} over that of the mean of the labels.", name), share.r2());
    out.gauge(of + "_r2_error", fmt::format("Standard error of {}_r2.", of), share.error);
  };
  const auto estimates = [&](const std::string& of, const ProgressiveLoss::Part& part) {
    out.gauge(of + "_loss_estimate",
              fmt::format("The unbiased estimate that {}_loss is made of; may be below 0.", of),
              part.reported().estimate);
  };
  losses(
      "glimpse_progressive",
      fmt::format("{} before learning, estimated within the budget.",
                  s.classes ? "Half of the mean squared errors of all classes' indicators, by least squares,"
                            : "Mean squared error"),
      s.progressive_loss);
  losses("glimpse_recent", "The same over the recent examples (--recent).", s.recent_loss);
  estimates("glimpse_progressive", s.progressive_loss);
  estimates("glimpse_recent", s.recent_loss);
  out.gauge("glimpse_label_variance", "Mean squared distance of the labels from their mean.",
            s.label_variance);
  // Of records that were looked at whole; `called` as sentences call them.
  const auto absolute = [&](const std::string& of, const char* called, double mean, double median) {
    out.gauge(of + "_mean_absolute_error", fmt::format("Mean absolute error for records {}.", called), mean);
    out.gauge(of + "_median_absolute_error",
              fmt::format("Median absolute error for records {}, at most 13 % off.", called), median);
  };
  if (!std::isnan(s.mean_absolute))
    absolute("glimpse_progressive", "before learning", s.mean_absolute, s.median_absolute);
  // Of records that are not learned from: `of` as names begin, `called` as sentences call them.
  const auto unlearned = [&](const std::string& of, const char* called, const char* count,
                             const HeldOut& records) {
    out.counter(count, fmt::format("Labelled records {}, restored ones included.", called), records.records);
    out.counter(of + "_values_total", "Values of attributes that they gave.", records.values);
    losses(of,
           fmt::format("{} for records {}.",
                       s.classes ? "Half of the mean Brier score of the probabilities of classes"
                                 : "Mean squared error of predictions",
                       called),
           records.loss);
    losses(of + "_recent", "The same over the recent ones (--recent).", records.recent);
    absolute(of, called, records.mean_absolute, records.median_absolute);
  };
  if (s.holds_out) unlearned("glimpse_held_out", "that were held out", "glimpse_held_out_total", s.held_out);
  add_class_metrics(s, out);
  add_label_metrics(s, out);
  out.gauge("glimpse_frozen", "1: nothing is learned (--learn off, POST /v1/freeze).", s.is_frozen ? 1 : 0);
  if (s.was_frozen)
    unlearned("glimpse_frozen", "that came while frozen", "glimpse_frozen_examples_total", s.frozen);
  out.counter("glimpse_promotions_total",
              "How often the model of a checkpoint took the place of the newest (POST /v1/promote), restored "
              "ones included.",
              s.promotion.count);
  out.counter("glimpse_drift_alarms_total", "Changes of the stream noticed by --drift auto.", s.drift.alarms);
  out.gauge("glimpse_model_withheld",
            "1: the newest model is worse than the mean of the labels, and does not answer.",
            s.guard.served == Served::kNewest ? 0 : 1);
  if (s.expansion) {
    out.gauge("glimpse_products", "Products of attributes that have weights.",
              static_cast<double>(s.expansion->products));
    out.counter("glimpse_products_lacking_total",
                "Times that a product of attributes found no room, restored ones included.",
                s.expansion->lacking);
  }
  out.gauge("glimpse_step_size", "Step size of the last example.", s.step_size);
  out.gauge("glimpse_learner_bytes", "Memory of the learner.", static_cast<double>(s.memory_bytes));
  out.gauge("glimpse_queue_bytes", "Bytes read and not learned yet.", static_cast<double>(facts.queue_bytes));
  out.gauge("glimpse_connections", "Open connections on all doors.", static_cast<double>(facts.connections));
  out.gauge("glimpse_named_sources", "Sources known by name, against --max-sources.",
            static_cast<double>(s.named_sources));
  auto& refused = out.family("glimpse_refused_total", "Connections and requests turned away, by reason.",
                             MetricType::Counter);
  const auto add_refused = [&](const char* reason, std::uint64_t count) {
    Exposition::add(refused, static_cast<double>(count), {{"reason", reason}});
  };
  add_refused("connections", facts.refused.total);
  add_refused("connections_per_address", facts.refused.address);
  add_refused("token", facts.refused.token);
  add_refused("revoked", facts.refused.revoked);
  add_refused("tls", facts.refused.tls);
  add_refused("accept", facts.refused.descriptors);
  add_refused("timeout", facts.refused.timeout);
  add_refused("malformed", facts.refused.malformed);
  add_refused("unread", facts.refused.unread);
  out.counter("glimpse_memory_troubles_total", "Things given up because there was no memory.",
              facts.memory_troubles);
  out.counter("glimpse_log_lines_dropped_total",
              "Lines of the log that were dropped: nobody read standard error.", facts.dropped_log_lines);
  out.gauge("glimpse_plans_open", "Plans given out and not answered.", static_cast<double>(s.plans_open));
  out.counter("glimpse_plans_given_total", "Plans given out, restored ones included.", s.plans.given);
  out.counter("glimpse_plans_learned_total", "Plans whose answers were learned from, restored ones included.",
              s.plans.learned);
  out.counter("glimpse_plans_not_learned_total",
              "Plans whose answers nothing could be learned from, restored ones included.",
              s.plans.not_learned);
  out.counter("glimpse_plans_expired_total", "Plans that were never answered, restored ones included.",
              s.plans.expired);
  out.counter("glimpse_plans_abandoned_total", "Plans that were given back, restored ones included.",
              s.plans.abandoned);
  auto& cost = out.family("glimpse_cost_total", "What was paid for attributes, in the unit of --costs.",
                          MetricType::Counter);
  Exposition::add(cost, money_in_units(s.spending.cost));
  out.gauge("glimpse_cost_reserved", "What the attributes of open plans will cost.",
            money_in_units(s.spending.cost_reserved));
  if (s.model) {
    out.gauge("glimpse_model_examples", "Examples that the model was made from which predictions use.",
              static_cast<double>(s.model->examples));
    out.gauge("glimpse_model_age_seconds", "Since that model was of the last example; 0 while it is.",
              model_age_seconds(*s.model, s.counts.examples, facts.now_seconds));
  }
  if (s.solve_seconds)
    out.gauge("glimpse_solve_duration_seconds", "Time that the last solve took on its thread.",
              *s.solve_seconds);
  if (since_epoch(s.snapshot_at) > 0)
    out.gauge("glimpse_snapshot_age_seconds", "Since a model was last copied out for a query.",
              facts.now_seconds - since_epoch(s.snapshot_at));

  add_limits(s, facts.limits, out);
  add_checkpoints(checkpoint, facts.limits.checkpoint_seconds, out);
  add_readiness(facts, out);
  add_request_times(facts.requests, out);
  add_process(facts.usage, out);
  Exposition::add(out.family("glimpse_build_info", "The version, as a label.", MetricType::Gauge), 1,
                  {{"version", facts.version}});
  return out.text();
}

void RequestTimes::note(std::string_view path, unsigned status, std::chrono::duration<double> time) {
  const char digit = static_cast<char>('0' + status / 100 % 10);
  auto found = std::find_if(histograms_.begin(), histograms_.end(), [&](const Histogram& histogram) {
    return histogram.status.front() == digit && histogram.path == path;
  });
  if (found == histograms_.end())
    found = histograms_.insert(found, {std::string(path), fmt::format("{}xx", digit), {}});
  const double seconds = std::max(0.0, time.count());
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++found->counts[static_cast<std::size_t>(bucket)];
  found->seconds += seconds;
}

}  // namespace glimpse
