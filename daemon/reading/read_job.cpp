#include "daemon/reading/read_job.h"

#include <algorithm>
#include <utility>

#include "data/text/text.h"

namespace glimpse {

namespace {
constexpr std::size_t kKeptEntries = 512;
}

std::shared_ptr<PlainReaders> PlainReaders::make(const ExampleReader& reader, const AttributeNames& names,
                                                 std::size_t count) {
  std::shared_ptr<PlainReaders> readers(new PlainReaders);
  readers->fixed_ = names.fixed();
  readers->version_ = names.version();
  for (std::size_t i = 0; i < count; ++i) {
    auto one = PlainReader::make(reader, names);
    if (!one) return nullptr;
    readers->idle_.push_back(std::move(one));
  }
  return readers;
}

std::unique_ptr<PlainReader> PlainReaders::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  auto taken = std::move(idle_.back());
  idle_.pop_back();
  return taken;
}

void PlainReaders::put(std::unique_ptr<PlainReader> reader) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));  // there was room for it
}

void ReadJob::begin(std::shared_ptr<PlainReaders> readers, std::shared_ptr<const void> memory) {
  readers_ = std::move(readers);
  memory_ = std::move(memory);
  records_.clear();
  records_.reserve(kRecords);
  attributes_.clear();
  give_back();
  wanted_.store(0, std::memory_order_relaxed);
}

void ReadJob::add(std::string_view line, std::uint64_t plan, std::span<const Attribute> attributes) {
  const std::size_t i = records_.size();
  begins_[i] = attributes_.size();
  attributes_.insert(attributes_.end(), attributes.begin(), attributes.end());
  values_.resize(std::max(values_.size(), attributes_.size()));
  states_[i].store(State::kUnread, std::memory_order_relaxed);
  records_.push_back({line, plan, attributes.size()});
}

ReadJob::Found ReadJob::found(std::size_t i) {
  return {&examples_[i],
          {values_.data() + begins_[i], records_[i].attributes},
          records_[i].plan == kWhole ? &entries_[i] : nullptr};
}

void ReadJob::end() {
  readers_.reset();
  memory_.reset();
  records_.clear();
  give_back();
}

// What long records took.
void ReadJob::give_back() {
  for (std::vector<Entry>& entries : entries_)
    if (entries.capacity() > kKeptEntries) entries = {};
}

void ReadJob::run() {
  if (auto reader = readers_->take()) {
    for (std::size_t i = 0;; ++i) {
      i = std::max<std::size_t>(i, wanted_.load(std::memory_order_relaxed));
      if (i >= records_.size()) break;
      const Record& record = records_[i];
      if (record.plan == 0) continue;
      std::string_view text = record.line;
      if (text.ends_with('\r')) text.remove_suffix(1);  // as RecordCursor does
      const std::span attributes(attributes_.data() + begins_[i], record.attributes);
      const std::span values(values_.data() + begins_[i], record.attributes);
      const bool is_plain = record.plan == kWhole ? reader->read_all(text, entries_[i], examples_[i])
                                                  : reader->read(text, attributes, values, examples_[i]);
      states_[i].store(is_plain ? State::kRead : State::kOdd, std::memory_order_release);
    }
    readers_->put(std::move(reader));
  }
  is_busy_.store(false, std::memory_order_release);
}

}  // namespace glimpse
