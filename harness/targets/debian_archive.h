// SPDX-License-Identifier: Apache-2.0
// Takes one file out of a Debian package of any suite; installs nothing.
//
//   WP_ASSIGN_OR_RETURN(const auto binary, TakeFromDebian(row, "3.5.16", work));
//
// The package comes from the mirrors of the machine's own apt sources, through apt with separate
// lists and status file, so that the state of the system is untouched. It must be signed with
// Debian's archive keys. Blocks for as long as downloads take. Threads: any, one per work folder.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/status.h"
#include "harness/targets/release_source.h"

namespace watchproof {

// The unpacked file, somewhere in `work`. kNotFound: the suite has another version by now;
// kUnavailable and others: it could not be asked. The content is not checked.
Result<std::filesystem::path> TakeFromDebian(const DebianBinary& wanted, const std::string& version,
                                             const std::filesystem::path& work);

// "3.3.25" of "3.3.25+dfsg-6+b6", "3.5.0~rc1" of "1:3.5.0~rc1-2".
std::string UpstreamVersion(std::string package_version);

}  // namespace watchproof
