// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kNoticeRepeated(
    {.name = "notice-repeated",
     .explain = "ErrCompacted is the last message of a watch. This store leaves the watch in the "
                "set of those that are behind, and sends the notice again in every pass until the "
                "client cancels the watch; meanwhile other watches wait longer for their history. "
                "Every etcd does this when 512 watches or more are behind at once. Trigger: a "
                "watch below the compaction floor, and a client that does not cancel an ended "
                "watch.",
     .upstream_issue = "#22294",
     .guarantees = {"CompactionSurfaced"}},
    [](Hooks& hooks) { hooks.after_notice = AfterNotice::kNextNotice; });

}  // namespace watchproof::store
