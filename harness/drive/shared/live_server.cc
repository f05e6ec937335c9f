// SPDX-License-Identifier: Apache-2.0
#include "harness/drive/shared/live_server.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "harness/client/kv_client.h"
#include "harness/environment/disk_activity.h"
#include "harness/environment/member_state.h"
#include "harness/script/requests_of_steps.h"

namespace watchproof::explore {
namespace {

constexpr std::string_view kScript = "script ";
constexpr std::string_view kOfClient = "client ";
constexpr std::string_view kStream = "stream ";
constexpr std::size_t kLinesAtOnce = 512;
constexpr Duration kIdleWithin = 1s;  // before a crash point counts its calls
constexpr Duration kRestartLimit = 20s;
constexpr int kMostStarts = 3;
// A machine that stands still uses up no more of a time limit than this.
constexpr Duration kSlice = 250ms;
constexpr const char* kReader = "reader";

std::uint32_t NumberAfter(std::string_view text, std::string_view word) {
  std::uint32_t number = 0;
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + word.size());
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

TargetEnded EndOf(const Environment::Death& death) {
  return {.member = death.member,
          .how = death.state.ToString(),
          .last_words = death.last_words,
          .ago_ms = death.ago_ms()};
}

}  // namespace

std::string ClientName(std::uint32_t script) { return fmt::format("{}{}", kScript, script); }
std::uint32_t ScriptOfClient(std::string_view name) {
  return name.starts_with(kScript) ? NumberAfter(name, kScript) : 0;
}

LiveServer::LiveServer(const LiveServerOptions& options)
    : options_(options),
      environment_(
          {.target = options.target,
           .cluster = {.snapshot_count = static_cast<int>(options.settings.snapshot_count),
                       .compaction_batch = static_cast<int>(options.settings.compaction_batch),
                       .catch_up_entries = static_cast<int>(options.settings.catch_up_entries)},
           .folder = options.folder,
           .durable = options.durable || options.settings.disk || options.crash_points,
           .synced = !options.settings.unsynced,
           .disk = options.crash_points,
           .progress_interval = options.settings.progress_ms * 1ms,
           .users = options.users,
           .seed = options.seed,
           .bypass_proxy = true}) {}

Result<std::unique_ptr<LiveServer>> LiveServer::Start(const LiveServerOptions& options) {
  for (int tries = 1;; ++tries) {
    std::unique_ptr<LiveServer> server(new LiveServer(options));
    const Status opened = server->Open();
    if (opened.ok()) return server;
    const auto death = server->environment_.Died();
    const Status why =
        death ? Fail(StatusCode::kFailedPrecondition, "{}", opened.message()) : opened;
    if (!IsNoAnswer(why.code()) || tries == kMostStarts) return why;
  }
}

Status LiveServer::Open() {
  WP_RETURN_IF_ERROR(environment_.Start());
  version_ = environment_.target().version();
  RunStarted started = options_.started;
  started.version = version_;
  started.product = options_.target.product;
  started.members = members();
  started.topology = TopologyIn(options_.target.topology);
  WP_ASSIGN_OR_RETURN(recorder_, Recorder::Open({.file = options_.folder / "history.wire.zst"}));
  recorder_->Append({.kind = EntryKind::kRunStarted, .text = ToText(started)});
  events_ = std::make_unique<Disturbances>(environment_, *recorder_);
  {
    MutexLock lock(mu_);
    judge_ = std::make_unique<Judge>(OptionsOf(started));
  }
  follower_ = std::thread([this] { Follow(); });
  const std::string endpoint = environment_.target().front().ToString();
  pulse_ = std::make_unique<Pulse>(StatusQuestion(endpoint), ConnectionQuestion(endpoint));
  WP_ASSIGN_OR_RETURN(const Revision head, KvClient(*recorder_, endpoint).Head());
  Saw(head);
  if (options_.users) WP_RETURN_IF_ERROR(EnableUsers());
  return OpenControlWatch(head.next());
}

// A store without users is explored without them.
Status LiveServer::EnableUsers() {
  auth_ = std::make_unique<AdminClient>(environment_.target().front().ToString());
  const Status added = auth_->AddUser(kReader);
  if (added.code() == StatusCode::kUnimplemented) return {};
  WP_RETURN_IF_ERROR(added);
  WP_RETURN_IF_ERROR(auth_->AddRoot());
  WP_ASSIGN_OR_RETURN(root_, auth_->Enable());
  WP_ASSIGN_OR_RETURN(reader_, auth_->LogIn(kReader));
  return {};
}

// Again as long as it has no answer, and that proves nothing.
Result<Revision> LiveServer::PutByRoot(const std::string& key) {
  KvClient kv(*recorder_, environment_.target().front().ToString());
  kv.SetToken(root_);
  const std::uint64_t before = pulse_->answers();
  while (true) {
    auto put = kv.Put(key, "");
    if (put.has_value() || !IsNoAnswer(put.error().code())) return put;
    if (pulse_->Proves(before) || Gone() || AtCrashPoint()) return put;
    std::this_thread::sleep_for(kSlice);
  }
}

// It watches every key, and receives a change before others may compact what it has not read.
Status LiveServer::OpenControlWatch(Revision start) {
  const std::string endpoint = environment_.target().endpoint().ToString();
  WP_ASSIGN_OR_RETURN(
      control_watch_,
      WatchStream::Open(*recorder_, {.endpoint = endpoint, .path = "control", .token = root_}));
  control_watch_->Create(
      {.key = std::string(1, '\0'), .range_end = std::string(1, '\0'), .start = start});
  WP_ASSIGN_OR_RETURN(const Revision head, PutByRoot("control"));
  Saw(head);
  const auto came = [head](const Judge& judge) {
    return judge.known_through() >= head && !judge.ControlWatchWaits();
  };
  Await(came, kRestartLimit);
  return {};
}

LiveServer::Use::Use(LiveServer& server) : server_(server) {
  MutexLock lock(server_.use_);
  while (server_.restarting_) server_.use_changed_.Wait(server_.use_);
  ++server_.uses_;
}

LiveServer::Use::~Use() {
  MutexLock lock(server_.use_);
  --server_.uses_;
  server_.use_changed_.NotifyAll();
}

Status LiveServer::Restart() {
  {
    MutexLock lock(use_);
    while (restarting_) use_changed_.Wait(use_);
    restarting_ = true;
    while (uses_ > 0) use_changed_.Wait(use_);
  }
  Status done = Fail(StatusCode::kFailedPrecondition, "it had ended before");
  if (!gone_) done = KillAndStart();
  // As soon as it serves it may come to its crash point, and there is one only.
  if (!gone_ && AtCrashPoint()) done = KillAndStart();
  if (!done.ok() && environment_.Died()) {
    done = Fail(StatusCode::kFailedPrecondition, "{}", done.message());
  }
  if (!done.ok()) gone_ = true;
  ++restarts_;
  MutexLock lock(use_);
  restarting_ = false;
  use_changed_.NotifyAll();
  return done;
}

// The control watch goes on where it was: what it had received by then has been judged.
Status LiveServer::KillAndStart() {
  if (!point_) Append(KillEntry(/*healed=*/false));
  for (int tries = 1;; ++tries) {
    WP_RETURN_IF_ERROR(environment_.target().Kill());
    const Status started = StartAgain();
    if (started.ok()) break;
    if (AtCrashPoint()) continue;  // it came to its point while it started
    // One that has ended does so again.
    if (started.code() != StatusCode::kDeadlineExceeded || tries == kMostStarts) return started;
  }
  Append(KillEntry(/*healed=*/true));
  if (point_) Append(KillEntry(/*healed=*/false));  // it is still to come
  control_watch_.reset();
  Revision known{};
  Await(
      [&known](const Judge& judge) {
        known = judge.known_through();
        return true;
      },
      kRestartLimit);
  return OpenControlWatch(known.next());
}

// Requires: it was killed, perhaps at its crash point.
Status LiveServer::StartAgain() {
  Target& target = environment_.target();
  if (AtCrashPoint()) {
    std::string crash = "at the " + *target.disk()->killed_at();
    const CrashPoint point = *point_;
    point_.reset();
    [[maybe_unused]] const auto receipt = target.disk()->Heal(armed_point_);
    if (point.how != CrashPoint::How::kKill) {
      WP_ASSIGN_OR_RETURN(
          const proxy::Loss loss,
          target.disk()->LosePower({.chance = point.how == CrashPoint::How::kParts ? 0.5 : 0,
                                    .torn = point.how == CrashPoint::How::kTorn,
                                    .seed = static_cast<std::uint64_t>(point.nth)}));
      crash += loss.nothing() ? "; nothing was lost"
                              : fmt::format("; lost: {}", fmt::join(loss.lines, "; "));
    }
    crashes_.push_back(std::move(crash));
  }
  return target.Restart(Within(kRestartLimit));
}

Status LiveServer::Defragment(int member) {
  return AdminClient(environment_.target(member).front().ToString(), root_).Defragment();
}

void LiveServer::Hash(int member, Revision at) {
  std::optional<HistoryHash> hash;
  AskForHash(environment_.target(member), {.member = member, .revision = at, .token = root_}, hash);
  if (hash) Annotate(*hash);
}

Status LiveServer::Arm(const CrashPoint& point) {
  proxy::Disk& disk = *environment_.target().disk();
  disk.AwaitIdle(kIdleWithin);
  WP_ASSIGN_OR_RETURN(
      armed_point_,
      disk.Arm({.kind = "crash-point", .parameters = {{"from", std::to_string(point.nth)}}}));
  point_ = point;
  Append(KillEntry(/*healed=*/false));  // which excuses what ends from now on
  return {};
}

void LiveServer::DisarmCrashPoint() {
  if (!std::exchange(point_, std::nullopt)) return;
  [[maybe_unused]] const auto receipt = environment_.target().disk()->Heal(armed_point_);
  Append(KillEntry(/*healed=*/true));
}

bool LiveServer::AtCrashPoint() {
  return point_ && environment_.target().disk()->killed_at().has_value();
}

bool LiveServer::Gone() {
  if (pulse_->silent() || options_.interrupted()) return true;
  MutexLock lock(use_);
  if (!gone_ && !restarting_ && environment_.Died()) gone_ = true;
  return gone_;
}

Result<Connection> LiveServer::Connect(int member) {
  return watchproof::Connect(environment_.target(member).front().ToString(), Within(10s));
}

void LiveServer::Raise(std::atomic<std::int64_t>& value, std::int64_t to) {
  std::int64_t before = value.load();
  while (before < to && !value.compare_exchange_weak(before, to)) continue;
}

Result<WatchStream*> LiveServer::OpenStream(const Connection& connection, std::uint32_t script,
                                            const std::optional<Readable>& readable) {
  if (readable) {
    WP_RETURN_IF_ERROR(auth_->Permit(kReader, Permission::kRead, {readable->key, readable->end}));
  }
  WP_ASSIGN_OR_RETURN(auto stream,
                      WatchStream::Open(*recorder_, {.connection = connection,
                                                     .token = readable ? reader_ : root_}));
  if (readable) Annotate(ReadRight{stream->id(), {readable->key}, {readable->end}});
  MutexLock lock(mu_);
  of_stream_[stream->id().value] = script;
  streams_.push_back(std::move(stream));
  return streams_.back().get();
}

void LiveServer::Append(Entry entry) {
  entry.at = recorder_->Now();
  recorder_->Append(std::move(entry));
}

void LiveServer::Follow() {
  std::vector<NumberedEntry> lines;
  while (auto line = recorder_->Next(Within(1h))) {
    lines.clear();
    lines.push_back(*std::move(line));
    while (lines.size() < kLinesAtOnce && (line = recorder_->Next(Within(Duration(0))))) {
      lines.push_back(*std::move(line));
    }
    MutexLock lock(mu_);
    for (const NumberedEntry& one : lines) Judged(one);
    for (Waiter* waiter : waiters_) {
      if (judged_ < waiter->from || waiter->satisfied || !(*waiter->done)(*judge_)) continue;
      waiter->satisfied = true;
      waiter->changed.NotifyOne();
    }
  }
}

void LiveServer::Judged(const NumberedEntry& line) {
  judge_->Consume(line);
  judged_ = line.line;
  std::uint32_t script = 0;
  if (line.entry.kind == EntryKind::kCallStarted) {
    script = of_call_[line.entry.call.value] = ScriptOfClient(line.entry.text);
  } else if (const auto call = of_call_.find(line.entry.call.value); call != of_call_.end()) {
    script = call->second;
    of_call_.erase(call);
  } else if (const auto stream = of_stream_.find(line.entry.stream.value);
             stream != of_stream_.end()) {
    script = stream->second;
  }
  of_line_.resize(line.line.value + 1);
  of_line_.back() = script;
}

bool LiveServer::Await(const std::function<bool(const Judge&)>& done, Duration limit) {
  Waiter waiter{.done = &done, .from = recorder_->last()};
  MutexLock lock(mu_);
  if (judged_ >= waiter.from && done(*judge_)) return true;
  waiters_.push_back(&waiter);
  const std::uint64_t enough =
      pulse_->answers() + static_cast<std::uint64_t>(limit / Pulse::kEvery);
  const auto goes_on = [&](Duration left) {
    if (options_.interrupted()) return false;
    return left > Duration(0) || (pulse_->answers() < enough && !pulse_->silent());
  };
  for (Duration left = limit; !waiter.satisfied && goes_on(left); left -= kSlice) {
    const Duration slice = left > Duration(0) ? std::min<Duration>(left, kSlice) : kSlice;
    const TimePoint until = Clock::now() + slice;
    while (!waiter.satisfied && waiter.changed.WaitUntil(mu_, until)) continue;
  }
  waiters_.remove(&waiter);
  return waiter.satisfied;
}

// A server that answers hundreds of creates and cancels one after the other is slow, not silent.
// What the judge does not know yet, as a delete by the end of a lease, is expected of no watch.
void LiveServer::AwaitSettled(Revision through) {
  std::size_t left = SIZE_MAX;
  std::size_t before = 0;
  const auto settled = [&left, through](const Judge& judge) {
    const std::vector<std::size_t> unsettled = judge.Unsettled();
    left = unsettled.size() + (judge.known_through() < through ? 1 : 0);
    for (const std::size_t watch : unsettled) left += judge.watch(watch).created ? 0 : 1;
    return left == 0 && !judge.ControlWatchWaits();
  };
  do {
    before = left;
    Await(settled, options_.patience);
  } while (left > 0 && left < before);
  if (left > 0) Await(settled, options_.certainty);
}

LiveVerdict LiveServer::Finish() {
  Annotate(StageReached{Stage::kHealed});
  // Whatever is queued for a watch arrives before this.
  const Revision sentinel = PutSentinel();
  Annotate(StageReached{Stage::kSentinels});
  AwaitSettled(sentinel);
  const auto death = environment_.Died();
  const bool stopped = environment_.target().process_state() == 'T';
  const bool silent = !death && pulse_->silent();
  if (death) {
    Annotate(EndOf(*death));
  } else if (silent && !stopped) {
    Annotate(
        TargetSilent{.asked = "a question for its status", .waited_ms = pulse_->silence() / 1ms});
  }
  std::vector<std::string> undecided;
  if (!death && !silent && members() > 1) CompareMembers(undecided);
  Annotate(StageReached{Stage::kConverged});
  for (const DiskActivity& did : TakeDiskActivity(environment_, recorder_->Now())) Annotate(did);
  Annotate(StageReached{Stage::kEnd});
  Stop();
  MutexLock lock(mu_);
  Judgement judgement = judge_->Finish();
  std::ranges::move(undecided, std::back_inserter(judgement.undecided));
  LiveVerdict verdict{.findings = {},
                      .undecided = std::move(judgement.undecided),
                      .notes = std::move(judgement.notes),
                      .exercise = std::move(judgement.exercise),
                      .calls = std::move(judgement.calls)};
  if (silent && stopped) verdict.undecided.emplace_back("the server was stopped by a signal");
  for (const Finding& finding : judgement.findings) {
    LiveVerdict::OfScript& found =
        verdict.findings.emplace_back(LiveVerdict::OfScript{ScriptOf(finding), finding});
    // Each wait at the end was as long as makes it certain, but those for progress and for leases;
    // a start is no wait at the end.
    const bool certain = finding.guarantee != Guarantee("Bookmarkable") &&
                         finding.guarantee != Guarantee("Leased") &&
                         finding.guarantee != Guarantee("Durable") && !(silent && stopped);
    if (certain) found.broken.by_silence = false;
    // Where the server is gone, that is what the rest follows from.
    if (!death && !silent) continue;
    const bool gone = finding.guarantee == Guarantee("Available");
    if (gone) found.broken.at = Duration(0);
    // A restart that was late is of the script that asked for it.
    const bool missing = finding.by_silence && finding.guarantee != Guarantee("Durable");
    if (gone || missing || finding.guarantee == Guarantee("Settled")) found.script = 0;
  }
  return verdict;
}

// A hash of the whole history of each, once it has come as far as the sentinel.
void LiveServer::CompareMembers(std::vector<std::string>& undecided) {
  const Revision at = head();
  for (int member = 1; member <= members(); ++member) {
    Target& target = environment_.target(member);
    std::optional<HistoryHash> hash;
    StandStill still;
    std::string lacks;
    for (bool decided = false; !decided;) {
      lacks = AskForHash(
          target, {.member = member, .revision = at, .compacted = floor(), .token = root_}, hash);
      decided = hash || Gone() || still.Reached(lacks, target.process_state() == 'T');
      if (!decided) std::this_thread::sleep_for(kSlice);
    }
    if (hash) {
      Annotate(*hash);
    } else if (Gone()) {
      undecided.push_back(fmt::format("member {} still lacked revision {}", member, at.value));
    } else {
      Annotate(MemberBehind{.member = member,
                            .revision = at.value,
                            .lacks = lacks,
                            .waited_ms = StandStill::kLimit / 1ms,
                            .applied = HasAppliedTheLog(environment_, member)});
    }
  }
}

// What never answers a put is silent, whatever else it answers.
Revision LiveServer::PutSentinel() {
  const TimePoint asked = Clock::now();
  const auto sentinel = PutByRoot("sentinel");
  if (sentinel.has_value()) return *sentinel;
  if (IsNoAnswer(sentinel.error().code()) && !Gone()) {
    Annotate(TargetSilent{.asked = "a put", .waited_ms = (Clock::now() - asked) / 1ms});
  }
  return {};
}

// By the client or the stream that it names, or by the last of its lines that a script caused.
std::uint32_t LiveServer::ScriptOf(const Finding& finding) const {
  if (finding.watch.starts_with(kOfClient)) {
    return ScriptOfClient(std::string_view(finding.watch).substr(kOfClient.size()));
  }
  const auto stream = of_stream_.find(NumberAfter(finding.watch, kStream));
  if (stream != of_stream_.end()) return stream->second;
  std::uint32_t script = 0;
  for (const Line line : finding.evidence) {
    if (line.value < of_line_.size() && of_line_[line.value] != 0) script = of_line_[line.value];
  }
  return script;
}

void LiveServer::Stop() {
  if (std::exchange(stopped_, true)) return;
  std::vector<std::unique_ptr<WatchStream>> streams;
  {
    MutexLock lock(mu_);
    streams.swap(streams_);
  }
  streams.clear();
  control_watch_.reset();
  environment_.Stop();
  pulse_.reset();
  if (recorder_ != nullptr) {
    [[maybe_unused]] const Status closed = recorder_->Close();
  }
  if (follower_.joinable()) follower_.join();
}

}  // namespace watchproof::explore
