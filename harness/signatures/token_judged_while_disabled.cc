// SPDX-License-Identifier: Apache-2.0
// token-judged-while-disabled (etcd #13577): a call with a token is refused although authentication
// is disabled, as its token is not valid any more.
#include "harness/checkers/phrases.h"
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(TokenJudgedWhileDisabled, "token-judged-while-disabled") {
  return one.draft.clause == clause::kDisabled && one.Says("refused as unauthenticated");
}

}  // namespace watchproof
