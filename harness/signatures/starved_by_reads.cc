// SPDX-License-Identifier: Apache-2.0
// starved-by-reads (etcd #15402): what a server has to send on one connection is sent one answer
// after the other, the large ones first, and watches wait until there are none.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(StarvedByReads, "starved-by-reads") {
  const auto* const delay = one.As<symptom::Delay>();
  return delay != nullptr && delay->beside_calls;
}

}  // namespace watchproof
