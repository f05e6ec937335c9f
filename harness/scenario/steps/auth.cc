// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/auth.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<AuthStep> kAuth;

}  // namespace

void AuthStep::Reader::Fields(FieldList& field) {
  field("user", user).Defines(Subject::kUser);
  field("key", key);
  field("range_end", range_end);
}

void AuthStep::Fields(FieldList& field) { field("readers", readers); }

Status AuthStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  std::vector<RestrictedReader> restricted;
  for (const Reader& reader : readers) {
    restricted.push_back({.user = reader.user,
                          .key = session.Placed(reader.key),
                          .range_end = session.PlacedEnd(reader.range_end)});
  }
  return session.EnableUsers(restricted);
}

}  // namespace watchproof
