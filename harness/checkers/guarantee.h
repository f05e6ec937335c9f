// SPDX-License-Identifier: Apache-2.0
// The guarantees of the watch API and of the key-value API, by name. Guarantees that etcd names
// carry etcd's names, others the names of the literature.
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
// One sentence: the impact on a Kubernetes cache that a store with this fault feeds.
std::string_view Impact(Guarantee guarantee);
// A plain-language paragraph for `watchproof explain`, with the source of the rule.
std::string_view Explain(Guarantee guarantee);
const std::vector<Guarantee>& AllGuarantees();

}  // namespace watchproof
