# docs/tables.md is made from the schema: `cmake --build <dir> --target docs` writes it, a test says
# when it is stale.
if(TARGET ts_tables)
  set(tables_md ${PROJECT_SOURCE_DIR}/docs/tables.md)
  add_executable(mkdocs ${CMAKE_CURRENT_LIST_DIR}/mkdocs.c)
  target_link_libraries(mkdocs PRIVATE ts_tables)
  add_custom_target(docs
    COMMAND mkdocs > ${tables_md}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${tables_md}.new ${tables_md}
    COMMENT "Writing docs/tables.md"
    VERBATIM)
  add_test(NAME docs.tables COMMAND mkdocs --check ${tables_md})
endif()
