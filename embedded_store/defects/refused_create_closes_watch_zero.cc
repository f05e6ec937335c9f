// SPDX-License-Identifier: Apache-2.0
// Defect refused-create-closes-watch-zero: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

class RefusedCreateClosesWatchZero final : public PassOn {
 public:
  using PassOn::PassOn;
  WatchId OnRefused() override { return WatchId{0}; }
};

const DefectRegistration kRefusedCreateClosesWatchZero(
    {.name = "refused-create-closes-watch-zero",
     .explain = "A create that the server refuses must cost nobody else anything. This "
                "store answers it with the id of the request, which is 0 where the client "
                "chose none, and strikes watch 0 of the stream off its list: that watch "
                "stays open and never hears anything again. etcd did this from 3.4.0 to "
                "3.4.21 and from 3.5.0 to 3.5.5. It takes two creates on one stream, of "
                "which the second is refused.",
     .upstream_issue = "#12385",
     .guarantees = {"Settled"}},
    Wrap<RefusedCreateClosesWatchZero>);

}  // namespace
}  // namespace watchproof::store
