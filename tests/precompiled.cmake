# For builds from nothing: the sources of a library are compiled several at a time, and Clang precompiles headers from
# outside (the standard library, Boost, Eigen, fmt, spdlog). tools/quickstart and tools/check build so. The presets do
# not: who changes a file compiles it alone, and finds a missing include there. Two precompiled headers, as doctest
# leaves something in each file that includes it.
set(precompiled <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque> <fstream> <functional> <limits>
  <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>
  <fmt/format.h> <Eigen/Dense> <boost/json.hpp> <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/local/stream_protocol.hpp> <boost/asio/post.hpp>
  <boost/asio/steady_timer.hpp> <boost/asio/thread_pool.hpp> <boost/asio/write.hpp> <boost/beast/core/flat_buffer.hpp> <boost/beast/core/tcp_stream.hpp>
  <boost/beast/http.hpp> <boost/program_options.hpp> <spdlog/spdlog.h>)

function(glimpse_precompiled name)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PUBLIC Boost::headers Boost::program_options Boost::json spdlog::spdlog fmt::fmt prometheus-cpp::core Eigen3::Eigen
    Threads::Threads)
  target_precompile_headers(${name} PRIVATE ${precompiled} ${ARGN})
endfunction()
# GCC takes a precompiled header only where all macros are the same, which each library has its own of.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(has_precompiled ON)
  glimpse_precompiled(precompiled_code)
  if(GLIMPSE_TESTS)
    glimpse_precompiled(precompiled_tests <doctest/doctest.h>)
    target_link_libraries(precompiled_tests PUBLIC doctest::doctest)
  endif()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # takes a class of a source for one of a header, as the source is included
  set(is_together -Wno-subobject-linkage)
endif()
glimpse_targets(${CMAKE_CURRENT_SOURCE_DIR} targets)
foreach(target IN LISTS targets)
  if(target MATCHES "^precompiled_|^glimpse_test_main$|^glimpse$|^nanobind")
    continue()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    # Kernels choose their processor with pragmas, and each part of a class template instantiates what is its own.
    glimpse_unity(${target} "_kernel|/gradient_")
    target_compile_options(${target} PRIVATE ${is_together})
  endif()
  if(NOT has_precompiled)
    continue()
  endif()
  if(target MATCHES "_test$")
    target_precompile_headers(${target} REUSE_FROM precompiled_tests)
  else()
    target_precompile_headers(${target} REUSE_FROM precompiled_code)
  endif()
endforeach()
