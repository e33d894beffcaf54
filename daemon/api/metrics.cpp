#include "daemon/api/metrics.h"

#include <chrono>
#include <cmath>
#include <fmt/core.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <vector>

namespace glimpse {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

class Exposition {
 public:
  MetricFamily& family(const std::string& name, const std::string& help, MetricType type) {
    families_.emplace_back();
    families_.back().name = name;
    families_.back().help = help;
    families_.back().type = type;
    return families_.back();
  }

  static void add(MetricFamily& family, double value, std::vector<ClientMetric::Label> labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    if (family.type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    family.metric.push_back(std::move(metric));
  }

  void counter(const char* name, const char* help, std::uint64_t value) {
    add(family(name, help, MetricType::Counter), static_cast<double>(value));
  }
  void gauge(const std::string& name, const std::string& help, double value) {
    if (!std::isnan(value)) add(family(name, help, MetricType::Gauge), value);
  }

  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  std::vector<MetricFamily> families_;
};

template <class Time>
double since_epoch(Time time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
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
  auto& errors = out.family("glimpse_parse_errors_total", "Records that could not be read since the start.",
                            MetricType::Counter);
  for (const Door& door : s.doors)
    Exposition::add(errors, static_cast<double>(door.parse_errors), {{"source", door.name}});
  auto& bytes = out.family("glimpse_input_bytes_total", "Bytes of records worked through since the start.",
                           MetricType::Counter);
  for (const Door& door : s.doors)
    Exposition::add(bytes, static_cast<double>(door.bytes), {{"source", door.name}});

  out.counter("glimpse_model_examples_total", "Examples learned from, restored ones included.",
              s.counts.examples);
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
  out.gauge("glimpse_phase", "1: attributes are drawn uniformly; 2: by their second moments.", s.phase);
  const auto losses = [&](const char* name, const char* of_what, const ProgressiveLoss::Part& loss) {
    if (loss.count > 0) out.gauge(name, of_what, loss.mean);
    if (loss.count > 1)
      out.gauge(fmt::format("{}_error", name), fmt::format("Standard error of {}.", name),
                loss.standard_error());
  };
  losses("glimpse_progressive_loss", "Mean squared error before learning, estimated within the budget.",
         s.progressive_loss);
  losses("glimpse_recent_loss", "The same over the last half to three quarters of the examples.",
         s.recent_loss);
  out.gauge("glimpse_label_variance", "Mean squared distance of the labels from their mean.",
            s.label_variance);
  const auto shares = [&](const char* name, const char* of_loss, const ProgressiveLoss::Part& loss) {
    const LossShare share = s.loss_share(loss);
    out.gauge(name, fmt::format("1 less {} over glimpse_label_variance.", of_loss), share.r2());
    out.gauge(fmt::format("{}_error", name), fmt::format("Standard error of {}.", name), share.error);
  };
  shares("glimpse_progressive_r2", "glimpse_progressive_loss", s.progressive_loss);
  shares("glimpse_recent_r2", "glimpse_recent_loss", s.recent_loss);
  if (s.holds_out) {
    out.counter("glimpse_held_out_total", "Labelled records held out, restored ones included.",
                s.held_out.records);
    out.counter("glimpse_held_out_values_total", "Values of attributes that they gave.", s.held_out.values);
    losses("glimpse_held_out_loss", "Mean squared error of predictions for records that were held out.",
           s.held_out.loss);
    losses("glimpse_held_out_recent_loss", "The same over the last half to three quarters of them.",
           s.held_out.recent);
    shares("glimpse_held_out_r2", "glimpse_held_out_loss", s.held_out.loss);
    shares("glimpse_held_out_recent_r2", "glimpse_held_out_recent_loss", s.held_out.recent);
  }
  out.counter("glimpse_drift_alarms_total", "Changes of the stream noticed by --drift auto.", s.drift.alarms);
  out.gauge("glimpse_model_withheld",
            "1: the newest model is worse than the mean of the labels, and does not answer.",
            s.guard.served == Served::kNewest ? 0 : 1);
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
  add_refused("tls", facts.refused.tls);
  add_refused("accept", facts.refused.descriptors);
  add_refused("timeout", facts.refused.timeout);
  add_refused("malformed", facts.refused.malformed);
  add_refused("unread", facts.refused.unread);
  out.counter("glimpse_memory_troubles_total", "Things given up because there was no memory.",
              facts.memory_troubles);
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

  if (checkpoint.enabled) {
    out.counter("glimpse_checkpoint_failures_total", "Checkpoints that could not be written.",
                checkpoint.failures);
    if (checkpoint.last_success) {
      out.gauge("glimpse_checkpoint_last_success_timestamp_seconds",
                "When the newest checkpoint became durable.", since_epoch(*checkpoint.last_success));
      out.gauge("glimpse_checkpoint_duration_seconds", "Time that the newest checkpoint took.",
                checkpoint.duration_seconds);
      out.gauge("glimpse_checkpoint_pause_seconds",
                "Time for which learning paused for the newest checkpoint.", checkpoint.pause_seconds);
    }
  }
  Exposition::add(out.family("glimpse_build_info", "The version, as a label.", MetricType::Gauge), 1,
                  {{"version", facts.version}});
  return out.text();
}

}  // namespace glimpse
