// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/line_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/checkers/phrases.h"
#include "harness/history/annotation.h"
#include "harness/history/wire.h"
#include "harness/model/figure.h"

namespace watchproof {
namespace {

constexpr std::size_t kMostEvents = 3;

std::string RequestText(const Entry& entry) {
  WatchRequestView request;
  if (!Parse(entry.payload.view(), request).ok()) return "a request that cannot be read";
  switch (request.kind) {
    case WatchRequestKind::kCreate: {
      const WatchCreateView& create = request.create;
      const std::string start = create.start_revision == 0
                                    ? "from now on"
                                    : fmt::format("from revision {}", create.start_revision);
      std::string text = fmt::format("asked to watch {} {}",
                                     Phrase(KeyRange(create.key, create.range_end)), start);
      for (const WatchOption& option : kWatchOptions) {
        if (create.*option.flag) text += option.phrase;
      }
      return text;
    }
    case WatchRequestKind::kCancel:
      return fmt::format("asked to cancel watch {}", request.cancel_id);
    case WatchRequestKind::kProgress:
      return "asked for progress";
    case WatchRequestKind::kNone:
      break;
  }
  return "an empty request";
}

std::string EventsText(const WatchResponseView& response) {
  std::string text;
  for (std::size_t i = 0; i < std::min(response.events.size(), kMostEvents); ++i) {
    const EventView& event = response.events[i];
    text += (text.empty() ? "" : ", ") + Phrase(event);
    if (event.has_previous) {
      text += fmt::format(" (before it {} of revision {})", Quoted(event.previous.value),
                          event.previous.mod_revision);
    }
  }
  const std::size_t all = response.events.size();
  if (all > kMostEvents) {
    text += fmt::format(" and {} more up to revision {}", all - kMostEvents,
                        response.events.back().kv.mod_revision);
  }
  return text + (response.fragment ? "; a fragment, to be continued" : "");
}

std::string UpdatesText(const WatchResponseView& response) {
  if (response.compact_revision > 0) {
    return fmt::format("ErrCompacted, compact revision {}", response.compact_revision);
  }
  if (response.canceled) {
    return response.cancel_reason.empty() ? "canceled"
                                          : fmt::format("canceled: {}", response.cancel_reason);
  }
  if (response.created) return fmt::format("created, the store at {}", response.header.revision);
  if (!response.events.empty()) return EventsText(response);
  return fmt::format("progress {}", response.header.revision);
}

std::string ResponseText(const Entry& entry) {
  WatchResponseView response;
  if (!Parse(entry.payload.view(), entry.tail.view(), response).ok()) {
    return "a response that cannot be read";
  }
  const std::string receiver = response.watch_id == kWholeStream
                                   ? std::string("every watch")
                                   : fmt::format("watch {}", response.watch_id);
  return fmt::format("delivers to {}: {}", receiver, UpdatesText(response));
}

std::string ClaimText(const Entry& entry) {
  const std::string_view request = entry.payload.view();
  ClaimRequestView claim;
  ResignRequestView resign;
  ProclaimRequestView proclaim;
  if (entry.method == Method::kProclaim && Parse(request, proclaim).ok()) {
    return fmt::format("proclamation of {} by the leader {}", Quoted(proclaim.value),
                       Quoted(proclaim.leader.key));
  }
  if (entry.method == Method::kResign && Parse(request, resign).ok()) {
    return fmt::format("resignation of the leader {}", Quoted(resign.leader.key));
  }
  if (entry.method == Method::kResign || !Parse(request, claim).ok()) {
    return "call that cannot be read";
  }
  if (entry.method == Method::kLeader) {
    return fmt::format("question for the leader of {}", Quoted(claim.name));
  }
  if (entry.method == Method::kObserve) {
    return fmt::format("question for the next leader of {}, or its next value", Quoted(claim.name));
  }
  if (entry.method == Method::kUnlock) {
    return fmt::format("release of the lock held by {}", Quoted(claim.name));
  }
  return fmt::format(
      "{} {} with lease {}",
      entry.method == Method::kLock ? "request for the lock" : "campaign in the election",
      Quoted(claim.name), claim.lease);
}

std::string CallText(const Entry& entry) {
  const std::string_view request = entry.payload.view();
  switch (entry.method) {
    case Method::kPut: {
      PutRequestView put;
      if (!Parse(request, put).ok()) break;
      return fmt::format("put of {} = {}", Quoted(put.key), Quoted(put.value));
    }
    case Method::kDeleteRange: {
      DeleteRangeRequestView erase;
      if (!Parse(request, erase).ok()) break;
      return fmt::format("delete of {}", Phrase(KeyRange(erase.key, erase.range_end)));
    }
    case Method::kRange: {
      RangeRequestView range;
      if (!Parse(request, range).ok()) break;
      return fmt::format("{}read of {}", range.serializable ? "serializable " : "",
                         Phrase(KeyRange(range.key, range.range_end)));
    }
    case Method::kCompact: {
      CompactionRequestView compaction;
      if (!Parse(request, compaction).ok()) break;
      return fmt::format("compaction to revision {}", compaction.revision);
    }
    case Method::kLeaseGrant: {
      LeaseGrantRequestView grant;
      if (!Parse(request, grant).ok()) break;
      return fmt::format("grant of a lease for {} s", grant.ttl);
    }
    case Method::kLeaseRevoke:
    case Method::kLeaseTimeToLive:
    case Method::kLeaseKeepAlive: {
      LeaseRequestView asked;
      if (!Parse(request, asked).ok()) break;
      const bool revokes = entry.method == Method::kLeaseRevoke;
      const bool keeps = entry.method == Method::kLeaseKeepAlive;
      return fmt::format("{} lease {}",
                         revokes ? "revocation of"
                         : keeps ? "keep-alive of"
                                 : "question for",
                         asked.id);
    }
    case Method::kLeaseLeases:
      return "list of the leases";
    case Method::kTxn:
      return "transaction";
    case Method::kNone:
      break;
    default:  // the services for locks have versions of their own
      if (std::string_view(InfoOf(entry.method).path).starts_with("/v3")) return ClaimText(entry);
      return std::string(InfoOf(entry.method).name);
  }
  return "call that cannot be read";
}

std::string AnswerText(const Entry& entry) {
  if (entry.code != StatusCode::kOk) {
    return fmt::format("call {} failed: {}{}{}", entry.call.value, Name(entry.code),
                       entry.text.empty() ? "" : ": ", entry.text);
  }
  HeaderView header;
  if (!ParseHeader(entry.payload.view(), header).ok()) return "an answer that cannot be read";
  return fmt::format("call {} answered with revision {}", entry.call.value, header.revision);
}

std::string DiskPhrase(const DiskActivity& did) {
  const std::string what = did.what.empty() ? fmt::format("{} calls, {}", did.count, did.of)
                           : did.count > 1 && did.kind != "lost"
                               ? fmt::format("{} times the {}", did.count, did.what)
                               : did.what;
  return fmt::format("the disk of member {}, {}: {}", did.member, did.kind, what);
}

std::string RightsPhrase(const UserRights& rights) {
  if (std::ranges::count(rights.roles, "root") > 0) return "may do everything";
  if (rights.ranges.empty()) return "may neither read nor write any key";
  std::vector<std::string> ranges;
  for (const UserRights::Permitted& one : rights.ranges) {
    const char* const how = !one.write ? "read" : one.read ? "read and write" : "write";
    ranges.push_back(fmt::format("{} {}", how, Phrase(KeyRange(one.key.bytes, one.end.bytes))));
  }
  return fmt::format("may {}, and nothing else", fmt::join(ranges, ", "));
}

struct AnnotationPhrases {
  std::string operator()(const NotRecorded& part) {
    return fmt::format("{} is not recorded any further: {}", part.what, part.why);
  }
  std::string operator()(const StageReached&) { return {}; }
  std::string operator()(const ClosingStream& closing) {
    return fmt::format("the client closes stream {}", closing.stream.value);
  }
  std::string operator()(const Resumption& next) {
    return fmt::format("stream {} resumes a watch of stream {}", next.next_stream.value,
                       next.stream.value);
  }
  std::string operator()(const ReadRight& right) {
    if (right.key.bytes.empty() && right.end.bytes.empty()) {
      return fmt::format("from here on the user of stream {} may read nothing", right.stream.value);
    }
    return "a stream is opened for a user with limited rights";
  }
  std::string operator()(const ProgressDue&) { return "the client begins to wait for progress"; }
  std::string operator()(const ProgressOver&) { return "the client stops waiting for progress"; }
  std::string operator()(const DeliveryDue& due) {
    return fmt::format("group {} begins to wait for every change through revision {}{}", due.group,
                       due.through, due.unasked ? ", and nothing is asked meanwhile" : "");
  }
  std::string operator()(const DeliveryOver& over) {
    const std::string answered =
        fmt::format(", though the target took each connection within {} ms", over.answered_ms);
    return fmt::format("group {} stops waiting{}", over.group,
                       over.answered_ms < 0 ? "" : answered);
  }
  std::string operator()(const StreamEndDue& due) {
    return fmt::format("the client begins to wait for the end of stream {}", due.stream.value);
  }
  std::string operator()(const StreamEndOver& over) {
    return fmt::format("the client stops waiting for the end of stream {}", over.stream.value);
  }
  std::string operator()(const TargetEnded& ended) {
    return fmt::format("the process of member {} {}", ended.member, ended.how);
  }
  std::string operator()(const TargetSilent& silent) {
    return fmt::format("member {} has not answered {} for {} ms", silent.member, silent.asked,
                       silent.waited_ms);
  }
  std::string operator()(const TargetRefused& refused) {
    return fmt::format("the target refuses {}: {}", refused.asked, refused.refusal);
  }
  std::string operator()(const MemberBehind& behind) {
    return fmt::format("member {} has not come nearer to revision {} for {} ms: {}", behind.member,
                       behind.revision, behind.waited_ms, behind.lacks);
  }
  std::string operator()(const Account& account) {
    return fmt::format("member {} counts {} {}, it was {} before {} watch streams", account.member,
                       account.after, account.of, account.before, account.streams);
  }
  std::string operator()(const MeasuredPair& pair) {
    const auto figure = FindFigure(pair.of);
    if (!figure) return fmt::format("{} was measured", pair.of);
    return fmt::format("{}: {}, and {} beside {}", About(*figure).words,
                       WithUnit(*figure, pair.without), WithUnit(*figure, pair.with), pair.beside);
  }
  std::string operator()(const CallsBeside& beside) {
    return fmt::format("{} begin on the connection of stream {}", beside.calls,
                       beside.stream.value);
  }
  std::string operator()(const AnswerDiffers& differs) {
    return fmt::format("an answer to client {} differs; expected: {}; observed: {}", differs.client,
                       differs.expected, differs.observed);
  }
  std::string operator()(const NotRestarted& ended) {
    return fmt::format("the target did not start again: {}", ended.observed);
  }
  std::string operator()(const HistoryHash& hash) {
    return fmt::format("member {} answered with hash {:08x} of its history up to revision {}",
                       hash.member, hash.hash, hash.revision);
  }
  std::string operator()(const MembersListed& list) {
    return fmt::format("member {} lists the members {}{}", list.member,
                       fmt::join(list.listed, ", "),
                       list.after.empty() ? "" : " after " + list.after);
  }
  std::string operator()(const Restored& restored) {
    return fmt::format("the store was restored from a snapshot of revision {}, and is at {}",
                       restored.saved, restored.revision);
  }
  std::string operator()(const RightsChanged& rights) {
    return fmt::format("the rights of user {} begin to change", rights.user);
  }
  std::string operator()(const UserRights& rights) {
    return fmt::format("from here on user {} {}", rights.user, RightsPhrase(rights));
  }
  std::string operator()(const StoreLimits& limits) {
    std::vector<std::string> most;
    if (limits.space > 0) most.push_back(fmt::format("{} bytes of data", limits.space));
    if (limits.operations > 0) {
      most.push_back(fmt::format("{} operations in a transaction", limits.operations));
    }
    if (limits.request > 0) most.push_back(fmt::format("{} bytes in a request", limits.request));
    return fmt::format("the store is started with a limit of {}",
                       most.empty() ? "nothing" : fmt::format("{}", fmt::join(most, ", ")));
  }
  std::string operator()(const CallsAs& as) {
    return fmt::format("client {} makes its calls {}", as.client,
                       as.wrong_token    ? "with a token that is good for nothing"
                       : as.user.empty() ? "for no user"
                                         : "for user " + as.user);
  }
  std::string operator()(const RefusalDue& due) {
    return fmt::format("a call of client {} must be refused, after {} that read: {}", due.client,
                       due.reads, due.why);
  }
  std::string operator()(const HealingBegan& healing) {
    return fmt::format("fault {} begins to be healed", healing.fault);
  }
  std::string operator()(const MomentMissed& missed) {
    return fmt::format("the moment did not come: {} of {}", missed.moment, missed.of);
  }
  std::string operator()(const PromiseAsked& asked) {
    return fmt::format("the client asks for a standing promise: {}",
                       asked.text.empty() ? asked.promise : asked.text);
  }
  std::string operator()(const ClientAsks& asks) {
    return fmt::format("{} asks for a standing promise: {}", asks.client, asks.text);
  }
  std::string operator()(const ReadingLimited& limited) {
    if (limited.messages < 0) {
      return fmt::format("the client reads stream {} again", limited.stream.value);
    }
    return fmt::format("the client stops reading stream {} after {} more messages",
                       limited.stream.value, limited.messages);
  }
  std::string operator()(const QuestionLeft& left) {
    return fmt::format("the client does not ask for {}: {}", left.question, left.why);
  }
  std::string operator()(const DiskActivity& did) { return DiskPhrase(did); }
  std::string operator()(const ConsumerStarted& started) {
    return fmt::format("the consumer {} follows {}", started.consumer, started.prefix);
  }
  std::string operator()(const ConsumerReport& report) {
    if (!report.error.empty()) {
      return fmt::format("the consumer's {} has an error: {}", report.layer, report.error);
    }
    const std::string what =
        report.type.empty() ? report.kind : fmt::format("{} of {}", report.type, report.key);
    return fmt::format("the consumer's {} has seen: {} at revision {}", report.layer, what,
                       report.revision);
  }
  std::string operator()(const ConsumerReadAsked& asked) {
    return fmt::format("the consumer is asked for a consistent list, at revision {}",
                       asked.revision);
  }
  std::string operator()(const ConsumerDue& due) {
    return fmt::format("each layer of the consumer is to come to revision {}", due.revision);
  }
  std::string operator()(const ConsumerEnded& ended) {
    return fmt::format("the process of the consumer {}", ended.how);
  }
};

// In brief; the finding has the details.
std::string AnnotationText(const Entry& entry) {
  const auto annotation = ParseAnnotation(entry.text);
  if (!annotation.has_value()) return entry.text;
  const std::string said = std::visit(AnnotationPhrases(), *annotation);
  return said.empty() ? fmt::format("the run says {}", entry.text) : said;
}

std::string What(const Entry& entry) {
  switch (entry.kind) {
    case EntryKind::kRequestSent:
      return fmt::format("stream {} is {}", entry.stream.value, RequestText(entry));
    case EntryKind::kResponseReceived:
      return fmt::format("stream {} {}", entry.stream.value, ResponseText(entry));
    case EntryKind::kCallStarted:
      return fmt::format("call {} begins: {}", entry.call.value, CallText(entry));
    case EntryKind::kCallEnded:
      return AnswerText(entry);
    case EntryKind::kStreamOpened:
      return fmt::format("stream {} is opened", entry.stream.value);
    case EntryKind::kStreamClosed:
      return fmt::format("stream {} has ended: {}{}{}", entry.stream.value, Name(entry.code),
                         entry.text.empty() ? "" : ": ", entry.text);
    case EntryKind::kAnnotation:
      return AnnotationText(entry);
    case EntryKind::kRunStarted:
    case EntryKind::kFault:
      break;
  }
  return entry.text;
}

}  // namespace

std::string LineText(const NumberedEntry& line) {
  return fmt::format("line {}, at {}: {}", line.line.value, Milliseconds(line.entry.at),
                     What(line.entry));
}

}  // namespace watchproof
