// SPDX-License-Identifier: Apache-2.0
// The hooks of the store, with some defects or none, that note which of them are called.
//
//   ObservedHooks hooks({"notice-repeated"}, features);
//   MvccStore store(hooks.get());
//
// Not thread-safe. Ownership: refers to the features.
#pragma once

#include <string>
#include <vector>

#include "embedded_store/mvcc/hooks.h"
#include "harness/explore/features.h"

namespace watchproof::explore {

class ObservedHooks {
 public:
  // Requires: the defects are known.
  ObservedHooks(const std::vector<std::string>& defects, Features& features);
  const store::Hooks& get() const { return hooks_; }

 private:
  store::Hooks hooks_;
};

}  // namespace watchproof::explore
