// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/target.h"

#include <algorithm>
#include <charconv>

namespace watchproof {
namespace {

std::vector<TargetKind>& Kinds() {
  static std::vector<TargetKind> kinds;
  return kinds;
}

std::string Grammars() {
  std::string all;
  for (const TargetKindInfo& kind : TargetKinds()) {
    all += fmt::format("{}\"{}\"", all.empty() ? "" : ", ", kind.grammar);
  }
  return all;
}

// "@3.5.16"; the version becomes part of a path, so that nothing else may be in it.
bool IsVersion(std::string_view rest) {
  return rest.starts_with("@") && rest.find("..") == std::string_view::npos &&
         rest.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.-+~", 1) ==
             std::string_view::npos;
}

}  // namespace

TargetRegistration::TargetRegistration(TargetKind kind) { Kinds().push_back(std::move(kind)); }

std::vector<TargetKindInfo> TargetKinds() {
  std::vector<TargetKindInfo> infos;
  for (const TargetKind& kind : Kinds()) infos.push_back(kind.info);
  std::sort(infos.begin(), infos.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return infos;
}

Result<ServerAddress> ParseServerAddress(std::string_view text) {
  const Status unusable =
      Fail(StatusCode::kInvalidArgument,
           "'{}' is no address; expected HOST:PORT such as 127.0.0.1:2379 or [::1]:2379, or a URL "
           "such as https://db.local:2379",
           text);
  std::optional<bool> tls;
  for (const auto& [scheme, secure] : {std::pair{"http://", false}, std::pair{"https://", true}}) {
    if (!text.starts_with(scheme)) continue;
    tls = secure;
    text.remove_prefix(std::string_view(scheme).size());
    if (text.ends_with('/')) text.remove_suffix(1);
    break;
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return unusable;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return unusable;
  }
  int port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool number = error == std::errc() && end == digits.data() + digits.size();
  const bool clean = host.find_first_of("/[]@ ") == std::string_view::npos;
  if (host.empty() || !clean || !number || port < 1 || port > 65535) return unusable;
  return ServerAddress{.host = std::string(host), .port = port, .tls = tls};
}

Result<TargetSpec> ParseTargetSpec(const std::string& text) {
  TargetSpec spec{.text = text};
  const auto kind_end = text.find_first_of(":+@");
  spec.kind = text.substr(0, kind_end);
  std::string rest = kind_end == std::string::npos ? "" : text.substr(kind_end);
  const auto known = [&](const TargetKind& kind) { return kind.info.name == spec.kind; };
  const auto kind = std::find_if(Kinds().begin(), Kinds().end(), known);
  const bool wants_path = spec.kind == "etcd";
  const bool wants_address = spec.kind == "endpoint";
  bool good_rest = rest.empty() || rest[0] == '+';
  if (wants_address) good_rest = rest.size() > 1 && rest[0] == ':';
  if (wants_path) good_rest = rest.size() > 1 && (rest[0] == ':' || IsVersion(rest));
  if (kind != Kinds().end() && kind->parse) {
    if (Status parsed = kind->parse(rest, spec); !parsed.ok()) {
      return std::move(parsed).WithContext("target \"{}\"", text);
    }
    return spec;
  }
  if (kind == Kinds().end() || !good_rest) {
    return Fail(StatusCode::kInvalidArgument, "target \"{}\" is not understood; expected one of {}",
                text, Grammars());
  }
  if (wants_path) {
    (rest[0] == '@' ? spec.version : spec.path) = rest.substr(1);
    return spec;
  }
  if (wants_address) {
    Result<ServerAddress> address = ParseServerAddress(std::string_view(rest).substr(1));
    if (!address.has_value()) {
      return std::move(address).error().WithContext("target \"{}\"", text);
    }
    spec.host = address->host;
    spec.port = address->port;
    spec.tls = address->tls;
    return spec;
  }
  while (!rest.empty()) {
    const auto end = rest.find('+', 1);
    spec.defects.push_back(rest.substr(1, end == std::string::npos ? end : end - 1));
    rest = end == std::string::npos ? "" : rest.substr(end);
    if (spec.defects.back().empty()) {
      return Fail(StatusCode::kInvalidArgument,
                  "target \"{}\" names no defect after \"+\"; expected one of {}", text,
                  Grammars());
    }
  }
  return spec;
}

Status Target::Kill() {
  return Fail(StatusCode::kUnimplemented, "this target cannot survive a kill");
}

Status Target::Terminate(Deadline) { return Target::Kill(); }

Status Target::Restart(Deadline, const std::string&) {
  return Fail(StatusCode::kUnimplemented, "this target cannot be started again with its data");
}

Status Target::Pause() {
  return Fail(StatusCode::kUnimplemented, "this target is not a process that the harness started");
}

Status Target::Continue() { return Target::Pause(); }

Result<std::unique_ptr<Target>> MakeTarget(const TargetSpec& spec) {
  for (const TargetKind& kind : Kinds()) {
    if (kind.info.name == spec.kind) return kind.make(spec);
  }
  return Fail(StatusCode::kInvalidArgument, "target \"{}\" is not understood; expected one of {}",
              spec.text, Grammars());
}

}  // namespace watchproof
