// SPDX-License-Identifier: Apache-2.0
// What every member reports of itself: twice, as the second answer must not go back behind the
// first.
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

constexpr std::string_view kStatusName = "status";

void AskEachForItsStatus(Driver& driver) {
  const std::string why = driver.Without(Capability::kMaintenance);
  if (!why.empty()) return driver.Leave(kStatusName, why);
  for (int member = 1; member <= driver.members(); ++member) {
    for (int times = 0; times < 2; ++times) driver.AskStatus(member);
  }
}

const PromiseRegistration kStatus{{
    .name = kStatusName,
    .text = "the status of every member",
    .place = 537,
    .ask = [](Driver& driver, NewWatches&) { AskEachForItsStatus(driver); },
}};

}  // namespace
}  // namespace watchproof
