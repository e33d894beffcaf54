#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffer_traits.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>

namespace glimpse {

/// A body as long as what has come of it: the length that is announced is not reserved.
struct GrowingBody {
  using value_type = std::string;

  class reader {
   public:
    template <bool is_request, class Fields>
    reader(boost::beast::http::header<is_request, Fields>&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) { error = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      for (const auto& buffer : boost::beast::buffers_range_ref(buffers))
        body_.append(static_cast<const char*>(buffer.data()), buffer.size());
      return boost::beast::buffer_bytes(buffers);
    }
    void finish(boost::system::error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

/// A body in pieces, each of which is given back as soon as it has left: to give much back at once takes
/// long.
struct BodyOfPieces {
  struct value_type {
    std::string first;
    mutable std::vector<std::string> more;
  };

  class writer {
   public:
    using const_buffers_type = boost::asio::const_buffer;
    template <bool is_request, class Fields>
    writer(const boost::beast::http::header<is_request, Fields>&, const value_type& body) : body_(body) {}
    void init(boost::system::error_code& error) { error = {}; }
    boost::optional<std::pair<const_buffers_type, bool>> get(boost::system::error_code& error) {
      error = {};
      if (next_ > 1) std::string().swap(body_.more[next_ - 2]);
      const std::string& piece = next_ == 0 ? body_.first : body_.more[next_ - 1];
      ++next_;
      return {{boost::asio::buffer(piece), next_ <= body_.more.size()}};
    }

   private:
    const value_type& body_;
    std::size_t next_ = 0;
  };
};

}  // namespace glimpse
