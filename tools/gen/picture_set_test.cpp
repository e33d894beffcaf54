#include "gen/picture_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

namespace glimpse::picture_set_test {
namespace {

using Picture = std::array<double, PictureSet::kPixels>;

TEST_CASE("pictures: example n depends on the seed and n alone") {
  PictureSet all({});
  PictureSet from_seven({});
  from_seven.seek(7);
  Picture a;
  Picture b;
  for (int n = 0; n < 7; ++n) all.next(a);
  for (int n = 0; n < 5; ++n) {
    CHECK(all.next(a) == from_seven.next(b));
    CHECK(a == b);
  }
  PictureSet other({.seed = 2});
  PictureSet first({});
  other.next(a);
  first.next(b);
  CHECK(a != b);
}

TEST_CASE(
    "pictures: shades are hundredths from 0 to 1, mostly paper, and reach every pixel that a digit may") {
  PictureSet set({});
  Picture pixels;
  Picture most{};
  double ink = 0;
  for (int n = 0; n < 2000; ++n) {
    set.next(pixels);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      CHECK_MESSAGE((pixels[i] >= 0 && pixels[i] <= 1), pixels[i]);
      CHECK(std::round(pixels[i] * 100) == doctest::Approx(pixels[i] * 100).epsilon(1e-12));
      most[i] = std::max(most[i], pixels[i]);
      ink += pixels[i];
    }
  }
  ink /= 2000.0 * PictureSet::kPixels;
  CHECK(ink > .05);
  CHECK(ink < .25);
  CHECK(std::count_if(most.begin(), most.end(), [](double v) { return v > .5; }) > 400);
}

TEST_CASE("pictures: the nearest of two mean pictures tells most digits, and they are equally frequent") {
  PictureSet set({});
  std::array<Picture, 2> means{};
  std::array<double, 2> counts{};
  Picture pixels;
  for (int n = 0; n < 2000; ++n) {
    const std::size_t side = set.next(pixels) > 0 ? 1 : 0;
    ++counts[side];
    for (std::size_t i = 0; i < pixels.size(); ++i) means[side][i] += pixels[i];
  }
  for (std::size_t side = 0; side < 2; ++side)
    for (double& v : means[side]) v /= counts[side];
  CHECK(std::abs(counts[1] - 1000) < 4.5 * std::sqrt(500.0));  // 4.5 standard errors
  int wrong = 0;
  for (int n = 0; n < 1000; ++n) {
    const double label = set.next(pixels);
    double nearer = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i)
      nearer += std::pow(pixels[i] - means[0][i], 2) - std::pow(pixels[i] - means[1][i], 2);
    wrong += (nearer > 0) != (label > 0);
  }
  CHECK(wrong < 150);
}

TEST_CASE("pictures: from flip_at on labels have the other sign, and noise is added to them alone") {
  PictureSet set({});
  PictureSet flipped({.flip_at = 3});
  PictureSet noisy({.noise = .1});
  Picture pixels;
  Picture same;
  for (int n = 0; n < 6; ++n) {
    const double label = set.next(pixels);
    CHECK(flipped.next(same) == (n < 3 ? label : -label));
    CHECK(same == pixels);
    const double noise = noisy.next(same) - label;
    CHECK(same == pixels);
    CHECK(noise != 0);
    CHECK(std::abs(noise) <= .6);
  }
}

}  // namespace
}  // namespace glimpse::picture_set_test
