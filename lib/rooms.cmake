# glimpse_room(NAME [USES target...]): one library for one folder. Its headers are reached through a folder of links that
# holds this room alone, so that a room sees the rooms it links to and no others: an include that points up or
# sideways does not compile. Files named *_test.cpp become the room's test program.
function(glimpse_room name)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|main)\\.cpp$")

  set(door ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${door})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${door}/${name} SYMBOLIC)

  add_library(glimpse_${name} STATIC ${sources})
  target_include_directories(glimpse_${name} PUBLIC ${door})
  target_link_libraries(glimpse_${name} PUBLIC ${ROOM_USES})

  if(GLIMPSE_SANITIZE MATCHES thread)
    # They replace operator new, and so does this sanitizer.
    list(FILTER tests EXCLUDE REGEX "no_(allocation|memory)_test\\.cpp$")
  endif()
  if(GLIMPSE_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE glimpse_${name} glimpse_test_main)
    add_test(NAME ${name} COMMAND ${name}_test ${GLIMPSE_TEST_OPTIONS})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200)
  endif()
endfunction()
