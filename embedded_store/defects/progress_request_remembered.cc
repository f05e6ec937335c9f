// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kProgressRequestRemembered(
    {.name = "progress-request-remembered",
     .explain = "A progress request that comes while a watch of the stream is still behind may be "
                "dropped, because the client asks again. This store remembers it until the next "
                "event comes, and ignores all further requests meanwhile. On a quiet watch no "
                "event comes, so no progress is sent, the client's last known revision grows old, "
                "and compaction overtakes it. etcd did this from 3.4.25 to 3.4.30 and from 3.5.8 "
                "to 3.5.12. Trigger: a watch with history to catch up on and a progress request "
                "right after it.",
     .upstream_issue = "#17507",
     .guarantees = {"Bookmarkable"}},
    [](Hooks& hooks) { hooks.early_request = EarlyRequest::kRemembered; });

}  // namespace watchproof::store
