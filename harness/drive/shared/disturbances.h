// SPDX-License-Identifier: Apache-2.0
// What befalls a cluster that many scripts use at the same time: one script at a time disturbs it,
// for all of them, and what is due to a script within a time is waited for while it is calm.
//
//   Disturbances events(environment, recorder);
//   WP_ASSIGN_OR_RETURN(const bool begun, events.Begin(7, {Disturb::How::kIsolate, 2}));
//   ...                                        // requests of any script
//   WP_RETURN_IF_ERROR(events.End(7));         // by the same one
//   const Disturbances::Peace peace(events);   // by any
//
// One that would have to wait for long leaves it to the others, and meets what they do.
//
// Threads: any. Ownership: borrows the environment, of which it uses members only, and the
// recording.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/environment/environment.h"
#include "harness/faults/fault.h"
#include "harness/history/recorder.h"
#include "harness/script/script.h"

namespace watchproof::explore {

class Disturbances {
 public:
  Disturbances(Environment& environment, Recorder& recorder);

  // While one of these exists nothing disturbs the cluster.
  class Peace {
   public:
    explicit Peace(Disturbances& events);
    ~Peace();
    Peace(const Peace&) = delete;
    Peace& operator=(const Peace&) = delete;

   private:
    Disturbances& events_;
  };

  // What lasts disturbs it until End, and only a move of the leader fits beside it. False: another
  // script disturbs it, or is about to, or some are at peace for longer than a moment. An error: it
  // could not be begun.
  Result<bool> Begin(std::uint32_t script, const Disturb& what);
  // No-op unless that script disturbs it. An error: what it began took no effect.
  Status End(std::uint32_t script);

  // How many events were over when what disturbs it now began, if something does.
  std::uint64_t over();
  // What has befallen it since there were so many: as a script alone has to do it. They are counted
  // on.
  std::vector<Step> Since(std::uint64_t& count);
  // For a call that begins now: whether something befell the cluster while it was on its way.
  std::uint64_t Now() const { return held_ || Recovers() ? kDisturbed : count_.load(); }
  bool DisturbedSince(std::uint64_t then) const { return held_ || then != count_; }
  // Whether a call to the member comes to an answer, and one that needs the others: it may be cut
  // off from them, or have been until a moment ago, so that what it sends them may be lost.
  bool Answers(int member) const { return !held_ || paused_ != member; }
  bool ReachesOthers(int member) const {
    return Answers(member) && !(apart_ == member && (held_ || Recovers()));
  }
  // Whether that script disturbs it; and so long that others wait for it.
  bool HeldBy(std::uint32_t script) const { return holder_ == script; }
  bool IsOverdue(std::uint32_t script) const;
  // What took effect, by its kind.
  std::map<std::string, std::uint64_t> happened();

 private:
  static constexpr std::uint64_t kDisturbed = UINT64_MAX;
  // Members connect again when they are healed, which takes a moment.
  static constexpr Duration kRecovers = 500ms;

  bool Recovers() const {
    return Clock::now().time_since_epoch() < Duration(recovers_until_.load());
  }
  bool Take(std::uint32_t script);
  Status Act(const Disturb& what);
  Result<bool> Leads(int member);
  Status Lead(int member);
  Status LetGo();
  void Record(const std::string& fault, std::string_view phase, const FaultReceipt& receipt);
  void Note(const Step& step) REQUIRES(mu_);

  Environment& environment_;
  Recorder& recorder_;
  FaultPorts ports_;
  // What lasts. Of the script that disturbs it, and so of one thread at a time.
  struct Armed {
    std::string name;
    int member = 0;
    std::unique_ptr<Fault> fault;
  };
  std::optional<Armed> armed_;
  std::atomic<std::uint64_t> count_ = 0;
  std::atomic<bool> held_ = false;
  std::atomic<std::uint32_t> holder_ = 0;  // the script; 0: none
  std::atomic<int> apart_ = 0;             // a member
  std::atomic<int> paused_ = 0;            // likewise
  std::atomic<std::int64_t> recovers_until_ = 0;
  Mutex mu_;
  CondVar changed_;
  int at_peace_ GUARDED_BY(mu_) = 0;     // scripts
  bool wanted_ GUARDED_BY(mu_) = false;  // by a script that waits for these
  std::vector<Step> events_ GUARDED_BY(mu_);
  std::uint64_t held_from_ GUARDED_BY(mu_) = 0;  // so many events
  std::atomic<TimePoint> held_since_{};
  std::map<std::string, std::uint64_t> happened_ GUARDED_BY(mu_);
};

}  // namespace watchproof::explore
