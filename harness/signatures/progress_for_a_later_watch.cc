// SPDX-License-Identifier: Apache-2.0
// progress-for-a-later-watch: the answer to a progress request covers a watch that was asked for
// after the request.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(ProgressForLaterWatch, "progress-for-a-later-watch") {
  const auto* const below = one.As<symptom::ProgressBelowStart>();
  return one.PassedOver(Passing::kEarlierRequest) || one.NoticeAfter(Passing::kEarlierRequest) ||
         (below != nullptr && one.traces.ForEarlierRequest(*one.watch, *below->response));
}

}  // namespace watchproof
