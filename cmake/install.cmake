# What `cmake --install` puts in place.
if(TARGET trace_streamer)
  install(TARGETS trace_streamer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES docs/man/trace_streamer.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES share/completion/trace_streamer.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME trace_streamer)
install(FILES share/completion/_trace_streamer
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES share/completion/trace_streamer.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY share/sql DESTINATION ${CMAKE_INSTALL_DATADIR}/trace_streamer
        FILES_MATCHING PATTERN "*.sql")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md"
        PATTERN "man" EXCLUDE)

add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
          -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
  COMMENT "Removing what was installed"
  VERBATIM USES_TERMINAL)
include(cmake/package.cmake)
