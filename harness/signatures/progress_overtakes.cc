// SPDX-License-Identifier: Apache-2.0
// progress-overtakes (etcd #15220): what answers a progress request waits in another queue than
// events and periodic progress.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(ProgressOvertakes, "progress-overtakes") {
  const auto* const back = one.As<symptom::ProgressBack>();
  // A snapshot explains that notice too.
  const bool parted = one.facts.faults.MembersParted({});
  return one.PassedOver(Passing::kRequest) || (!parted && one.NoticeAfter(Passing::kRequest)) ||
         (back != nullptr && back->response->message.watch_id < 0 &&
          one.facts.table.ProgressAsked(back->response->stream));
}

}  // namespace watchproof
