// SPDX-License-Identifier: Apache-2.0
// Behaviour closes-with-error: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kResponses = 15;

class Breaks final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    wire.ToClient(response);
    if (++responses_ < kResponses) return;
    wire.Tampered("ended the stream");
    wire.End({grpc::StatusCode::UNAVAILABLE, "watch stream broken"});
  }

  int responses_ = 0;
};

const BehaviourRegistration kClosesWithError(
    {.name = "closes-with-error",
     .explain = "Ends every watch stream after fifteen messages, with the status "
                "Unavailable.",
     .guarantees = {"Settled"}},
    EachStream<Breaks>);

}  // namespace
}  // namespace watchproof::fakes
