// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/target_spec.h"

#include <algorithm>
#include <charconv>

#include "harness/base/check.h"
#include "harness/base/escape.h"

namespace watchproof {
namespace {

// Between a consumer and what it is used with.
constexpr std::string_view kOn = " on ";

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

std::string TargetSpec::Label(std::string_view version) const {
  if (!name.empty() && !version.empty()) {
    // Whatever a program is, the version that it reports is that of the API which it serves.
    const std::string_view as = product == "command" ? ", as etcd" : "";
    return Escaped(
        fmt::format("{}{} {}{}{}", name, as, version, topology.empty() ? "" : ",", topology));
  }
  return Escaped(label.empty() ? text : label);
}

bool TargetSpec::IsAmong(const std::vector<std::string>& addresses) const {
  return server && std::any_of(addresses.begin(), addresses.end(), [this](const std::string& one) {
           const Result<ServerAddress> address = ParseServerAddress(one);
           return address.has_value() && address->host == server->host &&
                  address->port == server->port;
         });
}

Status NotUnderstood(const TargetSpec& spec, std::string_view why) {
  return Fail(StatusCode::kInvalidArgument, "target \"{}\" {}; expected one of {}", spec.text, why,
              Grammars());
}

Result<TargetSpec> ParseTargetSpec(const std::string& text) {
  TargetSpec spec{.text = text};
  const std::size_t end = std::min(text.find_first_of(":+@"), text.size());
  for (const TargetKind& kind : Kinds()) {
    if (kind.info.name != text.substr(0, end)) continue;
    WP_RETURN_IF_ERROR(kind.parse(std::string_view(text).substr(end), spec));
    return spec;
  }
  if (const std::size_t on = text.rfind(kOn); on != std::string::npos && on > 0) {
    WP_ASSIGN_OR_RETURN(spec, ParseTargetSpec(text.substr(on + kOn.size())));
    spec.consumer = text.substr(0, on);
    spec.text = text;
    if (!spec.name.empty()) spec.name = spec.consumer + std::string(kOn) + spec.name;
    if (!spec.label.empty()) spec.label = spec.consumer + std::string(kOn) + spec.label;
    return spec;
  }
  return NotUnderstood(spec);
}

TargetSpec WithConsumer(const TargetSpec& target, const std::string& consumer) {
  Result<TargetSpec> both = ParseTargetSpec(consumer + std::string(kOn) + target.text);
  WP_CHECK(both.has_value(), "the text of a target parses, with a consumer before it, too");
  both->access = target.access;
  both->allow_disruptive = target.allow_disruptive;
  return std::move(both).value();
}

TargetSpec WithoutConsumer(const TargetSpec& target) {
  if (target.consumer.empty()) return target;
  return ParseTargetSpec(target.text.substr(target.consumer.size() + kOn.size())).value();
}

Result<TargetSpec> ReleaseSpec(const std::string& product, const std::string& version) {
  return ParseTargetSpec(product + "@" + version);
}

}  // namespace watchproof
