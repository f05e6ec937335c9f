// SPDX-License-Identifier: Apache-2.0
// A text as base64 of its zlib form, for a page that unpacks it with
// DecompressionStream("deflate").
//
//   out << "<script type=\"text/plain\">" << PackedText(DumpJson(json)) << "</script>";
//
// Threads: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace watchproof {

std::string PackedText(std::string_view text);

}  // namespace watchproof
