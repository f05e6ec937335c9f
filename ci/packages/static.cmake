# The mostly static command, for distributions with other libraries: only libc and libm are dynamic.
# On demand: cmake --build build/release --target watchproof_static
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  return()  # it links; a machine that only builds the command may have none
endif()
add_executable(watchproof_static EXCLUDE_FROM_ALL harness/cli/main.cc
  ci/packages/static/fmt.cc)
wp_settings(watchproof_static std)
target_link_libraries(watchproof_static PRIVATE whole_cli all_cases)
set_target_properties(watchproof_static PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  RULE_LAUNCH_LINK "${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/ci/packages/static/link.py")
