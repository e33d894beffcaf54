#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "learn/evaluation/model_guard.h"

namespace glimpse::class_quota_test {
namespace {

TEST_CASE("class quota: a mixed stream judges with nearly all of its examples") {
  ClassQuota quota;
  Random random(1);
  int admitted = 0;
  for (int n = 0; n < 1000; ++n) {
    const std::size_t c = random.below(10) == 0 ? 1 : 0;
    admitted += quota.admits(c, c == 1 ? .1 : .9) ? 1 : 0;
  }
  CHECK(admitted > 990);
}

TEST_CASE("class quota: a class that comes more often than before judges at most twice as often as before") {
  ClassQuota quota;
  int admitted = 0;
  for (int n = 0; n < 1000; ++n) admitted += quota.admits(3, .02) ? 1 : 0;
  CHECK(admitted == 41);
  quota.begin();
  CHECK(quota.admits(3, 0));
  CHECK_FALSE(quota.admits(3, 0));
}

TEST_CASE("class quota: a class that stays away leaves no balance, one that is rare by chance does") {
  const std::vector<double> shares{.1, .9};
  ClassQuota quota;
  CHECK(quota.is_balanced(shares));
  for (int n = 0; n < 100; ++n) quota.admits(1, .9);
  CHECK(quota.is_balanced(shares));  // of ten expected none came: hardly chance, but a count of ten
  for (int n = 0; n < 100; ++n) quota.admits(1, .9);
  CHECK_FALSE(quota.is_balanced(shares));
  for (int n = 0; n < 12; ++n) quota.admits(0, .1);
  CHECK(quota.is_balanced(shares));
  ClassQuota many;
  const std::vector<double> rare{.04, .04, .04, .88};
  for (int n = 0; n < 100; ++n) many.admits(3, .88);
  CHECK(many.is_balanced(rare));
  for (int n = 0; n < 80; ++n)
    many.admits(3, .88);  // of seven expected of each none came, of 22 of all neither
  CHECK_FALSE(many.is_balanced(rare));
}

TEST_CASE("class quota: goes on after a restart as before it") {
  ClassQuota quota;
  for (int n = 0; n < 100; ++n) quota.admits(static_cast<std::size_t>(n % 3), .1);
  State state;
  state.begin();
  quota.save(state);
  state.finish();
  ClassQuota restored;
  restored.admits(7, 1);
  REQUIRE(restored.restore(state).has_value());
  for (int n = 0; n < 200; ++n) {
    const auto c = static_cast<std::size_t>(n % 5);
    CHECK(quota.admits(c, .1) == restored.admits(c, .1));
  }
}

TEST_CASE("class quota: no classes are saved as nothing, and a lone number is refused") {
  State state;
  state.begin();
  ClassQuota().save(state);
  state.finish();
  CHECK(state.find("guard.classes") == nullptr);
  State wrong;
  wrong.begin();
  const std::vector<std::uint64_t> one{1};
  wrong.put_copy<std::uint64_t>("guard.classes", one);
  wrong.finish();
  ClassQuota quota;
  CHECK(quota.restore(wrong).error().code == ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace glimpse::class_quota_test
