// SPDX-License-Identifier: Apache-2.0
// Every member of a cluster lists the members that there are, each with its vote.
#include "harness/promises/promise.h"

namespace watchproof {
namespace {

const PromiseRegistration kMembersListed{{
    .name = "members-listed",
    .text = "the list of members",
    .place = 535,
    .ask =
        [](Driver& driver, NewWatches&) {
          for (int member = 1; member <= driver.members(); ++member) driver.ListMembers(member);
        },
    .of_cluster = true,
}};

}  // namespace
}  // namespace watchproof
