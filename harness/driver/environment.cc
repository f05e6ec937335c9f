// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/environment.h"

#include <unistd.h>

#include <algorithm>

#include "harness/base/check.h"
#include "harness/base/prng.h"
#include "harness/client/auth_client.h"
#include "harness/driver/interrupt.h"
#include "harness/driver/plan_check.h"
#include "harness/history/history_parser.h"
#include "harness/targets/probe.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {
constexpr int kProxyPort = 2378;
constexpr Duration kTimeToConverge = 10s;  // for its calls
// Enough to see whether the keys are unchanged; values of cases may be large.
constexpr std::int64_t kMostReadBack = 100;
// One past the last key of any prefix: every key of the store.
const std::string kEveryKey("\0", 1);
// As a range end: all keys from the key on.
const std::string kOpenEnd("\0", 1);

bool Needs(const Plan& plan, Capability capability) {
  return std::find(plan.needs.begin(), plan.needs.end(), capability) != plan.needs.end();
}
// Others may write to a server that the harness did not start.
bool IsShared(const AttemptSpec& spec) {
  const auto target = ParseTargetSpec(spec.target);
  return target.has_value() && target->server.has_value();
}
std::vector<FaultInfo> FaultsOf(const Plan& plan) {
  std::set<std::string> kinds;
  for (const std::string& name : DefinedBy(plan, Subject::kFault)) kinds.insert(KindOf(name));
  std::vector<FaultInfo> faults = KnownFaults();
  std::erase_if(faults, [&kinds](const FaultInfo& fault) { return !kinds.contains(fault.name); });
  return faults;
}

// The runner has parsed it before.
Profile ProfileOf(const AttemptSpec& spec) {
  if (spec.profile.empty()) return {};
  Result<Profile> profile = ParseProfile(spec.profile);
  WP_CHECK(profile.has_value(), "the profile of an attempt parses");
  return std::move(profile).value();
}
}  // namespace

Environment::Environment(const AttemptSpec& spec, const Plan& plan)
    : spec_(spec),
      profile_(ProfileOf(spec)),
      beyond_requests_(BeyondRequests(plan, profile_.requests)),
      needs_(plan.needs),
      faults_(FaultsOf(plan)),
      folder_(spec.folder),
      started_({.case_name = spec.case_name,
                .seed = FormatSeed(spec.seed),
                .permit_compacted_at_the_floor =
                    plan.permit_compacted_at_the_floor || profile_.compacted_at_the_floor,
                .strict_previous = Needs(plan, Capability::kStrictPreviousValues),
                .gaps = IsShared(spec) || LeavesRevisionsOut(plan, profile_),
                .others_compact = IsShared(spec),
                .deviations = profile_.deviations}),
      judge_(OptionsOf(started_), &lag_),
      shape_(plan.cluster),
      deadline_(TimeForSteps(spec)) {}

Environment::~Environment() { Stop(); }

Status Environment::Start() {
  WP_ASSIGN_OR_RETURN(recorder_, Recorder::Open({.file = folder_ / "history.wire.zst"}));
  context_.emplace(*recorder_);
  WP_RETURN_IF_ERROR(StartTarget());
  if (target().shared()) {
    // Not from the seed: two runs with one seed must not use the same keys on one server.
    Prng prng(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()) ^
              static_cast<std::uint64_t>(getpid()));
    prefix_ = spec_.prefix.empty() ? fmt::format("watchproof/{}/", prng.Word(12)) : spec_.prefix;
  }
  Status probed = Probe();
  if (!probed.ok()) return std::move(probed).WithContext("probing what the target offers");
  if (!missing_.empty()) return {};
  BeginRecording();
  for (int member = 1; member <= members(); ++member) {
    // Each is its own client: members may serve different revisions.
    const std::string name = member == 1 ? "direct" : fmt::format("direct-{}", member);
    kvs_.push_back(std::make_unique<KvClient>(
        *context_, target(member).endpoint().ToString(),
        KvOptions{
            .until = deadline_.at() + kTimeToConverge, .name = name, .writes = write_form()}));
    kvs_.back()->SetToken(target(member).token());
  }
  WP_RETURN_IF_ERROR(OpenPaths());
  MakePorts();
  return OpenControlWatch(target().token());
}

// A running server is identified by its version only: etcd's are three numbers from 3 on.
void Environment::BeginRecording() {
  if (std::exchange(begun_, true)) return;
  const std::string version = target().version();
  const auto spec = ParseTargetSpec(spec_.target);
  const bool shaped =
      version.starts_with("3.") && version.find_first_not_of("0123456789.") == std::string::npos;
  started_.version = version;
  const bool is_etcd = spec.has_value() && spec->product == "etcd" && (!spec->server || shaped);
  started_.product = is_etcd ? "etcd" : "";
  started_.members = target().shared() ? 0 : members();
  recorder_->Append({.kind = EntryKind::kRunStarted, .text = ToText(started_)});
}

Status Environment::StartTarget() {
  WP_ASSIGN_OR_RETURN(TargetSpec spec, ParseTargetSpec(spec_.target));
  spec.allow_disruptive = spec_.allow_disruptive;
  spec.access = spec_.access;
  proxies_ = std::make_unique<proxy::Proxies>();
  return cluster_.Start(
      {.spec = std::move(spec),
       .plan = shape_,
       .folder = folder_,
       .durable = std::count(needs_.begin(), needs_.end(), Capability::kDurable) > 0,
       .strict_previous_values = started_.strict_previous,
       .seed = spec_.seed},
      *proxies_);
}

Status Environment::OpenPaths() {
  const bool follow_streams = std::any_of(
      faults_.begin(), faults_.end(), [](const FaultInfo& fault) { return fault.follows_streams; });
  for (int member = 1; member <= members(); ++member) {
    const Endpoint server = target(member).endpoint();
    const bool server_is_ours = target(member).ours();
    paths_.push_back(server);
    if (spec_.bypass_proxy) continue;
    WP_ASSIGN_OR_RETURN(
        const proxy::ProxyId path,
        proxies_->Open({.name = member == 1 ? "proxied" : "proxied " + MemberName(member),
                        .listen_host = cluster_.host(member),
                        .listen_port = kProxyPort,
                        .target_host = server.host,
                        .target_port = server.port,
                        .seed = spec_.seed,
                        .follow_streams = follow_streams,
                        .self_test = server_is_ours}));
    if (member == 1) ports_.path = path;
    paths_.back() = {cluster_.host(member), kProxyPort};
  }
  if (!spec_.bypass_proxy) ports_.proxies = proxies_.get();
  return {};
}

ServerPorts Environment::PortsOf(int member) {
  Target& server = target(member);
  const auto ask = [&server](Deadline deadline) -> Result<ServerWord> {
    WP_ASSIGN_OR_RETURN(const ServerStatus status,
                        AskStatus(server.endpoint(), deadline, server.token()));
    return ServerWord{.version = status.version,
                      .revision = status.revision,
                      .member = status.member,
                      .leader = status.leader,
                      .term = status.term};
  };
  return {.ask = ask,
          .kill = [&server] { return server.Kill(); },
          .terminate = [&server](Deadline deadline) { return server.Terminate(deadline); },
          .restart = [&server](
                         Deadline deadline,
                         const std::string& release) { return server.Restart(deadline, release); },
          .pause = [&server] { return server.Pause(); },
          .proceed = [&server] { return server.Continue(); },
          .process_state = [&server] { return server.process_state(); },
          .hand_over =
              [&server](std::uint64_t to) { return MoveLeader(server.endpoint(), to, Within(5s)); },
          .metric = [this, member](std::string_view name) { return MetricOf(member, name); },
          .peer_path = members() > 1 ? cluster_.peer_path(member) : proxy::ProxyId(),
          .caller = CallerName(cluster_.id(member))};
}

void Environment::MakePorts() {
  ports_.now = [this] { return recorder_->Now(); };
  ports_.silence = [this] { return recorder_->Now() - last_arrival_; };
  ports_.metric = [this](std::string_view name) { return MetricOf(1, name); };
  ports_.call_by_proxied_path = [this](Deadline deadline) -> Status {
    const auto answer = AskStatus(ProxiedPath(1), deadline, target().token());
    return answer.has_value() ? Status() : answer.error();
  };
  ports_.closed_streams = [this] {
    PumpAll();
    return closed_streams_;
  };
  ports_.last_closed = [this] { return last_closed_; };
  ports_.bytes_arrived = [this] {
    std::vector<std::int64_t> bytes;
    for (const auto& [stream, arrived] : arrived_) bytes.push_back(arrived.bytes);
    return bytes;
  };
  ports_.delay = [this] {
    return Duration(std::chrono::microseconds(lag_.Summary().delivery_us.highest()));
  };
  ports_.spread = [this] {
    return Duration(std::chrono::microseconds(lag_.Summary().stream_spread_us.highest()));
  };
  ports_.findings = [this] { return judge_.findings().size() + judge_.overtaken(); };
  for (int member = 1; member <= members(); ++member) ports_.servers.push_back(PortsOf(member));
  MakeDisturbancePorts();
}

void Environment::MakeDisturbancePorts() {
  ports_.pace_reader = [this](const ReaderPace& pace) { return PaceReader(pace); };
  ports_.put = [this]() -> Status {
    const auto put = kv().Put(Placed("wp-probe/put"), "probe");
    return put.has_value() ? Status() : put.error();
  };
  if (!target().shared()) {
    maintenance_ = std::make_unique<MaintenanceClient>(target().endpoint().ToString());
    ports_.defragment = [this] { return maintenance_->Defragment(); };
    ports_.alarm = [this](bool raised) {
      return raised ? maintenance_->RaiseAlarm() : maintenance_->LowerAlarm();
    };
  }
}

std::optional<double> Environment::MetricOf(int member, std::string_view name) {
  const auto metrics = target(member).ReadMetrics();
  if (!metrics.has_value()) return std::nullopt;
  const auto found = metrics->find(name);
  return found == metrics->end() ? std::nullopt : std::optional(found->second);
}

// Receives every change on the direct path, so that a write without an answer can be settled later.
Status Environment::OpenControlWatch(const std::string& token) {
  WP_ASSIGN_OR_RETURN(const Revision head, Head());
  if (first_head_ == Revision()) first_head_ = head;
  WP_ASSIGN_OR_RETURN(control_watch_,
                      WatchStream::Open(*context_, {.endpoint = target().endpoint().ToString(),
                                                    .path = "control",
                                                    .token = token}));
  // Everything, or on a target that others use, too, all keys of the attempt.
  control_watch_->Create({.key = prefix_.empty() ? kEveryKey : prefix_,
                          .range_end = prefix_.empty() ? kEveryKey : EndOfPrefix(prefix_),
                          .start = head.next()});
  return {};
}

std::string Environment::TamperProblem() {
  if (target().ours()) return {};
  for (const FaultInfo& fault : faults_) {
    if (fault.self_test_only)
      return "messages to tamper with, which fault " + fault.name + " needs";
  }
  return {};
}

// Before the recording begins: what probing writes is in no history.
Status Environment::Probe() {
  missing_ = TamperProblem();
  Capabilities wanted(needs_.begin(), needs_.end());
  // Without the proxy a fault cannot take effect; its receipt says so.
  wanted.erase(Capability::kProxy);
  const Stated stated = StatedOfTarget();
  stated_ = !stated.offered.empty();
  if (!beyond_requests_.empty()) {
    missing_ += fmt::format("{}{}, which profile {} leaves out", missing_.empty() ? "" : ", ",
                            beyond_requests_, profile_.name);
  }
  if (wanted.empty()) return {};
  WP_ASSIGN_OR_RETURN(
      const Capabilities offered,
      ProbeCapabilities(target(), wanted, Within(10s),
                        {.stated = stated, .prefix = prefix_.empty() ? "" : prefix_ + "probe/"}));
  for (const Capability need : wanted) {
    if (offered.contains(need)) continue;
    missing_ += fmt::format("{}{}", missing_.empty() ? "" : ", ", Name(need));
    const bool of_the_api = need < Capability::kOurs && need != Capability::kStrictPreviousValues;
    if (of_the_api && !stated.missing.contains(need)) found_missing_.emplace_back(Name(need));
  }
  return {};
}

// What the target's kind and version offer, corrected by the manifest's row of the release, then by
// the profile.
Stated Environment::StatedOfTarget() {
  Stated stated = target().stated();
  const auto state = [&stated](Capability capability, bool offered) {
    (offered ? stated.offered : stated.missing).insert(capability);
    (offered ? stated.missing : stated.offered).erase(capability);
  };
  if (const auto release = spec_.missing.find(target().version()); release != spec_.missing.end()) {
    for (const std::string& name : release->second) {
      if (const auto capability = FindCapability(name)) state(*capability, false);
    }
  }
  for (const Capability capability : profile_.stated.offered) state(capability, true);
  for (const Capability capability : profile_.stated.missing) state(capability, false);
  return stated;
}

Status Environment::EnableUsers(const std::vector<RestrictedReader>& readers) {
  AuthClient auth(target().endpoint().ToString());
  for (const RestrictedReader& reader : readers) {
    WP_RETURN_IF_ERROR(auth.AddReader(reader.user, reader.key, reader.range_end));
    readers_[reader.user] = reader;
  }
  // From here on calls without a user are rejected, and watches without one are ended.
  control_watch_.reset();
  WP_ASSIGN_OR_RETURN(const std::string root, auth.Enable());
  for (const auto& kv : kvs_) kv->SetToken(root);
  return OpenControlWatch(root);
}

Result<WatchStream*> Environment::Stream(const std::string& name, const StreamSettings& settings) {
  auto& stream = streams_[name];
  if (!stream) {
    const bool direct = name.starts_with("direct");
    const Endpoint server = target(settings.member).endpoint();
    StreamOptions options{.endpoint = (direct ? server : ProxiedPath(settings.member)).ToString(),
                          .path = direct ? "direct" : "proxied",
                          .token = target(settings.member).token(),
                          .require_leader = settings.require_leader};
    if (!settings.user.empty()) {
      AuthClient auth(server.ToString());
      WP_ASSIGN_OR_RETURN(options.token, auth.LogIn(settings.user));
    }
    WP_ASSIGN_OR_RETURN(stream, WatchStream::Open(*context_, options));
    if (const auto reader = readers_.find(settings.user); reader != readers_.end()) {
      Annotate(ReadRight{
          .stream = stream->id(), .key = {reader->second.key}, .end = {reader->second.range_end}});
    }
  }
  return stream.get();
}

std::vector<std::string> Environment::StreamNames() const {
  std::vector<std::string> names;
  for (const auto& [name, stream] : streams_) {
    if (stream) names.push_back(name);
  }
  return names;
}

std::string Environment::PlacedEnd(const std::string& range_end) const {
  if (range_end.empty()) return {};
  if (range_end != kOpenEnd) return prefix_ + range_end;
  return prefix_.empty() ? kOpenEnd : EndOfPrefix(prefix_);
}

Status Environment::ReadBack() {
  for (const bool serializable : {false, true}) {
    if (serializable && profile_.requests == Profile::Requests::kKubernetes) continue;
    const auto read = kv().Read({.key = prefix_.empty() ? kEveryKey : prefix_,
                                 .range_end = prefix_.empty() ? kEveryKey : EndOfPrefix(prefix_),
                                 .limit = kMostReadBack,
                                 .serializable = serializable});
    if (!read.has_value()) return read.error();
  }
  return CheckFloor();
}

WatchStream* Environment::StreamOf(StreamId id) {
  for (const auto& [name, stream] : streams_) {
    if (stream && stream->id() == id) return stream.get();
  }
  return nullptr;
}

void Environment::Annotate(const Annotation& annotation) {
  BeginRecording();
  Entry entry = AnnotationEntry(annotation);
  entry.at = recorder_->Now();
  recorder_->Append(std::move(entry));
}

void Environment::Take(const NumberedEntry& line) {
  followed_ = line.line;
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kStreamOpened && entry.text == "proxied") {
    proxied_.insert(entry.stream);
    arrived_[entry.stream];
  } else if (proxied_.contains(entry.stream)) {
    if (entry.kind == EntryKind::kResponseReceived) {
      last_arrival_ = entry.at;
      Arrived& arrived = arrived_[entry.stream];
      ++arrived.responses;
      arrived.bytes +=
          static_cast<std::int64_t>(entry.payload.view().size() + entry.tail.view().size());
    } else if (entry.kind == EntryKind::kStreamClosed) {
      ++closed_streams_;
      last_closed_ = entry.at;
    }
  }
  if (entry.kind == EntryKind::kStreamClosed) ended_.insert(entry.stream);
  judge_.Consume(line);
  overlaps_.Consume(line);
  fault_times_.Consume(entry);
}

Environment::Arrived Environment::ArrivedAt(StreamId stream) const {
  const auto found = arrived_.find(stream);
  return found == arrived_.end() ? Arrived() : found->second;
}

Overlap Environment::OverlapOf(Duration armed_at, Duration healed_at) const {
  return overlaps_.Between(armed_at, healed_at > Duration::zero() ? healed_at : recorder_->Now());
}

Status Environment::PaceReader(const ReaderPace& pace) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, Stream(pace.stream));
  pacings_.erase(pace.stream);
  if (!pace.messages) {
    stream->ResumeReading();
  } else {
    stream->StopReading();
    if (*pace.messages > 0) pacings_[pace.stream] = {.pace = pace, .due = recorder_->Now()};
  }
  return {};
}

void Environment::ReadOn() {
  for (auto& [name, pacing] : pacings_) {
    const Duration now = recorder_->Now();
    if (now < pacing.due) continue;
    streams_.at(name)->ReadOn(*pacing.pace.messages);
    pacing.due = now + pacing.pace.every;
  }
}

Lag Environment::lag() const {
  Lag lag = lag_.Summary();
  lag.footprints = memory_.Summary();
  return lag;
}

bool Environment::GivesUp() const {
  return Interrupted() || Died() || silent_ || StopsEarly() || OutOfTime();
}

void Environment::NoteSilence(const std::string& asked, Duration waited) {
  silent_ = true;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
  Annotate(TargetSilent{.member = member_, .asked = asked, .waited_ms = ms});
}

void Environment::NoteDeath(const Cluster::Death& death) {
  Annotate(TargetEnded{
      .member = death.member, .how = death.state.ToString(), .last_words = death.last_words});
}

bool Environment::PumpUntil(const std::function<bool()>& done, Deadline deadline) {
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

void Environment::PumpAll() {
  ReadOn();
  const Line last = recorder_->last();
  while (followed_ < last) {
    const auto line = recorder_->Next(Within(5s));
    if (!line) return;
    Take(*line);
  }
}

Judgement Environment::Finish() {
  PumpAll();
  Annotate(StageReached{StopsEarly() || OutOfTime() ? Stage::kStopped : Stage::kEnd});
  pacings_.clear();
  streams_.clear();
  control_watch_.reset();
  PumpAll();
  ConfirmFloors();
  // After every message of the streams: no revision in these may be above that of this read.
  const Status read = GivesUp() ? Status() : ReadBack();
  PumpAll();
  Judgement judgement = judge_.Finish();
  // Not every store can read such a range; if the target's offer is stated, it must.
  const bool may_refuse = !stated_ && IsRefusal(read.code());
  if (!read.ok() && !may_refuse)
    judgement.undecided.push_back("reading back at the end: " + read.message());
  if (recorder_->incomplete()) judgement.undecided.push_back("the recording is incomplete");
  return judgement;
}

void Environment::Stop() {
  if (std::exchange(stopped_, true)) return;
  pacings_.clear();
  if (proxies_) proxies_->HealAll();
  streams_.clear();
  control_watch_.reset();
  kvs_.clear();
  maintenance_.reset();
  if (proxies_) proxies_->Stop();
  cluster_.Stop();
  if (recorder_) {
    if (const Status closed = recorder_->Close(); !closed.ok()) {
      fmt::print(stderr, "closing the recording: {}\n", closed.message());
    }
  }
}

}  // namespace watchproof
