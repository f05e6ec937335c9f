// SPDX-License-Identifier: Apache-2.0
// open-range-allowed (GHSA-xg4h-6gfc-h4m8): the right to read the first key of an open range was
// taken for the right to read all of it.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(OpenRangeAllowed, "open-range-allowed") {
  if (one.As<symptom::ForbiddenKey>() == nullptr) return false;
  const KeyRange& range = one.facts.details(*one.watch).range.range;
  const auto& right = one.facts.table.RightOf(one.facts.state(*one.watch).stream);
  return range.open_ended() && right->readable.Contains(range.first());
}

}  // namespace watchproof
