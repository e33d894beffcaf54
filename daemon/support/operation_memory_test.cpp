#include "daemon/support/operation_memory.h"

#include <array>
#include <cstdint>
#include <doctest/doctest.h>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace operation_memory_test {

using namespace glimpse;

TEST_CASE("one operation at a time has the memory that is kept, others that of the system") {
  const OperationMemory memory;
  OperationMemory::Allocator<std::uint64_t> allocator(memory.allocator());
  std::uint64_t* const first = allocator.allocate(10);
  std::uint64_t* const second = allocator.allocate(10);
  CHECK(first != second);
  allocator.deallocate(second, 10);
  allocator.deallocate(first, 10);
  CHECK(allocator.allocate(10) == first);
  allocator.deallocate(first, 10);
  std::uint64_t* const large = allocator.allocate(1000);
  CHECK(large != first);
  allocator.deallocate(large, 1000);
}

TEST_CASE("the wait for a connection fits, and may outlive who began it") {
  namespace asio = boost::asio;
  asio::io_context io;
  asio::ip::tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
  auto memory = std::make_unique<OperationMemory>();
  OperationMemory::Allocator<std::byte> allocator(memory->allocator());
  const std::array<void*, 2> captured{};  // more than a door's
  acceptor.async_wait(asio::ip::tcp::acceptor::wait_read,
                      asio::bind_allocator(memory->allocator(),
                                           [captured](const boost::system::error_code&) { (void)captured; }));
  CHECK(allocator.block->is_used);
  memory.reset();
}

}  // namespace operation_memory_test
