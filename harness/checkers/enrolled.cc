// SPDX-License-Identifier: Apache-2.0
// Enrolled: a cluster has the members that its operators gave it.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

constexpr std::string_view kLearner = " (learner)";

// The other vote of the same member.
std::string OtherVote(const std::string& member) {
  if (!member.ends_with(kLearner)) return member + std::string(kLearner);
  return member.substr(0, member.size() - kLearner.size());
}

class Enrolled final : public Checker {
 public:
  void Annotated(const Annotation& annotation, Where where) override {
    const auto* const list = std::get_if<MembersListed>(&annotation);
    if (list == nullptr) return;
    Exercised();
    const std::multiset<std::string> made(list->made.begin(), list->made.end());
    const std::multiset<std::string> listed(list->listed.begin(), list->listed.end());
    if (made == listed) return;
    symptom::MembersDiffer differ;
    for (const std::string& member : listed) {
      if (made.contains(member)) continue;
      const bool known = made.contains(OtherVote(member));
      differ.unknown |= !known;
      (member.ends_with(kLearner) ? differ.vote_lost : differ.vote_won) |= known;
    }
    Add(MemberSubject{list->member, where.line},
        {.expected = fmt::format("the members {}", Joined(made)),
         .observed = fmt::format("member {} lists {}{}", list->member, Joined(listed),
                                 list->after.empty() ? "" : " after " + list->after),
         .where = where,
         .symptom = differ});
  }

 private:
  static std::string Joined(const std::multiset<std::string>& members) {
    if (members.empty()) return "none";
    std::string text;
    for (const std::string& member : members) text += (text.empty() ? "" : ", ") + member;
    return text;
  }
};

const CheckerRegistration<Enrolled> kEnrolled{{
    .guarantee = Guarantee("Enrolled"),
    .place = 162,
    .gravity = Gravity::kData,
    .clause = "M-1",
    .impact =
        "The store of a Kubernetes cluster counts the votes of members that are gone, or lacks "
        "votes that it was given: it stops serving after fewer failures than its operator "
        "reckons with.",
    .explain = "At its end, each member of a cluster is asked for the list of members as it has "
               "it itself (MemberList): those that run, each with a vote, and within seconds. "
               "Cases also add a learner, move it to another address, ask for its vote before it "
               "has caught up, and remove it; each answer carries the list that the change has "
               "made. Members that were removed do not come back, votes that were given are not "
               "lost, and a learner gets none unasked: not by a restart, an upgrade, or a "
               "snapshot from another member. Source: the Cluster service of etcd's API, and "
               "\"runtime reconfiguration\" of its operation guide.",
}};

}  // namespace
}  // namespace watchproof
