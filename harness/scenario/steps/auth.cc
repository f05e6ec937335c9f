// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/auth.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<AuthStep, PermitStep> kAuth;

// A cluster may elect a leader meanwhile.
constexpr Duration kElectionPatience = 15s;
bool IsPassing(StatusCode code) {
  return code == StatusCode::kUnavailable || code == StatusCode::kDeadlineExceeded;
}

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
  Status done;
  const Deadline deadline = Within(kElectionPatience);
  do {
    done = admin.AddUser(user);
    if (done.ok()) {
      done = admin.PermitAll(user, session.Placed(key), session.PlacedEnd(range_end));
    }
  } while (IsPassing(done.code()) && !deadline.expired());
  return done;
}

}  // namespace watchproof
