// SPDX-License-Identifier: Apache-2.0
// open-end-overlooked (etcd #22395): a transaction that puts a key, and deletes it by a range
// without an end, is carried out: the check reads the zero byte that stands for no end as a key.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(OpenEndOverlooked, "open-end-overlooked") {
  const auto* const twice = one.As<symptom::ChangedTwice>();
  return twice != nullptr && twice->to_the_end;
}

}  // namespace watchproof
