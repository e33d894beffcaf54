#include "fleet/fleet_simulation.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>
#include <utility>

#include "learn/factory.h"

namespace glimpse {

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

std::string_view name_of(FleetEvent event) {
  constexpr std::array<std::string_view, kFleetEvents> kNames = {
      "killed", "killed amid a call", "terminated",   "stopped and continued",
      "joined", "brokers away",       "brokers slow", "compaction"};
  return kNames[static_cast<std::size_t>(event)];
}

struct FleetSimulation::Member {
  Member(std::string name, SimulatedBrokers& brokers, const SimulatedMember::Costs& costs, const bool& up,
         SimulatedMember::Open open)
      : process(std::move(name), brokers, costs, up, std::move(open)) {}

  SimulatedMember process;
  std::vector<std::uint32_t> partitions;  // as the coordinator gave them
  double stopped_until = -1;              // by a signal
  double free_at = 0;
  double commit_at = 0;
  bool is_out = false;  // the coordinator gave its partitions away, and it does not know
};

FleetSimulation::FleetSimulation(const Options& options)
    : options_(options),
      random_(options.seed),
      messages_random_(options.seed + 1),
      brokers_(options.partitions) {
  for (std::uint32_t m = 0; m < options_.members; ++m) join();
}

FleetSimulation::~FleetSimulation() = default;

SimulatedMember::Open FleetSimulation::opener() const {
  return [](std::uint32_t partition, const State* state,
            const StateVersion& version) -> Result<OwnedPartition> {
    auto learner = make_learner(learner_options());
    if (!learner) return learner.error();
    auto processor =
        std::make_unique<StreamProcessor>(std::move(*learner), AttributeNames(kDimension), 1000 + partition);
    if (state != nullptr)
      if (const Status status = processor->restore(*state); !status) return status.error();
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
  members_.push_back(std::make_unique<Member>(fmt::format("m{}", names_++), brokers_, options_.costs,
                                              brokers_are_up_, opener()));
  members_.back()->free_at = now_ + 0.2;  // a process starts
  wants_balance_ = true;
}

void FleetSimulation::count(const Member& member) {
  const FleetMember::Counts& counts = const_cast<Member&>(member).process.member().counts();
  outcome_.fenced += counts.fenced;
  outcome_.dropped += counts.dropped;
  outcome_.repeated += counts.repeated;
  outcome_.commits += counts.commits;
  if (const auto& refusal = const_cast<Member&>(member).process.member().refusal())
    outcome_.refusal = refusal->message;
}

// The process is gone; the coordinator hears of it when the session ends, where `silently`.
void FleetSimulation::leave(std::size_t index) {
  count(*members_[index]);
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(index));
}

void FleetSimulation::work(Member& member) {
  SimulatedMember& process = member.process;
  const double before = process.seconds();
  while (now_ + kStep > member.free_at + (process.seconds() - before))
    if (!process.work(20)) break;
  if (now_ >= member.commit_at) {
    process.member().commit_all();
    member.commit_at = now_ + options_.commit_every;
  }
  member.free_at = std::max(member.free_at, now_) + (process.seconds() - before);
}

void FleetSimulation::work() {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = *members_[m];
    if (member.stopped_until > now_ || member.free_at > now_) continue;
    try {
      if (member.stopped_until >= 0) {
        member.stopped_until = -1;
        // It goes on with what it had, before it hears that the coordinator gave it away.
        if (member.is_out) {
          for (int i = static_cast<int>(random_.below(4)); i > 0; --i) member.process.work(20);
          if (random_.below(2) == 0) member.process.member().commit_all();
          member.process.member().lost(member.partitions);
          member.partitions.clear();
          member.is_out = false;
          wants_balance_ = true;  // it joins again
        }
      }
      work(member);
    } catch (const Killed&) {
      leave(m--);
      silent_until_.push_back(now_ + options_.session_seconds);
    }
  }
}

void FleetSimulation::coordinate() {
  if (!brokers_are_up_) return;
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
  wants_balance_ = false;
  std::vector<Member*> takers;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = *members_[m];
    if (member.is_out) continue;
    try {
      member.process.member().revoked(member.partitions);
    } catch (const Killed&) {
      leave(m--);
      silent_until_.push_back(now_ + options_.session_seconds);
      continue;
    }
    member.partitions.clear();
    takers.push_back(&member);
  }
  if (takers.empty()) return;
  const std::uint32_t share = options_.partitions / static_cast<std::uint32_t>(takers.size());
  const std::uint32_t more = options_.partitions % static_cast<std::uint32_t>(takers.size());
  std::uint32_t next = 0;
  for (std::size_t m = 0; m < takers.size(); ++m) {
    takers[m]->partitions.resize(share + (m < more ? 1 : 0));
    std::iota(takers[m]->partitions.begin(), takers[m]->partitions.end(), next);
    next += static_cast<std::uint32_t>(takers[m]->partitions.size());
    takers[m]->process.member().assigned(takers[m]->partitions);
  }
}

std::size_t FleetSimulation::pick(bool stopped) {
  std::vector<std::size_t> those;
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (stopped == (members_[m]->stopped_until > now_)) those.push_back(m);
  return those.empty() ? members_.size() : those[random_.below(those.size())];
}

void FleetSimulation::happen(FleetEvent event) {
  const std::size_t m = pick(false);
  if (m == members_.size() && event != FleetEvent::kJoin) event = FleetEvent::kJoin;
  const bool removes =
      event == FleetEvent::kKill || event == FleetEvent::kTerminate || event == FleetEvent::kKillInCall;
  if (removes && members_.size() <= 1) join();
  switch (event) {
    case FleetEvent::kKill:
      leave(m);
      silent_until_.push_back(now_ + options_.session_seconds);
      break;
    case FleetEvent::kKillInCall:
      members_[m]->process.kill_at(1 + random_.below(40));
      break;
    case FleetEvent::kTerminate:
      try {
        members_[m]->process.member().revoked(members_[m]->partitions);
        wants_balance_ = true;
      } catch (const Killed&) {
        silent_until_.push_back(now_ + options_.session_seconds);
      }
      leave(m);
      break;
    case FleetEvent::kStop:
      members_[m]->stopped_until = now_ + 2 * options_.session_seconds * random_.uniform();
      break;
    case FleetEvent::kJoin:
      if (members_.size() < options_.most_members) join();
      break;
    case FleetEvent::kBrokersDown:
      brokers_are_up_ = false;
      up_again_ = now_ + options_.downtime;
      break;
    case FleetEvent::kSlowBrokers:
      for (const auto& member : members_) member->free_at = now_ + options_.downtime * random_.uniform();
      break;
    case FleetEvent::kCompact:
      for (std::uint32_t p = 0; p < options_.partitions; ++p) brokers_.compact(p);
      break;
  }
  while (members_.size() < 2) join();
  open_events_.emplace_back(event, now_);
}

bool FleetSimulation::is_fresh() const {
  std::vector<bool> learned(options_.partitions);
  std::uint64_t lag = 0;
  for (const auto& member : members_) {
    if (member->is_out || member->stopped_until > now_) continue;
    lag += member->process.lag();
    for (std::uint32_t p = 0; p < options_.partitions; ++p)
      if (member->process.member().phase(p) == FleetMember::Phase::kLearning) learned[p] = true;
  }
  return brokers_are_up_ && lag <= options_.messages_a_second &&
         std::ranges::all_of(learned, [](bool is) { return is; });
}

void FleetSimulation::note_recovery() {
  if (open_events_.empty() || !is_fresh()) return;
  for (const auto& [event, begin] : open_events_) outcome_.recoveries.push_back({event, now_ - begin});
  open_events_.clear();
}

// Nothing happens any more until everything was learned and committed.
void FleetSimulation::settle() {
  const auto is_done = [&] {
    std::vector<std::uint64_t> inside(options_.partitions);
    for (const auto& member : members_)
      for (std::uint32_t p = 0; p < options_.partitions; ++p)
        if (const OwnedPartition* owned = member->process.member().owned(p))
          inside[p] = std::max(inside[p], owned->committed().offset);
    for (std::uint32_t p = 0; p < options_.partitions; ++p)
      if (inside[p] != brokers_.input(p).size()) return false;
    return produced_ == options_.messages;
  };
  const double limit = now_ + 1000;
  while (!is_done() && now_ < limit) {
    now_ += kStep;
    produce();
    if (now_ >= up_again_) brokers_are_up_ = true;
    work();
    coordinate();
    note_recovery();
  }
}

FleetSimulation::Outcome FleetSimulation::run() {
  const double length = static_cast<double>(options_.messages) / options_.messages_a_second;
  std::vector<double> moments(options_.events);
  for (double& moment : moments) moment = length * random_.uniform();
  std::ranges::sort(moments);
  for (std::size_t next = 0; next < moments.size() || now_ < length; now_ += kStep) {
    produce();
    if (now_ >= up_again_) brokers_are_up_ = true;
    for (; next < moments.size() && moments[next] <= now_; ++next)
      happen(static_cast<FleetEvent>(random_.below(kFleetEvents)));
    work();
    coordinate();
    note_recovery();
  }
  settle();
  outcome_.seconds = now_;
  for (const auto& member : members_) count(*member);
  compare(outcome_);
  return outcome_;
}

// With one reader of all partitions that nothing disturbed.
void FleetSimulation::compare(Outcome& outcome) {
  const bool up = true;
  SimulatedBrokers quiet(options_.partitions);
  for (std::uint32_t p = 0; p < options_.partitions; ++p)
    for (const std::string& message : brokers_.input(p)) quiet.produce(p, message);
  SimulatedMember reference("reference", quiet, options_.costs, up, opener());
  SimulatedMember reader("reader", brokers_, options_.costs, up, opener());
  std::vector<std::uint32_t> all(options_.partitions);
  std::iota(all.begin(), all.end(), 0U);
  reference.member().assigned(all);
  while (reference.work(1000)) {
  }
  reference.member().commit_all();
  while (reference.work(1000)) {
  }
  while (reader.work(1000)) {
  }
  for (std::uint32_t p = 0; p < options_.partitions; ++p) {
    const auto& expected = reference.member().newest(p);
    const auto& found = reader.member().newest(p);
    const std::uint64_t messages = brokers_.input(p).size();
    if (found == nullptr) {
      outcome.lost += messages;
      ++outcome.different;
      continue;
    }
    const auto offset = found->get_number<std::uint64_t>("fleet.offset").value();
    const auto examples = found->get<std::uint64_t>("learner.counts").value()[0];
    outcome.learned += std::min(offset, examples);
    outcome.lost += messages - std::min(offset, messages);
    if (examples > offset) outcome.doubled += examples - offset;
    if (examples < offset) outcome.lost += offset - examples;
    if (!are_same(*expected, *found)) ++outcome.different;
  }
}

}  // namespace glimpse
