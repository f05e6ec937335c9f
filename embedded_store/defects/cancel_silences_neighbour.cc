// SPDX-License-Identifier: Apache-2.0
// Defect cancel-silences-neighbour: see its explanation below.
#include "embedded_store/defects/defect.h"

namespace watchproof::store {
namespace {

class CancelSilencesNeighbour final : public PassOn {
 public:
  using PassOn::PassOn;
  CancelReach OnCancel() override { return CancelReach::kNeighbourToo; }
};

const DefectRegistration kCancelSilencesNeighbour(
    {.name = "cancel-silences-neighbour",
     .explain = "A cancel ends the one watch that it names. This store also takes the "
                "watch with the next higher id off the list of those that are fed, and "
                "tells nobody: it stays open and is silent from then on. It takes two "
                "watches on one stream and a cancel of the first.",
     .upstream_issue = "",
     .guarantees = {"Settled"}},
    Wrap<CancelSilencesNeighbour>);

}  // namespace
}  // namespace watchproof::store
