// SPDX-License-Identifier: Apache-2.0
// Behaviour closes-with-ok: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kResponses = 15;

class Closes final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    wire.ToClient(response);
    if (++responses_ < kResponses) return;
    wire.Tampered("ended the stream");
    wire.End(grpc::Status::OK);
  }

  int responses_ = 0;
};

const BehaviourRegistration kClosesWithOk(
    {.name = "closes-with-ok",
     .explain = "Ends every watch stream after fifteen messages, with the status OK.",
     .guarantees = {"Settled"}},
    EachStream<Closes>);

}  // namespace
}  // namespace watchproof::fakes
