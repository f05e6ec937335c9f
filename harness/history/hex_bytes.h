// SPDX-License-Identifier: Apache-2.0
// Any bytes, written in JSON as pairs of hexadecimal digits (json_fields.h).
//
// Threads: values.
#pragma once

#include <string>

namespace watchproof {

struct HexBytes {
  std::string bytes;
};

}  // namespace watchproof
