// SPDX-License-Identifier: Apache-2.0
// notice-repeated (etcd #22294): where more watches wait than one pass of the server takes, each
// pass sends ErrCompacted again, and there is no room for other watches.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(NoticeRepeated, "notice-repeated") {
  constexpr std::size_t kOnePass = 512;
  const auto* const delay = one.As<symptom::Delay>();
  return (one.As<symptom::NoticeAgain>() != nullptr && one.facts.table.size() > kOnePass) ||
         (delay != nullptr && delay->notices >= kOnePass);
}

}  // namespace watchproof
