# What `cmake --install` places below its prefix, and the Debian package of the same (`cpack -G DEB`
# in the folder of the preset `package`).
include(GNUInstallDirs)

install(TARGETS watchproof)
include(ci/packages/library.cmake)
include(ci/packages/static.cmake)

# What the program prints itself is printed when it is installed: wp_install_printed(FOLDER NAME
# ARGUMENTS...).
set(WP_PRINTED ${PROJECT_BINARY_DIR}/packages)
file(MAKE_DIRECTORY ${WP_PRINTED})
function(wp_install_printed folder name)
  install(CODE "execute_process(COMMAND $<TARGET_FILE:watchproof> ${ARGN}
    OUTPUT_FILE ${WP_PRINTED}/${name} COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${WP_PRINTED}/${name} DESTINATION ${folder})
endfunction()
wp_install_printed(${CMAKE_INSTALL_MANDIR}/man1 watchproof.1 man)
wp_install_printed(${CMAKE_INSTALL_DATADIR}/bash-completion/completions watchproof completion bash)
wp_install_printed(${CMAKE_INSTALL_DATADIR}/zsh/site-functions _watchproof completion zsh)
wp_install_printed(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d watchproof.fish completion fish)

set(WP_DATA ${CMAKE_INSTALL_DATADIR}/watchproof)
install(DIRECTORY harness/report/schemas DESTINATION ${WP_DATA})
install(DIRECTORY fixtures/profiles DESTINATION ${WP_DATA} FILES_MATCHING PATTERN *.toml)
install(DIRECTORY fixtures/bugs DESTINATION ${WP_DATA} FILES_MATCHING PATTERN *.toml)
install(FILES fixtures/api/etcd.toml DESTINATION ${WP_DATA}/api)
install(FILES fixtures/releases/manifest.toml DESTINATION ${WP_DATA}/releases)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/watchproof)

set(CPACK_GENERATOR DEB)
# Without what other projects compile against.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};watchproof;Unspecified;/")
set(CPACK_PACKAGE_NAME watchproof)
set(WATCHPROOF_MAINTAINER "The watchproof authors <maintainers@watchproof.invalid>" CACHE STRING
  "Maintainer of the package, with an address")
set(CPACK_PACKAGE_CONTACT ${WATCHPROOF_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "fault-injection conformance harness for the etcd v3 watch API")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "It starts a store, or uses a running one, puts a fault-injecting
proxy before it, opens many watches on one stream, and checks for each watch
that every revision arrived exactly once and in order, or that ErrCompacted
was reported. Releases of etcd are compared, bisected and gated by it.")
set(CPACK_PACKAGE_DESCRIPTION ${CPACK_DEBIAN_PACKAGE_DESCRIPTION})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, curl, etcd-server")
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/ci/packages/debian_files.cmake)
include(CPack)

if(WATCHPROOF_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  wp_script_test(packages.deb LABEL e2e TIMEOUT 180
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/ci/packages/deb_test.py
      ${PROJECT_BINARY_DIR})
  wp_script_test(packages.static LABEL e2e TIMEOUT 300
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/ci/packages/static_test.py
      ${PROJECT_BINARY_DIR})
  wp_script_test(packages.library LABEL e2e TIMEOUT 180
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/ci/packages/library_test.py
      ${PROJECT_BINARY_DIR} $<TARGET_FILE:watchproof>)
endif()
