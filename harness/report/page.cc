// SPDX-License-Identifier: Apache-2.0
// report.html: one file that opens from disk without a network. The page itself is built from
// TypeScript (harness/report/web); here the run's data are put into it.
#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <vector>

#include "harness/base/check.h"
#include "harness/report/formats.h"
#include "harness/report/page_json.h"
#include "harness/report/text.h"

namespace watchproof {

std::string PackedText(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::vector<unsigned char> packed(size);
  const int code = compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(text.data()),
                             text.size(), Z_BEST_COMPRESSION);
  WP_CHECK(code == Z_OK, "zlib packs any text into the space that it asked for");
  std::string encoded(4 * ((size + 2) / 3) + 1, '\0');  // with the zero that OpenSSL adds
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                     packed.data(), static_cast<int>(size));
  encoded.resize(static_cast<std::size_t>(length));
  return encoded;
}

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
