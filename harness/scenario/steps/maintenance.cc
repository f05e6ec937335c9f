// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/maintenance.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "harness/bugs/release_version.h"
#include "harness/history/wire.h"
#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<HashStep, SameHashStep, SnapshotStep, DowngradeStep, ListAlarmsStep>
    kMaintenanceSteps;

constexpr Duration kApart = 300ms;
constexpr Duration kReadyWithin = 10s;  // a server that has just begun

void Differ(StepContext& context, std::string expected, std::string observed) {
  context.session().Annotate(AnswerDiffers{
      .client = "operator", .expected = std::move(expected), .observed = std::move(observed)});
}

// That of all that the member in use holds.
Result<std::int64_t> WholeHash(StepContext& context) {
  WP_ASSIGN_OR_RETURN(const Bytes answer, context.session().kv().Record(Method::kHash, Message()));
  HashResponseView view;
  WP_RETURN_IF_ERROR(Parse(answer.view(), view));
  return view.hash;
}

// One minor version below it; empty: it is not known.
std::string VersionBefore(const std::string& version) {
  const auto release = ParseVersion(version);
  if (!release || release->minor == 0) return {};
  return fmt::format("{}.{}.0", release->major, release->minor - 1);
}

}  // namespace

Status HashStep::Run(StepContext& context) const {
  context.MustHash(member, context.Resolve(at));
  return {};
}

Status SameHashStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  std::int64_t last = 0;
  bool same = false;
  for (std::size_t i = 0; i < tries && !same && !session.GivesUp(); ++i) {
    WP_ASSIGN_OR_RETURN(const std::int64_t first, WholeHash(context));
    session.PumpUntil([] { return false; }, Deadline(kApart));
    WP_ASSIGN_OR_RETURN(last, WholeHash(context));
    same = first == last;
  }
  if (session.GivesUp()) return {};
  if (!same) {
    Differ(context, "the hash of all that a member holds to stay the same while nothing is written",
           fmt::format("it changed, {} times", tries));
  }
  if (put.empty()) return {};
  WP_RETURN_IF_ERROR(context.NoteHead(session.kv().Put(session.Placed(put), "v")));
  WP_ASSIGN_OR_RETURN(const std::int64_t after, WholeHash(context));
  if (after == last) {
    Differ(context, "the hash of all that a member holds to change with a put",
           fmt::format("it was {:x} before and after it", after));
  }
  return {};
}

Status SnapshotStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  // Its header is judged in the recording, which has no room for all pieces.
  WP_RETURN_IF_ERROR(StatusOf(session.kv().Record(Method::kSnapshot, Message())));
  const std::string there =
      context.environment().endpoint(Path::kDirect, session.member()).ToString();
  CallClient client(MakeChannel(there), session.LimitsOfCalls());
  client.SetToken(session.kv().token());
  std::optional<std::uint64_t> left;
  std::string wrong;
  Status garbled;
  WP_RETURN_IF_ERROR(client.EachMessage(
      InfoOf(Method::kSnapshot).path, Message().bytes(), [&](const Bytes& message) {
        SnapshotResponseView piece;
        garbled = Parse(message.view(), piece);
        // A checksum of all pieces may come behind the last one, and does not count.
        const std::uint64_t size = left == 0 ? 0 : piece.blob.size();
        if (wrong.empty() && left && (size > *left || piece.remaining != *left - size)) {
          wrong = fmt::format("{} after {} bytes of {}", piece.remaining, size, *left);
        }
        left = piece.remaining;
        return garbled.ok();
      }));
  WP_RETURN_IF_ERROR(garbled);
  if (wrong.empty() && left != 0) {
    wrong = left ? fmt::format("the last one named {}", *left) : "there was no piece";
  }
  if (wrong.empty()) return {};
  Differ(context,
         "each piece of a snapshot to name the bytes that come after it, and the last none", wrong);
  return {};
}

Status DowngradeStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  const std::string version(context.environment().target().api_version());
  const std::string before = VersionBefore(version);
  if (before.empty()) {
    context.Inconclusive("the version of the target is not known");
    return {};
  }
  Message request;
  request.Optional(1, static_cast<std::int64_t>(action));
  if (action != Action::kCancel) request.Text(2, before);
  const auto ask = [&] { return StatusOf(session.kv().Record(Method::kDowngrade, request)); };
  Status refused = ask();
  // The cluster may not have agreed on its version yet; once it is possible, it is.
  const Deadline ready = Within(action == Action::kValidate ? kReadyWithin : Duration());
  while (!refused.ok() && !ready.expired() && !session.GivesUp()) {
    session.PumpUntil([] { return false; }, Deadline(kApart));
    refused = ask();
  }
  if (refused.ok()) return {};
  if (!IsDefiniteRefusal(refused.code())) return refused;
  Differ(context,
         fmt::format("a downgrade to {} to be answered ({})", before,
                     kActions[static_cast<std::size_t>(action)]),
         refused.ToString());
  return {};
}

Status ListAlarmsStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  WP_ASSIGN_OR_RETURN(const Bytes alarms, session.kv().Record(Method::kAlarm, Message()));
  AlarmResponseView answer;
  WP_RETURN_IF_ERROR(Parse(alarms.view(), answer));
  const bool listed = std::ranges::count(answer.alarms, kSpaceAlarm, &AlarmView::kind) > 0;
  // One kind, and of one member; and what the member reports of them.
  for (const Message& request :
       {Message().Number(3, kSpaceAlarm), Message().Number(3, kSpaceAlarm + 1),
        Message().Number(2, 1).Number(3, kSpaceAlarm)}) {
    WP_RETURN_IF_ERROR(StatusOf(session.kv().Record(Method::kAlarm, request)));
  }
  WP_RETURN_IF_ERROR(StatusOf(session.kv().Record(Method::kStatus, Message())));
  if (listed != raised) {
    Differ(context,
           raised ? "the alarm for a full backend to be listed: it was raised, and not disarmed"
                  : "no alarm for a full backend: none was raised, or it was disarmed",
           listed ? "it is listed" : "it is not");
  }
  const auto put = session.kv().Put(session.Placed("alarmed"), "v");
  const bool refused =
      put.has_value() ? false : put.error().code() == StatusCode::kResourceExhausted;
  if (!put.has_value() && !refused) return put.error();
  if (refused != raised) {
    Differ(context,
           raised ? "a put to be refused while the backend is full"
                  : "a put to be answered once the alarm is disarmed",
           put.has_value() ? "it was answered" : put.error().ToString());
  }
  return put.has_value() ? context.NoteHead(put) : Status();
}

}  // namespace watchproof
