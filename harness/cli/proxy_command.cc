// SPDX-License-Identifier: Apache-2.0
// `proxy`: the fault-injecting proxy as a program of its own.
#include <fmt/ranges.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <random>

#include "harness/base/log.h"
#include "harness/cli/commands.h"
#include "harness/cli/proxy_recording.h"
#include "harness/cli/proxy_tls.h"
#include "harness/cli/proxy_view.h"
#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/parse.h"
#include "harness/runs/signals.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {
namespace {

// A server that does not answer at once is one that is not up yet.
constexpr Duration kTlsCheck = 2s;

struct ProxyFlags {
  std::string listen = "127.0.0.1:0";
  std::string to;
  std::string latency;               // "20ms" or "20ms~5ms"
  std::vector<std::string> effects;  // "kind", "kind:direction", "kind:direction:k=v,..."
  std::string control;               // "HOST:PORT", or a port on loopback; empty: none
  std::string seed;                  // drawn and printed when empty
  bool follow = false;
  bool self_test = false;
  bool sharp = false;
  bool verbose = false;
  RecordFlags record;
  ProxyTlsFlags tls;
};

// "chance" and "connection" belong to no kind: they choose the connections of any effect.
Status TakeChoice(proxy::EffectSpec& spec) {
  if (const auto node = spec.parameters.extract("chance"); !node.empty()) {
    const std::string& text = node.mapped();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), spec.chance);
    if (error != std::errc() || end != text.data() + text.size()) {
      return Fail(StatusCode::kInvalidArgument, "chance={}: expected a number from 0 to 1", text);
    }
  }
  if (const auto node = spec.parameters.extract("connection"); !node.empty()) {
    const Result<int> number = ParseCount(node.mapped(), 1);
    if (!number.has_value()) return number.error().WithContext("connection={}", node.mapped());
    spec.connection = proxy::ConnectionId(*number);
  }
  return {};
}

// "stall:to-client:duration=5s"
Result<proxy::EffectSpec> ParseEffect(const std::string& text) {
  const std::size_t first = text.find(':');
  proxy::EffectSpec spec{.kind = text.substr(0, first)};
  if (first == std::string::npos) return spec;
  const std::size_t second = text.find(':', first + 1);
  const std::string_view word = std::string_view(text).substr(
      first + 1, second == std::string::npos ? second : second - first - 1);
  WP_ASSIGN_OR_RETURN(spec.direction, proxy::ParseDirection(word));
  if (second == std::string::npos) return spec;
  WP_ASSIGN_OR_RETURN(NamedParameters named,
                      ParseNamedParameters(spec.kind + ":" + text.substr(second + 1)));
  spec.parameters = std::move(named.parameters);
  WP_RETURN_IF_ERROR(TakeChoice(spec));
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

// The configuration of `watchproof proxy`.
struct ProxyPlan {
  std::optional<proxy::ProxyOptions> path;
  std::vector<proxy::EffectSpec> effects;
  std::optional<proxy::ControlOptions> control;
  std::uint64_t seed = 0;
};

// A port alone means loopback: by default only this machine may control the proxy.
Result<HostPort> ParseControl(const std::string& text) {
  const bool port_only = text.find(':') == std::string::npos;
  return ParseHostPort(port_only ? "127.0.0.1:" + text : text);
}

Result<ProxyPlan> ResolveProxy(const ProxyFlags& flags) {
  ProxyPlan plan{.seed = std::random_device()()};
  if (!flags.seed.empty()) {
    WP_ASSIGN_OR_RETURN(plan.seed, ParseSeed(flags.seed));
  }
  if (flags.to.empty() && flags.control.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--to is required, or --control to open proxies by HTTP");
  }
  WP_ASSIGN_OR_RETURN(plan.effects, ResolveEffects(flags));
  const auto buffers = flags.sharp ? proxy::Buffers::kSharp : proxy::Buffers::kRoomy;
  if (!flags.to.empty()) {
    WP_ASSIGN_OR_RETURN(const HostPort listen, ParseHostPort(flags.listen));
    WP_ASSIGN_OR_RETURN(const HostPort to, ParseHostPort(flags.to));
    plan.path = {.name = "proxy",
                 .listen_host = listen.host,
                 .listen_port = listen.port,
                 .target_host = to.host,
                 .target_port = to.port,
                 .seed = plan.seed,
                 .follow_streams = flags.follow,
                 .self_test = flags.self_test,
                 .buffers = buffers};
  } else if (!plan.effects.empty()) {
    return Fail(StatusCode::kInvalidArgument, "effects need --to, the server behind the proxy");
  }
  WP_RETURN_IF_ERROR(flags.tls.Check());
  if (!plan.path && (flags.tls.to_server() || !flags.tls.clients.certificate.empty())) {
    return Fail(StatusCode::kInvalidArgument, "TLS needs --to, the server behind the proxy");
  }
  const RecordFlags& record = flags.record;
  if (record.folder.empty() && (record.hash_values || !record.control_watch.empty())) {
    return Fail(StatusCode::kInvalidArgument,
                "--hash-values and --control-watch need --record, the folder for the recording");
  }
  std::string password_file = record.password_file;
  WP_RETURN_IF_ERROR(CheckFile("--password-file", password_file));
  if (record.user.empty() != record.password_file.empty()) {
    return Fail(StatusCode::kInvalidArgument, "--user and --password-file go together");
  }
  if (!record.user.empty() && record.control_watch.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--user needs --control-watch, the only client of its own that the proxy has");
  }
  if (!record.folder.empty() && !plan.path) {
    return Fail(StatusCode::kInvalidArgument, "--record needs --to, the server behind the proxy");
  }
  if (!flags.control.empty()) {
    WP_ASSIGN_OR_RETURN(const HostPort control, ParseControl(flags.control));
    plan.control = {.host = control.host,
                    .port = control.port,
                    .seed = plan.seed,
                    .follow_streams = flags.follow,
                    .self_test = flags.self_test,
                    .buffers = buffers};
  }
  return plan;
}

void PrintConnections(const std::vector<proxy::ConnectionInfo>& connections) {
  fmt::print("{}\n", Count(connections.size(), "connection"));
  for (const proxy::ConnectionInfo& info : connections) {
    fmt::print("  c{} from {}: {}, {} bytes to the target, {} bytes to the client\n", info.id,
               info.client, proxy::Name(info.state), WithThousands(info.bytes_to_target),
               WithThousands(info.bytes_to_client));
  }
}

// Serves until a signal comes, with the live view on a terminal.
void Watch(proxy::Proxies& proxies, const std::string& title, Signals& signals) {
  ProxyView view(proxies, title);
  do {
    view.Draw();
  } while (!signals.WaitFor(ProxyView::kRefresh));
}

// Null if nothing is to be recorded.
Result<std::unique_ptr<ProxyRecording>> OpenRecording(const ProxyFlags& flags, ProxyPlan& plan) {
  if (flags.record.folder.empty()) return std::unique_ptr<ProxyRecording>();
  const Endpoint server{plan.path->target_host, plan.path->target_port};
  if (!flags.tls.to_server() && UsesTls(server, Within(kTlsCheck))) {
    return Fail(
        StatusCode::kInvalidArgument,
        "--record: {} uses TLS, and nothing of what passes could be read; name the authority of "
        "its certificate with --tls-ca, and a certificate for clients with "
        "--listen-tls-cert and --listen-tls-key",
        server.ToString());
  }
  WP_ASSIGN_OR_RETURN(auto recording, ProxyRecording::Open(flags.record));
  plan.path->observer = recording->observer();
  return recording;
}

CommandEnd ProxyCommand(const ProxyFlags& flags) {
  Signals& signals = Signals::Install();
  WP_ASSIGN_OR_RETURN(ProxyPlan plan, ResolveProxy(flags));
  if (flags.verbose) SetLogLevel(LogLevel::kDebug);
  ProxyTls tls;
  if (plan.path) {
    const Status reached = tls.ReachServer(flags.tls, *plan.path);
    const bool bad_file = reached.code() == StatusCode::kInvalidArgument;
    if (!reached.ok()) return {reached, bad_file ? ExitCode::kUsage : ExitCode::kTarget};
  }
  WP_ASSIGN_OR_RETURN(const auto recording, OpenRecording(flags, plan));
  proxy::Proxies proxies;
  std::vector<std::string> places;
  std::optional<proxy::ProxyId> path;
  if (plan.path) {
    const Result<proxy::ProxyId> id = proxies.Open(*plan.path);
    if (!id.has_value()) return {id.error(), ExitCode::kTarget};
    for (const proxy::EffectSpec& spec : plan.effects) {
      const auto armed = proxies.Arm(*id, spec);
      if (!armed.has_value()) return armed.error();
    }
    const Result<std::string> place = tls.ServeClients(flags.tls, proxies.endpoint(*id));
    if (!place.has_value()) return {place.error(), ExitCode::kTarget};
    places.push_back(fmt::format("listening on {}, to {}", *place, flags.to));
    path = *id;
  }
  if (plan.control) {
    const Result<std::string> at = proxies.OpenControl(*plan.control);
    if (!at.has_value()) return {at.error(), ExitCode::kTarget};
    places.push_back(fmt::format("control on {}", *at));
  }
  const std::string title =
      fmt::format("{}, seed {}", fmt::join(places, ", "), FormatSeed(plan.seed));
  Announce(title);
  if (recording != nullptr) {
    const Status watched = recording->WatchThrough(proxies.endpoint(*path));
    if (!watched.ok()) return {watched.WithContext("--control-watch"), ExitCode::kTarget};
  }
  if (flags.verbose || !IsDrawable(STDOUT_FILENO)) {
    signals.Wait();
  } else {
    Watch(proxies, title, signals);
  }
  if (path) PrintConnections(proxies.Connections(*path));
  proxies.HealAll();
  for (const proxy::EffectState& effect : proxies.Effects()) {
    fmt::print("  {}: {}\n", effect.spec.kind, ReceiptText(effect.receipt));
  }
  if (recording != nullptr) recording->StopWatching();
  proxies.Stop();
  tls.Stop();
  return recording == nullptr ? ExitCode::kOk : recording->Finish();
}

}  // namespace

CommandBody AddProxy(const Command& command) {
  const auto flags = std::make_shared<ProxyFlags>();
  command.Group("Addresses");
  command.Value("--listen", flags->listen, "HOST:PORT", "Address for clients");
  command.Value("--to", flags->to, "HOST:PORT", "Address of the server");
  command.Group("Effects");
  command.Value("--latency", flags->latency, "20ms~5ms", "Delay and jitter, both directions");
  command.Repeatable("--effect", flags->effects, "EFFECT:DIRECTION:key=value,...",
                     "Effect to arm at the start");
  command.Value("--control", flags->control, "[HOST:]PORT",
                "Serve an HTTP API that Toxiproxy's clients can drive");
  command.Value("--seed", flags->seed, "N", "Seed of jitter and chances (default: drawn)");
  command.Switch("--follow", flags->follow, "Parse HTTP/2, which effects on streams need");
  command.Switch("--self-test", flags->self_test,
                 "Allow effects that tamper with messages; only for servers under your control");
  command.Switch("--sharp", flags->sharp,
                 "Small kernel buffers: fewer bytes escape an effect, at the cost of speed");
  command.Group("Recording");
  RecordFlags& record = flags->record;
  command.Value("--record", record.folder, "DIR", "Record what passes, for `watchproof check`");
  command.Value("--record-limit", record.limit, "SIZE",
                "Size of the recording; when it is full, its oldest part is dropped");
  command.Switch("--hash-values", record.hash_values, "Record hashes in place of values");
  command.Value("--control-watch", record.control_watch, "PREFIX|all",
                "Also watch these keys, as a reference for the other watches");
  command.Value("--user", record.user, "USER",
                "User of the control watch, with the right to read its keys");
  command.Value("--password-file", record.password_file, "FILE",
                "File with the password of --user");
  command.Group("TLS");
  flags->tls.AddTo(command);
  command.Group("Output");
  command.Switch("--verbose", flags->verbose, "Also print events as they happen");
  return [flags] { return ProxyCommand(*flags); };
}

}  // namespace watchproof
