// SPDX-License-Identifier: Apache-2.0
// The hooks of one defect, for its test. Another defect is put on top, of a layer that the test
// does not look at: a hook that is lost when defects are combined fails the test of its own defect.
//
//   WatchHub hub(store, With("compaction-notice-lost"));
//   const Hooks correct = With("");
//
// Threads: any. Test code only.
#pragma once

#include <string>

#include "embedded_store/mvcc/hook_registry.h"

namespace watchproof::store {

inline Hooks With(const std::string& defect, const std::string& on_top = "fragment-dropped") {
  return defect.empty() ? Hooks() : *MakeHooks({defect, on_top});
}

}  // namespace watchproof::store
