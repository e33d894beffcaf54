#include "fleet/fleet_simulation.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "learn/factory.h"

namespace glimpse {

std::string_view name_of(FleetEvent event) {
  constexpr std::array<std::string_view, kFleetEvents> kNames = {
      "killed", "killed amid a call", "terminated",   "stopped and continued",
      "joined", "brokers away",       "brokers slow", "compaction"};
  return kNames[static_cast<std::size_t>(event)];
}

std::optional<FleetEvent> event_of(std::string_view word) {
  constexpr std::array<std::string_view, kFleetEvents> kWords = {
      "kill", "kill-in-call", "terminate", "stop", "join", "away", "slow", "compact"};
  const auto* const found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<FleetEvent>(found - kWords.begin());
}

void RecoveryWatch::begin(FleetEvent event, double now, double over) {
  open_.push_back({event, now, std::max({over, now + least_}), now, now});
}

void RecoveryWatch::step(double now, bool learns, bool is_fresh) {
  const auto note = [&](std::optional<double>& since, bool is_well) {
    if (!is_well)
      since.reset();
    else if (!since)
      since = now;
  };
  std::erase_if(open_, [&](Open& open) {
    note(open.learns_since, learns);
    note(open.fresh_since, is_fresh);
    if (now < open.over || !open.learns_since || !open.fresh_since) return false;
    recoveries_.push_back({open.event, *open.learns_since - open.began, *open.fresh_since - open.began});
    return true;
  });
}

namespace {

constexpr double kStep = 0.05;  // seconds of the clock
constexpr std::size_t kDimension = 4;

LearnerOptions learner_options() {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kDimension;
  options.budget = 2;
  return options;
}

}  // namespace

struct FleetSimulation::Member {
  Member(std::string name, SimulatedBrokers& brokers, const SimulatedMember::Costs& costs,
         SimulatedMember::Open open)
      : process(std::move(name), brokers, costs, std::move(open)) {}

  // It is busy for as long as its work since the last time took, whoever asked for it.
  void charge(double now) {
    free_at = std::max(free_at, now) + (process.seconds() - charged);
    charged = process.seconds();
  }

  SimulatedMember process;
  std::vector<std::uint32_t> partitions;  // as the coordinator gave them
  double stopped_until = -1;              // by a signal
  double free_at = 0;
  double charged = 0;  // of the seconds of its work
  double commit_at = 0;
  bool is_out = false;  // the coordinator gave its partitions away, and it does not know
};

FleetSimulation::FleetSimulation(const Options& options)
    : options_(options),
      random_(options.seed),
      messages_random_(options.seed + 1),
      brokers_(options.partitions, options.brokers, options.slow_answer),
      watch_(options.commit_every + options.slack),
      due_(options.partitions) {
  for (std::uint32_t m = 0; m < options_.members; ++m) join();
}

FleetSimulation::~FleetSimulation() = default;

SimulatedMember::Open FleetSimulation::opener() const {
  return [](std::uint32_t partition, const State* state,
            const StateVersion& version) -> Result<OwnedPartition> {
    GLIMPSE_TRY_ASSIGN(auto learner, make_learner(learner_options()));
    auto processor =
        std::make_unique<StreamProcessor>(std::move(learner), AttributeNames(kDimension), 1000 + partition);
    if (state != nullptr) GLIMPSE_TRY(processor->restore(*state));
    FormatOptions format;
    format.dimension = kDimension;
    auto feed = processor->make_feed(std::make_shared<Door>(), Format::kVw, format, 1000, {});
    return OwnedPartition("examples", partition, std::move(processor), std::move(feed), version);
  };
}

std::string FleetSimulation::message() {
  double label = 0;
  std::string line = " |";
  for (std::size_t a = 0; a < kDimension; ++a) {
    const double value = messages_random_.uniform();
    label += value * static_cast<double>(a);
    line += fmt::format(" {}:{:.4f}", a, value);
  }
  return fmt::format("{:.4f}{}\n", label, line);
}

void FleetSimulation::produce() {
  const auto wanted = static_cast<std::uint64_t>(now_ * options_.messages_a_second);
  for (; produced_ < std::min(wanted, options_.messages); ++produced_)
    brokers_.produce(static_cast<std::uint32_t>(messages_random_.below(options_.partitions)), message());
}

void FleetSimulation::join() {
  members_.push_back(
      std::make_unique<Member>(fmt::format("m{}", names_++), brokers_, options_.costs, opener()));
  members_.back()->free_at = now_ + 0.2;  // a process starts
  wants_balance_ = true;
}

void FleetSimulation::count(const Member& member) {
  const FleetMember::Counts& counts = member.process.member().counts();
  outcome_.fenced += counts.fenced;
  outcome_.dropped += counts.dropped;
  outcome_.repeated += counts.repeated;
  outcome_.commits += counts.commits;
  if (const auto& refusal = member.process.member().refusal()) outcome_.refusal = refusal->message;
}

void FleetSimulation::leave(std::size_t index) {
  count(*members_[index]);
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(index));
}

// The process is gone; the coordinator hears of it when the session ends.
void FleetSimulation::die(std::size_t index, FleetEvent event) {
  leave(index);
  silent_until_.push_back(now_ + options_.session_seconds);
  watch_.begin(event, now_, now_);
}

void FleetSimulation::work(Member& member) {
  SimulatedMember& process = member.process;
  while (now_ + kStep > member.free_at + (process.seconds() - member.charged))
    if (!process.work(20)) break;
  if (now_ >= member.commit_at) {
    process.commit_all();
    member.commit_at = now_ + options_.commit_every;
  }
  member.charge(now_);
}

void FleetSimulation::work() {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = *members_[m];
    if (member.stopped_until > now_) continue;
    member.process.model().advance(now_);
    if (member.free_at > now_) continue;
    try {
      if (member.stopped_until >= 0) {
        member.stopped_until = -1;
        // It goes on with what it had, before it hears that the coordinator gave it away.
        if (member.is_out) {
          for (int i = static_cast<int>(random_.below(4)); i > 0; --i) member.process.work(20);
          if (random_.below(2) == 0) member.process.commit_all();
          member.process.lost(member.partitions);
          member.partitions.clear();
          member.is_out = false;
          wants_balance_ = true;  // it joins again
        }
      }
      work(member);
    } catch (const Killed&) {
      die(m--, FleetEvent::kKillInCall);
    }
  }
}

void FleetSimulation::coordinate() {
  if (!brokers_.are_up()) return;
  std::erase_if(silent_until_, [&](double until) {
    if (until > now_) return false;
    wants_balance_ = true;
    return true;
  });
  for (const auto& member : members_)
    if (!member->is_out && member->stopped_until > now_ &&
        member->free_at + options_.session_seconds <= now_) {
      member->is_out = true;
      wants_balance_ = true;
    }
  // Members that are silent, and not out yet, are waited for.
  const bool waits = !silent_until_.empty() || std::ranges::any_of(members_, [&](const auto& member) {
    return !member->is_out && member->stopped_until > now_;
  });
  if (wants_balance_ && !waits) give_out();
}

void FleetSimulation::give_out() {
  std::vector<Member*> takers;
  bool all_gave_back = true;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = *members_[m];
    if (member.is_out) continue;
    try {
      member.process.revoked(member.partitions);
    } catch (const Killed&) {
      die(m--, FleetEvent::kKillInCall);
      all_gave_back = false;
      continue;
    }
    member.partitions.clear();
    takers.push_back(&member);
  }
  // One that was asked and says nothing is waited for until its session ends, and the others have nothing.
  wants_balance_ = !all_gave_back;
  if (takers.empty() || wants_balance_) return;
  const std::uint32_t share = options_.partitions / static_cast<std::uint32_t>(takers.size());
  const std::uint32_t more = options_.partitions % static_cast<std::uint32_t>(takers.size());
  // Nobody has anything before all have given back what they had.
  double given_back = now_;
  for (Member* const taker : takers) {
    taker->charge(now_);
    given_back = std::max(given_back, taker->free_at);
  }
  std::uint32_t next = 0;
  for (std::size_t m = 0; m < takers.size(); ++m) {
    takers[m]->partitions.resize(share + (m < more ? 1 : 0));
    std::iota(takers[m]->partitions.begin(), takers[m]->partitions.end(), next);
    next += static_cast<std::uint32_t>(takers[m]->partitions.size());
    takers[m]->process.assigned(takers[m]->partitions);
    takers[m]->free_at = given_back;
  }
}

// A member that is not stopped; as many as there are members: none.
std::size_t FleetSimulation::pick() {
  std::vector<std::size_t> those;
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (members_[m]->stopped_until <= now_) those.push_back(m);
  return those.empty() ? members_.size() : those[random_.below(those.size())];
}

void FleetSimulation::happen(FleetEvent event) {
  const std::size_t m = pick();
  const bool needs_member = event == FleetEvent::kKill || event == FleetEvent::kTerminate ||
                            event == FleetEvent::kKillInCall || event == FleetEvent::kStop;
  if (m == members_.size() && needs_member) event = FleetEvent::kJoin;
  switch (event) {
    case FleetEvent::kKill:
      die(m, event);
      break;
    case FleetEvent::kKillInCall:  // it happens at that call, if there is one
      members_[m]->process.kill_at(1 + random_.below(40));
      break;
    case FleetEvent::kTerminate:
      try {
        members_[m]->process.revoked(members_[m]->partitions);
        wants_balance_ = true;
        leave(m);
        watch_.begin(event, now_, now_);
      } catch (const Killed&) {
        die(m, FleetEvent::kKillInCall);
      }
      break;
    case FleetEvent::kStop:
      members_[m]->stopped_until = now_ + 2 * options_.session_seconds * random_.uniform();
      watch_.begin(event, now_, now_);
      break;
    case FleetEvent::kJoin:
      if (members_.size() >= std::max(options_.members, options_.most_members)) break;
      join();
      watch_.begin(event, now_, now_);
      break;
    case FleetEvent::kBrokersDown:
      brokers_.be_away(now_ + options_.downtime);
      watch_.begin(event, now_, now_ + options_.downtime);
      break;
    case FleetEvent::kSlowBrokers: {
      const auto one = static_cast<std::uint32_t>(random_.below(options_.brokers + 1));  // or all
      for (std::uint32_t b = 0; b < options_.brokers; ++b)
        if (one == options_.brokers || one == b) brokers_.be_slow(b, now_ + options_.downtime);
      watch_.begin(event, now_, now_ + options_.downtime);
      break;
    }
    case FleetEvent::kCompact:
      for (std::uint32_t p = 0; p < options_.partitions; ++p) brokers_.compact(p);
      watch_.begin(event, now_, now_);
      break;
  }
  while (members_.size() < 2) join();
}

bool FleetSimulation::learns() const {
  if (!brokers_.are_up()) return false;
  std::size_t started = 0;
  std::uint64_t lag = 0;
  std::vector<bool> is_started(options_.partitions);
  for (const auto& member : members_) {
    if (member->is_out || member->stopped_until > now_) continue;
    lag += member->process.lag();
    for (const std::uint32_t p : member->process.started()) {
      if (!is_started[p]) ++started;
      is_started[p] = true;
    }
  }
  return started == options_.partitions && static_cast<double>(lag) <= options_.messages_a_second;
}

bool FleetSimulation::is_fresh() {
  const double before = now_ - options_.commit_every - options_.slack;
  for (std::uint32_t p = 0; p < options_.partitions; ++p)
    while (due_[p] < brokers_.produced(p) && brokers_.produced_at(p, due_[p]) <= before) ++due_[p];
  return std::ranges::all_of(members_, [&](const auto& member) {
    return member->stopped_until > now_ ||
           std::ranges::equal(member->process.model().positions(), due_, std::greater_equal<>());
  });
}

void FleetSimulation::watch() {
  if (!watch_.is_idle()) watch_.step(now_, learns(), is_fresh());
}

void FleetSimulation::step() {
  work();
  coordinate();
  watch();
}

// Nothing happens any more until everything was learned and committed, and is in the model; or nothing comes
// of it any more.
void FleetSimulation::settle() {
  std::uint64_t committed = 0;
  // Whoever commits may have waited for all of this.
  const double patience = 1000 + 2 * (options_.commit_every + options_.session_seconds + options_.downtime) +
                          (options_.costs.answer + options_.slow_answer + options_.costs.fold.state +
                           options_.costs.state_bytes / options_.costs.bytes_a_second) *
                              10 * options_.partitions;
  for (double limit = now_ + patience; now_ < limit; now_ += kStep) {
    std::uint64_t all = 0;
    for (std::uint32_t p = 0; p < options_.partitions; ++p) all += brokers_.group_offset(p);
    if (all == options_.messages && watch_.is_idle()) break;
    if (all != committed) limit = now_ + patience;
    committed = all;
    brokers_.set_time(now_);
    produce();
    step();
  }
  outcome_.unrecovered = watch_.open();
}

FleetSimulation::Outcome FleetSimulation::run() {
  const double length = static_cast<double>(options_.messages) / options_.messages_a_second;
  std::vector<double> moments(options_.events);
  for (double& moment : moments) moment = length * random_.uniform();
  std::ranges::sort(moments);
  for (std::size_t next = 0; next < moments.size() || now_ < length; now_ += kStep) {
    brokers_.set_time(now_);
    produce();
    for (; next < moments.size() && moments[next] <= now_; ++next)
      happen(options_.only.value_or(static_cast<FleetEvent>(random_.below(kFleetEvents))));
    step();
  }
  settle();
  outcome_.seconds = now_;
  for (const auto& member : members_) count(*member);
  outcome_.recoveries = watch_.recoveries();
  compare(outcome_);
  return outcome_;
}

namespace {

// Of two states of the same position all but how many were written before them.
bool are_same(const State& a, const State& b) {
  constexpr std::string_view kSequence = "fleet.sequence";
  if (a.tensors().size() != b.tensors().size() || a.texts().size() != b.texts().size()) return false;
  for (const Tensor& tensor : a.tensors()) {
    const Tensor* const other = b.find(tensor.name);
    if (other == nullptr || other->type != tensor.type) return false;
    if (tensor.name != kSequence && tensor.bytes != other->bytes) return false;
  }
  return std::ranges::all_of(a.texts(), [&](const Text& text) {
    const auto other = b.get_text(text.name);
    return other && *other == text.value;
  });
}

}  // namespace

// With one reader of all partitions that nothing disturbed.
void FleetSimulation::compare(Outcome& outcome) {
  SimulatedBrokers quiet(options_.partitions, 1, 0);
  for (std::uint32_t p = 0; p < options_.partitions; ++p)
    for (std::uint64_t m = 0; m < brokers_.produced(p); ++m) quiet.produce(p, brokers_.message(p, m));
  brokers_.set_time(now_ + 2 * options_.downtime + options_.slow_answer);  // all is up and fast
  SimulatedMember reference("reference", quiet, options_.costs, opener());
  SimulatedMember reader("reader", brokers_, options_.costs, opener());
  std::vector<std::uint32_t> all(options_.partitions);
  std::iota(all.begin(), all.end(), 0U);
  reference.assigned(all);
  while (reference.work(1000)) {
  }
  reference.commit_all();
  while (reference.work(1000)) {
  }
  while (reader.work(1000)) {
  }
  for (std::uint32_t p = 0; p < options_.partitions; ++p) {
    const auto& expected = reference.member().newest(p);
    const auto& found = reader.member().newest(p);
    const std::uint64_t messages = brokers_.produced(p);
    if (found == nullptr) {
      outcome.lost += messages;
      if (expected != nullptr) ++outcome.different;  // a partition without messages has no state
      continue;
    }
    const auto offset = found->get_number<std::uint64_t>("fleet.offset").value();
    const auto examples = found->get<std::uint64_t>("learner.counts").value()[0];
    outcome.learned += std::min(offset, examples);
    outcome.lost += messages - std::min(offset, messages);
    if (examples > offset) outcome.doubled += examples - offset;
    if (examples < offset) outcome.lost += offset - examples;
    if (expected == nullptr || !are_same(*expected, *found)) ++outcome.different;
  }
}

}  // namespace glimpse
