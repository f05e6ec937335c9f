// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/load.h"

#include "harness/base/prng.h"
#include "harness/scenario/step_context.h"
#include "harness/session/consumer_link.h"

namespace watchproof {
namespace {

const StepRegistration<LoadStep, AwaitLoadStep> kLoadSteps;

constexpr std::size_t kValueBytes = 24;
constexpr std::size_t kMostBytesOfCall = 64;
// A call that a fault has swallowed must not block its client for the rest of the run.
constexpr Duration kCallLimit = 2s;
constexpr Duration kLoadPatience = 30s;       // for all calls of a load
constexpr std::uint64_t kHighestVersion = 3;  // that a transaction asks for

// One client, on its own connection and thread.
class LoadClient {
 public:
  // The key of the step is that on the target.
  LoadClient(Recorder& recording, const std::string& endpoint, const KvOptions& options,
             const LoadStep& placed)
      : step_(placed),
        kv_(recording, endpoint, options),
        prng_(Prng(placed.seed).Fork(options.name)) {}

  void SetToken(const std::string& token) { kv_.SetToken(token); }

  Result<Revision> CallOnce() {
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
    if (step_.puts_only) return kv_.Put(key, value());
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

 private:
  const LoadStep step_;
  KvClient kv_;
  Prng prng_;
};

}  // namespace

Usage LoadStep::Cost() const {
  return {.keys = static_cast<std::int64_t>(keys),
          .bytes = static_cast<std::int64_t>(clients * calls * kMostBytesOfCall),
          .operations = clients * calls};
}

Status LoadStep::Run(StepContext& context) const {
  AttemptSession& session = context.session();
  LoadStep placed = *this;
  placed.key = session.Placed(key);
  Environment& environment = context.environment();
  std::vector<std::string> endpoints;
  for (int one = 1; one <= environment.members(); ++one) {
    if (member != 0 && member != one) continue;
    endpoints.push_back(
        environment.endpoint(direct ? Path::kDirect : Path::kProxied, one).ToString());
  }
  const auto calls_of = [&recording = session.recording(), form = session.write_form(),
                         token = environment.target().token(), endpoints,
                         placed](std::size_t number) -> Load::Call {
    const std::string name = fmt::format("{}-{}", placed.load, number);
    const auto client = std::make_shared<LoadClient>(
        recording, endpoints.at(number % endpoints.size()),
        KvOptions{.limits = {.each = kCallLimit}, .name = name, .writes = form}, placed);
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

}  // namespace watchproof
