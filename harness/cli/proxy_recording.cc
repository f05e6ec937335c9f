// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/proxy_recording.h"

#include <cstdint>
#include <utility>

#include "harness/cli/commands.h"
#include "harness/history/run_started.h"
#include "harness/model/key_range.h"
#include "harness/report/text.h"
#include "harness/runs/parse.h"
#include "harness/targets/probe_endpoint.h"
#include "harness/targets/target.h"
#include "proxies/effects/parameters.h"
#include "proxies/http2/call_reader.h"

namespace watchproof {
namespace {

constexpr std::string_view kAll = "all";
constexpr std::int64_t kLeastLimit = 8 << 20;
constexpr Duration kLogIn = 5s;

Result<ByteCount> ParseLimit(const std::string& text) {
  const std::string name = "record-limit";
  const proxy::ParameterInfo limit{.name = name,
                                   .kind = proxy::ParameterKind::kBytes,
                                   .default_value = "1GiB",
                                   .explain = "expected at least 8MiB",
                                   .least = kLeastLimit};
  WP_ASSIGN_OR_RETURN(const proxy::ParameterValues values,
                      proxy::ParseParameters("proxy", {limit}, {{name, text}}));
  return ByteCount(values.bytes(name));
}

std::string Watched(const std::string& control_watch) {
  if (control_watch.empty()) return {};
  return control_watch == kAll ? "every key"
                               : fmt::format("keys that begin with {}", control_watch);
}

}  // namespace

Result<std::unique_ptr<ProxyRecording>> ProxyRecording::Open(const RecordFlags& flags) {
  WP_ASSIGN_OR_RETURN(const ByteCount limit, ParseLimit(flags.limit));
  WP_ASSIGN_OR_RETURN(auto capture, Capture::Open({.folder = flags.folder,
                                                   .limit = limit,
                                                   .hash_values = flags.hash_values,
                                                   .control_watch = Watched(flags.control_watch)}));
  return std::unique_ptr<ProxyRecording>(new ProxyRecording(flags, std::move(capture)));
}

Status ProxyRecording::WatchThrough(const std::string& endpoint) {
  if (flags_.control_watch.empty()) return {};
  WP_ASSIGN_OR_RETURN(const HostPort at, ParseHostPort(endpoint));
  const auto log_in =
      [at, access = ServerAccess{.user = flags_.user, .password_file = flags_.password_file}] {
        return LogIn({at.host, at.port}, access, Within(kLogIn));
      };
  WP_RETURN_IF_ERROR(StatusOf(log_in()));
  const bool all = flags_.control_watch == kAll;
  const std::string first(1, '\0');
  watch_ = std::make_unique<StandingWatch>(
      StandingWatchOptions{.endpoint = endpoint,
                           .key = all ? first : flags_.control_watch,
                           .range_end = all ? first : EndOfPrefix(flags_.control_watch),
                           .header = std::string(proxy::CallReader::kOpenedByHeader),
                           .header_value = std::string(kRecorderPath),
                           .log_in = log_in,
                           .on_refused = [this](const std::string& why) {
                             MutexLock lock(refusing_);
                             refused_ = fmt::format(
                                 "no control watch over {}: the server refuses it ({}); it needs "
                                 "the right to read them, of the user that --user names",
                                 Watched(flags_.control_watch), why);
                             Announce(refused_);
                           }});
  return {};
}

CommandEnd ProxyRecording::Finish() {
  const Status closed = capture_->Close();
  const Captured captured = capture_->captured();
  fmt::print("recorded {} and {} in {}{}\nto judge them: watchproof check {}\n",
             Count(captured.watches, "watch stream"), Count(captured.calls, "call"),
             Count(static_cast<std::size_t>(captured.segments), "segment"),
             captured.dropped > 0 ? fmt::format(", the first {} dropped", captured.dropped) : "",
             flags_.folder);
  // Where connections are drawn, what was announced is gone by now.
  MutexLock lock(refusing_);
  if (!refused_.empty()) fmt::print("  {}\n", refused_);
  if (captured.lost > 0) {
    fmt::print("  {} not recorded to the end; `check` names them\n",
               Count(captured.lost, "connection"));
  }
  if (closed.ok()) return ExitCode::kOk;
  return {ExitCode::kInconclusive, "the recording is incomplete: " + closed.message()};
}

}  // namespace watchproof
