# Run by CPack on the files of the package: what Debian's policy wants in another form than
# `cmake --install` leaves it.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(doc ${share}/doc/watchproof)

file(REMOVE ${doc}/LICENSE)
file(WRITE ${doc}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: watchproof

Files: *
Copyright: 2026 The watchproof authors
License: Apache-2.0

License: Apache-2.0
 On Debian systems the licence is in /usr/share/common-licenses/Apache-2.0.
")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, if it is set
file(WRITE ${doc}/changelog
"watchproof (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from the sources; their history is the list of changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
# Debian's zsh looks there.
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
execute_process(COMMAND gzip -9nf ${doc}/changelog ${share}/man/man1/watchproof.1
  COMMAND_ERROR_IS_FATAL ANY)
