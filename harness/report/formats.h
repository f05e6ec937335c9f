// SPDX-License-Identifier: Apache-2.0
// The files that are rendered from a run record when it ends, also when it ends early. Each format
// registers itself in its own file.
//
//   const FormatRegistration kJunit{{.file = "junit.xml", .render = &ToJunit}};
//   for (const Format& format : AllFormats()) Write(folder / format.file, format.render(record));
//
// Threads: pure functions; registrations happen before main.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/rows.h"

namespace watchproof {

struct Format {
  std::string_view file;
  std::string (*render)(const RunRecord& record);
};
struct FormatRegistration {
  explicit FormatRegistration(Format format);
};
const std::vector<Format>& AllFormats();
// Requires: a format has that file.
std::string Render(std::string_view file, const RunRecord& record);

}  // namespace watchproof
