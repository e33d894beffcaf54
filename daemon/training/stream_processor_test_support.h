#pragma once

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/training/stream_processor.h"
#include "learn/factory.h"

/// What the tests of StreamProcessor share: a processor of four attributes, its feeds, lines, and what it has
/// learned.
namespace glimpse::stream_processor_test {

inline StreamProcessor make_processor(const char* algorithm = "two-phase-ddaerr") {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = 4;
  options.budget = 3;
  return StreamProcessor(*make_learner(options), AttributeNames(4), 7);
}

inline std::shared_ptr<Feed> make_feed(StreamProcessor& processor, const std::string& file = "",
                                       Format format = Format::kVw) {
  auto door = std::make_shared<Door>();
  door->name = "test";
  FormatOptions options;
  options.dimension = 4;
  return processor.make_feed(door, format, options, 1000, file);
}

struct Worked {
  bool going;
  BlockResult result;
};

inline Worked work(StreamProcessor& processor, const std::shared_ptr<Feed>& feed, std::string lines,
                   bool strict = false) {
  Block block;
  block.feed = feed;
  block.bytes = Bytes(std::move(lines));
  Worked worked;
  worked.going = processor.process(block, strict, worked.result);
  return worked;
}

inline std::vector<double> weights(const StreamProcessor& processor) {
  Model model;
  processor.learner().model(model);
  model.weights.push_back(model.bias);
  return model.weights;
}

inline std::string some_lines(int first, int last) {
  std::string lines;
  for (int i = first; i < last; ++i)
    lines += fmt::format("{} | 0:{} 1:{} 2:{} 3:1\n", i % 3 - 1, i % 5 * 0.25, i % 7 * 0.5, i % 2);
  return lines;
}

inline State saved(const StreamProcessor& processor) {
  State state;
  state.begin();
  processor.save(state);
  state.finish();
  return state;
}

}  // namespace glimpse::stream_processor_test
