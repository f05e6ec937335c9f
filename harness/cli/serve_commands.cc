// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/serve_commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "embedded_store/defects/defect.h"
#include "embedded_store/server/store_server.h"
#include "harness/base/log.h"
#include "harness/cli/parse.h"
#include "harness/cli/signals.h"
#include "harness/report/text.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {
namespace {

ExitCode Complain(ExitCode code, std::string_view command, std::string_view message) {
  fmt::print(stderr, "watchproof {}: {}\n", command, message);
  return code;
}

// Whoever started us waits for this line.
void Announce(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

Result<store::StoreOptions> ResolveStore(const StoreFlags& flags) {
  WP_ASSIGN_OR_RETURN(const HostPort listen, ParseHostPort(flags.listen));
  HostPort http{.host = listen.host, .port = listen.port == 0 ? 0 : 2381};
  if (!flags.http.empty()) {
    WP_ASSIGN_OR_RETURN(http, ParseHostPort(flags.http));
    if (http.host != listen.host) {
      return Fail(StatusCode::kInvalidArgument, "--http must be on the host of --listen, {}",
                  listen.host);
    }
  }
  auto interval = ParseDuration(flags.progress_interval);
  if (!interval.has_value()) return interval.error().WithContext("--progress-interval");
  store::StoreOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.http_port = http.port;
  options.data = flags.data;
  options.defects = flags.defects;
  options.progress_interval = std::chrono::duration_cast<std::chrono::milliseconds>(*interval);
  options.strict_previous = flags.strict_previous;
  options.lease_checkpoints = flags.lease_checkpoints;
  options.quota_bytes = flags.quota_bytes;
  options.auth.token_lifetime = std::chrono::seconds(flags.token_seconds);
  options.tls = flags.tls;
  return options;
}

ExitCode RestoreCommand(const StoreFlags& flags) {
  if (flags.data.empty()) {
    return Complain(ExitCode::kUsage, "store", "--restore needs --data, the folder to make");
  }
  if (Status made = store::RestoreStore(flags.restore, flags.data); !made.ok()) {
    return Complain(ExitCode::kTarget, "store", made.message());
  }
  fmt::print("{} now holds what is in {}\n", flags.data, flags.restore);
  return ExitCode::kOk;
}

Status CheckDefects(const std::vector<std::string>& defects) {
  std::vector<std::string> known;
  for (const store::DefectInfo& info : store::KnownDefects()) known.push_back(info.name);
  for (const std::string& name : defects) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Fail(StatusCode::kInvalidArgument, "no defect is called '{}'; known: {}{}", name,
                  fmt::join(known, ", "), DidYouMean(name, known));
    }
  }
  return {};
}

Result<proxy::Direction> ParseDirection(std::string_view word) {
  for (const proxy::Direction direction :
       {proxy::Direction::kToClient, proxy::Direction::kToTarget, proxy::Direction::kBoth}) {
    if (word == proxy::Name(direction)) return direction;
  }
  return Fail(StatusCode::kInvalidArgument, "'{}' is none of to-client, to-target, both", word);
}

// "stall:to-client:duration=5s"
Result<proxy::EffectSpec> ParseEffect(const std::string& text) {
  const std::size_t first = text.find(':');
  proxy::EffectSpec spec{.kind = text.substr(0, first)};
  if (first == std::string::npos) return spec;
  const std::size_t second = text.find(':', first + 1);
  const std::string_view word = std::string_view(text).substr(
      first + 1, second == std::string::npos ? second : second - first - 1);
  WP_ASSIGN_OR_RETURN(spec.direction, ParseDirection(word));
  if (second == std::string::npos) return spec;
  WP_ASSIGN_OR_RETURN(NamedParameters named,
                      ParseNamedParameters(spec.kind + ":" + text.substr(second + 1)));
  spec.parameters = std::move(named.parameters);
  return spec;
}

Result<std::vector<proxy::EffectSpec>> ResolveEffects(const ProxyFlags& flags) {
  std::vector<proxy::EffectSpec> specs;
  if (!flags.latency.empty()) {
    const std::size_t tilde = flags.latency.find('~');
    proxy::EffectSpec latency{.kind = "latency"};
    latency.parameters["delay"] = flags.latency.substr(0, tilde);
    if (tilde != std::string::npos) {
      latency.parameters["jitter"] = flags.latency.substr(tilde + 1);
    }
    specs.push_back(std::move(latency));
  }
  for (const std::string& text : flags.effects) {
    WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec, ParseEffect(text));
    specs.push_back(std::move(spec));
  }
  return specs;
}

double Milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void PrintReceipt(const std::string& kind, const proxy::Receipt& receipt) {
  fmt::print(
      "  {}: {} bytes withheld, {} bytes delayed, {} bytes throttled, {} bytes swallowed, {} cut, "
      "{} half closed, {} touched, longest hold {:.1f} ms\n",
      kind, WithThousands(receipt.bytes_withheld), WithThousands(receipt.bytes_delayed),
      WithThousands(receipt.bytes_throttled), WithThousands(receipt.bytes_swallowed),
      Count(static_cast<std::size_t>(receipt.connections_cut), "connection"),
      Count(static_cast<std::size_t>(receipt.connections_half_closed), "connection"),
      Count(static_cast<std::size_t>(receipt.connections_touched), "connection"),
      Milliseconds(receipt.longest_hold));
}

void PrintConnections(const std::vector<proxy::ConnectionInfo>& connections) {
  fmt::print("{}\n", Count(connections.size(), "connection"));
  for (const proxy::ConnectionInfo& info : connections) {
    fmt::print("  c{} from {}: {}, {} bytes to the target, {} bytes to the client\n", info.id,
               info.client, proxy::Name(info.state), WithThousands(info.bytes_to_target),
               WithThousands(info.bytes_to_client));
  }
}

}  // namespace

ExitCode StoreCommand(const StoreFlags& flags) {
  Signals& signals = Signals::Install();
  const Result<store::StoreOptions> options = ResolveStore(flags);
  if (!options.has_value()) return Complain(ExitCode::kUsage, "store", options.error().message());
  if (Status known = CheckDefects(flags.defects); !known.ok()) {
    return Complain(ExitCode::kUsage, "store", known.message());
  }
  if (!flags.restore.empty()) return RestoreCommand(flags);
  const auto server = store::StoreServer::Start(*options);
  if (!server.has_value()) return Complain(ExitCode::kTarget, "store", server.error().message());
  Announce(
      fmt::format("serving on {}, http on {}", (*server)->endpoint(), (*server)->http_endpoint()));
  signals.Wait();
  (*server)->Stop();
  return ExitCode::kOk;
}

ExitCode ProxyCommand(const ProxyFlags& flags) {
  Signals& signals = Signals::Install();
  const Result<HostPort> listen = ParseHostPort(flags.listen);
  const Result<HostPort> to = ParseHostPort(flags.to);
  const Result<std::vector<proxy::EffectSpec>> specs = ResolveEffects(flags);
  for (const Status* error : {listen ? nullptr : &listen.error(), to ? nullptr : &to.error(),
                              specs ? nullptr : &specs.error()}) {
    if (error != nullptr) return Complain(ExitCode::kUsage, "proxy", error->message());
  }
  if (flags.verbose) SetLogLevel(LogLevel::kDebug);
  proxy::Proxies proxies;
  const Result<proxy::ProxyId> id = proxies.Open({.name = "proxy",
                                                  .listen_host = listen->host,
                                                  .listen_port = listen->port,
                                                  .target_host = to->host,
                                                  .target_port = to->port,
                                                  .seed = std::random_device()()});
  if (!id.has_value()) return Complain(ExitCode::kTarget, "proxy", id.error().message());
  std::vector<std::pair<std::string, proxy::EffectId>> armed;
  for (const proxy::EffectSpec& spec : *specs) {
    const Result<proxy::EffectId> effect = proxies.Arm(*id, spec);
    if (!effect.has_value()) return Complain(ExitCode::kUsage, "proxy", effect.error().message());
    armed.emplace_back(spec.kind, *effect);
  }
  Announce(fmt::format("listening on {}, to {}", proxies.endpoint(*id), flags.to));
  signals.Wait();
  PrintConnections(proxies.Connections(*id));
  for (const auto& [kind, effect] : armed) {
    if (const auto receipt = proxies.Heal(effect)) PrintReceipt(kind, *receipt);
  }
  proxies.Stop();
  return ExitCode::kOk;
}

}  // namespace watchproof
