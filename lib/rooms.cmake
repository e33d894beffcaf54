# glimpse_room(PATH [USES target...]): one library for one folder. `PATH` is NAME for the folder of the CMakeLists.txt
# itself, a hall, or HALL/NAME for a folder in it, a room. Headers are reached as PATH/x.h through a folder of links
# that holds this room alone. So a room sees the rooms it links to and no others: an include that points up or sideways
# does not compile.
# Files named *_test.cpp and *_test_support.cpp of a hall and its rooms become the hall's test program. It has the label
# "threads" where the hall starts threads: in daemon.
function(glimpse_room path)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  get_filename_component(above ${path} DIRECTORY)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(above)
    get_filename_component(last ${path} NAME)
    set(folder ${folder}/${last})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_(test|test_support|main)\\.cpp$")

  set(door ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${door}/${above})
  file(CREATE_LINK ${folder} ${door}/${path} SYMBOLIC)

  add_library(glimpse_${name} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY GLIMPSE_ROOMS glimpse_${name})
  target_include_directories(glimpse_${name} PUBLIC ${door})
  target_link_libraries(glimpse_${name} PUBLIC ${ROOM_USES})
  if(above OR NOT GLIMPSE_TESTS)
    return()
  endif()

  file(GLOB tests CONFIGURE_DEPENDS *_test.cpp *_test_support.cpp */*_test.cpp */*_test_support.cpp)
  if(GLIMPSE_SANITIZE MATCHES thread)
    # They replace operator new, and so does this sanitizer.
    list(FILTER tests EXCLUDE REGEX "no_(allocation|memory)_test\\.cpp$")
    if(NOT GLIMPSE_ALL_TESTS)
      file(STRINGS ${PROJECT_SOURCE_DIR}/tests/sanitizers/threads.txt of_threads REGEX "/.*_test\\.cpp$")
      list(TRANSFORM of_threads PREPEND ${PROJECT_SOURCE_DIR}/)
      foreach(test ${tests})
        if(test MATCHES "_test\\.cpp$" AND NOT test IN_LIST of_threads)
          list(REMOVE_ITEM tests ${test})
        endif()
      endforeach()
    endif()
  endif()
  if(NOT GLIMPSE_KAFKA)
    list(FILTER tests EXCLUDE REGEX "/daemon/(group|kafka|topics)/[^/]*$")
  endif()
  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE glimpse_${name} glimpse_test_main)
    glimpse_unit_tests(${name})
  endif()
endfunction()

# glimpse_unit_tests(NAME): the tests of NAME_test. A large program has several, which run side by side: each takes the
# next 200 cases, in an order that a seed mixes because dear cases are neighbours, and the last one all that are left.
function(glimpse_unit_tests name)
  set(shards_of_learn 4)
  set(shards_of_daemon 3)
  if(NOT shards_of_${name})
    add_test(NAME ${name} COMMAND ${name}_test ${GLIMPSE_TEST_OPTIONS})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200)
    return()
  endif()
  foreach(shard RANGE 1 ${shards_of_${name}})
    math(EXPR last "${shard} * 200")
    math(EXPR first "${last} - 199")
    set(cases --order-by=rand --rand-seed=1 --first=${first})
    if(shard LESS shards_of_${name})
      list(APPEND cases --last=${last})
    endif()
    add_test(NAME ${name}_${shard} COMMAND ${name}_test ${GLIMPSE_TEST_OPTIONS} ${cases})
    set_tests_properties(${name}_${shard} PROPERTIES TIMEOUT 1200 COST 100)  # these begin first
    if(name STREQUAL daemon)
      set_tests_properties(${name}_${shard} PROPERTIES LABELS threads)
    endif()
  endforeach()
endfunction()

# What waits for sockets and people, or runs once: -O1 compiles these templates in 0.6 of the time, and nobody notices.
function(glimpse_need_not_be_fast)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # sees less of what optional holds then
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endforeach()
endfunction()
