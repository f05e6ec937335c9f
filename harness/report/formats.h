// SPDX-License-Identifier: Apache-2.0
// The files that are rendered from a run record when it ends, also when it ends early. Each format
// registers itself in its own file.
//
//   const FormatRegistration kJunit{{.file = "junit.xml", .render = &ToJunit}};
//   for (const Format& format : AllFormats()) Write(folder / format.file, format.render(record));
//
// Threads: pure functions; registrations happen before main.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/check.h"
#include "harness/report/rows.h"

namespace watchproof {

struct Format {
  std::string_view file;
  std::string (*render)(const RunRecord& record);
};
inline std::vector<Format>& Formats() {
  static std::vector<Format> formats;
  return formats;
}
struct FormatRegistration {
  explicit FormatRegistration(Format format) {
    // By name: the order in which files are linked changes with their number.
    Formats().insert(std::ranges::upper_bound(Formats(), format.file, {}, &Format::file), format);
  }
};
inline const std::vector<Format>& AllFormats() { return Formats(); }
// Requires: a format has that file.
inline std::string Render(std::string_view file, const RunRecord& record) {
  const auto format = std::ranges::find(AllFormats(), file, &Format::file);
  WP_CHECK(format != AllFormats().end(), "no format has that file");
  return format->render(record);
}

}  // namespace watchproof
