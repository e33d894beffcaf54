#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/file.h"
#include "daemon/config/configuration.h"
#include "daemon/fleet/fleet_member.h"
#include "daemon/fleet/fleet_model.h"

namespace glimpse {

/// This instance's part in a fleet: the thread that learns from its partitions, and the one that folds the
/// states of all into the model that is answered with. Thread-safety: that of its parts; start(), stop() and
/// join() from one thread.
class FleetRuntime {
 public:
  /// `configuration`: all filled in. `failed` is called on another thread, once: nothing can be learned.
  /// References must outlive it. Errors (kInvalidOption): an address or a property that is none; this program
  /// was built without Kafka.
  static Result<std::unique_ptr<FleetRuntime>> open(const Configuration& configuration, FileSystem& files,
                                                    FleetModel::Parts model,
                                                    std::function<void(const Error&)> failed);
  virtual ~FleetRuntime() = default;

  /// `owner`: where this instance answers, which the others are told.
  virtual void start(const std::string& owner) = 0;
  /// Runs `work` on the fleet's thread between two messages, soon; with nullptr where this instance is no
  /// member, now or any more. Any thread.
  virtual void post(std::function<void(FleetMember*)> work) = 0;
  /// What was learned is committed, and its partitions go to others.
  virtual void stop() = 0;
  virtual void join() = 0;
  virtual FleetFacts facts() const = 0;
  /// Of these what stands of the model. Any thread.
  virtual FleetModelReport model() const = 0;
};

}  // namespace glimpse
