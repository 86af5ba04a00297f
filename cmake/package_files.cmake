# Run by cpack on the installed files before it packs them: what Debian wants of them, and times that do not depend on the day, so that
# equal sources give equal packages. $SOURCE_DATE_EPOCH is the time; without it that of the commit, or of the last release.
set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
set(doc "${root}/share/doc/${CPACK_PACKAGE_NAME}")

set(time "$ENV{SOURCE_DATE_EPOCH}")
if(NOT time AND EXISTS "${TS_SOURCE}/.git")
  execute_process(COMMAND git -C "${TS_SOURCE}" log -1 --format=%ct
                  OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT time)
  file(STRINGS "${TS_SOURCE}/CHANGELOG.md" heading REGEX "^## \\[[0-9]" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+-[0-9][0-9]-[0-9][0-9]" day "${heading}")
  execute_process(COMMAND date -u -d "${day}" +%s OUTPUT_VARIABLE time
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
set(ENV{SOURCE_DATE_EPOCH} "${time}") # cpack itself takes it as well

# The documents, under the name of the package. The licence is one that every system has.
file(RENAME "${root}/share/doc/trace_streamer" "${doc}")
file(REMOVE "${doc}/LICENSE")
file(COPY_FILE "${TS_SOURCE}/share/debian/copyright" "${doc}/copyright")
execute_process(COMMAND date -u -R -d "@${time}" OUTPUT_VARIABLE date
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${doc}/changelog" "\
${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md.gz in this folder has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(GLOB texts "${root}/share/man/man1/*.1")
execute_process(COMMAND gzip -9n "${doc}/changelog" "${doc}/CHANGELOG.md" ${texts}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND chmod -R u=rwX,go=rX "${CPACK_TEMPORARY_INSTALL_DIRECTORY}"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find "${CPACK_TEMPORARY_INSTALL_DIRECTORY}" -exec touch -h -d "@${time}" {} +
                COMMAND_ERROR_IS_FATAL ANY)
