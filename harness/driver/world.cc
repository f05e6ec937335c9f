// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/world.h"

#include <unistd.h>

#include <algorithm>

#include "harness/base/prng.h"
#include "harness/client/auth_client.h"
#include "harness/driver/interrupt.h"
#include "harness/history/narrator.h"
#include "harness/targets/probe.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {
constexpr int kProxyPort = 2378;
// Enough to see whether the keys are as they were left; values of cases may be large.
constexpr std::int64_t kMostReadBack = 100;
// One past the last key of any prefix: every key of the store.
const std::string kEveryKey("\0", 1);
// From its key on, as the end of a range.
const std::string kOpenEnd("\0", 1);

// Requires: the last byte is below 0xff.
std::string EndOfPrefix(std::string prefix) {
  ++prefix.back();
  return prefix;
}

bool Needs(const Plan& plan, Capability capability) {
  return std::find(plan.needs.begin(), plan.needs.end(), capability) != plan.needs.end();
}
// Others write to a server that was there before us: not every revision is ours.
bool IsShared(const AttemptSpec& spec) {
  const auto target = ParseTargetSpec(spec.target);
  return target.has_value() && !target->host.empty();
}
bool FollowsStreams(const Plan& plan) {
  const std::vector<FaultInfo> faults = KnownFaults();
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&faults](const Step& step) {
    const auto* inject = std::get_if<InjectStep>(&step);
    return inject && std::any_of(faults.begin(), faults.end(), [inject](const FaultInfo& fault) {
             return fault.follows_streams && fault.name == inject->fault;
           });
  });
}
}  // namespace

World::World(const AttemptSpec& spec, const Plan& plan)
    : spec_(spec),
      needs_(plan.needs),
      follow_streams_(FollowsStreams(plan)),
      folder_(spec.folder),
      judging_({.permit_compacted_at_the_floor = plan.permit_compacted_at_the_floor,
                .strict_previous = Needs(plan, Capability::kStrictPreviousValues),
                .gaps = IsShared(spec)}),
      judge_(judging_, &lag_) {}

World::~World() { Stop(); }

Status World::Start() {
  WP_ASSIGN_OR_RETURN(LoopbackAddress address, LoopbackAddress::Reserve());
  address_.emplace(std::move(address));
  WP_ASSIGN_OR_RETURN(recorder_, Recorder::Open({.file = folder_ / "history.wire.zst"}));
  context_.emplace(*recorder_);
  WP_ASSIGN_OR_RETURN(TargetSpec target, ParseTargetSpec(spec_.target));
  target.allow_disruptive = spec_.allow_disruptive;
  WP_ASSIGN_OR_RETURN(target_, MakeTarget(target));
  const bool lasting = std::count(needs_.begin(), needs_.end(), Capability::kDurable) > 0;
  if (Status started = target_->Start({.host = address_->host(),
                                       .folder = folder_,
                                       .lasting = lasting,
                                       .strict_previous_values = judging_.strict_previous});
      !started.ok()) {
    target_failed_ = true;
    return started;
  }
  if (target_->shared()) {
    // Not of the seed: two runs with one seed must not meet on one server.
    Prng prng(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()) ^
              static_cast<std::uint64_t>(getpid()));
    prefix_ = fmt::format("watchproof/{}/", prng.Word(12));
  }
  Status probed = Probe();
  if (!probed.ok()) return std::move(probed).WithContext("probing what the target offers");
  if (!missing_.empty()) return {};
  recorder_->Append(
      {.kind = EntryKind::kRunStarted,
       .text = fmt::format(R"({{"format":1,"case":"{}","seed":"{}","version":"{}",)"
                           R"("permit_compacted_at_the_floor":{},"strict_previous":{},"gaps":{}}})",
                           spec_.case_name, FormatSeed(spec_.seed), target_->version(),
                           judging_.permit_compacted_at_the_floor, judging_.strict_previous,
                           judging_.gaps)});
  kv_ = std::make_unique<KvClient>(*context_, target_->endpoint().ToString());
  WP_RETURN_IF_ERROR(OpenProxy());
  MakePorts();
  return OpenWitness();
}

Status World::OpenProxy() {
  road_ = target_->endpoint();
  if (spec_.bypass_proxy) return {};
  proxies_ = std::make_unique<proxy::Proxies>();
  WP_ASSIGN_OR_RETURN(ports_.road, proxies_->Open({.name = "faulted",
                                                   .listen_host = address_->host(),
                                                   .listen_port = kProxyPort,
                                                   .target_host = target_->endpoint().host,
                                                   .target_port = target_->endpoint().port,
                                                   .seed = spec_.seed,
                                                   .follow_streams = follow_streams_}));
  ports_.proxies = proxies_.get();
  road_ = {address_->host(), kProxyPort};
  return {};
}

void World::MakePorts() {
  ports_.now = [this] { return recorder_->Now(); };
  ports_.silence = [this] { return recorder_->Now() - last_arrival_; };
  ports_.metric = [this](std::string_view name) -> std::optional<double> {
    const auto metrics = target_->ReadMetrics();
    if (!metrics.has_value()) return std::nullopt;
    const auto found = metrics->find(name);
    return found == metrics->end() ? std::nullopt : std::optional(found->second);
  };
  ports_.call_by_road = [this]() -> Status {
    const auto answer = AskStatus(road_, Within(5s));
    return answer.has_value() ? Status() : answer.error();
  };
  ports_.revision = [this]() -> Result<std::int64_t> {
    WP_ASSIGN_OR_RETURN(const ServerStatus status, AskStatus(target_->endpoint(), Within(5s)));
    return status.revision;
  };
  ports_.closed_streams = [this] {
    PumpAll();
    return closed_streams_;
  };
  if (!target_->durable()) return;
  ports_.kill_target = [this] { return target_->Kill(); };
  ports_.restart_target = [this](Deadline deadline) { return target_->Restart(deadline); };
}

// Sees every change by the side door, so that a write whose answer was lost can be settled later.
Status World::OpenWitness() {
  WP_ASSIGN_OR_RETURN(const Revision head, kv_->Head());
  WP_ASSIGN_OR_RETURN(
      witness_, WatchStream::Open(*context_,
                                  {.endpoint = target_->endpoint().ToString(), .road = "witness"}));
  // Everything, or on a target that others use too everything of ours.
  witness_->Create({.key = prefix_.empty() ? kEveryKey : prefix_,
                    .range_end = prefix_.empty() ? kEveryKey : EndOfPrefix(prefix_),
                    .start = head.next()});
  return {};
}

// By asking, before the recording begins: what this writes is in no history.
Status World::Probe() {
  Capabilities wanted(needs_.begin(), needs_.end());
  // Without our proxy a fault cannot be felt, which is for its receipt to tell.
  wanted.erase(Capability::kProxy);
  if (wanted.empty()) return {};
  WP_ASSIGN_OR_RETURN(const Capabilities offered, ProbeCapabilities(*target_, wanted, Within(10s)));
  for (const Capability need : wanted) {
    if (offered.contains(need)) continue;
    missing_ += fmt::format("{}{}", missing_.empty() ? "" : ", ", Name(need));
  }
  return {};
}

Status World::AskForUsers(const std::vector<WorldReader>& readers) {
  AuthClient auth(target_->endpoint().ToString());
  for (const WorldReader& reader : readers) {
    WP_RETURN_IF_ERROR(auth.AddReader(reader.user, reader.key, reader.range_end));
    readers_[reader.user] = reader;
  }
  WP_ASSIGN_OR_RETURN(const std::string root, auth.Enable());
  kv_->SetToken(root);
  return {};
}

Result<WatchStream*> World::Stream(const std::string& name, const std::string& user) {
  auto& stream = streams_[name];
  if (!stream) {
    const bool side = name.starts_with("side");
    const Endpoint road = side ? target_->endpoint() : road_;
    StreamOptions options{.endpoint = road.ToString(), .road = side ? "side" : "faulted"};
    if (!user.empty()) {
      AuthClient auth(target_->endpoint().ToString());
      WP_ASSIGN_OR_RETURN(options.token, auth.LogIn(user));
    }
    WP_ASSIGN_OR_RETURN(stream, WatchStream::Open(*context_, options));
    if (const auto reader = readers_.find(user); reader != readers_.end()) {
      Mark(RightMark({.where = {},
                      .stream = stream->id(),
                      .key = reader->second.key,
                      .end = reader->second.range_end}));
    }
  }
  return stream.get();
}

std::unique_ptr<Load> World::StartLoad(const LoadStep& step) {
  LoadStep placed = step;
  placed.key = Placed(step.key);
  const Endpoint& road = step.side ? target_->endpoint() : road_;
  return std::make_unique<Load>(*context_, road.ToString(), placed);
}

std::string World::PlacedEnd(const std::string& range_end) const {
  if (range_end.empty()) return {};
  if (range_end != kOpenEnd) return prefix_ + range_end;
  return prefix_.empty() ? kOpenEnd : EndOfPrefix(prefix_);
}

Status World::ReadBack() {
  for (const bool serializable : {false, true}) {
    const auto read = kv_->Read({.key = prefix_.empty() ? kEveryKey : prefix_,
                                 .range_end = prefix_.empty() ? kEveryKey : EndOfPrefix(prefix_),
                                 .limit = kMostReadBack,
                                 .serializable = serializable});
    if (!read.has_value()) return read.error();
  }
  return {};
}

Status World::CleanUp() {
  if (prefix_.empty() || !kv_ || target_->died()) return {};
  const auto deleted = kv_->Delete(prefix_, EndOfPrefix(prefix_));
  return deleted.has_value() ? Status() : deleted.error();
}

WatchStream* World::StreamOf(StreamId id) {
  for (const auto& [name, stream] : streams_) {
    if (stream && stream->id() == id) return stream.get();
  }
  return nullptr;
}

void World::Mark(const std::string& text) {
  recorder_->Append({.kind = EntryKind::kMark, .at = recorder_->Now(), .text = text});
}

void World::Take(const NumberedEntry& line) {
  followed_ = line.line;
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kStreamOpened && entry.text == "faulted") {
    faulted_.insert(entry.stream);
  } else if (faulted_.contains(entry.stream)) {
    if (entry.kind == EntryKind::kResponseReceived) last_arrival_ = entry.at;
    if (entry.kind == EntryKind::kStreamClosed) ++closed_streams_;
  }
  if (entry.kind == EntryKind::kStreamClosed) ended_.insert(entry.stream);
  judge_.Consume(line);
  calls_.Consume(line);
  lag_.Consume(line);
}

Lag World::lag() const {
  Lag lag = lag_.Summary();
  lag.footprints = memory_.Summary();
  return lag;
}

bool World::GivesUp() const { return Interrupted() || target_->died() || StopsEarly(); }

bool World::PumpUntil(const std::function<bool()>& done, Deadline deadline) {
  for (;;) {
    PumpAll();
    if (done()) return true;
    if (deadline.expired() || GivesUp()) return false;
    memory_.Sample(ports_);
    const Duration slice = std::min<Duration>(deadline.remaining(), 5ms);
    if (const auto line = recorder_->Next(Within(slice))) Take(*line);
  }
}

void World::PumpAll() {
  const Line last = recorder_->last();
  while (followed_ < last) {
    const auto line = recorder_->Next(Within(5s));
    if (!line) return;
    Take(*line);
  }
}

Judgement World::Finish() {
  PumpAll();
  Mark(StopsEarly() ? "stopped" : "end");
  streams_.clear();
  witness_.reset();
  // Behind every message of the streams: whatever these told of the store cannot lie beyond it.
  const Status read = GivesUp() ? Status() : ReadBack();
  PumpAll();
  Judgement judgement = judge_.Finish();
  if (!read.ok()) judgement.undecided.push_back("reading back at the end: " + read.message());
  if (recorder_->incomplete()) judgement.undecided.push_back("the recording is incomplete");
  return judgement;
}

void World::Stop() {
  if (std::exchange(stopped_, true)) return;
  if (proxies_) proxies_->HealAll();
  streams_.clear();
  witness_.reset();
  kv_.reset();
  if (proxies_) proxies_->Stop();
  if (target_) target_->Stop();
  if (recorder_) {
    if (const Status closed = recorder_->Close(); !closed.ok()) {
      fmt::print(stderr, "closing the recording: {}\n", closed.message());
    }
  }
}

}  // namespace watchproof
