// SPDX-License-Identifier: Apache-2.0
// The three sources of release binaries. Nothing is installed.
//
//   WP_ASSIGN_OR_RETURN(const auto binary, TakeFromDebian(row, "3.5.16", work));
//
// A Debian package comes from the mirrors of the machine's own apt sources, through apt with
// separate lists and status file, so that the state of the system is untouched; it must be signed
// with Debian's archive keys. The archive that a project publishes comes through curl and tar of
// the machine, and is checked against the sums that are published with it. A Go module comes
// through the machine's go, with the registry and the sums that it is set up to use, and what is
// built from it must report the version that was asked for. All block for as long as downloads and
// builds take. Threads: any, one per work folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/targets/release_source.h"

namespace watchproof {

// The unpacked file, somewhere in `work`. kNotFound: the suite has another version by now;
// kUnavailable and others: it could not be asked. The content is not checked.
Result<std::filesystem::path> TakeFromDebian(const DebianBinary& wanted, const std::string& version,
                                             const std::filesystem::path& work);
// "3.3.25" of "3.3.25+dfsg-6+b6", "3.5.0~rc1" of "1:3.5.0~rc1-2".
std::string UpstreamVersion(std::string package_version);

struct OfficialRequest {
  std::string version;
  std::string architecture;
};
// The unpacked file, somewhere in `work`. kDataLoss: the archive does not match its sums;
// kUnavailable and kNotFound: it could not be downloaded.
Result<std::filesystem::path> TakeFromOfficial(const OfficialArchive& archive,
                                               const OfficialRequest& request,
                                               const std::filesystem::path& work);
// "v{version}" with 3.5.16 is "v3.5.16".
std::string FillIn(std::string text, const OfficialRequest& request);

// Of a product, as Go's registry lists them, oldest first: "3.5.0", "3.8.0-alpha.0". It may serve
// others, too.
Result<std::vector<std::string>> VersionsOfModule(const GoModule& module,
                                                  const std::filesystem::path& work);
struct BuiltBinary {
  std::filesystem::path file;
  std::string built_from;  // toolchain, modules and their sums, as Go embeds them in it
};
// Builds the version, somewhere in `work`, with the toolchain that it wants. kDataLoss: what was
// built reports another version; kUnavailable: it could not be built.
Result<BuiltBinary> BuildFromModule(const GoModule& module, const std::string& version,
                                    const std::filesystem::path& work);

// 64 lower-case hexadecimal digits.
Result<std::string> Sha256OfFile(const std::filesystem::path& file);

}  // namespace watchproof
