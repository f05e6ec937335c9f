// SPDX-License-Identifier: Apache-2.0
// Defect notice-without-revision: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

class NoticeWithoutRevision final : public PassOn {
 public:
  using PassOn::PassOn;
  Revision OnNotice(Revision) override { return Revision{0}; }
};

const DefectRegistration kNoticeWithoutRevision(
    {.name = "notice-without-revision",
     .explain = "A watch whose history was compacted ends with a message that names the "
                "compaction revision: it is how clients tell this end from any other, and "
                "where they may begin anew. This store leaves the number out, so its "
                "clients see a watch that was cancelled for no reason. It takes a watch "
                "below the compaction floor.",
     .upstream_issue = "",
     .guarantees = {"CompactionSurfaced"}},
    Wrap<NoticeWithoutRevision>);

}  // namespace
}  // namespace watchproof::store
