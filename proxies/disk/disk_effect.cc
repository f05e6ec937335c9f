// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/disk_effect.h"

#include <algorithm>

#include "harness/base/check.h"

namespace watchproof::proxy {
namespace {

std::vector<DiskEffectInfo>& DiskEffects() {
  static std::vector<DiskEffectInfo> effects;
  return effects;
}

// "sync+write".
Result<std::vector<DiskCallKind>> ParseCalls(std::string_view text) {
  std::vector<DiskCallKind> calls;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("+,", from), text.size());
    const std::string_view word = text.substr(from, end - from);
    const auto* const found = std::ranges::find(kDiskCallKinds, word);
    if (found == std::end(kDiskCallKinds)) {
      return Fail(StatusCode::kInvalidArgument,
                  "calls={}: '{}' is none of write, sync, truncate, make, rename, remove", text,
                  word);
    }
    calls.push_back(static_cast<DiskCallKind>(found - std::begin(kDiskCallKinds)));
    from = end + 1;
  }
  return calls;
}

}  // namespace

DiskEffectRegistration::DiskEffectRegistration(DiskEffectInfo info) {
  std::vector<DiskEffectInfo>& effects = DiskEffects();
  const auto at = std::ranges::lower_bound(effects, info.name, {}, &DiskEffectInfo::name);
  WP_CHECK(at == effects.end() || at->name != info.name, "two effects of one name");
  effects.insert(at, std::move(info));
}

const std::vector<DiskEffectInfo>& KnownDiskEffects() { return DiskEffects(); }

Result<const DiskEffectInfo*> FindDiskEffect(std::string_view name) {
  std::string names;
  for (const DiskEffectInfo& effect : KnownDiskEffects()) {
    if (effect.name == name) return &effect;
    names += (names.empty() ? "" : ", ") + effect.name;
  }
  return Fail(StatusCode::kNotFound, "there is no effect '{}' on disks; there are: {}", name,
              names);
}

std::vector<ParameterInfo> ParametersOf(const DiskEffectInfo& info) {
  std::vector<ParameterInfo> all = {
      {.name = "files",
       .kind = ParameterKind::kText,
       .default_value = info.default_files,
       .explain =
           "Which files: all, the name of a class of files, or names below the folder with * "
           "for any characters and | between alternatives."},
      {.name = "calls",
       .kind = ParameterKind::kText,
       .default_value = info.default_calls,
       .explain = "Which calls, with + between: write, sync, truncate, make, rename, remove."},
      {.name = "from",
       .kind = ParameterKind::kNumber,
       .default_value = "1",
       .explain = "The first such call that it affects.",
       .least = 1},
      {.name = "times",
       .kind = ParameterKind::kNumber,
       .default_value = "0",
       .explain = "How many calls it affects; 0: all from there on."}};
  all.insert(all.end(), info.parameters.begin(), info.parameters.end());
  return all;
}

Result<std::unique_ptr<DiskEffect>> DiskEffect::Make(std::string_view kind, const Parameters& given,
                                                     const FileClasses& classes, Prng prng) {
  WP_ASSIGN_OR_RETURN(const DiskEffectInfo* const info, FindDiskEffect(kind));
  WP_ASSIGN_OR_RETURN(const ParameterValues values,
                      ParseParameters(kind, ParametersOf(*info), given));
  std::unique_ptr<DiskEffect> effect(new DiskEffect);
  WP_ASSIGN_OR_RETURN(effect->calls_, ParseCalls(values.text("calls")));
  WP_ASSIGN_OR_RETURN(effect->files_, PatternsOf(classes, values.text("files")));
  effect->from_ = values.number("from");
  effect->times_ = values.number("times");
  effect->decide_ = info->make(values, std::move(prng));
  effect->receipt_.armed_at = Clock::now();
  return effect;
}

Decision DiskEffect::Decide(const DiskCall& call) {
  const auto about = [this](DiskCallKind kind) {
    return std::ranges::find(calls_, kind) != calls_.end();
  };
  if (!about(call.kind) && !(call.synced && about(DiskCallKind::kSync))) return {};
  if (!Covers(files_, call.file)) return {};
  ++receipt_.covered;
  if (receipt_.covered < from_) return {};
  if (times_ > 0 && receipt_.affected >= times_) return {};
  const Decision decision = decide_(call);
  const bool affects = decision.hold > Duration() || decision.error != 0 || decision.pretend ||
                       decision.stop != Decision::Stop::kNo;
  if (!affects) return decision;
  ++receipt_.affected;
  receipt_.last = call.ToString();
  if (decision.hold > receipt_.longest_hold) {
    receipt_.longest_hold = decision.hold;
    receipt_.longest_from = Clock::now();
  }
  return decision;
}

}  // namespace watchproof::proxy
