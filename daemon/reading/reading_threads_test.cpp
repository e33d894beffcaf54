#include "daemon/reading/reading_threads.h"

#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "data/formats.h"
#include "stats/pair_moments.h"

namespace reading_threads_test {

using namespace glimpse;

namespace {

struct Feed {
  AttributeNames names{4};
  std::unique_ptr<ExampleReader> reader = make_example_reader(Format::kVw, {.dimension = 4}, names);
  std::shared_ptr<PlainReaders> readers = PlainReaders::make(*reader, names, 3);
};

std::shared_ptr<ReadJob> job_of(const Feed& feed, const std::vector<std::string>& lines) {
  auto job = std::make_shared<ReadJob>();
  job->begin(feed.readers, nullptr);
  std::uint64_t plan = 0;
  for (const std::string& line : lines) job->add(line, ++plan, std::vector<Attribute>{1, 3});
  return job;
}

}  // namespace

TEST_CASE("every job is run once, by whatever thread, and says what it found of each record") {
  const std::vector<std::string> lines = {"1 | 1:2 3:4", "2 0.5 | 3:1\r", "no line", "3 | 2:1"};
  const Feed feed;
  std::vector<std::shared_ptr<ReadJob>> jobs;
  for (int i = 0; i < 200; ++i) jobs.push_back(job_of(feed, lines));
  ReadingThreads threads(3);
  CHECK(threads.threads() == 3);
  for (std::size_t i = 0; i < jobs.size(); i += 10) threads.post(std::span(jobs).subspan(i, 10));
  for (const auto& job : jobs)
    while (!job->is_idle()) std::this_thread::yield();
  for (const auto& job : jobs) {
    REQUIRE(job->state(0) == ReadJob::State::kRead);
    CHECK(job->found(0).example->label == 1);
    CHECK(std::vector<double>(job->found(0).values.begin(), job->found(0).values.end()) ==
          std::vector<double>{2, 4});
    REQUIRE(job->state(1) == ReadJob::State::kRead);
    CHECK(job->found(1).example->importance == 0.5);
    CHECK(job->found(1).values[1] == 1);
    CHECK(job->state(2) == ReadJob::State::kOdd);
    CHECK(job->found(3).values[0] == 0);
  }
}

TEST_CASE("records that are passed, or have no plan, are not read") {
  const std::vector<std::string> lines = {"1 | 1:2", "2 | 3:1", "3 | 2:1"};
  const Feed feed;
  const auto job = job_of(feed, lines);
  job->add(lines[0], 0, {});
  job->pass(2);
  job->note_posted();
  CHECK_FALSE(job->is_idle());
  job->run();
  CHECK(job->is_idle());
  CHECK(job->state(0) == ReadJob::State::kUnread);
  CHECK(job->state(1) == ReadJob::State::kUnread);
  CHECK(job->state(2) == ReadJob::State::kRead);
  CHECK(job->state(3) == ReadJob::State::kUnread);
}

TEST_CASE("threads end while jobs wait, and let go of them") {
  const std::vector<std::string> lines = {"1 | 1:2"};
  const Feed feed;
  std::vector<std::shared_ptr<ReadJob>> jobs;
  for (int i = 0; i < 1000; ++i) jobs.push_back(job_of(feed, lines));
  {
    ReadingThreads threads(2);
    threads.post(jobs);
  }
  for (const auto& job : jobs) CHECK(job.use_count() == 1);
}

namespace {

constexpr std::size_t kDimension = 300;

// Moments that learn from examples of which 20 attributes are seen, several of the same ones in a row.
void learn(PairMoments& moments, int examples) {
  Random random(4);
  std::vector<Attribute> attributes;
  std::vector<double> values(20);
  for (int k = 0; k < examples; ++k) {
    if (k % 9 == 0) {
      attributes.clear();
      for (std::size_t a = 0; a < values.size(); ++a)
        attributes.push_back(static_cast<Attribute>(15 * a + random.below(15)));
    }
    for (double& value : values) value = random.uniform() - 0.5;
    moments.add(attributes, values, random.uniform(), 1);
  }
}

bool same(const PairMoments& a, const PairMoments& b) {
  for (std::size_t i = 0; i + 1 < kDimension; ++i)
    if (std::memcmp(a.row(i).data(), b.row(i).data(), a.row(i).size_bytes()) != 0) return false;
  return true;
}

}  // namespace

TEST_CASE("threads that help to add pairs, and read jobs meanwhile, leave the sums as they are to the bit") {
  constexpr int kExamples = 20000;
  PairMoments alone(kDimension);
  learn(alone, kExamples);
  for (const std::size_t count : {1, 3}) {
    ReadingThreads threads(count);
    PairMoments moments(kDimension);
    moments.set_helpers({std::shared_ptr<void>(), &threads});
    const Feed feed;
    const std::vector<std::string> lines(16, "1 | 1:2 3:4");
    std::vector<std::shared_ptr<ReadJob>> jobs;
    for (int i = 0; i < 50; ++i) jobs.push_back(job_of(feed, lines));
    threads.post(jobs);
    learn(moments, kExamples);
    CHECK(same(moments, alone));
    for (const auto& job : jobs)
      while (!job->is_idle()) std::this_thread::yield();
  }
}

TEST_CASE("sums may be replaced and end while threads help to add to them") {
  ReadingThreads threads(2);
  for (int k = 0; k < 20; ++k) {
    PairMoments moments(kDimension);
    moments.set_helpers({std::shared_ptr<void>(), &threads});
    learn(moments, 3400 + 20 * k);  // others are being added then
    moments = PairMoments(kDimension);
    learn(moments, 3400);
    CHECK(moments.label().weight == 3400);
  }
}

}  // namespace reading_threads_test
