#include "daemon/startup.h"

#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "daemon/config/command_line.h"

namespace startup_test {

using namespace glimpse;

namespace {

class Folder {
 public:
  Folder() { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "glimpse-startup-XXXXXX";
};

Result<Prepared> start(const std::string& folder, const std::string& algorithm, bool with_dimension = true) {
  std::vector<std::string> arguments{"--budget", "3", "--state-directory", folder, "--http", "unix:/none"};
  if (with_dimension) arguments.insert(arguments.end(), {"--dimension", "4"});
  if (algorithm == "aelr" || algorithm == "aer" || algorithm == "baseline")
    arguments.insert(arguments.end(), {"--radius", "2"});
  if (algorithm == "aer") arguments.insert(arguments.end(), {"--step", "1"});
  if (!algorithm.empty()) arguments.insert(arguments.end(), {"--algorithm", algorithm});
  auto invocation = parse_command_line(arguments);
  REQUIRE(invocation.has_value());
  static PosixFileSystem files;
  return prepare(invocation->configuration, files);
}

State state_of(const StreamProcessor& processor) {
  State state;
  state.begin();
  processor.save(state);
  state.finish();
  return state;
}

void learn(StreamProcessor& processor, int count) {
  Random random(1);
  Plan plan;
  for (int t = 0; t < count; ++t) {
    processor.learner().plan(random, plan);
    std::vector<double> values(plan.attributes.size());
    for (double& value : values) value = random.uniform();
    processor.learner().learn(plan, values, random.uniform(), 1);
  }
}

std::uint64_t examples(const Result<Prepared>& prepared) {
  return prepared->processor->learner().counts().examples;
}

std::size_t bad_files(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    count += entry.path().extension() == ".bad";
  return count;
}

}  // namespace

TEST_CASE("a newest checkpoint that verifies and does not restore is set aside for the one before") {
  for (const char* const algorithm : {"aerr", "aelr", "aer", "baseline", "pairwise", "pairwise-screened"}) {
    CAPTURE(algorithm);
    const Folder folder;
    auto first = start(folder.path(), algorithm);
    REQUIRE_MESSAGE(first.has_value(), (first ? "" : first.error().message));
    learn(*first->processor, 50);
    const State sound = state_of(*first->processor);
    CHECK(first->check(sound).has_value());
    REQUIRE(first->store->save(sound, 50).has_value());

    std::size_t planted = 0;
    for (const Tensor& tensor : sound.tensors()) {
      if (tensor.bytes.empty()) continue;
      State broken = state_of(*first->processor);
      std::string way;
      const bool is_real = tensor.type == ElementType::kF64 && tensor.name != "labels.min";
      if (is_real) {
        way = "not a number";
        broken.put<double>(tensor.name, tensor.count())[0] = std::numeric_limits<double>::quiet_NaN();
      } else {
        way = "of another type";
        broken.put<float>(tensor.name, 1)[0] = 1;
      }
      CAPTURE(tensor.name);
      CAPTURE(way);
      if (is_real) CHECK(!first->check(broken).has_value());
      REQUIRE(first->store->save(broken, 60).has_value());
      ++planted;
      first->claim = {};  // the lock
      const auto again = start(folder.path(), algorithm);
      REQUIRE_MESSAGE(again.has_value(), (again ? "" : again.error().message));
      CHECK(examples(again) == 50);
      REQUIRE(bad_files(folder.path()) == planted);
    }
  }
}

TEST_CASE("where no checkpoint restores the start is refused, each time, and no file is renamed") {
  const Folder folder;
  auto first = start(folder.path(), "aerr");
  for (int k = 0; k < 2; ++k) {
    State broken = state_of(*first->processor);
    broken.put<double>("weights.u", 5)[0] = std::numeric_limits<double>::infinity();
    REQUIRE(first->store->save(broken, 1).has_value());
  }
  first->claim = {};
  for (int k = 0; k < 2; ++k) {
    const auto refused = start(folder.path(), "aerr");
    REQUIRE(!refused.has_value());
    CHECK(refused.error().message.find(
              "verifies and can be restored (checkpoint-000000000002-1.safetensors: the "
              "array 'weights.u' holds a number that is not finite: inf, at place 0; ") != std::string::npos);
    CHECK(refused.error().message.find("--restore never") != std::string::npos);
    CHECK(bad_files(folder.path()) == 0);
  }
}

TEST_CASE("texts that no learner wrote make no options: the checkpoint before tells the dimension") {
  for (const char* const options :
       {"", "algorithm=nonsense\ndimension=4\n", "algorithm=aerr\ndimension=x\n",
        "algorithm=aerr\ndimension=0\n", "algorithm=aerr\ndimension=4000000000\n"}) {
    CAPTURE(options);
    const Folder folder;
    auto first = start(folder.path(), "aerr");
    learn(*first->processor, 50);
    REQUIRE(first->store->save(state_of(*first->processor), 50).has_value());
    State broken;
    broken.begin();
    first->processor->save(broken);
    broken.finish();
    State other;
    other.begin();
    other.put_text("learner.options", options);
    for (const Tensor& tensor : broken.tensors()) {
      const auto room = other.put<std::uint8_t>(tensor.name, tensor.bytes.size());
      if (!room.empty()) std::memcpy(room.data(), tensor.bytes.data(), room.size());
    }
    other.finish();
    REQUIRE(first->store->save(other, 60).has_value());
    first->claim = {};
    const auto again = start(folder.path(), "", false);
    REQUIRE_MESSAGE(again.has_value(), (again ? "" : again.error().message));
    CHECK(examples(again) == 50);
    CHECK(again->processor->learner().options().algorithm == "aerr");
    CHECK(bad_files(folder.path()) == 1);
  }
}

TEST_CASE("a checkpoint of other options is neither restored nor set aside") {
  const Folder folder;
  auto first = start(folder.path(), "aerr");
  REQUIRE(first->store->save(state_of(*first->processor), 1).has_value());
  first->claim = {};
  const auto refused = start(folder.path(), "pairwise");
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == ErrorCode::kMismatch);
  CHECK(refused.error().message.find("--restore never starts from nothing") != std::string::npos);
  CHECK(bad_files(folder.path()) == 0);
}

}  // namespace startup_test
