// SPDX-License-Identifier: Apache-2.0
// restored-as-it-was (etcd #16028): a store that is restored from a snapshot counts again from its
// revision, unless that is raised. What it has acknowledged since is gone, and clients do not learn
// it.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RestoredAsItWas, "restored-as-it-was") {
  return one.facts.faults.WasHealed("restore", one.at(), Duration::max()) &&
         !one.facts.model.calls().restored();
}

}  // namespace watchproof
