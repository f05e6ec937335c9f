// SPDX-License-Identifier: Apache-2.0
// Every member of a cluster holds the same: what each has itself is read, and each is asked for a
// hash of its whole history. The hash covers what no read shows: revisions that were replaced, and
// keys that the script did not write.
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

constexpr std::string_view kName = "members-agree";

void AskMembers(Driver& driver) {
  const std::string why = driver.WithoutFuture();
  if (!why.empty()) return driver.Leave(kName, why);
  const Revision at = driver.head();
  for (int member = 1; member <= driver.members(); ++member) driver.AskMember(member, at);
}

const PromiseRegistration kMembersAgree{{
    .name = kName,
    .text = "the keys and the history of every member",
    .place = 530,
    .ask = [](Driver& driver, NewWatches&) { AskMembers(driver); },
    .of_cluster = true,
}};

}  // namespace
}  // namespace watchproof
