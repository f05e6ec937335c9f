// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/api_version.h"

#include <fmt/format.h>

#include <algorithm>

#include "embedded_store/mvcc/errors.h"
#include "harness/base/parse.h"

namespace watchproof::store {
namespace {

// What comes before the next dot, which is removed, too.
std::optional<int> TakeNumber(std::string_view& text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view digits = text.substr(0, dot);
  text.remove_prefix(std::min(dot + 1, text.size()));
  const auto number = ParseNumber<int>(digits);
  return number && *number >= 0 ? number : std::nullopt;
}

// MAJOR.MINOR.PATCH
std::optional<EtcdVersion> Parsed(std::string_view text) {
  const auto major = TakeNumber(text);
  const auto minor = TakeNumber(text);
  const auto patch = ParseNumber<int>(text);
  if (!major || !minor || !patch || *patch < 0) return std::nullopt;
  return EtcdVersion{.major = *major, .minor = *minor, .patch = *patch};
}

// The version without its patch number, which may be missing or carry a suffix.
std::optional<EtcdVersion> TargetOf(std::string_view text) {
  const bool has_patch = std::count(text.begin(), text.end(), '.') > 1;
  auto target = Parsed(has_patch ? std::string(text.substr(0, text.find_first_of("-+")))
                                 : std::string(text) + ".0");
  if (target) target->patch = 0;
  return target;
}

}  // namespace

std::string EtcdVersion::ToString() const { return fmt::format("{}.{}.{}", major, minor, patch); }
std::string EtcdVersion::MajorMinor() const { return fmt::format("{}.{}", major, minor); }

Result<EtcdVersion> ParseEtcdVersion(std::string_view text) {
  if (const auto version = Parsed(text)) return *version;
  return Fail(StatusCode::kInvalidArgument,
              "\"{}\" is no version of etcd; expected MAJOR.MINOR.PATCH, as in 3.7.3", text);
}

EtcdVersion ApiVersion::cluster() const {
  MutexLock lock(mu_);
  return ClusterLocked();
}

EtcdVersion ApiVersion::ClusterLocked() const {
  return target_.value_or(EtcdVersion{.major = server_.major, .minor = server_.minor});
}

std::optional<EtcdVersion> ApiVersion::downgrade() const {
  MutexLock lock(mu_);
  return target_;
}

Result<EtcdVersion> ApiVersion::CheckLocked(std::string_view text) const {
  const auto target = TargetOf(text);
  if (!target) return ErrDowngradeFormat();
  EtcdVersion allowed = ClusterLocked();
  --allowed.minor;
  if (*target != allowed) return ErrInvalidDowngradeTarget();
  if (target_) return ErrDowngradeInProcess();
  return *target;
}

Status ApiVersion::CheckDowngrade(std::string_view target) const {
  MutexLock lock(mu_);
  const auto checked = CheckLocked(target);
  return checked ? Status() : checked.error();
}

Status ApiVersion::EnableDowngrade(std::string_view target) {
  MutexLock lock(mu_);
  WP_ASSIGN_OR_RETURN(target_, CheckLocked(target));
  return {};
}

void ApiVersion::CancelDowngrade() {
  MutexLock lock(mu_);
  target_.reset();
}

}  // namespace watchproof::store
