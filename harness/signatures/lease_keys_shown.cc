// SPDX-License-Identifier: Apache-2.0
// lease-keys-shown (CVE-2023-32082): the keys of a lease are shown to anyone that asks for them.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(LeaseKeysShown, "lease-keys-shown") {
  const auto* const call = one.As<symptom::NotRefused>();
  return call != nullptr && call->method == Method::kLeaseTimeToLive &&
         !call->missing.rights.empty();
}

}  // namespace watchproof
