// SPDX-License-Identifier: Apache-2.0
// What the disks of a target did, as annotations of a recording.
//
//   for (const DiskActivity& did : TakeDiskActivity(environment, recorder.Now())) Annotate(did);
//
// Only of disks on which something acted: an effect that was armed, or a power failure. At most as
// many per disk as a DiskLog keeps. Threads: that of the environment.
#pragma once

#include <vector>

#include "harness/environment/environment.h"
#include "harness/history/annotation.h"

namespace watchproof {

// What a disk reports as annotations; `since_begun` is the time now, since the recording began.
// What was over before that is left out.
std::vector<DiskActivity> ActivityOf(std::int64_t member, const proxy::FileClasses& classes,
                                     const std::vector<proxy::DiskSpan>& spans, TimePoint now,
                                     Duration since_begun);
// What each member's disk did since it was taken last.
std::vector<DiskActivity> TakeDiskActivity(Environment& environment, Duration since_begun);

}  // namespace watchproof
