// SPDX-License-Identifier: Apache-2.0
// Any requests in any order to the control API: no crash, no undefined behaviour, always a readable
// answer. The registry has no sockets, but the effects are real ones.
#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/check.h"
#include "harness/base/prng.h"
#include "proxies/control/control_api.h"
#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

constexpr TimePoint kNow{1h};

class EmptyRegistry final : public ProxyRegistry {
 public:
  Result<ProxyId> Open(const ProxyOptions& options) override {
    if (options.target_port == 13) return Fail(StatusCode::kUnavailable, "the port is taken");
    last_ = last_.next();
    open_[last_] = options.name;
    return last_;
  }
  void Close(ProxyId proxy) override {
    WP_CHECK(open_.erase(proxy) == 1, "what is closed was open");
  }
  std::string endpoint(ProxyId proxy) const override {
    WP_CHECK(open_.contains(proxy), "what has an endpoint is open");
    return "127.0.0.1:4711";
  }
  std::vector<ConnectionInfo> Connections(ProxyId proxy) const override {
    return {{.id = ConnectionId(proxy.value)}};
  }
  Result<EffectId> Arm(ProxyId proxy, const EffectSpec& spec) override {
    WP_CHECK(open_.contains(proxy), "effects are armed on open proxies");
    WP_ASSIGN_OR_RETURN(const EffectInfo* kind, FindEffect(spec.kind));
    WP_ASSIGN_OR_RETURN(const auto effect, MakeEffect(*kind, spec.parameters, Prng(1), kNow));
    effects_.push_back({.id = EffectId(static_cast<std::int64_t>(effects_.size()) + 1),
                        .proxy = open_[proxy],
                        .spec = spec,
                        .receipt = effect->ReceiptAt(kNow)});
    return effects_.back().id;
  }
  Result<Receipt> Heal(EffectId effect) override {
    WP_ASSIGN_OR_RETURN(const EffectState state, Find(effect));
    EffectState& mine = effects_[static_cast<std::size_t>(state.id.value - 1)];
    mine.receipt.healed_at = kNow;
    return mine.receipt;
  }
  void HealAll() override {
    for (EffectState& one : effects_) one.receipt.healed_at = kNow;
  }
  Result<EffectState> Find(EffectId effect) override {
    for (const EffectState& one : effects_) {
      if (one.id == effect) return one;
    }
    return Fail(StatusCode::kNotFound, "effect {} was never armed", effect);
  }
  std::vector<EffectState> Effects() override { return effects_; }

 private:
  ProxyId last_;
  std::map<ProxyId, std::string> open_;
  std::vector<EffectState> effects_;
};

// A line of the input: a method's first letter, a target, a body; with words for what is tedious to
// guess. The rest is as it comes.
ApiRequest FromLine(std::string_view line) {
  ApiRequest request;
  const char first = line.empty() ? 'G' : line.front();
  request.method = first == 'P' ? "POST" : first == 'D' ? "DELETE" : first == 'p' ? "PATCH" : "GET";
  line.remove_prefix(std::min<std::size_t>(1, line.size()));
  const std::size_t space = std::min(line.find(' '), line.size());
  request.target = line.substr(0, space);
  request.body = line.substr(std::min(space + 1, line.size()));
  return request;
}

// Valid requests, one chosen by each byte: random inputs hardly ever are.
constexpr std::string_view kSensible[] = {
    R"(P/proxies {"name":"a","upstream":"h:1"})",
    R"(P/proxies {"name":"b","upstream":":13","enabled":false})",
    R"(P/populate [{"name":"a","upstream":"h:2"},{"name":"c","upstream":"h:13"}])",
    R"(P/proxies/a {"enabled":false})",
    R"(p/proxies/b {"enabled":true,"upstream":"h:3"})",
    R"(P/proxies/a/toxics {"type":"latency","attributes":{"latency":7}})",
    R"(P/proxies/b/toxics {"type":"timeout","stream":"upstream","name":"t"})",
    R"(p/proxies/b/toxics/t {"attributes":{"timeout":9},"toxicity":0.5})",
    R"(D/proxies/b/toxics/t)",
    R"(D/proxies/a)",
    R"(P/effects {"proxy":"a","kind":"stall","direction":"to-client"})",
    R"(G/effects)",
    R"(D/effects/1)",
    R"(P/reset)",
    R"(G/proxies)",
};

void Ask(ControlApi& api, const ApiRequest& request) {
  for (const std::string& host : api.HostsOf(request)) WP_CHECK(host.size() < 4096, "hosts");
  const ApiAnswer answer = api.Handle(request);
  WP_CHECK(answer.code >= 200 && answer.code < 600, "an answer has a code of HTTP");
  WP_CHECK(answer.body.empty() == (answer.code == 204), "only 204 says nothing");
  if (answer.body.empty()) return;
  const Json body = Json::parse(answer.body, nullptr, false);
  WP_CHECK(!body.is_discarded(), "an answer is JSON");
  WP_CHECK(answer.code < 300 || body.contains("error"), "a refusal says why");
}

}  // namespace
}  // namespace watchproof::proxy

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using watchproof::proxy::Ask;
  watchproof::proxy::EmptyRegistry registry;
  watchproof::proxy::ControlApi api(registry, watchproof::Prng(1));
  std::string_view left(reinterpret_cast<const char*>(data), size);
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    Ask(api, watchproof::proxy::FromLine(line));
    if (!line.empty()) {
      const auto choice = static_cast<unsigned char>(line.back());
      const auto& sensible = watchproof::proxy::kSensible;
      Ask(api, watchproof::proxy::FromLine(sensible[choice % std::size(sensible)]));
    }
    left.remove_prefix(std::min(left.size(), line.size() + 1));
  }
  return 0;
}
