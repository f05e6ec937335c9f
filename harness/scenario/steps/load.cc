// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/load.h"

#include "harness/base/prng.h"
#include "harness/scenario/step_context.h"
#include "harness/script/drawn_calls.h"
#include "harness/session/consumer_link.h"
#include "harness/targets/probe.h"

namespace watchproof {
namespace {

const StepRegistration<LoadStep, AwaitLoadStep, StopLoadStep> kLoadSteps;

constexpr std::size_t kValueBytes = 24;
constexpr std::size_t kMostBytesOfCall = 64;
// A call that a fault has swallowed must not block its client for the rest of the run.
constexpr Duration kCallLimit = 2s;
constexpr Duration kLoadPatience = 30s;       // for all calls of a load
constexpr std::uint64_t kHighestVersion = 3;  // that a transaction asks for
constexpr double kOnLeases = 0.25;            // of the calls of a client that has some
constexpr double kCompactions = 0.02;
constexpr std::int64_t kMostKept = 40;  // revisions, by a compaction
constexpr std::size_t kLeases = 2;      // of a client, at a time

// One client, on its own connection and thread.
class LoadClient {
 public:
  // The key of the step is that on the target.
  LoadClient(Recorder& recording, const Endpoint& endpoint, const KvOptions& options,
             const LoadStep& placed, std::size_t number, const std::string& no_end,
             const std::atomic<std::int64_t>& known)
      : step_(placed),
        known_(known),
        endpoint_(endpoint),
        kv_(recording, endpoint.ToString(), options),
        prng_(Prng(placed.seed).Fork(options.name)),
        drawn_(placed.key + "/", number, prng_.Fork("drawn"), no_end) {}

  // What would end by itself later would do so at any moment, even while the streams are closed.
  ~LoadClient() {
    for (const std::int64_t lease : leases_) {
      [[maybe_unused]] const auto revoked = kv_.Revoke(lease);
    }
  }
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  void SetToken(const std::string& token) { kv_.SetToken(token); }

  Result<Revision> CallOnce() {
    Result<Revision> done = CallAny();
    if (done.has_value()) seen_ = std::max(seen_, *done);
    if (step_.pause > Duration()) std::this_thread::sleep_for(step_.pause);
    return done;
  }

 private:
  Result<Revision> CallAny() {
    if (step_.compacts && prng_.Chance(kCompactions)) {
      const Revision at = Revision(known_.load()).plus(-prng_.Between(0, kMostKept));
      if (at.value > 0) return kv_.Compact(at, KvClient::Answer::kAtOnce);
    }
    if (step_.leases && prng_.Chance(kOnLeases)) return CallForLease();
    if (step_.hashes_only) return AskWholeHash(endpoint_, Within(kCallLimit), kv_.token());
    if (step_.drawn) return kv_.Send(drawn_.Next(Revision(known_.load()), leases_));
    const std::string key = fmt::format("{}/{}", step_.key, prng_.Below(step_.keys));
    const auto value = [&] { return ConsumerValue(key, prng_.Word(kValueBytes)); };
    // '0' is one above '/': every key of the load.
    const std::string from = step_.key + "/";
    const std::string end = step_.key + "0";
    if (step_.guarded) {
      return kv_.Transact(
          {.compares =
               {{.key = from, .range_end = end, .result = CompareResult::kGreater, .number = -1}},
           .success = {PutRequest{.key = key, .value = value()}}});
    }
    if (step_.together) {
      TxnRequest all;
      for (std::uint64_t i = 0; i < step_.keys; ++i) {
        const std::string one = fmt::format("{}/{}", step_.key, i);
        all.success.emplace_back(PutRequest{.key = one, .value = prng_.Word(kValueBytes)});
      }
      return kv_.Transact(all);
    }
    if (step_.whole_reads) {
      return kv_.ReadUnjudged({.key = from, .range_end = end, .serializable = true});
    }
    if (step_.parts_only) return kv_.ReadInParts({.key = from, .range_end = end});
    if (step_.puts_only) return kv_.Put(key, value());
    if (step_.reads_only) return kv_.Read({.key = key, .serializable = step_.serializable});
    const std::uint64_t dice = prng_.Below(100);
    if (dice < 40) return kv_.Put(key, value());
    if (dice < 50) return kv_.Delete(key, {});
    if (dice < 65) {
      const auto version = static_cast<std::int64_t>(prng_.Below(kHighestVersion));
      return kv_.Swap(key, version, value());
    }
    const bool serializable = prng_.Chance(0.5);
    if (dice < 80) {
      return kv_.Read({.key = from, .range_end = end, .serializable = serializable});
    }
    return kv_.Read({.key = key, .serializable = serializable});
  }

  // Its answer names a revision, or says that the lease has ended.
  Result<Revision> CallForLease() {
    if (leases_.size() < kLeases) {
      const auto granted = kv_.Grant(std::chrono::seconds(prng_.Between(2, 6)));
      if (!granted.has_value()) return granted.error();
      leases_.push_back(*granted);
      return seen_;
    }
    const std::size_t which = prng_.Below(leases_.size());
    const std::int64_t lease = leases_[which];
    const std::uint64_t dice = prng_.Below(100);
    if (dice < 40) {
      const std::string key = fmt::format("{}/{}", step_.key, prng_.Below(step_.keys));
      return kv_.Put(key, ConsumerValue(key, prng_.Word(kValueBytes)), lease);
    }
    if (dice < 75) {
      const Status kept = kv_.KeepAlive(lease);
      if (kept.code() == StatusCode::kNotFound) leases_.erase(leases_.begin() + which);
      return kept.ok() ? Result<Revision>(seen_) : kept;
    }
    if (dice < 90 || step_.keeps_leases) {
      const Status described = kv_.TimeToLive(lease);
      return described.ok() ? Result<Revision>(seen_) : described;
    }
    leases_.erase(leases_.begin() + which);
    return kv_.Revoke(lease);
  }

  const LoadStep step_;
  const std::atomic<std::int64_t>& known_;
  const Endpoint endpoint_;
  KvClient kv_;
  Prng prng_;
  explore::DrawnCalls drawn_;
  Revision seen_{};
  std::vector<std::int64_t> leases_;
};

}  // namespace

Usage LoadStep::Cost() const {
  return {.keys = static_cast<std::int64_t>(keys),
          .bytes = static_cast<std::int64_t>(clients * calls * kMostBytesOfCall),
          .leases = leases ? static_cast<std::int64_t>(clients * calls) : 0,
          .compactions = compacts ? static_cast<std::int64_t>(clients * calls) : 0,
          .operations = clients * calls};
}

Status LoadStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  LoadStep placed = *this;
  placed.key = session.Placed(key);
  const std::string no_end = open_ends ? session.PlacedEnd(kOpenEnd) : std::string();
  Environment& environment = context.environment();
  std::vector<Endpoint> endpoints;
  for (int one = 1; one <= environment.members(); ++one) {
    if (member != 0 && member != one) continue;
    endpoints.push_back(environment.endpoint(direct ? Path::kDirect : Path::kProxied, one));
  }
  std::string token = session.kv().token();
  if (!user.empty()) {
    WP_ASSIGN_OR_RETURN(token, AdminClient(endpoints.front().ToString()).LogIn(user));
  }
  Connection shared;
  if (!beside.empty()) {
    WP_ASSIGN_OR_RETURN(const WatchStream* const stream, context.Stream(beside));
    shared = stream->connection();
    session.Annotate(CallsBeside{stream->id(), whole_reads ? "reads of every key" : "calls"});
  }
  const auto calls_of = [&recording = session.recording(), form = session.write_form(), shared,
                         &known = session.known(), token, endpoints, placed,
                         no_end](std::size_t number) -> Load::Call {
    const std::string name = fmt::format("{}-{}", placed.load, number);
    const auto client = std::make_shared<LoadClient>(
        recording, endpoints.at(number % endpoints.size()),
        KvOptions{
            .limits = {.each = kCallLimit}, .name = name, .writes = form, .connection = shared},
        placed, number, no_end, known);
    client->SetToken(token);
    return [client] { return client->CallOnce(); };
  };
  context.loads()[load] = std::make_unique<Load>(clients, calls, calls_of);
  return {};
}

// A load that was never begun has ended: shrinking may have left it out.
Status AwaitLoadStep::Run(StepContext& context) const {
  const auto found = context.loads().find(load);
  if (found == context.loads().end()) return {};
  const Load& begun = *found->second;
  context.Await(fmt::format("the end of load {}", load), kLoadPatience,
                [&] { return begun.done(); });
  if (lost && begun.lost() == 0 && !context.session().GivesUp()) {
    context.Inconclusive(fmt::format("no call of load {} lost its answer", load));
  }
  context.NoteHead(begun.highest());
  return {};
}

// Waits for the calls that are open.
Status StopLoadStep::Run(StepContext& context) const {
  const auto found = context.loads().find(load);
  if (found == context.loads().end()) return {};
  const std::unique_ptr<Load>& begun = found->second;
  begun->Stop();
  context.session().PumpAll();
  if (answered && begun->lost() == begun->ended()) {
    context.Inconclusive(fmt::format("no call of load {} was answered", load));
  }
  context.NoteHead(begun->highest());
  return {};
}

}  // namespace watchproof
