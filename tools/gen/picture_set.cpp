#include "gen/picture_set.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "gen/nearly_normal.h"

namespace glimpse {

namespace {

struct Point {
  double x = 0;
  double y = 0;
};

// Corners of the strokes, x to the right and y down, in a square from −1 to 1. Both digits have the lower
// bow.
constexpr std::size_t kCorners = 13;
constexpr std::array<Point, kCorners> kThree = {{{-.52, -.72},
                                                 {-.28, -.92},
                                                 {.08, -.96},
                                                 {.40, -.80},
                                                 {.46, -.48},
                                                 {.26, -.20},
                                                 {-.10, -.08},
                                                 {.28, .02},
                                                 {.52, .30},
                                                 {.48, .66},
                                                 {.18, .92},
                                                 {-.22, .94},
                                                 {-.54, .72}}};
constexpr std::array<Point, kCorners> kFive = {{{.50, -.94},
                                                {.16, -.94},
                                                {-.16, -.93},
                                                {-.40, -.92},
                                                {-.44, -.60},
                                                {-.48, -.22},
                                                {-.10, -.30},
                                                {.28, -.16},
                                                {.52, .22},
                                                {.48, .62},
                                                {.18, .90},
                                                {-.22, .94},
                                                {-.54, .74}}};

constexpr double kStray = .04;    // standard deviation of a corner, in halves of the square
constexpr double kTurn = .09;     // of the tangent of half the angle
constexpr double kSlant = .18;    // of the shear
constexpr double kStretch = .09;  // of the sizes
constexpr double kShift = .8;     // of the middle, in pixels
constexpr double kHalfWidth = 7;  // of a digit, in pixels
constexpr double kHalfHeight = 9.5;

double uniform(Random& random, double low, double high) { return low + (high - low) * random.uniform(); }

// Where the pen goes, in pixels.
std::array<Point, kCorners> drawn_stroke(const std::array<Point, kCorners>& corners, Random& random) {
  const double t = kTurn * nearly_normal(random);
  const double cosine = (1 - t * t) / (1 + t * t);
  const double sine = 2 * t / (1 + t * t);
  const double slant = kSlant * nearly_normal(random);
  const double width = kHalfWidth * (1 + kStretch * nearly_normal(random));
  const double height = kHalfHeight * (1 + kStretch * nearly_normal(random));
  constexpr double kMiddle = (PictureSet::kSide - 1) / 2.0;
  const Point middle{kMiddle + kShift * nearly_normal(random), kMiddle + kShift * nearly_normal(random)};
  std::array<Point, kCorners> stroke;
  for (std::size_t c = 0; c < kCorners; ++c) {
    const double x = width * (corners[c].x + kStray * nearly_normal(random));
    const double y = height * (corners[c].y + kStray * nearly_normal(random));
    const double slanted = x - slant * y;
    stroke[c] = {middle.x + cosine * slanted - sine * y, middle.y + sine * slanted + cosine * y};
  }
  return stroke;
}

double square_to_segment(Point p, Point a, Point b) {
  const Point along{b.x - a.x, b.y - a.y};
  const double length = along.x * along.x + along.y * along.y;
  const double at = length > 0 ? ((p.x - a.x) * along.x + (p.y - a.y) * along.y) / length : 0;
  const double share = std::clamp(at, 0.0, 1.0);
  const double dx = p.x - (a.x + share * along.x);
  const double dy = p.y - (a.y + share * along.y);
  return dx * dx + dy * dy;
}

}  // namespace

PictureSet::PictureSet(const PictureOptions& options)
    : options_(options), examples_seed_(Random(~options.seed).bits()) {}

double PictureSet::next(std::span<double> pixels) {
  const std::uint64_t example = position_++;
  Random random(examples_seed_ + example);
  const bool is_five = random.bits() >> 63 != 0;
  const auto stroke = drawn_stroke(is_five ? kFive : kThree, random);
  const double pen = uniform(random, .7, 1.5);
  const double ink = uniform(random, .8, 1);
  for (std::size_t row = 0; row < kSide; ++row)
    for (std::size_t column = 0; column < kSide; ++column) {
      const Point p{static_cast<double>(column), static_cast<double>(row)};
      double square = square_to_segment(p, stroke[0], stroke[1]);
      for (std::size_t c = 2; c < kCorners; ++c)
        square = std::min(square, square_to_segment(p, stroke[c - 1], stroke[c]));
      const double shade = ink * std::clamp(pen + .5 - std::sqrt(square), 0.0, 1.0);
      pixels[row * kSide + column] = std::floor(shade * 100 + .5) / 100;
    }
  double label = is_five ? 1 : -1;
  if (options_.flip_at != 0 && example >= options_.flip_at) label = -label;
  if (options_.noise > 0) label += options_.noise * nearly_normal(random);
  return label;
}

}  // namespace glimpse
