// SPDX-License-Identifier: Apache-2.0
// Defect notice-repeated: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

class NoticeRepeated final : public PassOn {
 public:
  using PassOn::PassOn;
  AfterNotice OnNoticeSent() override { return AfterNotice::kNextNotice; }
};

const DefectRegistration kNoticeRepeated(
    {.name = "notice-repeated",
     .explain = "ErrCompacted is the last message of a watch. This store forgets to take "
                "the watch out of those that are behind, and tells it again in every pass "
                "until the client cancels it; others wait longer for their history "
                "meanwhile. Every etcd does this when 512 watches or more are behind at "
                "once. It takes a watch below the compaction floor, and a client that "
                "does not cancel what has ended.",
     .upstream_issue = "#22294",
     .guarantees = {"CompactionSurfaced"}},
    Wrap<NoticeRepeated>);

}  // namespace
}  // namespace watchproof::store
