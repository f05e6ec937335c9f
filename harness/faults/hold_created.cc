// SPDX-License-Identifier: Apache-2.0
// The created response of a watch is held back, though the target serves the watch already.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kHoldCreated{{
    .info = {.name = "hold-created",
             .explain = "Holds back the created response of a watch, and everything for that "
                        "watch behind it. Took effect if it was held and, meanwhile, nothing "
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
