// SPDX-License-Identifier: Apache-2.0
// The page without data, as built: harness/report/web/dist/page.html, part of the executable.
//
// Threads: a pure function.
#pragma once

#include <string_view>

namespace watchproof {

std::string_view PageBundle();

}  // namespace watchproof
