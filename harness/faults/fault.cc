// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/fault.h"

#include <algorithm>
#include <charconv>

namespace watchproof {
namespace {

std::vector<FaultKind>& Kinds() {
  static std::vector<FaultKind> kinds;
  return kinds;
}

template <typename Items>
std::string NamesOf(const Items& items) {
  std::string names;
  for (const auto& item : items) names += fmt::format("{}{}", names.empty() ? "" : ", ", item.name);
  return names.empty() ? "none" : names;
}

}  // namespace

std::optional<std::int64_t> SlowWatchers(const FaultPorts& ports) {
  const auto gauge = ports.metric("etcd_debugging_mvcc_slow_watcher_total");
  if (!gauge) return std::nullopt;
  return static_cast<std::int64_t>(*gauge);
}

FaultRegistration::FaultRegistration(FaultKind kind) { Kinds().push_back(std::move(kind)); }

std::vector<FaultInfo> KnownFaults() {
  std::vector<FaultInfo> infos;
  for (const FaultKind& kind : Kinds()) infos.push_back(kind.info);
  std::sort(infos.begin(), infos.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return infos;
}

std::string_view Name(EndsStreams which) {
  switch (which) {
    case EndsStreams::kNone:
      return "none";
    case EndsStreams::kProxied:
      return "proxied";
    case EndsStreams::kEvery:
      return "every";
  }
  return "unknown";
}

std::optional<FaultInfo> FindFault(const std::string& name) {
  for (const FaultKind& kind : Kinds()) {
    if (kind.info.name == KindOf(name)) return kind.info;
  }
  return std::nullopt;
}

Result<std::int64_t> ParseCount(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size() && count >= 0) return count;
  return Fail(StatusCode::kInvalidArgument, "\"{}\"; expected a number from 0 on", text);
}

std::string KindOf(const std::string& name) { return name.substr(0, name.find('/')); }

Result<std::unique_ptr<Fault>> MakeFault(const std::string& full_name,
                                         const FaultParameters& parameters) {
  const std::string name = KindOf(full_name);
  for (const FaultKind& kind : Kinds()) {
    if (kind.info.name != name) continue;
    FaultParameters complete;
    for (const auto& parameter : kind.info.parameters) {
      complete[parameter.name] = parameter.default_value;
    }
    for (const auto& [key, value] : parameters) {
      if (!complete.contains(key)) {
        return Fail(StatusCode::kInvalidArgument,
                    "fault {} has no parameter \"{}\"; expected one of: {}", name, key,
                    NamesOf(kind.info.parameters));
      }
      complete[key] = value;
    }
    return kind.make(complete);
  }
  return Fail(StatusCode::kInvalidArgument, "fault \"{}\" is not known; expected one of: {}", name,
              NamesOf(KnownFaults()));
}

}  // namespace watchproof
