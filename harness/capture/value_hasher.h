// SPDX-License-Identifier: Apache-2.0
// Replaces the values in messages of the etcd API by hashes of them: equal values stay equal, and
// the recording holds no content.
//
//   const ValueHasher hasher;
//   std::string request = hasher.Request(Method::kPut, message);
//
// The hash is keyed with a secret of this object that is written nowhere, so that values cannot be
// guessed from it; hashes of different recordings do not compare. Empty values stay empty. What
// follows a malformed field is left out. Threads: any.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "harness/history/entry.h"

namespace watchproof {

class ValueHasher {
 public:
  ValueHasher();

  std::string Request(Method method, std::string_view message) const;
  std::string Response(Method method, std::string_view message) const;
  std::string WatchResponse(std::string_view message) const;

 private:
  std::array<unsigned char, 32> secret_{};
};

}  // namespace watchproof
