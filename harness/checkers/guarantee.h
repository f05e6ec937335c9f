// SPDX-License-Identifier: Apache-2.0
// The promises of the watch API, and those of the key-value API that stand beside it, by name.
// Those that etcd names carry etcd's names, others the names of the literature.
//
// Threads: constants.
#pragma once

#include <string_view>
#include <vector>

namespace watchproof {

enum class Guarantee {
  kOrdered,
  kUnique,
  kAtomic,
  kReliable,
  kResumable,
  kBookmarkable,
  kCompactionSurfaced,
  kPreviousValue,
  kFields,
  kHeaders,
  kFiltered,
  kFragmented,
  kIsolated,
  kSettled,
  kAuthorized,
  kAvailable,
  // Of the key-value API.
  kLinearizable,
  kSerializable,
  kTransactional,
  kMonotonicReads,
  kDurable,
};

std::string_view Name(Guarantee guarantee);
// One sentence: what a client may rely on.
std::string_view Promise(Guarantee guarantee);
// One sentence: what a Kubernetes cache that is fed by such a store would now wrongly believe.
std::string_view Impact(Guarantee guarantee);
// A plain-language paragraph for `watchproof explain`, with the source of the rule.
std::string_view Explain(Guarantee guarantee);
const std::vector<Guarantee>& AllGuarantees();

}  // namespace watchproof
