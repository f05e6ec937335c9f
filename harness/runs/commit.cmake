# Writes the header with the commit of the sources, at every build, and touches it only when it changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
endif()
set(text "// SPDX-License-Identifier: Apache-2.0\n// Generated.\n#define WP_COMMIT \"${commit}\"\n")
set(have "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} have)
endif()
if(NOT have STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
