// SPDX-License-Identifier: Apache-2.0
// hash-in-snapshot (etcd #22637): a hash is asked for while a member puts a snapshot that it was
// sent in the place of its database; it writes to the former one, which is closed, and ends.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(HashInSnapshot, "hash-in-snapshot") {
  return (one.Says("ForceCommit < mvcc.(*store).hash") ||
          one.Says("ForceCommit < mvcc.(*store).Hash")) &&
         one.facts.faults.MembersParted({});
}

}  // namespace watchproof
