// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/proxy_handle.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>

#include "harness/base/check.h"
#include "harness/base/log.h"
#include "proxies/control/followers.h"
#include "proxies/control/resolve.h"
#include "proxies/core/listener.h"
#include "proxies/core/proxy_host.h"

namespace watchproof::proxy {
namespace {

constexpr Direction kNarrow[] = {Direction::kToClient, Direction::kToTarget};

struct Armed {
  EffectId id;
  ProxyId proxy;
  EffectSpec spec;
  std::unique_ptr<Effect> effect;  // gone once healed
  Receipt final_receipt;
};

std::uint64_t StageKey(EffectId id) { return static_cast<std::uint64_t>(id.value); }

// Puts the effect into every pipe of the connection that it covers.
void Attach(Armed& armed, Connection& connection, Placement::Age age, Followers& followers) {
  if (auto* effect = dynamic_cast<StreamEffect*>(armed.effect.get())) {
    followers.Attach(StageKey(armed.id), *effect, armed.spec.direction, connection);
    return;
  }
  for (const Direction direction : kNarrow) {
    if (!Covers(armed.spec.direction, direction) || !connection.live()) continue;
    std::unique_ptr<Stage> stage = armed.effect->MakeStage(
        {.connection = connection.id(), .direction = direction, .age = age});
    if (stage) connection.pipe(direction).AddStage(StageKey(armed.id), std::move(stage));
  }
}

void Detach(const Armed& armed, Connection& connection, Followers& followers) {
  followers.Detach(StageKey(armed.id), connection);
  for (const Direction direction : kNarrow) {
    connection.pipe(direction).RemoveStage(StageKey(armed.id));
  }
}

}  // namespace

// What lives on the io thread. Every function of it is called through host_.Run.
class Proxies::Board {
 public:
  ~Board() { Stop(); }

  // Runs `fn` where the board may be touched.
  template <typename Function>
  auto Run(Function fn) {
    return host_.Run(std::move(fn));
  }
  void Stop();

  Result<ProxyId> Open(const ProxyOptions& options, Tcp::endpoint listen,
                       std::vector<Tcp::endpoint> targets);
  Result<EffectId> Arm(ProxyId proxy, const EffectSpec& spec);
  Result<Receipt> Heal(EffectId id);
  Result<Receipt> Peek(EffectId id);
  void HealAll();
  Listener& listener(ProxyId id);

 private:
  struct Proxy {
    std::string name;
    Prng prng;
    std::unique_ptr<Listener> listener;
    bool follow_streams = false;
    Followers followers = {};
    int armed_so_far = 0;
  };

  void Prepare(ProxyId id, Connection& connection);
  Receipt HealArmed(Armed& armed);
  Result<Armed*> Find(EffectId id);

  ProxyHost host_;
  bool stopped_ = false;
  ProxyId last_proxy_;
  EffectId last_effect_;
  std::map<EffectId, Armed> effects_;  // outlives the stages inside the proxies
  std::map<ProxyId, Proxy> proxies_;
};

void Proxies::Board::Stop() {
  host_.Run([this] {
    stopped_ = true;
    for (auto& [id, proxy] : proxies_) proxy.listener->Close();
  });
  host_.Stop();
}

Result<ProxyId> Proxies::Board::Open(const ProxyOptions& options, Tcp::endpoint listen,
                                     std::vector<Tcp::endpoint> targets) {
  if (stopped_) return Fail(StatusCode::kFailedPrecondition, "the proxies were stopped");
  const ProxyId id = last_proxy_.next();
  auto made = std::make_unique<Listener>(
      host_.io(), Listener::Options{
                      .name = options.name,
                      .listen = std::move(listen),
                      .targets = std::move(targets),
                      .prepare = [this, id](Connection& connection) { Prepare(id, connection); }});
  WP_RETURN_IF_ERROR(made->Open());
  last_proxy_ = id;
  LogDebug("proxy open", {{"proxy", options.name}, {"listens", made->endpoint()}});
  proxies_.emplace(id, Proxy{.name = options.name,
                             .prng = Prng(options.seed),
                             .listener = std::move(made),
                             .follow_streams = options.follow_streams});
  return id;
}

Listener& Proxies::Board::listener(ProxyId id) {
  const auto it = proxies_.find(id);
  WP_CHECK(it != proxies_.end(), "a proxy id comes from Open");
  return *it->second.listener;
}

void Proxies::Board::Prepare(ProxyId id, Connection& connection) {
  Proxy& proxy = proxies_.at(id);
  if (proxy.follow_streams) proxy.followers.Follow(connection);
  for (auto& [effect, armed] : effects_) {
    if (armed.proxy != id || !armed.effect) continue;
    Attach(armed, connection, Placement::Age::kFuture, proxy.followers);
  }
}

Result<EffectId> Proxies::Board::Arm(ProxyId id, const EffectSpec& spec) {
  if (stopped_) return Fail(StatusCode::kFailedPrecondition, "the proxies were stopped");
  const auto it = proxies_.find(id);
  if (it == proxies_.end()) return Fail(StatusCode::kNotFound, "there is no proxy {}", id);
  Proxy& proxy = it->second;
  WP_ASSIGN_OR_RETURN(const EffectInfo* kind, FindEffect(spec.kind));
  // By its number on this proxy: what happens on other proxies shifts nothing here.
  const Prng prng = proxy.prng.Fork(fmt::format("effect/{}/{}", proxy.armed_so_far + 1, spec.kind));
  WP_ASSIGN_OR_RETURN(auto effect, MakeEffect(*kind, spec.parameters, prng, Clock::now()));
  if (dynamic_cast<StreamEffect*>(effect.get()) && !proxy.follow_streams) {
    return Fail(StatusCode::kFailedPrecondition,
                "'{}' is an effect on streams; open the proxy so that it follows them", spec.kind);
  }
  ++proxy.armed_so_far;
  last_effect_ = last_effect_.next();
  Armed& armed = effects_[last_effect_];
  armed.id = last_effect_;
  armed.proxy = id;
  armed.spec = spec;
  armed.effect = std::move(effect);
  proxy.listener->ForEachConnection(
      [&](Connection& one) { Attach(armed, one, Placement::Age::kExisting, proxy.followers); });
  LogDebug("effect armed",
           {{"proxy", proxy.name}, {"effect", spec.kind}, {"direction", Name(spec.direction)}});
  return armed.id;
}

Result<Armed*> Proxies::Board::Find(EffectId id) {
  const auto it = effects_.find(id);
  if (it == effects_.end()) return Fail(StatusCode::kNotFound, "effect {} was never armed", id);
  return &it->second;
}

Receipt Proxies::Board::HealArmed(Armed& armed) {
  if (!armed.effect) return armed.final_receipt;
  Proxy& proxy = proxies_.at(armed.proxy);
  proxy.listener->ForEachConnection(
      [&](Connection& connection) { Detach(armed, connection, proxy.followers); });
  const TimePoint now = Clock::now();
  armed.effect->Heal(now);
  armed.final_receipt = armed.effect->ReceiptAt(now);
  armed.effect.reset();
  LogDebug("effect healed", {{"effect", armed.spec.kind},
                             {"withheld", fmt::to_string(armed.final_receipt.bytes_withheld)},
                             {"delayed", fmt::to_string(armed.final_receipt.bytes_delayed)},
                             {"cut", fmt::to_string(armed.final_receipt.connections_cut)}});
  return armed.final_receipt;
}

Result<Receipt> Proxies::Board::Heal(EffectId id) {
  WP_ASSIGN_OR_RETURN(Armed * armed, Find(id));
  return HealArmed(*armed);
}

Result<Receipt> Proxies::Board::Peek(EffectId id) {
  WP_ASSIGN_OR_RETURN(Armed * armed, Find(id));
  if (!armed->effect) return armed->final_receipt;
  listener(armed->proxy).ForEachConnection([armed](Connection& connection) {
    if (!connection.live()) return;
    for (const Direction direction : kNarrow) connection.pipe(direction).Advance();
  });
  return armed->effect->ReceiptAt(Clock::now());
}

void Proxies::Board::HealAll() {
  for (auto& [id, armed] : effects_) HealArmed(armed);
}

Proxies::Proxies() : board_(std::make_unique<Board>()) {}
Proxies::~Proxies() = default;

void Proxies::Stop() { board_->Stop(); }

Result<ProxyId> Proxies::Open(const ProxyOptions& options) {
  const auto in_context = [&options](Status status) {
    return std::move(status).WithContext("opening proxy '{}'", options.name);
  };
  Result<std::vector<Tcp::endpoint>> listen =
      Resolve({.host = options.listen_host, .port = options.listen_port});
  if (!listen.has_value()) return in_context(std::move(listen).error());
  Result<std::vector<Tcp::endpoint>> targets =
      Resolve({.host = options.target_host, .port = options.target_port});
  if (!targets.has_value()) return in_context(std::move(targets).error());
  Result<ProxyId> opened =
      board_->Run([&] { return board_->Open(options, listen->front(), std::move(*targets)); });
  if (!opened.has_value()) return in_context(std::move(opened).error());
  return opened;
}

std::string Proxies::endpoint(ProxyId proxy) const {
  return board_->Run([&] { return board_->listener(proxy).endpoint(); });
}

std::vector<ConnectionInfo> Proxies::Connections(ProxyId proxy) const {
  return board_->Run([&] { return board_->listener(proxy).Describe(); });
}

Result<EffectId> Proxies::Arm(ProxyId proxy, const EffectSpec& spec) {
  Result<EffectId> armed = board_->Run([&] { return board_->Arm(proxy, spec); });
  if (armed.has_value()) return armed;
  return std::move(armed).error().WithContext("arming an effect");
}

Result<Receipt> Proxies::Heal(EffectId effect) {
  return board_->Run([&] { return board_->Heal(effect); });
}

Result<Receipt> Proxies::Peek(EffectId effect) const {
  return board_->Run([&] { return board_->Peek(effect); });
}

void Proxies::HealAll() {
  board_->Run([&] { board_->HealAll(); });
}

}  // namespace watchproof::proxy
