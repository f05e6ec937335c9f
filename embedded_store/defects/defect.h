// SPDX-License-Identifier: Apache-2.0
// Deliberate bugs of the embedded store: what they are, and how to switch them on by name.
//
//   for (const DefectInfo& info : KnownDefects()) ...
//   WP_ASSIGN_OR_RETURN(std::unique_ptr<Hooks> hooks, MakeHooks({"compaction-notice-lost"}));
//
// A defect is one file: a class that overrides one hook, and a DefectRegistration at its end. An
// executable that uses them links this folder itself, because the registrations would be dropped
// from an archive. Threads: registration happens before main; afterwards all is read-only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "embedded_store/mvcc/hooks.h"
#include "harness/base/status.h"

namespace watchproof::store {

struct DefectInfo {
  std::string name;
  std::string explain;         // a paragraph in plain language
  std::string upstream_issue;  // "#17529"
  std::vector<std::string>
      guarantees;  // those that must catch it, for example "CompactionSurfaced"
};

struct Defect {
  DefectInfo info;
  // Makes hooks that do the wrong thing where this defect lies and ask `next` for everything else.
  std::function<std::unique_ptr<Hooks>(std::unique_ptr<Hooks> next)> make;
};

class DefectRegistration {
 public:
  explicit DefectRegistration(Defect defect);
};

// Answers every hook as the hooks behind it do; the base of defects, so that several can be
// switched on together.
class PassOn : public Hooks {
 public:
  explicit PassOn(std::unique_ptr<Hooks> next) : next_(std::move(next)) {}
  NoticeFate OnNoticeRefused() override { return next_->OnNoticeRefused(); }
  ProgressRoad OnProgressRequested() override { return next_->OnProgressRequested(); }

 private:
  std::unique_ptr<Hooks> next_;
};

// By name.
std::vector<DefectInfo> KnownDefects();
// Without names: hooks that do nothing. An unknown name is refused with a list of the known ones.
Result<std::unique_ptr<Hooks>> MakeHooks(const std::vector<std::string>& names);

}  // namespace watchproof::store
