// SPDX-License-Identifier: Apache-2.0
// The part of the control API that is about disks.
#include <chrono>
#include <utility>

#include "harness/base/parse.h"
#include "proxies/control/control_api.h"

namespace watchproof::proxy {
namespace {

Result<DiskEffectId> ParseDiskEffectId(const std::string& text) {
  if (const auto number = ParseNumber<std::int64_t>(text)) return DiskEffectId(*number);
  return Fail(StatusCode::kInvalidArgument, "'{}' is not the number of an effect", text);
}

Json ToJson(const DiskEffectState& state) {
  const DiskReceipt& receipt = state.receipt;
  const std::chrono::duration<double, std::milli> longest = receipt.longest_hold;
  return {{"id", state.id.value},
          {"kind", state.spec.kind},
          {"parameters", state.spec.parameters},
          {"armed", !state.healed},
          {"receipt",
           {{"covered", receipt.covered},
            {"affected", receipt.affected},
            {"longest_hold_ms", longest.count()},
            {"last", receipt.last}}}};
}

Json ToJson(const DiskCounts& counts) {
  Json json = {{"bytes", counts.bytes}};
  for (std::size_t kind = 0; kind < counts.calls.size(); ++kind) {
    json[std::string(kDiskCallKinds[kind])] = counts.calls[kind];
  }
  return json;
}

Json ToJson(const Loss& loss) {
  return {{"writes", loss.writes},
          {"bytes", loss.bytes},
          {"entries", loss.entries},
          {"forgotten", loss.forgotten},
          {"lines", loss.lines}};
}

Json EffectsOf(const Disk& disk) {
  Json all = Json::array();
  for (const DiskEffectState& one : disk.Effects()) all.push_back(ToJson(one));
  return all;
}

Json DescribeDisk(const std::string& name, ControlledDisk& one) {
  const Disk& disk = one.disk();
  Json counts = Json::object();
  const std::vector<DiskCounts> by_class = disk.counts_by_class();
  for (std::size_t i = 0; i < by_class.size(); ++i) {
    counts[NameOfClass(disk.classes(), i)] = ToJson(by_class[i]);
  }
  Json failures = Json::array();
  for (const Loss& loss : one.losses()) failures.push_back(ToJson(loss));
  Json json = {{"name", name},
               {"folder", disk.folder().string()},
               {"counts", std::move(counts)},
               {"effects", EffectsOf(disk)},
               {"power_failures", std::move(failures)},
               {"unseen", disk.unseen()},
               {"killed_at", nullptr}};
  if (const auto at = disk.killed_at()) json["killed_at"] = *at;
  return json;
}

Result<DiskEffectState> FindEffect(const Disk& disk, const std::string& text) {
  WP_ASSIGN_OR_RETURN(const DiskEffectId id, ParseDiskEffectId(text));
  for (DiskEffectState& one : disk.Effects()) {
    if (one.id == id) return std::move(one);
  }
  return Fail(StatusCode::kNotFound, "this disk has no effect {}", id);
}

}  // namespace

Result<ControlledDisk*> ControlApi::FindDisk(const std::string& name) const {
  const auto found = disks_.find(name);
  if (found == disks_.end()) return Fail(StatusCode::kNotFound, "disk not found");
  return found->second;
}

Result<ApiAnswer> ControlApi::ListDisks(const Words&, const std::string&) {
  Json all = Json::object();
  for (const auto& [name, disk] : disks_) all[name] = DescribeDisk(name, *disk);
  return Ok(all);
}

Result<ApiAnswer> ControlApi::ShowDisk(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(ControlledDisk* const found, FindDisk(words[0]));
  return Ok(DescribeDisk(words[0], *found));
}

Result<ApiAnswer> ControlApi::ListDiskEffects(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(ControlledDisk* const found, FindDisk(words[0]));
  return Ok(EffectsOf(found->disk()));
}

Result<ApiAnswer> ControlApi::ArmDiskEffect(const Words& words, const std::string& text) {
  WP_ASSIGN_OR_RETURN(ControlledDisk* const found, FindDisk(words[0]));
  WP_ASSIGN_OR_RETURN(const Json body, ParseBody(text, JsonKind::kObject));
  DiskEffectSpec spec;
  Json parameters = Json::object();
  WP_RETURN_IF_ERROR(ReadField(body, "kind", spec.kind));
  WP_RETURN_IF_ERROR(ReadField(body, "parameters", parameters));
  for (const auto& [name, value] : parameters.items()) {
    WP_RETURN_IF_ERROR(ReadField(parameters, name.c_str(), spec.parameters[name]));
  }
  WP_ASSIGN_OR_RETURN(const DiskEffectId id, found->disk().Arm(spec));
  WP_ASSIGN_OR_RETURN(const DiskEffectState state,
                      FindEffect(found->disk(), std::to_string(id.value)));
  return Ok(ToJson(state), 201);
}

Result<ApiAnswer> ControlApi::ShowDiskEffect(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(ControlledDisk* const found, FindDisk(words[0]));
  WP_ASSIGN_OR_RETURN(const DiskEffectState state, FindEffect(found->disk(), words[1]));
  return Ok(ToJson(state));
}

Result<ApiAnswer> ControlApi::HealDiskEffect(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(ControlledDisk* const found, FindDisk(words[0]));
  WP_ASSIGN_OR_RETURN(DiskEffectState state, FindEffect(found->disk(), words[1]));
  WP_ASSIGN_OR_RETURN(state.receipt, found->disk().Heal(state.id));
  state.healed = true;
  return Ok(ToJson(state));
}

Result<ApiAnswer> ControlApi::FailPower(const Words& words, const std::string& text) {
  WP_ASSIGN_OR_RETURN(ControlledDisk* const found, FindDisk(words[0]));
  Json body = Json::object();
  if (!text.empty()) {
    WP_ASSIGN_OR_RETURN(body, ParseBody(text, JsonKind::kObject));
  }
  Kept kept;
  std::int64_t percent = 0;
  WP_RETURN_IF_ERROR(ReadField(body, "keep", percent));
  WP_RETURN_IF_ERROR(ReadField(body, "torn", kept.torn));
  if (percent > 100) {
    return Fail(StatusCode::kInvalidArgument, "bad request body: 'keep' must be at most 100");
  }
  kept.chance = static_cast<double>(percent) / 100;
  const std::size_t before = found->losses().size();
  WP_RETURN_IF_ERROR(found->FailPower(kept));
  return Ok({{"power_failures_before", before}}, 202);
}

}  // namespace watchproof::proxy
