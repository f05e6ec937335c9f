// SPDX-License-Identifier: Apache-2.0
// lease-left-out: a read that asks for keys only shows them without their lease.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(LeaseLeftOut, "lease-left-out") { return one.As<symptom::LeaseMissing>() != nullptr; }

}  // namespace watchproof
