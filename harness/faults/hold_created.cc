// SPDX-License-Identifier: Apache-2.0
// A client does not hear that it has a watcher, though the target works for it already.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kHoldCreated{{
    .info = {.name = "hold-created",
             .explain =
                 "Holds back the response that says a watcher was created, with everything for "
                 "that watcher behind it. Felt when it was held and, meanwhile, nothing "
                 "arrived for 100 ms.",
             .parameters = {{"count", "1", "which created response it begins with"},
                            kHoldTime,
                            kLeastHeld},
             .follows_streams = true},
    .make =
        [](const FaultParameters& given) {
          return MakeStreamHold(
              {.effect = "hold-created", .evidence = StreamHoldOptions::Evidence::kGap}, given);
        },
}};

}  // namespace
}  // namespace watchproof
