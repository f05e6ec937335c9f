// SPDX-License-Identifier: Apache-2.0
#include "harness/session/session.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "harness/base/prng.h"
#include "harness/environment/disk_activity.h"
#include "harness/history/history_parser.h"
#include "harness/promises/promise.h"
#include "harness/session/interrupt.h"
#include "harness/session/verdict.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

constexpr Duration kMemberAnswers = 500ms;
constexpr Duration kTimeToConverge = 10s;  // for its calls
constexpr Duration kConsumerStarts = 30s;  // a whole API server is one
// Enough to see whether the keys are unchanged; values of cases may be large.
constexpr std::int64_t kMostReadBack = 100;

}  // namespace

AttemptSession::AttemptSession(Environment& environment, SessionSetup options)
    : environment_(environment), options_(std::move(options)), time_(options_.time) {}

AttemptSession::~AttemptSession() {
  Stop();
  CloseRecording();
}

Status AttemptSession::OpenRecording() {
  WP_ASSIGN_OR_RETURN(recorder_, Recorder::Open({.file = options_.folder / "history.wire.zst"}));
  return {};
}

// Before the recording begins: what probing writes is in no history.
Status AttemptSession::Probe() {
  if (target().shared()) {
    // Not from the seed: two runs with one seed must not use the same keys on one server.
    Prng prng(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()) ^
              static_cast<std::uint64_t>(getpid()));
    prefix_ =
        options_.prefix.empty() ? fmt::format("watchproof/{}/", prng.Word(12)) : options_.prefix;
  }
  asks_target_ = true;
  WP_RETURN_IF_ERROR(ProbeOffer(target(), options_.demand, options_.profile,
                                options_.missing_of_releases, prefix_, offer_)
                         .WithContext("probing what the target offers"));
  asks_target_ = false;
  return {};
}

Status AttemptSession::Connect() {
  BeginRecording();
  for (int member = 1; member <= environment_.members(); ++member) {
    // Each is its own client: members may serve different revisions.
    const std::string name = member == 1 ? "direct" : fmt::format("direct-{}", member);
    kvs_.push_back(std::make_unique<KvClient>(
        *recorder_, environment_.endpoint(Path::kDirect, member).ToString(),
        KvOptions{.limits = {.in_all = options_.time + kTimeToConverge},
                  .name = name,
                  .writes = write_form()}));
    kvs_.back()->SetToken(environment_.target(member).token());
  }
  MakePorts();
  asks_target_ = true;
  // For what each member reports later.
  if (offer_.offered.contains(Capability::kMaintenance)) {
    for (const auto& kv : kvs_) {
      WP_RETURN_IF_ERROR(StatusOf(kv->Record(Method::kStatus, Message())));
    }
  }
  WP_RETURN_IF_ERROR(OpenControlWatch(target().token()));
  asks_target_ = false;
  return options_.consumer.command.empty() ? Status() : StartConsumer();
}

Status AttemptSession::StartConsumer() {
  WP_ASSIGN_OR_RETURN(
      consumer_, ConsumerLink::Start(environment_, *recorder_, options_.consumer, options_.folder));
  GrantTime(kConsumerStarts);
  const ConsumerProcess& process = consumer_->process();
  PumpUntil([&] { return consumer_->asked_and_answered() || process.exit_state(); },
            Within(kConsumerStarts));
  if (consumer_->asked_and_answered()) return {};
  return Fail(StatusCode::kUnavailable, "the consumer {}: {}",
              process.exit_state() ? process.exit_state()->ToString() : "did not start in time",
              process.LastWords());
}

CallLimits AttemptSession::LimitsOfCalls() const {
  const auto gone = std::chrono::duration_cast<Duration>((Clock::now() - time_since_) / Slowdown());
  return {.in_all = std::max<Duration>(time_ - gone, 0s) + kTimeToConverge};
}

// A running server is identified by its version only: etcd's are three numbers from 3 on.
void AttemptSession::BeginRecording() {
  if (judge_) return;
  RunStarted& started = options_.started;
  started.version = target().version();
  const bool shaped = started.version.starts_with("3.") &&
                      started.version.find_first_not_of("0123456789.") == std::string::npos;
  const bool other = options_.target.product == "etcd" && target().shared() && !shaped;
  started.product = other ? options_.target.name : options_.target.product;
  if (!target().shared()) started.topology = TopologyIn(options_.target.topology);
  started.members = target().shared() ? 0 : environment_.members();
  judge_ = std::make_unique<Judge>(OptionsOf(started), &lag_);
  recorder_->Append({.kind = EntryKind::kRunStarted, .text = ToText(started)});
}

WriteForm AttemptSession::write_form() const {
  return kubernetes_only() ? WriteForm::kKubernetes : WriteForm::kPlain;
}

void AttemptSession::MakePorts() {
  ports_.proxies = environment_.proxies();
  ports_.path = environment_.proxied_path();
  ports_.servers = environment_.ServersForFaults();
  ports_.now = [this] { return recorder_->Now(); };
  ports_.silence = [this] { return recorder_->Now() - traffic_.last_arrival(); };
  ports_.metric = [this](std::string_view name) { return target().Metric(name); };
  ports_.resident_bytes = [this] { return target().ResidentBytes(); };
  ports_.call_by_proxied_path = [this](Deadline deadline) {
    return environment_.Call(Path::kProxied, deadline);
  };
  ports_.closed_streams = [this] { return traffic_.closed(); };
  ports_.last_closed = [this] { return traffic_.last_closed(); };
  ports_.bytes_arrived = [this] { return traffic_.BytesArrived(); };
  ports_.delay = [this] {
    return Duration(std::chrono::microseconds(lag_.Summary().delivery_us.highest()));
  };
  ports_.spread = [this] {
    return Duration(std::chrono::microseconds(lag_.Summary().stream_spread_us.highest()));
  };
  ports_.pace_reader = [this](const ReaderPace& pace) { return PaceReader(pace); };
  ports_.restored = [this](std::int64_t saved, std::int64_t revision) {
    PumpAll();
    Annotate(Restored{.saved = saved, .revision = revision});
  };
  ports_.put = [this]() -> Status {
    const auto put = kv().Put(Placed("wp-probe/put"), "probe");
    return put.has_value() ? Status() : put.error();
  };
  if (!target().shared()) {
    ports_.defragment = [this](std::int64_t member) {
      const Target& asked = environment_.target(static_cast<int>(member));
      return [admin = std::make_shared<AdminClient>(asked.endpoint().ToString(), asked.token())] {
        return admin->Defragment();
      };
    };
    ports_.alarm = [this](bool raised) {
      return StatusOf(kvs_.front()->Record(Method::kAlarm, SpaceAlarm(raised)));
    };
  }
}

// Receives every change on the direct path, so that a write without an answer can be settled later.
Status AttemptSession::OpenControlWatch(const std::string& token) {
  WP_ASSIGN_OR_RETURN(const Revision head, Head());
  if (first_head_ == Revision()) first_head_ = head;
  return WatchAll(target(), token, head.next());
}

Status AttemptSession::WatchAll(const Target& target, const std::string& token, Revision start) {
  WP_ASSIGN_OR_RETURN(control_watch_,
                      WatchStream::Open(*recorder_, {.endpoint = target.endpoint().ToString(),
                                                     .path = "control",
                                                     .token = token}));
  // Everything, or on a target that others use, too, all keys of the attempt.
  control_watch_->Create({.key = FirstKey(), .range_end = EndOfPrefix(prefix_), .start = start});
  return {};
}

// Without it some revisions may stay unknown, and the judge says so.
void AttemptSession::RenewControlWatch() {
  PumpAll();
  if (!control_watch_ || !traffic_.HasEnded(control_watch_->id()) || environment_.Died()) return;
  for (int member = 1; member <= environment_.members(); ++member) {
    const Target& target = environment_.target(member);
    if (!target.Ask(Within(kMemberAnswers)).has_value()) continue;
    [[maybe_unused]] const Status opened =
        WatchAll(target, kvs_.front()->token(), judge_->known_through().next());
    return;
  }
}

Status AttemptSession::GiveRight(AdminClient& admin, const UserRight& right) {
  WP_RETURN_IF_ERROR(admin.AddUser(right.user));
  UserRights& known = rights_[right.user];
  known.user = right.user;
  if (known.roles.empty()) known.roles.push_back(AdminClient::RoleOf(right.user));
  if (right.may == UserMay::kNothing) return {};
  if (right.may == UserMay::kRoot) {
    known.roles.emplace_back(AdminClient::kRoot);
    return admin.MakeRoot(right.user);
  }
  const bool both = right.may == UserMay::kReadAndWrite;
  known.ranges.push_back({.read = both || right.may == UserMay::kRead,
                          .write = both || right.may == UserMay::kWrite,
                          .key = {right.keys.key},
                          .end = {right.keys.range_end}});
  const Permission permission = both                           ? Permission::kReadAndWrite
                                : right.may == UserMay::kWrite ? Permission::kWrite
                                                               : Permission::kRead;
  return admin.Permit(right.user, permission, right.keys);
}

Status AttemptSession::Permit(const UserRight& right) {
  AdminClient admin(environment_.endpoint(Path::kDirect, member_).ToString(), kv().token());
  Annotate(RightsChanged{right.user});
  WP_RETURN_IF_ERROR(GiveRight(admin, right));
  NoteRights(right.user);
  return {};
}

Status AttemptSession::Forbid(const std::string& user, const AdminClient::Keys& keys) {
  AdminClient admin(environment_.endpoint(Path::kDirect, member_).ToString(), kv().token());
  Annotate(RightsChanged{user});
  WP_RETURN_IF_ERROR(admin.Forbid(user, keys));
  UserRights& known = rights_[user];
  std::erase_if(known.ranges, [&keys](const UserRights::Permitted& one) {
    return one.key.bytes == keys.key && one.end.bytes == keys.range_end;
  });
  NoteRights(user);
  return {};
}

void AttemptSession::NoteRights(const std::string& user) {
  Annotate(rights_[user]);
  for (const auto& [name, settings] : stream_settings_) {
    if (settings.user == user) NoteReadRight(streams_.at(name)->id(), settings);
  }
}

Status AttemptSession::UseToken(const std::string& token) {
  for (const auto& kv : kvs_) kv->SetToken(token);
  for (int member = 1; member <= environment_.members(); ++member) {
    environment_.target(member).UseToken(token);
    // One that is behind does not know the login of another one yet.
    if (member == 1) continue;
    WP_RETURN_IF_ERROR(
        StatusOf(AdminClient(environment_.target(member).endpoint().ToString()).LogInAsRoot()));
  }
  return {};
}

Status AttemptSession::LogInAgain() {
  WP_ASSIGN_OR_RETURN(const std::string token,
                      AdminClient(target().endpoint().ToString()).LogInAsRoot());
  return UseToken(token);
}

Status AttemptSession::EnableUsers(const std::vector<UserRight>& rights) {
  AdminClient auth(target().endpoint().ToString());
  // The role of users that are root has to be there before it is given.
  WP_RETURN_IF_ERROR(auth.AddRoot());
  rights_[AdminClient::kRoot] = {.user = AdminClient::kRoot, .roles = {AdminClient::kRoot}};
  for (const UserRight& right : rights) WP_RETURN_IF_ERROR(GiveRight(auth, right));
  // From here on calls without a user are rejected, and watches without one are ended.
  control_watch_.reset();
  WP_ASSIGN_OR_RETURN(const std::string root, auth.Enable());
  WP_RETURN_IF_ERROR(UseToken(root));
  for (const auto& [user, known] : rights_) Annotate(known);
  return OpenControlWatch(root);
}

// Tokens from before are good for nothing.
Status AttemptSession::NoteEnabledAgain() {
  rights_ = std::exchange(kept_rights_, {});
  PumpAll();
  control_watch_.reset();
  WP_RETURN_IF_ERROR(LogInAgain());
  return WatchAll(target(), kv().token(), judge_->known_through().next());
}

Result<WatchStream*> AttemptSession::Stream(const std::string& name,
                                            const StreamSettings& settings) {
  auto& stream = streams_[name];
  if (!stream) {
    const int member = settings.member;
    StreamOptions options{.endpoint = environment_.endpoint(settings.path, member).ToString(),
                          .path = std::string(Name(settings.path)),
                          .token = environment_.target(member).token(),
                          .require_leader = settings.require_leader};
    if (settings.token == kCertificate) {
      WP_ASSIGN_OR_RETURN(const Endpoint own,
                          environment_.target(member).EndpointOf(settings.user));
      options.endpoint = own.ToString();
      options.path = Name(Path::kDirect);
    } else if (!settings.user.empty()) {
      AdminClient auth(environment_.endpoint(Path::kDirect, member).ToString());
      WP_ASSIGN_OR_RETURN(options.token, auth.LogIn(settings.user));
    }
    if (settings.token == kEndedToken) {
      options.token = ended_tokens_[settings.user];
    } else if (!settings.token.empty()) {
      const bool none = settings.token == kNoToken || settings.token == kCertificate;
      options.token = none ? std::string() : settings.token;
    }
    if (const auto neighbour = streams_.find(settings.beside); neighbour != streams_.end()) {
      options.connection = neighbour->second->connection();
    }
    WP_ASSIGN_OR_RETURN(stream, WatchStream::Open(*recorder_, options));
    stream_settings_[name] = settings;
    NoteReadRight(stream->id(), settings);
  }
  return stream.get();
}

void AttemptSession::NoteReadRight(StreamId stream, const StreamSettings& settings) {
  if (rights_.empty()) return;
  std::vector<ReadRight::Range> readable;
  const bool own = settings.token == kCertificate && !settings.user.empty();
  if (settings.token.empty() || own) {
    const auto user = rights_.find(settings.user);
    if (user == rights_.end() || std::ranges::count(user->second.roles, AdminClient::kRoot) > 0)
      return;
    for (const UserRights::Permitted& one : user->second.ranges) {
      if (one.read) readable.push_back({.key = one.key, .end = one.end});
    }
  }
  ReadRight right{.stream = stream, .key = {}, .end = {}};  // to nothing
  if (!readable.empty()) {
    right.key = readable.front().key;
    right.end = readable.front().end;
    right.more.assign(readable.begin() + 1, readable.end());
  }
  Annotate(right);
}

std::string AttemptSession::PlacedEnd(const std::string& range_end) const {
  if (range_end.empty()) return {};
  return range_end == kOpenEnd ? EndOfPrefix(prefix_) : prefix_ + range_end;
}

Status AttemptSession::ReadBack() {
  for (const bool serializable : {false, true}) {
    const std::string_view promise = serializable ? "serializable-read" : "read-of-every-key";
    if ((serializable && kubernetes_only()) || !Asks(promise)) continue;
    Annotate(PromiseAsked{std::string(promise), TextOfPromise(promise)});
    const auto read = ReadKeys({}, serializable);
    if (read.has_value()) continue;
    // Not every store can read such a range; if the target's offer is stated, it must.
    if (!IsAnswer(read.error().code())) return read.error();
    const Trouble trouble{.status = read.error(), .asked = TextOfPromise(promise)};
    if (const std::string known = WhyKnownToOffer(*this, trouble); !known.empty()) {
      Annotate(TargetRefused{.asked = trouble.asked,
                             .refusal = trouble.status.ToString(),
                             .known = known,
                             .member = member_});
    }
  }
  return CheckFloor();
}

Result<Revision> AttemptSession::ReadKeys(Revision at, bool serializable) {
  return kv().Read({.key = FirstKey(),
                    .range_end = EndOfPrefix(prefix_),
                    .limit = kMostReadBack,
                    .revision = at,
                    .serializable = serializable});
}

WatchStream* AttemptSession::StreamOf(StreamId id) {
  for (const auto& [name, stream] : streams_) {
    if (stream && stream->id() == id) return stream.get();
  }
  return nullptr;
}

void AttemptSession::Annotate(const Annotation& annotation) {
  BeginRecording();
  Entry entry = AnnotationEntry(annotation);
  entry.at = recorder_->Now();
  recorder_->Append(std::move(entry));
}

void AttemptSession::RecordFault(std::string text) {
  recorder_->Append({.kind = EntryKind::kFault, .at = recorder_->Now(), .text = std::move(text)});
}

void AttemptSession::Take(const NumberedEntry& line) {
  followed_ = line.line;
  const Entry& entry = line.entry;
  traffic_.Consume(entry);
  judge_->Consume(line);
  if (!options_.consumer.command.empty()) consumer_judge_.Consume(line);
  overlaps_.Consume(line);
  fault_times_.Consume(entry);
}

Overlap AttemptSession::OverlapOf(Duration armed_at, Duration healed_at) const {
  return overlaps_.Between(armed_at, healed_at > Duration::zero() ? healed_at : recorder_->Now());
}

Status AttemptSession::PaceReader(const ReaderPace& pace) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, Stream(pace.stream, {}));
  pacings_.erase(pace.stream);
  if (!pace.messages) {
    stream->ResumeReading();
  } else {
    stream->StopReading();
    if (*pace.messages > 0) pacings_[pace.stream] = {.pace = pace, .due = recorder_->Now()};
  }
  return {};
}

void AttemptSession::ReadOn() {
  for (auto& [name, pacing] : pacings_) {
    const Duration now = recorder_->Now();
    if (now < pacing.due) continue;
    streams_.at(name)->ReadOn(*pacing.pace.messages);
    pacing.due = now + pacing.pace.every;
  }
}

Lag AttemptSession::lag() const {
  Lag lag = lag_.Whole();
  lag.footprints = memory_.Summary();
  return lag;
}

bool AttemptSession::GivesUp() const {
  return Interrupted() || environment_.Died() || silent_ || StopsEarly() || OutOfTime();
}

void AttemptSession::NoteSilence(const std::string& asked, Duration waited) {
  silent_ = true;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
  Annotate(TargetSilent{.member = member_, .asked = asked, .waited_ms = ms});
}

void AttemptSession::NoteDeath(const Environment::Death& death) {
  Annotate(TargetEnded{.member = death.member,
                       .how = death.state.ToString(),
                       .last_words = death.last_words,
                       .ago_ms = death.ago_ms()});
}

void AttemptSession::NoteLateStart(const Environment::LateStart& start, Duration waited) {
  const std::string member =
      environment_.members() == 1 ? "" : fmt::format("member {}: ", start.member);
  Annotate(NotRestarted{.observed = fmt::format("{}{}; nor within {} s after that", member,
                                                start.observed, waited / 1s),
                        .late = true});
}

bool AttemptSession::PumpUntil(const std::function<bool()>& done, Deadline deadline) {
  for (;;) {
    PumpAll();
    if (done()) return true;
    if (deadline.expired() || GivesUp()) return false;
    memory_.Sample(ports_);
    ConfirmFloors();
    const Duration slice = std::min<Duration>(deadline.remaining(), 5ms);
    if (const auto line = recorder_->Next(Within(slice))) Take(*line);
  }
}

void AttemptSession::PumpAll() {
  ReadOn();
  const Line last = recorder_->last();
  while (followed_ < last) {
    const auto line = recorder_->Next(Within(5s));
    if (!line) return;
    Take(*line);
  }
  if (!judge_->ControlWatchWaits()) known_ = judge_->known_through().value;
}

Judgement AttemptSession::Finish() {
  BeginRecording();
  PumpAll();
  if (consumer_ && consumer_->process().exit_state()) {
    Annotate(ConsumerEnded{.how = consumer_->process().exit_state()->ToString(),
                           .last_words = consumer_->process().LastWords()});
  }
  for (const DiskActivity& did : TakeDiskActivity(environment_, recorder_->Now())) Annotate(did);
  Annotate(StageReached{StopsEarly() || OutOfTime() ? Stage::kStopped : Stage::kEnd});
  pacings_.clear();
  streams_.clear();
  if (consumer_) consumer_->Stop();
  control_watch_.reset();
  PumpAll();
  ConfirmFloors();
  // After every message of the streams: no revision in these may be above that of this read.
  const Status read = GivesUp() || kvs_.empty() ? Status() : ReadBack();
  PumpAll();
  Judgement judgement = judge_->Finish();
  if (!read.ok()) judgement.undecided.push_back("reading back at the end: " + read.message());
  if (recorder_->incomplete()) judgement.undecided.push_back("the recording is incomplete");
  return judgement;
}

void AttemptSession::Stop() {
  if (std::exchange(stopped_, true)) return;
  pacings_.clear();
  environment_.HealPaths();
  streams_.clear();
  if (consumer_) consumer_->Stop();
  control_watch_.reset();
  kvs_.clear();
}

void AttemptSession::CloseRecording() {
  if (!recorder_ || std::exchange(closed_, true)) return;
  if (const Status closed = recorder_->Close(); !closed.ok()) {
    fmt::print(stderr, "closing the recording: {}\n", closed.message());
  }
}

}  // namespace watchproof
