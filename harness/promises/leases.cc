// SPDX-License-Identifier: Apache-2.0
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

const PromiseRegistration kLeases{{
    .name = "leases",
    .text = "the leases",
    .place = 700,
    .ask =
        [](Driver& driver, NewWatches&) {
          const std::string why = driver.Without(Capability::kLeases);
          if (!why.empty()) return driver.Leave("leases", why);
          driver.ListLeases();
        },
}};

}  // namespace
}  // namespace watchproof
