// SPDX-License-Identifier: Apache-2.0
// report.html: one file that opens from disk without a network. The page itself is built from
// TypeScript (harness/report/web); here the run's data are put into it.
#include <fmt/format.h>

#include "harness/base/check.h"
#include "harness/report/formats.h"
#include "harness/report/packed_text.h"
#include "harness/report/page_bundle.h"
#include "harness/report/page_json.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

std::string ToPage(const RunRecord& record) {
  const PageData data = PageDataOf(record);
  const std::string_view page = PageBundle();
  constexpr std::string_view kTitle = "<!--title-->";
  constexpr std::string_view kData = "<!--data-->";
  const std::size_t title = page.find(kTitle);
  const std::size_t place = page.find(kData);
  WP_CHECK(title < place && place != page.npos, "the built page has places for title and data");
  std::string text(page.substr(0, title));
  text += EscapeXml(Sentence(record));
  text += page.substr(title + kTitle.size(), place - title - kTitle.size());
  const auto add = [&text](const std::string& id, const std::string& packed) {
    text += fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", id, packed);
  };
  add("run", PackedText(DumpJson(data.run)));
  for (std::size_t i = 0; i < data.details.size(); ++i) add(fmt::format("d{}", i), data.details[i]);
  for (std::size_t i = 0; i < data.courses.size(); ++i) add(fmt::format("c{}", i), data.courses[i]);
  text += page.substr(place + kData.size());
  return text;
}

const FormatRegistration kPage{{.file = "report.html", .render = &ToPage}};

}  // namespace
}  // namespace watchproof
