// SPDX-License-Identifier: Apache-2.0
// id-of-minus-one: a watch has the id -1, which responses for the whole stream carry, too.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(IdOfMinusOne, "id-of-minus-one") {
  return std::ranges::any_of(one.draft.evidence,
                             [&one](Line line) { return one.traces.MeansEither(line); });
}

WP_SIGNATURE(PassedOverByNamesake, "id-of-minus-one") { return one.PassedOver(Passing::kSharedId); }

}  // namespace watchproof
