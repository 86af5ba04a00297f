# What `cmake --install` puts in place. First, which folders it makes: uninstall.cmake removes those, and no others.
set(folders ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_DOCDIR}
    ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d ${CMAKE_INSTALL_DATADIR}/trace_streamer)
if(TARGET tracestreamer)
  list(APPEND folders ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_INCLUDEDIR})
endif()
install(CODE "
  foreach(folder IN ITEMS ${folders})
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
    while(NOT folder STREQUAL \"/\" AND NOT EXISTS \"\$ENV{DESTDIR}\${folder}\")
      file(APPEND [[${PROJECT_BINARY_DIR}/install_folders.txt]] \"\${folder}\\n\")
      cmake_path(GET folder PARENT_PATH folder)
    endwhile()
  endforeach()")
if(TARGET trace_streamer)
  install(TARGETS trace_streamer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET tracestreamer)
  # Not part of the program's package (package.cmake).
  install(TARGETS tracestreamer LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  install(FILES include/tracestreamer.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
  install(FILES ${PROJECT_BINARY_DIR}/lib/libtracestreamer.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  install(FILES ${PROJECT_BINARY_DIR}/lib/tracestreamer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT library)
endif()
install(FILES docs/man/trace_streamer.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES share/completion/trace_streamer.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME trace_streamer)
install(FILES share/completion/_trace_streamer
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES share/completion/trace_streamer.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${TS_QUESTIONS_DIR} DESTINATION ${CMAKE_INSTALL_DATADIR}/trace_streamer
        FILES_MATCHING PATTERN "*.sql")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md"
        PATTERN "*.json" PATTERN "man" EXCLUDE PATTERN "notebook" EXCLUDE)

if(TS_WEB_DIR)
  install(DIRECTORY ${TS_WEB_DIR}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/trace_streamer/web)
endif()

add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
          -DFOLDERS=${PROJECT_BINARY_DIR}/install_folders.txt -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
  COMMENT "Removing what was installed"
  VERBATIM USES_TERMINAL)
include(cmake/package.cmake)
