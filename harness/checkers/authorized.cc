// SPDX-License-Identifier: Apache-2.0
// Authorized: a watch delivers only keys that its user may read.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"

namespace watchproof {
namespace {

class Authorized final : public Checker {
 public:
  void Delivered(WatchIndex watch, const Response& response) override {
    const std::optional<Right>& right = facts().table.RightOf(facts().state(watch).stream);
    if (!right) return;
    for (const EventView& event : response.message.events) {
      if (right->readable.Contains(event.kv.key)) continue;
      Add(watch, [&] {
        return Draft{
            .expected = fmt::format("only keys that the user of the stream may read, {}",
                                    Phrase(right->readable)),
            .observed = fmt::format("the {} in line {}", Phrase(event), response.where.line.value),
            .evidence = {right->where.line},
            .where = response.where,
            .symptom = symptom::ForbiddenKey{}};
      });
    }
  }

  void Finish(WatchIndex watch) override {
    if (facts().table.RightOf(facts().state(watch).stream)) Exercised();
  }
};

const CheckerRegistration<Authorized> kAuthorized{{
    .guarantee = Guarantee("Authorized"),
    .place = 150,
    .gravity = Gravity::kData,
    .promise = "A watch delivers only keys that its user may read.",
    .impact = "A Kubernetes cache holds, and may hand on, objects that its user has no "
              "right to see.",
    .explain = "On a server with authentication enabled, a watch needs the right to read its "
               "whole range, also if the range has no end; without that right the create is "
               "refused. In any case a server must not send an event of a key that the user of "
               "the stream may not read (etcd GHSA-xg4h-6gfc-h4m8: a user with the right to read "
               "one key could watch everything from that key on). Source: the role-based access "
               "control of etcd v3.",
}};

}  // namespace
}  // namespace watchproof
