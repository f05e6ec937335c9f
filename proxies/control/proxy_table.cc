// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/proxy_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/base/check.h"
#include "harness/base/log.h"

namespace watchproof::proxy {
namespace {

std::uint64_t StageKey(EffectId id) { return static_cast<std::uint64_t>(id.value); }

// Whether this effect, with these options, is possible on this proxy.
Status CheckFit(const EffectInfo& kind, const Effect& effect, const ProxyOptions& proxy,
                const EffectSpec& spec) {
  if (!(spec.chance >= 0 && spec.chance <= 1)) {
    return Fail(StatusCode::kInvalidArgument, "{}: a chance must be between 0 and 1, not {}",
                spec.kind, spec.chance);
  }
  if (kind.self_test_only && !proxy.self_test) {
    return Fail(StatusCode::kFailedPrecondition,
                "{}: for self-tests only, and this proxy may stand before a real target",
                spec.kind);
  }
  if (kind.on_streams && !proxy.follow_streams) {
    return Fail(StatusCode::kFailedPrecondition,
                "'{}' is an effect on streams; open the proxy so that it follows them", spec.kind);
  }
  if (!spec.caller.empty() && proxy.caller_header.empty()) {
    return Fail(StatusCode::kFailedPrecondition,
                "{}: for one caller, and this proxy does not identify callers", spec.kind);
  }
  if (effect.refuses() &&
      (spec.chance < 1 || spec.connection != ConnectionId() || !spec.caller.empty())) {
    return Fail(StatusCode::kInvalidArgument, "{}: covers all connections, none can be chosen",
                spec.kind);
  }
  return {};
}

}  // namespace

void ProxyTable::Stop() {
  host_.Run([this] {
    stopped_ = true;
    for (auto& [id, proxy] : proxies_) proxy.listener->Close(Listener::CloseNotice::kReset);
  });
  host_.Stop();
}

Result<ProxyId> ProxyTable::Open(const ProxyOptions& options, Place place) {
  if (stopped_) return Fail(StatusCode::kFailedPrecondition, "the proxies were stopped");
  Sweep();
  const ProxyId id = last_proxy_.next();
  auto made = std::make_unique<Listener>(
      io(), Listener::Options{
                .listen = std::move(place.listen),
                .targets = std::move(place.targets),
                .buffers = options.buffers,
                .prepare = [this, id](Connection& connection) { Prepare(id, connection); }});
  WP_RETURN_IF_ERROR(made->Open());
  last_proxy_ = id;
  LogDebug("proxy open", {{"proxy", options.name}, {"listens", made->endpoint()}});
  proxies_.emplace(
      id, Proxy{.options = options, .prng = Prng(options.seed), .listener = std::move(made)});
  return id;
}

void ProxyTable::Close(ProxyId id) {
  const auto it = proxies_.find(id);
  if (it == proxies_.end()) return;
  for (auto& [effect, armed] : effects_) {
    if (armed.proxy == id) HealArmed(armed);
  }
  // With FIN, as clients of Toxiproxy expect it from a proxy that is removed or disabled.
  it->second.listener->Close(Listener::CloseNotice::kInOrder);
  retired_.push_back(std::move(it->second.listener));
  proxies_.erase(it);
  Sweep();
}

// Listeners that nothing refers to any more. Called now and then, so that few of them wait.
void ProxyTable::Sweep() {
  std::erase_if(retired_, [](const auto& listener) { return listener->idle(); });
  while (healed_.size() > kRemembered) {
    effects_.erase(healed_.front());
    healed_.pop_front();
  }
}

std::vector<ProxyInfo> ProxyTable::Describe() const {
  std::vector<ProxyInfo> all;
  for (const auto& [id, proxy] : proxies_) {
    all.push_back({.id = id, .options = proxy.options, .endpoint = proxy.listener->endpoint()});
  }
  return all;
}

Listener& ProxyTable::listener(ProxyId id) {
  const auto it = proxies_.find(id);
  WP_CHECK(it != proxies_.end(), "a proxy id comes from Open");
  return *it->second.listener;
}

std::vector<ConnectionInfo> ProxyTable::Connections(ProxyId id) const {
  const auto it = proxies_.find(id);
  return it == proxies_.end() ? std::vector<ConnectionInfo>() : it->second.listener->Describe();
}

void ProxyTable::Prepare(ProxyId id, Connection& connection) {
  Proxy& proxy = proxies_.at(id);
  if (proxy.options.observer) Observe(proxy.options.observer, connection);
  if (proxy.options.follow_streams) proxy.followers.Follow(connection);
  if (!proxy.options.caller_header.empty()) {
    proxy.callers.Follow(
        io(), connection,
        {.header = proxy.options.caller_header,
         .known = [this, id](ConnectionId connection_id) { OnCallerKnown(id, connection_id); }});
  }
  for (auto& [effect, armed] : effects_) {
    if (armed.proxy != id || !armed.effect) continue;
    Attach(armed, proxy, connection, Placement::Age::kFuture);
  }
}

void ProxyTable::OnCallerKnown(ProxyId id, ConnectionId connection_id) {
  const auto it = proxies_.find(id);
  if (it == proxies_.end()) return;
  Proxy& proxy = it->second;
  proxy.listener->ForEachConnection([&](Connection& connection) {
    if (connection.id() != connection_id) return;
    for (auto& [effect, armed] : effects_) {
      if (armed.proxy != id || !armed.effect || armed.spec.caller.empty()) continue;
      Attach(armed, proxy, connection, Placement::Age::kFuture);
    }
    proxy.callers.LetGo(connection);
  });
}

// Puts the effect into every pipe of the connection that it covers.
void ProxyTable::Attach(Armed& armed, Proxy& proxy, Connection& connection, Placement::Age age) {
  const EffectSpec& spec = armed.spec;
  if (spec.connection != ConnectionId() && spec.connection != connection.id()) return;
  if (!spec.caller.empty() && spec.caller != proxy.callers.NameOf(connection.id())) return;
  // By the connection's number: how many came before it shifts nothing.
  if (!armed.prng.Fork(fmt::format("connection/{}", connection.id())).Chance(spec.chance)) return;
  if (auto* effect = dynamic_cast<StreamEffect*>(armed.effect.get())) {
    proxy.followers.Attach(StageKey(armed.id), *effect, spec.direction, connection);
    return;
  }
  if (age == Placement::Age::kFuture) {
    const TimePoint now = Clock::now();
    const Duration hold = armed.effect->HoldBeforeDialling(connection.id(), now);
    if (hold > Duration::zero()) connection.Hold(StageKey(armed.id), now + hold);
  }
  for (const Direction direction : kNarrow) {
    if (!Covers(spec.direction, direction) || !connection.live()) continue;
    std::unique_ptr<Stage> stage = armed.effect->MakeStage(
        {.connection = connection.id(), .direction = direction, .age = age});
    if (stage) connection.pipe(direction).AddStage(StageKey(armed.id), std::move(stage));
  }
}

Result<EffectId> ProxyTable::Arm(ProxyId id, const EffectSpec& spec) {
  if (stopped_) return Fail(StatusCode::kFailedPrecondition, "the proxies were stopped");
  const auto it = proxies_.find(id);
  if (it == proxies_.end()) return Fail(StatusCode::kNotFound, "there is no proxy {}", id);
  Proxy& proxy = it->second;
  WP_ASSIGN_OR_RETURN(const EffectInfo* kind, FindEffect(spec.kind));
  // By its number on this proxy: what happens on other proxies shifts nothing here.
  const Prng prng = proxy.prng.Fork(fmt::format("effect/{}/{}", proxy.armed_so_far + 1, spec.kind));
  WP_ASSIGN_OR_RETURN(auto effect, MakeEffect(*kind, spec.parameters, prng, Clock::now()));
  WP_RETURN_IF_ERROR(CheckFit(*kind, *effect, proxy.options, spec));
  ++proxy.armed_so_far;
  last_effect_ = last_effect_.next();
  const auto [at, added] =
      effects_.try_emplace(last_effect_, Armed{.id = last_effect_,
                                               .proxy = id,
                                               .proxy_name = proxy.options.name,
                                               .spec = spec,
                                               .prng = prng.Fork("chance"),
                                               .effect = std::move(effect),
                                               .final_receipt = {}});
  Armed& armed = at->second;
  proxy.listener->ForEachConnection(
      [&](Connection& one) { Attach(armed, proxy, one, Placement::Age::kExisting); });
  SetAdmission(id, proxy);
  LogDebug(
      "effect armed",
      {{"proxy", proxy.options.name}, {"effect", spec.kind}, {"direction", Name(spec.direction)}});
  return armed.id;
}

void ProxyTable::SetAdmission(ProxyId id, Proxy& proxy) {
  const bool shut = std::any_of(effects_.begin(), effects_.end(), [id](const auto& one) {
    const Armed& armed = one.second;
    return armed.proxy == id && armed.effect && armed.effect->refuses();
  });
  const Status turned =
      proxy.listener->Turn(shut ? Listener::Admission::kRefusing : Listener::Admission::kOpen);
  if (!turned.ok()) {
    LogWarn("a proxy does not listen any more",
            {{"proxy", proxy.options.name}, {"why", turned.message()}});
  }
}

Result<ProxyTable::Armed*> ProxyTable::FindArmed(EffectId id) {
  const auto it = effects_.find(id);
  if (it == effects_.end()) return Fail(StatusCode::kNotFound, "effect {} was never armed", id);
  return &it->second;
}

Receipt ProxyTable::HealArmed(Armed& armed) {
  if (!armed.effect) return armed.final_receipt;
  Proxy& proxy = proxies_.at(armed.proxy);
  proxy.listener->ForEachConnection([&](Connection& connection) {
    proxy.followers.Detach(StageKey(armed.id), connection);
    for (const Direction direction : kNarrow) {
      connection.pipe(direction).RemoveStage(StageKey(armed.id));
    }
    connection.LetGo(StageKey(armed.id));
  });
  const TimePoint now = Clock::now();
  armed.effect->Heal(now);
  armed.final_receipt = armed.effect->ReceiptAt(now);
  armed.effect.reset();
  healed_.push_back(armed.id);
  SetAdmission(armed.proxy, proxy);
  LogDebug("effect healed", {{"effect", armed.spec.kind},
                             {"withheld", fmt::to_string(armed.final_receipt.bytes_withheld)},
                             {"delayed", fmt::to_string(armed.final_receipt.bytes_delayed)},
                             {"cut", fmt::to_string(armed.final_receipt.connections_cut)}});
  return armed.final_receipt;
}

Receipt ProxyTable::ReceiptNow(Armed& armed) {
  if (!armed.effect) return armed.final_receipt;
  listener(armed.proxy).ForEachConnection([](Connection& connection) {
    if (!connection.live()) return;
    for (const Direction direction : kNarrow) connection.pipe(direction).Advance();
  });
  return armed.effect->ReceiptAt(Clock::now());
}

Result<Receipt> ProxyTable::Heal(EffectId id) {
  WP_ASSIGN_OR_RETURN(Armed * armed, FindArmed(id));
  const Receipt receipt = HealArmed(*armed);
  Sweep();
  return receipt;
}

Result<Receipt> ProxyTable::Peek(EffectId id) {
  WP_ASSIGN_OR_RETURN(Armed * armed, FindArmed(id));
  return ReceiptNow(*armed);
}

void ProxyTable::HealAll() {
  for (auto& [id, armed] : effects_) HealArmed(armed);
  Sweep();
}

Result<EffectState> ProxyTable::Find(EffectId id) {
  WP_ASSIGN_OR_RETURN(Armed * armed, FindArmed(id));
  return EffectState{
      .id = id, .proxy = armed->proxy_name, .spec = armed->spec, .receipt = ReceiptNow(*armed)};
}

std::vector<EffectState> ProxyTable::Effects() {
  std::vector<EffectState> all;
  for (const auto& [id, armed] : effects_) all.push_back(*Find(id));
  return all;
}

}  // namespace watchproof::proxy
