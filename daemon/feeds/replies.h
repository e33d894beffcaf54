#pragma once

#include <cstdint>

namespace glimpse {

/// Which labelled and unlabelled lines get a reply on a stream door.
enum class Replies : std::uint8_t {
  kUnlabelled,  ///< a prediction for each unlabelled line
  kAll,         ///< labelled lines too, predicted before they are learned from: what vw --daemon does
  kNone,
};

/// Which records that cannot be read get a line `error: …` among the replies.
enum class ErrorReplies : std::uint8_t {
  kAnswered,  ///< those that would get a reply: each question has one line, so that lines can be compared
  kAll,       ///< on stream doors
};

/// --predict, ?predict=: what is told of a classifier's prediction.
enum class PredictAs : std::uint8_t {
  kLabel,          ///< the class and its probability
  kProbabilities,  ///< those of all classes
  kScores,         ///< the scores of all classes: log-odds, up to what all have in common
  kUsual,          ///< nobody said: kProbabilities, and of a regression its numbers
};

}  // namespace glimpse
