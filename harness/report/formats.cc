// SPDX-License-Identifier: Apache-2.0
#include "harness/report/formats.h"

#include "harness/base/check.h"

namespace watchproof {
namespace {

std::vector<Format>& Formats() {
  static std::vector<Format> formats;
  return formats;
}

}  // namespace

FormatRegistration::FormatRegistration(Format format) { Formats().push_back(format); }

const std::vector<Format>& AllFormats() { return Formats(); }

std::string Render(std::string_view file, const RunRecord& record) {
  for (const Format& format : Formats()) {
    if (format.file == file) return format.render(record);
  }
  WP_CHECK(false, "no format has that file");
}

}  // namespace watchproof
