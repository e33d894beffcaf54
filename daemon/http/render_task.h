#pragma once

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "daemon/support/memory_trouble.h"

namespace glimpse {

/// Runs `work` on `pool`. Where there is no memory for it, `work` is destroyed, and what it holds then tells
/// the client. An exception would end the process.
template <class Work>
void post_rendering(boost::asio::thread_pool& pool, Work work) {
  boost::asio::post(pool, [work = std::move(work)]() mutable {
    if_memory_allows("a large answer or request was refused", work);
  });
}

}  // namespace glimpse
