// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kCompactedWatchHoldsProgress(
    {.name = "compacted-watch-holds-progress",
     .explain = "Requested progress holds for the whole stream, so it is sent only while every "
                "watch of the stream has caught up. This store counts watches that have ended with "
                "ErrCompacted as behind: until the client cancels them, no progress request on the "
                "stream is answered, and a client with a quiet watch cannot know that it has seen "
                "everything. etcd does this from 3.5.16, or earlier, to 3.7.3. Trigger: a watch "
                "below the compaction floor and a progress request on its stream.",
     .guarantees = {"Bookmarkable"}},
    [](Hooks& hooks) { hooks.progress_after_notice = ProgressAfterNotice::kHeldBack; });

}  // namespace watchproof::store
