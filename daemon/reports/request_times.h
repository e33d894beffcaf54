#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glimpse {

/// How long requests of HTTP took, from the whole request to its answer: a histogram for each path and class
/// of status. Callers give paths of a fixed set, so that their number is bounded. Thread-safety: none.
class RequestTimes {
 public:
  /// Upper bounds of the buckets, in seconds. Answers that wait for nothing take less than the first; the
  /// last are a checkpoint of a large model on a slow disk.
  static constexpr std::array<double, 12> kBounds{0.0005, 0.001, 0.005, 0.01, 0.025, 0.05,
                                                  0.1,    0.25,  0.5,   1,    5,     30};

  struct Histogram {
    std::string path;
    std::string status;                                    ///< "2xx"
    std::array<std::uint64_t, kBounds.size() + 1> counts;  ///< not cumulative; the last is beyond all bounds
    double seconds = 0;                                    ///< of all together
  };

  void note(std::string_view path, unsigned status, std::chrono::duration<double> time);

  /// Those that something was noted in.
  const std::vector<Histogram>& histograms() const { return histograms_; }

 private:
  std::vector<Histogram> histograms_;
};

}  // namespace glimpse
