# For builds from nothing: the sources of a library are compiled several at a time, and Clang precompiles headers from
# outside (the standard library, Boost, Eigen, fmt, spdlog). tools/quickstart and tools/check build so. The presets do
# not: who changes a file compiles it alone, and finds a missing include there. Two precompiled headers, as doctest
# leaves something in each file that includes it.
set(precompiled <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque> <fstream> <functional> <limits>
  <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <vector>
  <fmt/format.h> <Eigen/Dense> <boost/json.hpp> <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/local/stream_protocol.hpp> <boost/asio/post.hpp>
  <boost/asio/steady_timer.hpp> <boost/asio/thread_pool.hpp> <boost/asio/write.hpp> <boost/beast/core/flat_buffer.hpp> <boost/beast/core/tcp_stream.hpp>
  <boost/beast/http.hpp> <spdlog/spdlog.h>)

function(glimpse_precompiled name)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PUBLIC Boost::headers Boost::json spdlog::spdlog fmt::fmt prometheus-cpp::core Eigen3::Eigen
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
list(FILTER targets EXCLUDE REGEX "^precompiled_|^glimpse_test_main$|^glimpse$|^nanobind")

# The libraries of one folder and one optimisation are compiled by the first of them. What the others have is compiled as
# often as there are processors and not as there are libraries: headers are read, and templates instantiated, once.
# Kernels choose their processor with pragmas, and each part of a class template instantiates what is its own. Functions
# of unnamed namespaces have names that no other file of the folder has (helper_names.py).
set(alone "_kernel|/gradient_")
set(hosts)
file(WRITE ${CMAKE_BINARY_DIR}/compiled_elsewhere.cpp "")
foreach(target IN LISTS targets)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "STATIC_LIBRARY")
    continue()
  endif()
  target_compile_options(${target} PRIVATE ${is_together})
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(options ${target} COMPILE_OPTIONS)
  string(REGEX MATCH "-O1" slow "${options}")
  string(REGEX REPLACE "/lib/(compression|json|sampling|stats)$" "/lib/base" group "${folder}${slow}")
  if(target MATCHES "^glimpse_(daemon_kafka$|lab)")  # glimpsectl has the first alone of the daemon
    set(group ${target})
  endif()
  string(MAKE_C_IDENTIFIER "host_of_${group}" host)
  if(NOT DEFINED ${host})
    set(${host} ${target})
    list(APPEND hosts ${target})
    continue()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(definitions ${target} COMPILE_DEFINITIONS)
  set(own ${sources})
  list(FILTER own INCLUDE REGEX "${alone}")
  list(FILTER sources EXCLUDE REGEX "${alone}")
  set_property(TARGET ${target} PROPERTY SOURCES ${CMAKE_BINARY_DIR}/compiled_elsewhere.cpp ${own})
  if(NOT own)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
  target_sources(${${host}} PRIVATE ${sources})
  target_link_libraries(${${host}} PUBLIC ${target})
  target_link_libraries(${target} PUBLIC ${${host}})
  if(definitions)
    target_compile_definitions(${${host}} PRIVATE ${definitions})
  endif()
endforeach()
foreach(host IN LISTS hosts)
  glimpse_unity(${host} "${alone}" 40)
endforeach()

if(has_precompiled)
  foreach(target IN LISTS targets)
    if(target MATCHES "_test$")
      target_precompile_headers(${target} REUSE_FROM precompiled_tests)
    else()
      target_precompile_headers(${target} REUSE_FROM precompiled_code)
    endif()
  endforeach()
endif()
