// SPDX-License-Identifier: Apache-2.0
// The steps that give the target users, and make calls for them. See step.h.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/step.h"
#include "harness/scenario/steps/write.h"
#include "harness/session/session.h"

namespace watchproof {

inline constexpr std::string_view kUserMay[] = {"read", "write", "read and write", "nothing",
                                                "root"};

// Adds users with these rights and nothing else, and then enables authentication. From here on the
// writes of the plan are root's. A user may have several rights.
struct AuthStep {
  struct Reader {
    std::string user;
    std::string key{};
    std::string range_end{};
    UserMay may = UserMay::kRead;
    void Fields(FieldList& field) {
      field("user", user).Defines(Subject::kUser);
      field("key", key);
      field("range_end", range_end);
      field("may", may, kUserMay).Optional();
    }
  };
  std::vector<Reader> readers;
  static constexpr std::string_view kOp = "auth";
  void Fields(FieldList& field) { field("readers", readers); }
  std::string_view Request() const { return "users"; }
  std::string BeyondKubernetes() const { return "users"; }
  Status Run(StepContext& context) const;
};

// A user may read and write this range, too; a user that is not there yet is added. Requires that
// authentication is enabled.
struct PermitStep {
  std::string user;
  std::string key;
  std::string range_end{};
  static constexpr std::string_view kOp = "permit";
  void Fields(FieldList& field) {
    field("user", user).Defines(Subject::kUser);
    field("key", key);
    field("range_end", range_end).Optional();
  }
  std::string_view Request() const { return "users"; }
  std::string BeyondKubernetes() const { return "users"; }
  Status Run(StepContext& context) const;
};

// Takes a user's right to a range back, which it was given as such. What is open on it by then may
// go on for a moment.
struct ForbidStep {
  std::string user;
  std::string key;
  std::string range_end{};
  static constexpr std::string_view kOp = "forbid";
  void Fields(FieldList& field) {
    field("user", user).Uses(Subject::kUser);
    field("key", key);
    field("range_end", range_end).Optional();
  }
  std::string_view Request() const { return "users"; }
  std::string BeyondKubernetes() const { return "users"; }
  Status Run(StepContext& context) const;
};

// Disables authentication, or enables it again with the users and rights that there were. While it
// is disabled no client can be made for a user. Requires: a step "auth" before.
struct AuthenticationStep {
  bool on = false;
  static constexpr std::string_view kOp = "authentication";
  void Fields(FieldList& field) { field("on", on); }
  std::string_view Request() const { return "users"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "users"; }
  Status Run(StepContext& context) const;
};

// A call beside those that read and write keys, by its name in harness/history/method.h. What
// changes users is about the user "spare", its role, and a user and a role that it adds; unless
// it names others.
struct OperatorStep {
  std::string call;
  std::string lease{};  // that it is about
  bool keys = false;    // asks for its keys
  bool change = false;  // of an alarm: disarms it
  std::string about{};  // a user, or the one with the role
  std::string role{};   // otherwise the one that watchproof gave the user
  // That a user is given, or asks for a token with; otherwise the one that watchproof gives.
  std::string password{};
  bool no_password =
      false;  // the user is added without one; a token is asked for with an empty one
  static constexpr std::string_view kOp = "operator";
  void Fields(FieldList& field) {
    field("call", call);
    field("lease", lease).Optional().MayUse(Subject::kLease);
    field("keys", keys).Optional();
    field("change", change).Optional();
    field("about", about).Optional();
    field("role", role).Optional();
    field("password", password).Optional();
    field("no_password", no_password).Optional();
  }
  std::string_view Request() const { return call; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "a call of an operator"; }
  Status Check() const;
  Status Run(StepContext& context) const;
};

// Calls on a connection of their own, one after the other. Whether the target had to refuse them is
// judged from the recording; that it did is no failure of the step. An error that is no refusal is.
struct CallsStep {
  std::string user{};   // empty: the one of the other calls of the attempt
  std::string token{};  // instead of the user's, which gives no rights; "none": without one
  std::vector<Step> calls;
  Duration age{};  // of the user's token at the first call; the attempt's own clients log in again
  bool expired = false;  // it gives no rights any more by then
  std::string kept{};    // the calls of one such name have one token of the user; empty: a new one
  static constexpr std::string_view kOp = "calls";
  void Fields(FieldList& field) {
    field("user", user).Optional().Uses(Subject::kUser);
    field("token", token).Optional();
    field("calls", calls)
        .Of({PutStep::kOp, DeleteStep::kOp, ReadStep::kOp, TxnStep::kOp, OperatorStep::kOp});
    field("age_us", age).Optional().Waits();
    field("expired", expired).Optional();
    field("kept", kept).Optional();
  }
  std::string_view Request() const { return "a call"; }
  Status Check() const;
  Usage Cost() const;
  std::vector<CallsStep> Smaller() const;
  std::string BeyondKubernetes() const { return user.empty() && token.empty() ? "" : "users"; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
