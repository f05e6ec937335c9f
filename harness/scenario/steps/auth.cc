// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/auth.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<AuthStep, PermitStep> kAuth;

}  // namespace

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

Status PermitStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const int member = session.member();
  AdminClient admin(context.environment().endpoint(Path::kDirect, member).ToString(),
                    session.kv().token());
  session.Annotate(RightsChanged{user});
  WP_RETURN_IF_ERROR(admin.AddUser(user));
  return admin.PermitAll(user, session.Placed(key), session.PlacedEnd(range_end));
}

}  // namespace watchproof
