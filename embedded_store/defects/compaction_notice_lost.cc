// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kCompactionNoticeLost(
    {.name = "compaction-notice-lost",
     .explain = "A watcher that is still catching up falls below the compaction floor, and the "
                "server must end it with ErrCompacted. When the queue of its stream is full at "
                "that moment, this store drops the notice and, in the same pass, counts the "
                "watcher as caught up at the current revision. The client keeps an open watch, "
                "later receives new events, and never learns that everything in between is "
                "missing. etcd did this up to 3.4.30 and 3.5.12. Trigger: a reader that stops "
                "reading, or more creates below the floor in one burst than the queue has places.",
     .upstream_issue = "#17529",
     .guarantees = {"CompactionSurfaced"}},
    [](Hooks& hooks) { hooks.notice_fate = NoticeFate::kForgotten; });

}  // namespace watchproof::store
