// SPDX-License-Identifier: Apache-2.0
// The steps about what the target says of itself: what watch streams cost it, and whether it is
// free of that once they have ended. See step.h, and the guarantee Bounded.
#pragma once

#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

// Notes it, of the member in use. A target that publishes none of it proves nothing.
struct NoteAccountStep {
  static constexpr std::string_view kOp = "note account";
  void Fields(FieldList&) {}
  Status Run(StepContext& context) const;
};

// So many watch streams have ended since it was noted: within the limit it must be as it was.
struct MustBeFreeStep {
  std::size_t streams = 1;
  Duration limit = 5s;
  static constexpr std::string_view kOp = "must be free";
  void Fields(FieldList& field) {
    field("streams", streams).Within(1, 10'000, "streams");
    field("us", limit).Waits();
  }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
