#pragma once

#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/faulty_file_system_test_support.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_store.h"

/// What the tests of CheckpointStore share: states that are told from one another, and what a folder holds.
namespace glimpse::checkpoint_store_test {

/// A state that is told from others by `number`, in every one of its parts.
inline State state_of(std::uint64_t number) {
  State state;
  state.begin();
  state.put_number("number", number);
  for (double& weight : state.put<double>("weights", 1000)) weight = static_cast<double>(number);
  state.put<std::uint8_t>("bytes", 100)[99] = static_cast<std::uint8_t>(number);
  state.put_text("text", std::to_string(number));
  state.finish();
  return state;
}

/// The number of a state that is whole; fails the test for any other.
inline std::uint64_t number_in(const State& state) {
  const auto number = state.get_number<std::uint64_t>("number").value();
  const auto weights = state.get<double>("weights", 1000).value();
  for (const double weight : weights) REQUIRE(weight == static_cast<double>(number));
  REQUIRE(state.get<std::uint8_t>("bytes", 100)->back() == number);
  REQUIRE(state.get_text("text").value() == std::to_string(number));
  return number;
}

/// What a restart finds: the number of the restored state, 0 when there is none.
inline std::uint64_t number_after_restart(FaultyFileSystem& files) {
  auto restored = CheckpointStore(files, "/state", 2).restore_newest();
  REQUIRE_MESSAGE(restored.has_value(), (restored ? "" : restored.error().message));
  return restored->state ? number_in(restored->state.value()) : 0;
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Flips a bit in the middle of a file, durably.
inline void spoil(FaultyFileSystem& files, const std::string& path) {
  auto bytes = files.read(path).value();
  bytes[bytes.size() / 2] ^= std::byte{4};
  files.put(path, bytes);
}

inline std::vector<std::string> names_in(FaultyFileSystem& files) { return files.list("/state").value(); }

inline const std::string kFirst = "checkpoint-000000000001-10.safetensors";
inline const std::string kSecond = "checkpoint-000000000002-20.safetensors";
inline const std::string kThird = "checkpoint-000000000003-30.safetensors";

}  // namespace glimpse::checkpoint_store_test
