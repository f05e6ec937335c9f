# The CMake package: the oracle, the embedded store and the proxy for other projects.
#
#   cmake --install build/release --component development --prefix PREFIX
#
#   find_package(watchproof REQUIRED COMPONENTS oracle)   # none named: all three
#   target_link_libraries(mine PRIVATE watchproof::oracle)
#
# Headers are included as here: "harness/checkers/oracle.h". ci/examples/installed is such a project.
include(CMakePackageConfigHelpers)

# What registers itself comes as objects: the linker would drop it from an archive.
add_library(store INTERFACE)
target_sources(store INTERFACE
  $<BUILD_INTERFACE:$<TARGET_OBJECTS:defects>> $<INSTALL_INTERFACE:$<TARGET_OBJECTS:watchproof::defects>>)
target_link_libraries(store INTERFACE server)
add_library(proxy INTERFACE)
target_link_libraries(proxy INTERFACE control)

set(WP_LIBRARIES_BASE base)
set(WP_LIBRARIES_ORACLE oracle checkers signatures contract model history statistics)
set(WP_LIBRARIES_STORE store defects server wire http_port auth watch lease mvcc backend protos)
set(WP_LIBRARIES_PROXY proxy control disk effects http2 proxy_grpc core)
set(WP_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/watchproof)
foreach(part BASE ORACLE STORE PROXY)
  string(TOLOWER ${part} name)
  install(TARGETS ${WP_LIBRARIES_${part}} EXPORT watchproof-${name} COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/watchproof
    OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/watchproof
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/watchproof)
  install(EXPORT watchproof-${name} NAMESPACE watchproof:: DESTINATION ${WP_PACKAGE}
    COMPONENT development)
endforeach()
# A project that adds this one as a subdirectory writes the same names.
foreach(name oracle store proxy)
  add_library(watchproof::${name} ALIAS ${name})
endforeach()

foreach(folder harness/base harness/contract harness/history harness/model harness/checkers embedded_store proxies)
  get_filename_component(above ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/watchproof/${above}
    COMPONENT development FILES_MATCHING PATTERN *.h PATTERN testing EXCLUDE
    PATTERN *_fixture.h EXCLUDE)
endforeach()

configure_package_config_file(ci/packages/watchproof-config.cmake.in
  ${PROJECT_BINARY_DIR}/watchproof-config.cmake INSTALL_DESTINATION ${WP_PACKAGE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/watchproof-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/watchproof-config.cmake
  ${PROJECT_BINARY_DIR}/watchproof-config-version.cmake
  DESTINATION ${WP_PACKAGE} COMPONENT development)
