// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kRefusedCreateClosesWatchZero(
    {.name = "refused-create-closes-watch-zero",
     .explain = "A create that the server rejects must not affect any other watch. This store "
                "answers it with the id of the request, which is 0 where the client chose none, "
                "and stops feeding watch 0 of the stream: that watch stays open and receives "
                "nothing from then on. etcd did this from 3.4.0 to 3.4.21 and from 3.5.0 to "
                "3.5.5. Trigger: two creates on one stream, of which the second is rejected.",
     .upstream_issue = "#12385",
     .guarantees = {"Settled"}},
    [](Hooks& hooks) { hooks.refused_id = WatchId{0}; });

}  // namespace watchproof::store
