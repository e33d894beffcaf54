# Between installing into a folder and packing it: Debian wants pages of the manual and changelogs compressed, the same
# bytes each time, and static libraries without what only debuggers read.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/* ${CPACK_TEMPORARY_DIRECTORY}/*/changelog.Debian)
foreach(file IN LISTS files)
  if(NOT file MATCHES "\\.gz$")
    execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
file(GLOB_RECURSE libraries ${CPACK_TEMPORARY_DIRECTORY}/*/lib/*.a)
foreach(library IN LISTS libraries)
  execute_process(COMMAND strip --strip-debug --remove-section=.comment --enable-deterministic-archives ${library}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
