#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <string>
#include <utility>
#include <vector>

namespace glimpse {

/// The Prometheus text of /metrics, family by family. Thread-safety: none.
class Exposition {
 public:
  using Family = prometheus::MetricFamily;
  using Metric = prometheus::ClientMetric;
  using Type = prometheus::MetricType;

  /// Valid as long as this.
  Family& family(const std::string& name, const std::string& help, Type type) {
    families_.emplace_back();
    families_.back().name = name;
    families_.back().help = help;
    families_.back().type = type;
    return families_.back();
  }

  static void add(Family& family, double value, std::vector<Metric::Label> labels = {}) {
    Metric metric;
    metric.label = std::move(labels);
    if (family.type == Type::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    family.metric.push_back(std::move(metric));
  }

  void counter(const std::string& name, const std::string& help, std::uint64_t value) {
    add(family(name, help, Type::Counter), static_cast<double>(value));
  }
  /// NaN is not known, and not shown.
  void gauge(const std::string& name, const std::string& help, double value) {
    if (std::isfinite(value)) add(family(name, help, Type::Gauge), value);
  }

  std::string text() const {
    return prometheus::TextSerializer().Serialize({families_.begin(), families_.end()});
  }

 private:
  std::deque<Family> families_;
};

}  // namespace glimpse
