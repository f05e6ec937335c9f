// SPDX-License-Identifier: Apache-2.0
// Each fault of the disk twice: so that it takes effect, and so that it cannot. Clients write
// meanwhile, and no event may be missed.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

struct DiskRow {
  const char* name;
  const char* fault;
  std::map<std::string, std::string> parameters;
  const char* explain;
  bool ends = false;  // the target, or its use of the disk: it is killed and started again
  int line = __builtin_LINE();
};

void RunDiskRow(Scenario& scenario, const DiskRow& row, bool takes_effect) {
  const std::string key = scenario.Key("on disk");
  scenario.Put(key);
  scenario.Open({.group = "first", .count = 2, .range = Below(key)});
  scenario.Inject(row.fault, row.parameters);
  scenario.BeginLoad(
      {.clients = 4, .calls = 30, .keys = 5, .key = key, .direct = true, .puts_only = true});
  if (takes_effect) scenario.AwaitEffect(row.fault);
  scenario.Heal(row.fault);
  scenario.AwaitLoad();
  if (row.ends) scenario.KillAndRestart();
  scenario.Put(key + "/after");
  const std::string_view fault = row.fault;
  const bool resumes =
      row.ends || fault == "power-failure" || (takes_effect && fault == "crash-point");
  if (resumes) scenario.Resume("first", "second");
  scenario.Put(key + "/after");
  scenario.AwaitDelivered(resumes ? "second" : "first");
}

const std::vector<DiskRow>& EffectiveOnDisk() {
  static const std::vector<DiskRow> rows = {
      {"SlowDisk", "slow-disk", {{"hold", "20ms"}}, "Each sync is held for 20 ms."},
      {"FailingDisk",
       "failing-disk",
       {{"times", "1"}},
       "A sync fails; the store confirms no write any more until it is started again.",
       true},
      {"FullDisk",
       "full-disk",
       {{"from", "3"}, {"times", "2"}},
       "Two writes find no room; the store may end or wait, and is started again.",
       true},
      {"PowerFailure", "power-failure", {}, "The power fails while a write is not synced yet."},
      {"CrashPoint",
       "crash-point",
       {{"from", "5"}, {"when", "after"}},
       "The store is killed right after its fifth call."},
  };
  return rows;
}

const std::vector<DiskRow>& IneffectiveOnDisk() {
  static const std::map<std::string, std::string> other = {{"files", "no-such-file*"}};
  static const char* const no_file = "The target has no such file.";
  static const std::vector<DiskRow> rows = {
      {"SlowDiskOfOtherFiles", "slow-disk", other, no_file},
      {"FailingDiskOfOtherFiles", "failing-disk", other, no_file},
      {"FullDiskOfOtherFiles", "full-disk", other, no_file},
      {"CrashPointNeverReached",
       "crash-point",
       {{"from", "1000000"}},
       "The target makes fewer calls than that."},
      {"PowerFailureThatKeepsAll",
       "power-failure",
       {{"keep", "100"}},
       "The disk keeps everything all the same, so it was a kill."},
      {"ForgetfulOnlyDisk",
       "forgetful-disk",
       {},
       "The only disk may lose what it did not keep, so it does not forget."},
  };
  return rows;
}

CaseInfo InfoOfDisk(const DiskRow& row, bool takes_effect) {
  CaseInfo info{.name = (takes_effect ? "Effective." : "Ineffective.") + std::string(row.name),
                .requirement =
                    "a fault counts if there is evidence that it took effect "
                    "(watchproof, receipts)",
                .explain = row.explain,
                .needs = {Capability::kOurs, Capability::kDurable, Capability::kDisk},
                .guarantees = {},
                .file = __FILE__,
                .line = row.line};
  if (!takes_effect) info.expect = Verdict::kInconclusive;
  return info;
}

// If the disk of a member forgets, it loses nothing as long as the power stays.
void ForgetOnMember(Scenario& scenario) {
  const std::string key = scenario.Key("forgotten");
  scenario.Cluster({.members = 3});
  scenario.Inject("forgetful-disk", {{"member", "2"}});
  scenario.PutSome(key, {20, 40});
  scenario.AwaitEffectAndHeal("forgetful-disk");
  scenario.Disturb("kill", {{"member", "2"}});
  scenario.Add(AwaitCaughtUpStep{2});
  scenario.Open({.group = "on it", .range = OneKey(key), .stream = "on it", .member = 2});
  scenario.Put(key);
  scenario.AwaitDelivered("on it");
}

// The member starts with its damaged log, or refuses and gets it back.
void DamageOnMember(Scenario& scenario) {
  const std::string key = scenario.Key("damaged");
  scenario.Cluster({.members = 3});
  scenario.PutSome(key, {20, 40});
  scenario.Disturb("damaged-file", {{"member", "2"}, {"files", "log"}});
  scenario.Add(AwaitCaughtUpStep{2});
  scenario.Open({.group = "on it", .range = OneKey(key), .stream = "on it", .member = 2});
  scenario.Put(key);
  scenario.AwaitDelivered("on it");
}

[[maybe_unused]] const bool kDiskAdded = [] {
  for (const DiskRow& row : EffectiveOnDisk()) {
    AddCase(InfoOfDisk(row, true), [&row](Scenario& scenario) { RunDiskRow(scenario, row, true); });
  }
  for (const DiskRow& row : IneffectiveOnDisk()) {
    AddCase(InfoOfDisk(row, false),
            [&row](Scenario& scenario) { RunDiskRow(scenario, row, false); });
  }
  const DiskRow forgets{"ForgetfulDisk", "forgetful-disk", {}, "The disk of a member forgets."};
  CaseInfo of_member = InfoOfDisk(forgets, true);
  of_member.needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk};
  AddCase(of_member, &ForgetOnMember);
  const DiskRow damages{"DamagedFile", "damaged-file", {}, "The log of a member is damaged."};
  of_member = InfoOfDisk(damages, true);
  of_member.needs = {Capability::kCluster, Capability::kDurable};
  AddCase(of_member, &DamageOnMember);
  return true;
}();

}  // namespace
}  // namespace watchproof
