// SPDX-License-Identifier: Apache-2.0
// Takes a binary out of the archive that the project publishes, checked against the sums
// that are published with it.
//
// Through curl and tar of the machine. Blocks for as long as downloads take. Threads: any, one per
// work folder.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/status.h"
#include "harness/targets/release_source.h"

namespace watchproof {

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

}  // namespace watchproof
