// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kOpenRangeReadAsOneKey(
    {.name = "open-range-read-as-one-key",
     .explain = "A watch needs the right to read its whole range. When the range has no end, this "
                "store checks the right to the first key only, so that a user with the right to "
                "one key can watch everything from it on. etcd up to 3.5.32, 3.6.13 and 3.7.0 "
                "does this. Trigger: a user with a single-key right and a watch with an open end.",
     .upstream_issue = "GHSA-xg4h-6gfc-h4m8",
     .guarantees = {"Authorized"}},
    [](Hooks& hooks) {
      hooks.authorized_range = [before = hooks.authorized_range](const KeyRange& range) {
        return range.open_ended() ? KeyRange::Single(range.begin) : before(range);
      };
    });

}  // namespace watchproof::store
