// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/load.h"

#include <fmt/format.h>

namespace watchproof {
namespace {

constexpr std::size_t kValueBytes = 24;
// A call that a fault has swallowed must not block its client for the rest of the run.
constexpr Duration kCallLimit = 2s;
constexpr std::uint64_t kHighestVersion = 3;  // that a transaction asks for

}  // namespace

Load::Load(RecordingContext& context, std::vector<std::string> endpoints, const LoadStep& step,
           LoadAccess access)
    : context_(context), endpoints_(std::move(endpoints)), step_(step), access_(std::move(access)) {
  threads_.reserve(step_.clients);
  for (std::size_t i = 0; i < step_.clients; ++i) {
    threads_.emplace_back([this, i] { Run(i); });
  }
}

void Load::Stop() {
  stopping_ = true;
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Load::Run(std::size_t client) {
  const std::string name = fmt::format("{}-{}", step_.load, client);
  const std::string& endpoint = endpoints_.at(client % endpoints_.size());
  KvClient kv(context_, endpoint,
              {.call_limit = kCallLimit, .name = name, .writes = access_.writes});
  kv.SetToken(access_.token);
  Prng prng = Prng(step_.seed).Fork(name);
  for (std::size_t i = 0; i < step_.calls && !stopping_; ++i) {
    const auto revision = CallOnce(kv, prng);
    ++ended_;
    if (!revision.has_value()) {
      ++lost_;
      continue;
    }
    std::int64_t highest = highest_;
    while (highest < revision->value && !highest_.compare_exchange_weak(highest, revision->value)) {
    }
  }
  ++finished_;
}

Result<Revision> Load::CallOnce(KvClient& client, Prng& prng) const {
  const std::string key = fmt::format("{}/{}", step_.key, prng.Below(step_.keys));
  if (step_.puts_only) return client.Put(key, prng.Word(kValueBytes));
  const std::uint64_t dice = prng.Below(100);
  if (dice < 40) return client.Put(key, prng.Word(kValueBytes));
  if (dice < 50) return client.Delete(key, {});
  if (dice < 65) {
    const auto version = static_cast<std::int64_t>(prng.Below(kHighestVersion));
    return client.Swap(key, version, prng.Word(kValueBytes));
  }
  // '0' is one above '/': every key of the load.
  const bool serializable = prng.Chance(0.5);
  if (dice < 80) {
    return client.Read(
        {.key = step_.key + "/", .range_end = step_.key + "0", .serializable = serializable});
  }
  return client.Read({.key = key, .serializable = serializable});
}

}  // namespace watchproof
