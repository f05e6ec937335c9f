// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kNoticeWithoutRevision(
    {.name = "notice-without-revision",
     .explain = "When the history of a watch is compacted, the watch ends with a message that "
                "names the compaction revision: it distinguishes this end from any other, and a "
                "client may start again there. This store leaves the number out, so its clients "
                "see a watch that was cancelled for no reason. Trigger: a watch below the "
                "compaction floor.",
     .guarantees = {"CompactionSurfaced"}},
    [](Hooks& hooks) { hooks.noticed_revision = [](Revision) { return Revision{0}; }; });

}  // namespace watchproof::store
