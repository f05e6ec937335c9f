// SPDX-License-Identifier: Apache-2.0
// Answered: what had to be refused is refused, and nothing else; and what the driver can compare,
// but no recording alone shows.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"
#include "harness/model/refusals.h"
#include "harness/model/users.h"

namespace watchproof {
namespace {

// Clauses of the contract.
constexpr std::string_view kLoggedIn = "A-8";
constexpr std::string_view kWithoutPassword = "A-17";

class Answered final : public Checker {
 public:
  void CallEnded(const RecordedCall& call, std::string_view error,
                 std::optional<Revision>) override {
    if (ForUser(call)) denied_.try_emplace(call.client, Denied{call, std::string(error)});
    if (JudgeDue(call, error)) return users_.Follow(call);
    if (IsOfUsers(call.method)) return JudgeUsers(call, error);
    if (call.method == Method::kAuthenticate) return JudgeLogin(call, error);
    authentication_.Follow(call);
    if (call.method == Method::kAuthStatus) return JudgeAuthStatus(call);
    if (!IsKeyValue(call.method)) return;
    Exercised();
    const StoreLimits& limits = facts().limits;
    const auto reason = ReasonToRefuse(call.method, call.request.view(), limits);
    if (!reason) return CheckReason(call, error);
    if (call.outcome == CallOutcome::kAnswered) {
      // What is beyond a limit that was stated is judged by Limited.
      if (reason->by_setting && limits.operations > 0) return;
      Differs(call, fmt::format("the {} to be refused: {}", InfoOf(call.method).name, reason->why),
              fmt::format("it was answered, with revision {}", call.revision),
              reason->by_setting ? Level::kShould : Level::kMust);
    } else if (OfState(call.code)) {
      Differs(call,
              fmt::format("the {} to be refused as an invalid argument: {}",
                          InfoOf(call.method).name, reason->why),
              fmt::format("{}: {}", Name(call.code), error), Level::kShould);
    }
  }

  // One finding of each kind of call of a client.
  void Annotated(const Annotation& annotation, Where where) override {
    has_users_ = has_users_ || std::holds_alternative<CallsAs>(annotation) ||
                 std::holds_alternative<RightsChanged>(annotation) ||
                 std::holds_alternative<UserRights>(annotation) ||
                 std::holds_alternative<ReadRight>(annotation);
    const auto* const as = std::get_if<CallsAs>(&annotation);
    if (as != nullptr && as->user.empty()) without_user_.insert(as->client);
    if (const auto* const changed = std::get_if<RightsChanged>(&annotation)) {
      users_.BeUnsure(changed->user);
      changing_ = where.line;
    } else if (const auto* const rights = std::get_if<UserRights>(&annotation)) {
      users_.State(*rights);
      enabled_ = true;
      std::string& stated = stated_[rights->user];
      const std::string now = ToText(*rights);
      if (!stated.empty() && stated != now) NoteChange(changing_, where.line);
      stated = now;
    } else if (std::holds_alternative<Restored>(annotation)) {
      auth_ = {};
    } else if (const auto* const due = std::get_if<RefusalDue>(&annotation)) {
      asking_[due->client] = {.due = *due};
    }
    const auto* const differs = std::get_if<AnswerDiffers>(&annotation);
    if (differs == nullptr) return;
    Exercised();
    const auto [kind, first] =
        kinds_.try_emplace({differs->client, differs->expected}, kinds_.size());
    Add(ClientSubject{kind->second, differs->client, where.line},
        {.expected = differs->expected, .observed = differs->observed, .where = where});
  }

  // Where there are users, Authorized judges what is refused for them. Those of a server that is
  // not the harness's own are not known; and a store may have them before that is stated.
  void Conclude() override {
    if (has_users_ || facts().options.members == 0) return;
    if (unasked_ && facts().options.topology != "users") {
      Differs(*unasked_, "authentication to be reported as not enabled: it was not",
              "it was reported as enabled", Level::kMust);
    }
    for (const auto& [client, denied] : denied_) {
      Differs(denied.call,
              fmt::format("no {} to be refused for its user: the store has no users",
                          InfoOf(denied.call.method).name),
              fmt::format("{}: {}", Name(denied.call.code), denied.error), Level::kMust);
    }
  }

 private:
  struct Denied {
    RecordedCall call;
    std::string error;
  };
  // A client that asks for what must be refused, and what it has read before.
  struct Asking {
    std::optional<RefusalDue> due{};  // until it has asked
    std::string what{};               // from then on
    std::map<std::pair<Method, std::string>, Bytes> before{};
  };

  // False: it is not stated that it must be refused.
  bool JudgeDue(const RecordedCall& call, std::string_view error) {
    const auto found = asking_.find(facts().model.calls().client_names()[call.client]);
    if (found == asking_.end()) return false;
    Asking& asking = found->second;
    if (!asking.due || asking.due->reads-- > 0) {
      FollowReads(call, asking);
      return false;
    }
    // Without an answer it is asked again.
    if (IsNoAnswer(call.code)) return true;
    const RefusalDue due = *std::exchange(asking.due, std::nullopt);
    asking.what =
        fmt::format("the {} that must be refused, {},", InfoOf(call.method).name, due.why);
    Exercised();
    const std::string_view name = InfoOf(call.method).name;
    if (call.outcome == CallOutcome::kAnswered) {
      const bool empty = call.response.view().empty();
      Differs(call, fmt::format("the {} to be refused: {}", name, due.why),
              empty ? "it was answered with nothing"
                    : fmt::format("it was answered, with revision {}", call.revision),
              Level::kMust);
    } else if (std::ranges::count(due.codes, Name(call.code)) == 0) {
      Differs(call,
              fmt::format("the {} to be refused as {}: {}", name, fmt::join(due.codes, " or "),
                          due.why),
              fmt::format("{}: {}", Name(call.code), error), Level::kShould);
    }
    return true;
  }
  void FollowReads(const RecordedCall& call, Asking& asking) const {
    if (call.outcome != CallOutcome::kAnswered) return;
    const std::pair asked(call.method, std::string(call.request.view()));
    if (asking.due) {
      asking.before[asked] = call.response;
      return;
    }
    // Later ones may show what came after it.
    const auto before = asking.before.extract(asked);
    if (before.empty() || before.mapped().view() == call.response.view()) return;
    Differs(call, fmt::format("{} to change nothing", asking.what),
            fmt::format("a {} was answered otherwise than before it", InfoOf(call.method).name),
            Level::kMust);
  }

  // It may be refused as a user that there is not.
  bool IsWithoutUser(const RecordedCall& call) const {
    return without_user_.contains(facts().model.calls().client_names()[call.client]);
  }

  // Whether the caller may do it is judged by Authorized.
  void JudgeUsers(const RecordedCall& call, std::string_view error) {
    if (users_.known()) {
      Exercised();
      const std::string name(InfoOf(call.method).name);
      const bool answered = call.outcome == CallOutcome::kAnswered;
      const auto why = users_.WhyRefused(call);
      if (why && answered) {
        Differs(call, fmt::format("the {} to be refused: {}", name, *why), "it was answered",
                Level::kMust);
      } else if (!why && OfState(call.code) && !IsWithoutUser(call)) {
        Differs(call, fmt::format("no {} to be refused for what users and roles there are", name),
                fmt::format("{}: {}", Name(call.code), error), Level::kMust);
      } else if (answered) {
        if (const auto names = users_.WrongAnswer(call)) {
          Differs(call, fmt::format("the {} to be answered with {}", name, *names),
                  "others were in the answer", Level::kMust);
        }
      }
    }
    if (Changes(call.method) && call.outcome == CallOutcome::kAnswered) {
      NoteChange(call.began, call.ended);
    }
    users_.Follow(call);
  }

  // While authentication is not enabled, no password is looked at.
  void JudgeLogin(const RecordedCall& call, std::string_view error) const {
    const auto authentication = authentication_.During(call, facts().model.calls());
    if (!users_.known() || authentication != Authentication::State::kEnabled) return;
    const auto why = users_.WhyRefused(call);
    if (why && call.outcome == CallOutcome::kAnswered) {
      Differs(call, fmt::format("no token: {}", *why), "it was answered with one", Level::kMust,
              why->ends_with("no password") ? kWithoutPassword : kLoggedIn);
    } else if (!why && users_.HasPassword(call) && Refused(call)) {
      Differs(call, "a token for the name and the password of a user",
              fmt::format("{}: {}", Name(call.code), error), Level::kMust, kLoggedIn);
    }
  }

  // Users are stated once authentication is enabled. All calls about it are one after the other for
  // the store.
  void JudgeAuthStatus(const RecordedCall& call) {
    AuthStatusResponseView answer;
    const bool answered = call.outcome == CallOutcome::kAnswered;
    if (!answered || !Parse(call.response.view(), answer).ok()) return;
    Exercised();
    if (answer.enabled && !unasked_) unasked_ = call;
    const auto authentication = authentication_.During(call, facts().model.calls());
    if (!answer.enabled && enabled_ && authentication == Authentication::State::kEnabled) {
      Differs(call, "authentication to be reported as enabled: it was", "it was not", Level::kMust);
    } else if (answer.enabled && authentication == Authentication::State::kDisabled) {
      Differs(call, "authentication to be reported as disabled: it was", "it was not", Level::kMust,
              clause::kDisabled);
    }
    if (auth_.asked.value == 0 || auth_.asked < call.began) {
      const bool risen = auth_.changed.value != 0 && auth_.changed < call.began;
      const std::uint64_t least = auth_.revision + (risen ? 1 : 0);
      if (answer.revision < least) {
        Differs(call,
                fmt::format(
                    "a revision of users and roles of at least {}: it was {} in line {}{}", least,
                    auth_.revision, auth_.asked.value,
                    risen ? fmt::format(", and they have changed by line {}", auth_.changed.value)
                          : ""),
                fmt::format("{}", answer.revision), Level::kMust);
      }
    }
    if (answer.revision >= auth_.revision) auth_ = {call.ended, answer.revision, {}};
  }
  // Users or roles are others than before.
  void NoteChange(Line began, Line ended) {
    if (auth_.asked.value != 0 && began > auth_.asked) auth_.changed = ended;
  }
  static bool Refused(const RecordedCall& call) { return call.outcome == CallOutcome::kRefused; }
  // But for a role that the user may have.
  static bool Changes(Method method) {
    const bool asks = method == Method::kUserGet || method == Method::kUserList ||
                      method == Method::kRoleGet || method == Method::kRoleList;
    return !asks && method != Method::kUserGrantRole;
  }

  // What is about users itself is refused for those that it names, too.
  static bool ForUser(const RecordedCall& call) {
    const bool by_code =
        call.code == StatusCode::kPermissionDenied || call.code == StatusCode::kUnauthenticated;
    const bool by_text = call.outcome == CallOutcome::kRefused && call.for_user;
    return by_code || (by_text && IsKeyValue(call.method));
  }
  // With which a store refuses for what it holds.
  static bool OfState(StatusCode code) {
    return IsAboutContent(code) && code != StatusCode::kInvalidArgument;
  }

  // A reason that is not in the request may be in the past, a key or a lease that it names, which
  // others judge, or in its user, or the member that is asked.
  void CheckReason(const RecordedCall& call, std::string_view error) const {
    if (!IsAboutContent(call.code)) return;
    if (call.for_user || error.ends_with("for learner")) return;
    // All parts are of one revision, which may be compacted before the last of them.
    const bool cut = call.in_parts && call.compacted_meanwhile;
    if (cut && call.code == StatusCode::kOutOfRange) return;
    if (GroundsOf(call.method, call.request.view(), call.code, facts().limits).any()) return;
    Differs(call,
            fmt::format("the {} to be answered: nothing in it gives a reason to refuse it",
                        InfoOf(call.method).name),
            fmt::format("{}: {}", Name(call.code), error), Level::kMust);
  }

  void Differs(const RecordedCall& call, std::string expected, std::string observed, Level level,
               std::string_view clause = {}) const {
    Add(call,
        {.expected = std::move(expected),
         .observed = fmt::format("{}, in line {}", observed, call.ended.value),
         .evidence = {call.began, call.ended},
         .clause = clause},
        level);
  }

  std::map<std::pair<std::string, std::string>, std::uint32_t> kinds_;
  Users users_;
  bool has_users_ = false;
  std::set<std::string> without_user_;                 // clients that call without one
  std::map<std::string, Asking, std::less<>> asking_;  // by client
  std::map<std::uint32_t, Denied> denied_;             // by client, the first
  // The revision of users and roles, as it was reported last; and where a change of them that began
  // later was acknowledged.
  struct AuthReported {
    Line asked{};
    std::uint64_t revision = 0;
    Line changed{};
  };
  AuthReported auth_;
  std::optional<RecordedCall> unasked_;        // the first that was answered with users
  std::map<std::string, std::string> stated_;  // by user
  Line changing_{};                            // where the latest change began
  bool enabled_ = false;
  Authentication authentication_;
};

const CheckerRegistration<Answered> kAnswered{{
    .guarantee = Guarantee("Answered"),
    .place = 570,
    .gravity = Gravity::kData,
    .of_driver = true,
    .clause = "S-5",
    .impact = "A Kubernetes API server passes the refusal on, or takes what it was answered for "
              "the state of the store.",
    .explain =
        "A request that names no key, keeps a value or lease and names another, or has more "
        "operations than a transaction may have, is refused as an invalid argument; one in "
        "which nothing is a reason to refuse it is answered. What state is a reason, other "
        "guarantees judge: keys that must be there (Transactional), leases (Leased) and "
        "revisions (CompactionSurfaced). A store without users refuses no call for its user. What "
        "is about users and roles is refused where these are not there, or are already, and lists "
        "of them are whole; a token is given for the name and the password of a user, and for no "
        "other password; whether authentication is enabled is reported as it is, and each "
        "change of users and roles has a higher revision. "
        "Where a case states that a call must be refused, it is refused with one of the codes that "
        "the API documents for that, and what the client reads is the same before and after it. "
        "Exploration runs the embedded store in virtual time beside a reference store that "
        "is given the same calls, and compares every answer in full: refusals with their "
        "words, leases, counters, what a snapshot restores. On a real server it knows of "
        "the requests of its scripts that nothing is a reason to refuse them: a put of a "
        "key without a lease, a read between the compaction floor and the head, the list "
        "of leases. What differs is recorded where it shows. Cases write down what they "
        "expect, so that other guarantees judge their calls. Source: the error codes of etcd's "
        "API (rpctypes).",
}};

}  // namespace
}  // namespace watchproof
