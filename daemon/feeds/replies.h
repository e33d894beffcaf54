#pragma once

#include <cstdint>

namespace glimpse {

/// Which labelled and unlabelled lines get a reply on a stream door.
enum class Replies : std::uint8_t {
  kUnlabelled,  ///< a prediction for each unlabelled line
  kAll,         ///< labelled lines too, predicted before they are learned from: what vw --daemon does
  kNone,
};

}  // namespace glimpse
