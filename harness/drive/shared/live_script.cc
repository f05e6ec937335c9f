// SPDX-License-Identifier: Apache-2.0
#include "harness/drive/shared/live_script.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "harness/history/wire.h"
#include "harness/model/operations.h"

namespace watchproof::explore {
namespace {

constexpr std::int64_t kLeasesPerScript = 10;
constexpr std::int64_t kSeconds = 60;  // of a lease, where none ends by itself
constexpr std::int64_t kFewSeconds = 3;
constexpr Duration kLongestPause = 3s;
constexpr std::int64_t kShorterThanLeases = 200;  // ms
constexpr Duration kBetweenQuestions = 200ms;     // that have no answer
constexpr Duration kShortest = 1ms;
constexpr Duration kShort = 15ms;
// The store's own interval between two passes over watches that are behind.
// Longer than etcd leaves between two commits.
constexpr Duration kOwnWrites = 250ms;
constexpr Duration kOnePass = 110ms;
// The first names a script can give start at this; a place named by number counts from it.
constexpr std::int64_t kFarFuture = 1000;

}  // namespace

Status LiveClient::Connect(LiveServer& server, int member) {
  const std::uint64_t now = server.restarts();
  Link& link = links_[member];
  if (link.connection != nullptr && link.restarts == now) return {};
  WP_ASSIGN_OR_RETURN(link.connection, server.Connect(member));
  link.calls.emplace(link.connection);
  link.calls->SetToken(server.token());
  link.restarts = now;
  return {};
}

LiveScript::LiveScript(LiveServer& server, LiveClient& client, const Script& script,
                       std::uint32_t number, const Draws& draws, Prng prng)
    : server_(server),
      client_(client),
      script_(script),
      number_(number),
      name_(ClientName(number)),
      draws_(draws),
      placement_(fmt::format("s{}/", number), number * kLeasesPerScript),
      prng_(std::move(prng)),
      streams_(kMostStreams) {
  for (int i = 1; i <= kMostStreams; ++i) StreamOf(i).number = i;
}

void LiveScript::Run() {
  base_ = server_.head().value;
  seen_floor_ = server_.floor().value;
  seen_restarts_ = server_.restarts();
  seen_events_ = server_.events().over();
  carried_out_.limits = script_.limits;
  carried_out_.server = server_.settings();
  const Step* before = nullptr;
  for (const Step& step : script_.steps) {
    if (std::holds_alternative<Compact>(step) && !prng_.Chance(draws_.compactions)) continue;
    const bool restart = std::holds_alternative<Crash>(step);
    if (restart && !(draws_.restarts && server_.can_restart())) continue;
    if (before != nullptr) features_.Sequence(*before, step);
    before = &step;
    features_.situations.Meanwhile(step);
    if (restart) {
      Restart();
    } else {
      RunStep(step);
    }
    LeaveCrashPoint();
    if (server_.Gone()) break;
  }
  Do(Calm{});
  AwaitCrashPoint();
  if (server_.Gone()) return;
  const LiveServer::Use use(server_);
  NoteEvents();
  NoteRestart();
  NoteCompaction();
  AskAtTheEnd();
}

// What leases and pauses are here, so that alone, where time passes, they are the same.
void LiveScript::NoteStep(const Step& step) {
  const auto* const advance = std::get_if<Advance>(&step);
  if (advance != nullptr && !Passes(*advance)) return;
  if (std::holds_alternative<Disturb>(step) || std::holds_alternative<Calm>(step)) return;
  carried_out_.steps.push_back(step);
  auto* const grant = std::get_if<Grant>(&carried_out_.steps.back());
  if (grant != nullptr) grant->seconds = SecondsOf(*grant);
}

// Beside restarts it makes a difference what has been committed by then.
bool LiveScript::Passes(const Advance& advance) const {
  const bool restarts = draws_.restarts && server_.can_restart();
  return draws_.time || (restarts && advance.ms <= kShorterThanLeases);
}

std::int64_t LiveScript::SecondsOf(const Grant& grant) const {
  const bool ends = draws_.time && grant.seconds <= kFewSeconds;
  return ends ? grant.seconds : std::max(grant.seconds, kSeconds);
}

void LiveScript::RunStep(const Step& step) {
  const LiveServer::Use use(server_);
  NoteRestart();
  NoteEvents();
  NoteCompaction();
  if (server_.events().IsOverdue(number_)) Do(Calm{});
  NoteStep(step);
  Carry(step);
}

void LiveScript::LeaveCrashPoint() {
  if (!server_.AtCrashPoint()) return;
  crashed_ = true;  // what was carried out says where
  Restart();
}

void LiveScript::AwaitCrashPoint() {
  if (!Has<CrashPoint>(script_)) return;
  for (Duration waited{}; waited < kOwnWrites && !server_.AtCrashPoint(); waited += kShort) {
    std::this_thread::sleep_for(kShort);
  }
  LeaveCrashPoint();
  server_.DisarmCrashPoint();
}

void LiveScript::Restart() {
  ++steps_;
  const Status restarted = server_.Restart();
  if (restarted.ok()) return;
  server_.Annotate(NotRestarted{.client = name_,
                                .observed = std::string(restarted.message()),
                                .late = IsNoAnswer(restarted.code())});
}

// This script or another one restarted the server: every stream ended, and is opened again.
void LiveScript::NoteRestart() {
  // What a store that takes no new connection leaves open is found by the standing promises.
  for (int member = 1; member <= server_.members(); ++member) {
    [[maybe_unused]] const Status connected = client_.Connect(server_, member);
  }
  const std::uint64_t restarts = server_.restarts();
  if (std::exchange(seen_restarts_, restarts) == restarts) return;
  keep_alives_.reset();
  if (!std::exchange(crashed_, false)) carried_out_.steps.push_back(Crash{});
  for (const Stream& stream : streams_) {
    if (stream.open) Do(Resume{stream.number});
  }
}

// What befell the cluster since the last step, whichever script began it.
void LiveScript::NoteEvents() {
  for (const Step& event : server_.events().Since(seen_events_)) {
    carried_out_.steps.push_back(event);
  }
}

// One by another script since the last step, as this script would have to do it alone.
void LiveScript::NoteCompaction() {
  const std::int64_t floor = server_.floor().value;
  if (floor <= seen_floor_) return;
  seen_floor_ = floor;
  const auto above =
      std::ranges::count_if(own_, [floor](std::int64_t revision) { return revision > floor; });
  if (above == static_cast<std::ptrdiff_t>(own_.size())) return;
  carried_out_.steps.push_back(Compact{{Place::From::kHead, -above}});
}

void LiveScript::Carry(const Step& step) {
  if (server_.Gone()) return;
  ++steps_;
  std::visit([this](const auto& one) { Do(one); }, step);
}

// Numbers, too, count from the script's beginning, but for those that no store has reached.
std::int64_t LiveScript::Resolve(const Place& place) const {
  if (place.from == Place::From::kFloor) {
    return std::max<std::int64_t>(server_.floor().value, 1) + place.plus;
  }
  if (place.from == Place::From::kNumber) {
    const bool relative = place.plus > 0 && place.plus < kFarFuture;
    return relative ? base_ - 1 + place.plus : place.plus;
  }
  if (place.plus > 0) return server_.head().value + place.plus;
  const auto back = static_cast<std::size_t>(-place.plus);
  if (back < own_.size()) return own_[own_.size() - 1 - back];
  const std::int64_t first = own_.empty() ? base_ : own_.front() - 1;
  return std::max<std::int64_t>(first + static_cast<std::int64_t>(own_.size()) + place.plus, 1);
}

LiveScript::Stream* LiveScript::Open(int number) {
  Stream& stream = StreamOf(number);
  if (stream.open) return &stream;
  const auto opened =
      server_.OpenStream(client_.connection(member_), number_,
                         stream.restricted ? readable_ : std::optional<LiveServer::Readable>());
  if (!opened.has_value()) {
    NotDone("a stream", opened.error());
    return nullptr;
  }
  stream.client = *opened;
  stream.watches.clear();
  stream.open = true;
  stream.stalled = false;
  return &stream;
}

void LiveScript::Differs(std::string expected, std::string observed) {
  server_.Annotate(AnswerDiffers{
      .client = name_, .expected = std::move(expected), .observed = std::move(observed)});
}

// A reason may be in a key, a lease, a revision, a right, or what the call before has done.
void LiveScript::NotDone(std::string_view asked, const Status& refused) {
  if (server_.AtCrashPoint()) return;
  switch (refused.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kNotFound:
    case StatusCode::kAlreadyExists:
    case StatusCode::kPermissionDenied:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kOutOfRange:
      return;
    default:
      not_done_.try_emplace(asked, refused);
  }
}

// Others wait for a script that disturbs the cluster.
void LiveScript::Pause(Duration longest) {
  if (server_.events().HeldBy(number_)) return;
  const auto at_most = std::chrono::duration_cast<Duration>(longest * draws_.pauses);
  if (at_most > Duration(0)) std::this_thread::sleep_for(prng_.Between(Duration(0), at_most));
}

// What goes over streams.

void LiveScript::Do(const Create& create) {
  for (std::int64_t i = 0; i < create.times; ++i) {
    if (Stream* stream = Open(create.stream)) Ask(*stream, create, Resolve(create.start));
  }
}

void LiveScript::Ask(Stream& stream, const Create& create, std::int64_t start) {
  const bool whole = draws_.everything && create.key == "*";
  const Placement place = whole ? Placement() : placement_;
  const bool open_ended = whole || (draws_.everything && create.end == "*");
  stream.watches.push_back(
      {.asked = create,
       .start = start,
       .start_kind = KindOfStart(start, server_.floor().value, server_.head().value)});
  stream.client->Create({.key = place.Key(create.key),
                         .range_end = (open_ended ? Placement() : place).End(create.end),
                         .start = Revision(start),
                         .id = WatchId(create.id),
                         .options = create.options});
}

void LiveScript::Do(const Cancel& cancel) {
  if (Stream* stream = Open(cancel.stream)) stream->client->Cancel(WatchId(cancel.id));
}

void LiveScript::Do(const AskProgress& ask) {
  for (std::int64_t i = 0; i < ask.times; ++i) {
    if (Stream* stream = Open(ask.stream)) stream->client->RequestProgress();
  }
}

void LiveScript::Do(const CloseStream& close) {
  Stream& stream = StreamOf(close.stream);
  if (!std::exchange(stream.open, false)) return;
  stream.client->Close();
}

// Opens the stream again: each of its watches goes on one past what it received, or at the revision
// of its ErrCompacted.
void LiveScript::Do(const Resume& resume) {
  Do(CloseStream{resume.stream});
  const Stream before = StreamOf(resume.stream);
  if (before.client == nullptr) return;
  Stream* const stream = Open(resume.stream);
  if (stream == nullptr) return;
  const StreamId ended = before.client->id();
  struct Next {
    std::uint32_t ordinal = 0;
    std::int64_t start = 0;
  };
  std::vector<Next> next;
  server_.Look([&](const Judge& judge) {
    for (std::uint32_t ordinal = 0; ordinal < before.watches.size(); ++ordinal) {
      const auto index = judge.Find(ended, ordinal);
      if (!index) continue;
      const WatchState& state = judge.watch(*index);
      if (state.end == WatchEnd::kRefused || state.end == WatchEnd::kCancelled) continue;
      const bool compacted = state.end == WatchEnd::kCompacted;
      next.push_back({ordinal, !state.created ? before.watches[ordinal].start
                               : compacted    ? state.compact_revision.value
                                              : state.resume_at.value});
    }
  });
  for (const auto& [ordinal, start] : next) {
    server_.Annotate(
        Resumption{.stream = ended,
                   .ordinal = ordinal,
                   .next_stream = stream->client->id(),
                   .next_ordinal = static_cast<std::uint32_t>(stream->watches.size())});
    Ask(*stream, before.watches[ordinal].asked, start);
  }
}

// A request that meets a change of rights on its way may be refused for that.
void LiveScript::Do(const Restrict& restrict) {
  if (!server_.CanRestrict()) return;
  AwaitAnswers(server_.patience());
  if (!readable_) readable_ = {placement_.Key(restrict.key), placement_.End(restrict.end)};
  StreamOf(restrict.stream).restricted = true;
  Do(CloseStream{restrict.stream});
  Open(restrict.stream);
}

// From the first of these on, the client reads only what it is asked to, until the script is over.
void LiveScript::Do(const Receive& receive) {
  Stream& stream = StreamOf(receive.stream);
  if (!stream.open) return;
  stream.stalled = receive.replies < kEveryReply;
  server_.Annotate(ReadingLimited{
      stream.client->id(), stream.stalled ? std::max<std::int64_t>(receive.replies, 0) : -1});
  stream.client->StopReading();
  if (receive.replies > 0) stream.client->ReadOn(receive.replies);
}

void LiveScript::Do(const Advance& advance) {
  if (Passes(advance)) {
    std::this_thread::sleep_for(std::min<Duration>(advance.ms * 1ms, kLongestPause));
  }
}

void LiveScript::Do(const Defragment&) {
  const Status done = server_.Defragment(member_);
  if (!done.ok()) NotDone("a defragmentation", done);
}

// One that the server cannot give, as of a revision to come or below the floor, is no matter.
void LiveScript::Do(const Hash& hash) {
  const std::int64_t at = hash.at == Place() ? server_.head().value : Resolve(hash.at);
  if (at > 0) server_.Hash(member_, Revision(at));
}

void LiveScript::Do(const AtMember& at) {
  keep_alives_.reset();
  member_ = std::min(at.member, server_.members());
}

void LiveScript::Do(const Disturb& disturb) {
  const auto begun = server_.events().Begin(number_, disturb);
  NoteEvents();
  if (!begun.has_value()) not_done_.try_emplace(Disturb::kName, begun.error());
}

void LiveScript::Do(const Calm&) {
  const Status ended = server_.events().End(number_);
  NoteEvents();
  if (!ended.ok()) not_done_.try_emplace(Calm::kName, ended);
}

void LiveScript::Do(const CrashPoint& point) {
  if (!server_.has_crash_points()) return;
  const Status armed = server_.Arm(point);
  if (!armed.ok()) NotDone("a crash point", armed);
}

void LiveScript::Do(const Turn& turn) {
  switch (turn.loop) {
    case Loop::kCommit:
      return AwaitAnswers(kShort);
    case Loop::kSync:
    case Loop::kProgress:
      return Pause(kShortest);
    case Loop::kExpire:
      return Look();
    case Loop::kVictims:
      return Pause(kShort);
    case Loop::kErase:
    case Loop::kCheckpoint:
      return Pause(kOnePass);
  }
}

// Calls.

int LiveScript::MemberFor(Needs needs) const {
  const Disturbances& events = server_.events();
  const bool reaches =
      needs == Needs::kOthers ? events.ReachesOthers(member_) : events.Answers(member_);
  return reaches ? member_ : 1;
}

Result<Bytes> LiveScript::Call(Method method, std::string request, Needs needs) {
  const std::string sent = IsWrite(method) ? request : std::string();
  const int member = MemberFor(needs);
  Result<Bytes> answer =
      client_.calls(member).Call(server_.recording(), method, std::move(request), CallerAt(member));
  Answered(method, sent, answer);
  return answer;
}

void LiveScript::Answered(Method method, const std::string& sent, const Result<Bytes>& answer) {
  if (!answer.has_value()) {
    features_.Error(method, answer.error().code());
    return NotDone(InfoOf(method).name, answer.error());
  }
  HeaderView header;
  if (ParseHeader(answer->view(), header).ok()) server_.Saw(Revision(header.revision));
  if (!IsWrite(method)) return;
  const auto effect = AcknowledgedEffect(method, sent, answer->view());
  if (!effect.has_value()) return;
  written_.Note(*effect);
  if (effect->changes()) own_.push_back(effect->revision.value);
}

Known LiveScript::WhatIsKnown() const {
  return {.at = [this](const Place& place) { return Resolve(place); },
          .key = [this](const std::string& key,
                        const std::string& end) { return written_.Of(key, end); }};
}

// Members may serve different revisions, so each has a client of its own.
std::string LiveScript::CallerAt(int member) const {
  return member == 1 ? name_ : fmt::format("{} at {}", name_, member);
}

std::optional<Result<Bytes>> LiveScript::Inquire(const std::function<Result<Bytes>()>& ask) {
  std::uint64_t before = server_.pulse().answers();
  std::uint64_t events = server_.events().Now();
  while (true) {
    Result<Bytes> answer = ask();
    if (answer.has_value() || !IsNoAnswer(answer.error().code())) return answer;
    if (server_.events().DisturbedSince(events)) {
      before = server_.pulse().answers();
      events = server_.events().Now();
    }
    if (server_.pulse().Proves(before)) return answer;
    if (server_.Gone() || server_.AtCrashPoint()) return std::nullopt;
    if (server_.events().IsOverdue(number_)) return std::nullopt;
    std::this_thread::sleep_for(kBetweenQuestions);
  }
}

void LiveScript::Do(const Put& put) {
  for (std::int64_t i = 0; i < put.times && !server_.Gone() && !server_.AtCrashPoint(); ++i) {
    const PutRequest request = RequestOf(put, placement_, values_);
    const auto hush = put.paced ? server_.Hush() : nullptr;
    const std::uint64_t before = server_.pulse().answers();
    const std::uint64_t events = server_.events().Now();
    const auto answer = Call(Method::kPut, ToMessage(request).bytes());
    const bool plain = request.lease == 0 && !request.keeps_value && !request.keeps_lease &&
                       !request.key.empty() && put.bytes < kLargestRequest / 2;
    const bool answered = answer.has_value() || !IsNoAnswer(answer.error().code());
    const bool disturbed = server_.events().DisturbedSince(events);
    if (plain && !answer && !disturbed && (answered || server_.pulse().Proves(before))) {
      Differs("a put to be answered: nothing in it gives a reason to refuse it",
              std::string(answer.error().message()));
    }
    const bool paced = put.paced && !server_.events().HeldBy(number_);
    if (paced && !AwaitArrival()) return;
  }
}

void LiveScript::Do(const Delete& erase) {
  [[maybe_unused]] const auto answer =
      Call(Method::kDeleteRange, ToMessage(RequestOf(erase, placement_)).bytes());
}

void LiveScript::Do(const Txn& txn) {
  [[maybe_unused]] const auto answer =
      Call(Method::kTxn, ToMessage(RequestOf(txn, placement_, values_, WhatIsKnown())).bytes());
}

void LiveScript::Do(const Grant& grant) {
  const std::int64_t lease = placement_.Lease(grant.lease);
  const std::int64_t seconds = SecondsOf(grant);
  if (!Call(Method::kLeaseGrant, GrantOf(lease, seconds).bytes())) return;
  granted_ = true;
  leases_.insert(lease);
  if (seconds <= kFewSeconds) ending_.insert(lease);
}

void LiveScript::Do(const Revoke& revoke) {
  const std::int64_t lease = placement_.Lease(revoke.lease);
  if (Call(Method::kLeaseRevoke, LeaseOf(lease).bytes())) leases_.erase(lease);
}

void LiveScript::Do(const KeepAlive& keep) {
  std::string request = LeaseOf(placement_.Lease(keep.lease)).bytes();
  const int member = MemberFor(Needs::kOthers);
  if (!keep.again || member != member_) {
    Call(Method::kLeaseKeepAlive, std::move(request));
    return;
  }
  if (!keep_alives_) keep_alives_.emplace(client_.calls(member));
  Answered(Method::kLeaseKeepAlive, {},
           keep_alives_->Call(server_.recording(), std::move(request), CallerAt(member)));
}

// A server from before RangeStream answers the same read whole.
Result<Bytes> LiveScript::ReadInParts(const std::string& request, Needs needs) {
  if (!server_.reads_in_parts()) return Call(Method::kRange, request, needs);
  const int member = MemberFor(needs);
  Result<Bytes> answer = client_.calls(member).ReadInParts(
      server_.recording(), request, CallerAt(member) + std::string(kInParts));
  if (answer.has_value()) server_.HasReadInParts();
  if (!answer.has_value() && answer.error().code() == StatusCode::kUnimplemented &&
      server_.LacksReadsInParts()) {
    return Call(Method::kRange, request, needs);
  }
  Answered(Method::kRange, {}, answer);
  return answer;
}

// Others compact at the same time: what was compacted before is gone, and what no script has
// asked to compact is kept.
void LiveScript::Do(const Get& get) { Read(get, Resolve(get.at)); }

void LiveScript::Read(const Get& get, std::int64_t at) {
  const std::int64_t floor = server_.floor().value;
  const std::int64_t head = server_.head().value;
  ReadRequest read = RequestOf(get, placement_, WhatIsKnown());
  read.revision = Revision(at);
  const std::string request = ToMessage(read).bytes();
  const Needs needs = get.serializable ? Needs::kItself : Needs::kOthers;
  const auto asked = Inquire([&] {
    return get.in_parts ? ReadInParts(request, needs) : Call(Method::kRange, request, needs);
  });
  if (!asked) return;
  if (*asked || get.key.empty()) return;  // refused for that
  // Whether one of the past may be refused as out of range shows in the recording.
  if (at > 0 && asked->error().code() == StatusCode::kOutOfRange) return;
  const std::string observed = fmt::format("at revision {}, with floor {} and head {}: {}", at,
                                           floor, head, asked->error().message());
  if (at <= 0 || (at >= server_.floor_asked().value && at <= head)) {
    Differs("a read between the compaction floor and the head to be answered", observed);
  } else if (at < floor) {
    Differs("a read below the compaction floor to be refused as out of range", observed);
  }
}

void LiveScript::Do(const Compact& compact) {
  const std::int64_t at = Resolve(compact.at);
  // A revision ahead of the head may be written before the request arrives.
  if (at < kFarFuture + server_.head().value) server_.CompactionAsked(Revision(at));
  const auto answer = Call(Method::kCompact, CompactionAt(Revision(at), compact.physical).bytes());
  if (!answer) return;
  server_.Compacted(Revision(at));
  seen_floor_ = std::max(seen_floor_, at);
}

}  // namespace watchproof::explore
