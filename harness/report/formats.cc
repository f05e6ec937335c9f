// SPDX-License-Identifier: Apache-2.0
#include "harness/report/formats.h"

namespace watchproof {

const std::vector<Format>& AllFormats() {
  static const std::vector<Format> kFormats = {
      {.file = "junit.xml", .render = &ToJunit},     {.file = "ctrf.json", .render = &ToCtrf},
      {.file = "summary.md", .render = &ToMarkdown}, {.file = "report.html", .render = &ToHtml},
      {.file = "trace.json", .render = &ToTrace},
  };
  return kFormats;
}

}  // namespace watchproof
