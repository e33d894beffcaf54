#include "daemon/reading/read_ahead.h"

#include <algorithm>
#include <new>
#include <utility>

#include "data/records/record_framer.h"

namespace glimpse {

void ReadingChoice::begin_block(Time now, std::size_t bytes, std::size_t waiting) {
  if (blocks_ >= kLeastBlocks && now - begin_ >= kTurn) {
    const bool was_ahead = ahead_;
    end_turn(std::chrono::duration<double>(now - begin_).count() / static_cast<double>(bytes_));
    blocks_ = 0;
    settling_ = ahead_ != was_ahead ? waiting : 0;
  }
  if (settling_ > 0) {
    --settling_;
    return;
  }
  if (blocks_ == 0) {
    begin_ = now;
    bytes_ = 0;
  }
  ++blocks_;
  bytes_ += bytes;
}

void ReadingChoice::end_turn(double seconds_a_byte) {
  if (!is_trial_) {
    seconds_a_byte_ = seconds_a_byte;
    if (++turns_ < interval_) return;
    is_trial_ = true;
    ahead_ = !ahead_;
    return;
  }
  const double other = ahead_ ? kAlike * seconds_a_byte : seconds_a_byte / kAlike;
  is_trial_ = false;
  turns_ = 0;
  if (other < seconds_a_byte_) {
    interval_ = kNextTurns;
    return;
  }
  interval_ = std::min(2 * interval_, kMostTurns);
  ahead_ = !ahead_;
}

namespace {
constexpr std::size_t kLeastAhead = 32;
constexpr std::size_t kMostAhead = 256;
constexpr std::size_t kMostLooks =
    8192;  // attributes of all plans that are ahead, which stay in the second cache
constexpr std::uint64_t kSteady = 64;         // records without a shift
constexpr std::size_t kRetry = 8;             // records, after nothing followed the block
constexpr std::uint64_t kLeastRecords = 256;  // of a feed, before readers are made for it
constexpr std::size_t kAsked = 64;       // records without a label in a row, until the next are read whole
constexpr std::size_t kWholeAhead = 96;  // records that are read whole ahead
// Limits in bytes: of all lines that are read whole ahead, and of one. A value has at least 2 bytes of text
// and takes 16 bytes of memory.
constexpr std::size_t kWholeBytes = std::size_t{256} << 10;
constexpr std::size_t kLongestWhole = std::size_t{64} << 10;
constexpr std::size_t kJudged = 256;  // records that were read, to see whether they are plain

std::size_t most_ahead(const Learner& learner) {
  const std::size_t looks = std::max<std::size_t>(learner.options().budget, 1);
  return std::clamp(kMostLooks / looks, kLeastAhead, kMostAhead);
}
}  // namespace

ReadAhead::ReadAhead(std::shared_ptr<ReadJobs> jobs, ReadingChoice first, bool always)
    : threads_(std::move(jobs)),
      always_(always),
      first_choice_(first),
      choice_(first),
      target_(kLeastAhead) {}

bool ReadAhead::is_of(const std::shared_ptr<Feed>& feed) const {
  return !feed_.owner_before(feed) && !feed.owner_before(feed_);
}

void ReadAhead::enter(const std::shared_ptr<Feed>& feed, Text text) {
  finish_present();
  if (!is_of(feed)) {
    forget();
    feed_ = feed;
    step_ = 0;
    pause_ = last_shift_pause_ = last_odd_pause_ = plain_ = odd_ = asked_ = 0;
    is_whole_ = false;
    choice_ = first_choice_;
  } else if (size_ > 0 && ahead_.front()->record(front_).line.data() != text.bytes.view.data()) {
    give_up();
  }
  choice_.begin_block(std::chrono::steady_clock::now(), text.bytes.size(),
                      feed->waiting.load(std::memory_order_relaxed));
  if (!is_on()) give_up();
  block_ = std::move(text);
  line_ = 0;
  present_ = nullptr;
  is_behind_ = false;
  retry_ = 0;
}

void ReadAhead::finish_present() {
  if (!std::exchange(is_present_, false)) return;
  ReadJob& job = *ahead_.front();
  if (is_bound_to_plan(job.record(front_).plan)) --planned_;
  --size_;
  bytes_ -= job.record(front_).line.size();
  ++since_begin_;
  if (++front_ < job.size()) return;
  job.pass(front_);
  put_away(std::move(ahead_.front()));
  ahead_.pop_front();
  front_ = 0;
}

void ReadAhead::put_away(std::shared_ptr<ReadJob> job) {
  if (job->is_idle()) job->end();
  used_.push_back(std::move(job));  // it has room for all
}

void ReadAhead::step(const char* at) {
  finish_present();
  if (present_ != nullptr) ++line_;
  present_ = at;
  ++readers_age_;
  ++step_;
  if (pause_ > 0) --pause_;
  if (retry_ > 0) --retry_;
  if (size_ == 0) return;
  is_present_ = ahead_.front()->record(front_).line.data() == at;
  if (!is_present_) give_up_shifted();
}

void ReadAhead::note_asks(bool asks) {
  asked_ = asks ? asked_ + 1 : 0;
  const bool is_whole = asked_ >= kAsked;
  if (std::exchange(is_whole_, is_whole) == is_whole) return;
  give_up();
  target_ = kLeastAhead;
  pause_ = last_odd_pause_ = plain_ = odd_ = 0;
}

std::optional<std::size_t> ReadAhead::line_length() const {
  if (!is_present_) return std::nullopt;
  return ahead_.front()->record(front_).line.size();
}

void ReadAhead::give_up() {
  for (auto& job : ahead_) {
    job->pass(job->size());
    put_away(std::move(job));
  }
  ahead_.clear();
  front_ = size_ = planned_ = bytes_ = 0;
  is_present_ = false;
  since_begin_ = 0;
}

void ReadAhead::give_up_shifted() {
  if (since_begin_ < kSteady) {
    pause(last_shift_pause_, kSteady, 8192);
  } else {
    last_shift_pause_ = 0;
  }
  target_ = std::max(target_ / 2, kLeastAhead);
  give_up();
}

void ReadAhead::forget() {
  give_up();
  readers_.reset();
  for (const auto& job : used_)
    if (job->is_idle()) job->end();
  text_ = {};
}

void ReadAhead::pause(std::size_t& last, std::size_t least, std::size_t most) {
  last = std::clamp(2 * last, least, most);
  pause_ = last;
}

// New names make records plain that were not.
bool ReadAhead::has_readers(const AttributeNames& names) {
  if (readers_ && readers_->fixed() == names.fixed() &&
      (readers_->version() == names.version() || (!is_whole_ && readers_age_ < 4 * (1024 + names.size()))))
    return true;
  const std::shared_ptr<Feed> feed = feed_.lock();
  readers_ = feed ? PlainReaders::make(*feed->reader, names, threads_->threads()) : nullptr;
  readers_age_ = 0;
  return readers_ != nullptr;
}

std::optional<std::string_view> ReadAhead::next_line(const Following& following) {
  if (next_ == text_.bytes.size()) {
    if (is_behind_ || !following) return std::nullopt;
    std::optional<Text> behind = following();
    if (!behind) return std::nullopt;
    text_ = std::move(*behind);
    next_ = next_line_ = 0;
    is_behind_ = true;
    if (text_.bytes.size() == 0) return std::nullopt;
  }
  const std::string_view rest = text_.bytes.view.substr(next_);
  const std::size_t length = text_.lengths && next_line_ < text_.lengths->size()
                                 ? (*text_.lengths)[next_line_]
                                 : length_of_line(rest);
  next_ += length < rest.size() ? length + 1 : length;
  ++next_line_;
  return rest.substr(0, length);
}

std::shared_ptr<ReadJob> ReadAhead::idle_job() {
  for (auto& job : used_) {
    if (!job->is_idle()) continue;
    std::swap(job, used_.back());
    auto idle = std::move(used_.back());
    used_.pop_back();
    return idle;
  }
  if (jobs_ == kMostJobs) return nullptr;  // threads are late
  used_.reserve(kMostJobs);
  posted_.reserve(kMostJobs);
  auto made = std::make_shared<ReadJob>();
  ++jobs_;
  return made;
}

void ReadAhead::more(Learner& learner, PlanAhead& plans, Random& random, const AttributeNames& names,
                     const std::function<bool(std::size_t)>& is_held_out, const Following& following) {
  if (size_ > 0 && !is_present_) return;
  if (is_present_ && planned_ > 0) {
    const std::uint64_t plan = ahead_.front()->record(front_).plan;
    if (is_bound_to_plan(plan) && !plans.is_next(learner, plan)) give_up_shifted();
    if (pause_ > 0) return;
  }
  if (size_ == 0) {
    if (!readers_ && step_ < kLeastRecords + names.size() * threads_->threads() / 4) return;
    if (!has_readers(names)) return pause(last_odd_pause_, 4096, std::size_t{1} << 20);
    text_ = block_;
    next_ = static_cast<std::size_t>(present_ - block_.bytes.view.data());
    next_line_ = line_;
    is_behind_ = false;
    since_begin_ = 0;
  } else if (since_begin_ >= target_) {
    target_ = std::min(2 * target_, is_whole_ ? kWholeAhead : most_ahead(learner));
  }
  const std::size_t begun =
      is_whole_ ? 0 : plans.reach(learner, random, std::min(target_, most_ahead(learner)));
  posted_.clear();
  std::shared_ptr<ReadJob> job;
  std::shared_ptr<ReadJob> spare;
  bool is_lead = size_ == 0;
  const auto finish = [&] {
    if (!std::exchange(is_lead, false)) posted_.push_back(std::move(job));
    job.reset();
  };
  while (is_whole_ ? size_ < target_ && bytes_ < kWholeBytes : planned_ < begun && size_ < kMostAhead) {
    if (job && next_ == text_.bytes.size()) finish();  // what follows has a memory of its own
    if (!job && !spare) spare = idle_job();
    if (!job && !spare) break;
    const auto line = next_line(following);
    if (!line) {
      retry_ = kRetry;
      break;
    }
    if (!job) {
      spare->begin(readers_, text_.bytes.memory);
      ahead_.push_back(spare);
      job = std::move(spare);
    }
    if (is_whole_) {
      job->add(*line, line->size() > kLongestWhole ? 0 : ReadJob::kWhole, {});
    } else if (is_held_out(size_)) {
      job->add(*line, 0, {});
    } else {
      job->add(*line, plans.number(planned_), plans.ahead(planned_).attributes);
      ++planned_;
    }
    ++size_;
    bytes_ += line->size();
    if (job->size() == (is_lead ? kLead : ReadJob::kRecords)) finish();
  }
  if (job) finish();
  if (spare) used_.push_back(std::move(spare));
  is_present_ = size_ > 0;
  if (!posted_.empty()) threads_->post(posted_);
}

const ReadJob::Found* ReadAhead::found(const Learner& learner, const PlanAhead& plans,
                                       const AttributeNames& names) {
  if (!is_present_) return nullptr;
  ReadJob& job = *ahead_.front();
  const std::uint64_t plan = job.record(front_).plan;
  if (plan == 0) return nullptr;
  if (is_bound_to_plan(plan) && !plans.is_next(learner, plan)) {
    give_up_shifted();
    return nullptr;
  }
  // The copy of the names lacks names that were added since it was made.
  if (names.fixed() != readers_->fixed() || (is_whole_ && names.version() != readers_->version())) {
    forget();
    return nullptr;
  }
  switch (job.state(front_)) {
    case ReadJob::State::kUnread:
      job.pass(front_ + 1);
      return nullptr;
    case ReadJob::State::kOdd:
      note_kind(false);
      return nullptr;
    case ReadJob::State::kRead:
      break;
  }
  note_kind(true);
  found_ = job.found(front_);
  ++taken_;
  return &found_;
}

// Records that are not plain are read twice.
void ReadAhead::note_kind(bool is_plain) {
  ++(is_plain ? plain_ : odd_);
  if (plain_ + odd_ < kJudged) return;
  const bool mostly_odd = odd_ > plain_;
  plain_ = odd_ = 0;
  if (!mostly_odd) {
    last_odd_pause_ = 0;
  } else {
    pause(last_odd_pause_, 4096, std::size_t{1} << 20);
  }
}

}  // namespace glimpse
