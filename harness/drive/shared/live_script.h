// SPDX-License-Identifier: Apache-2.0
// Runs one script on a server that others use at the same time, and then asks the standing promises
// of every stream and watch that it left open.
//
//   LiveScript run(server, client, script, 17, prng);
//   run.Run();
//
// Places count from the script's own writes: "head-2" is two writes back, whatever others wrote.
// Turns of the store's loops, which only virtual time decides, are short pauses here; the steps of
// the disk are left out. On a cluster each request goes to the member that the script names. One
// thread. Ownership: borrows everything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/drive/shared/live_server.h"
#include "harness/script/features.h"
#include "harness/script/requests_of_steps.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// What scripts that run one after the other share: the connection of their streams and calls, to
// each member that they use. Used by one thread at a time.
class LiveClient {
 public:
  // Connects, unless that has been done since the server's last start: a channel that was refused
  // during a restart fails new streams with that until it tries again. Requires a LiveServer::Use.
  Status Connect(LiveServer& server, int member = 1);

  // Requires: Connect of that member, which may have failed since.
  const Connection& connection(int member) const { return links_.at(member).connection; }
  const CallClient& calls(int member) const { return *links_.at(member).calls; }

 private:
  struct Link {
    Connection connection;
    std::optional<CallClient> calls;
    std::uint64_t restarts = 0;  // of the server, when it connected
  };
  std::map<int, Link> links_;
};

class LiveScript {
 public:
  struct Draws {
    double compactions = 1;  // the share of compactions that are carried out
    bool restarts = true;    // of the server, if it keeps its data
    // Leases have the time that the script gives them, and time that it lets pass does.
    bool time = true;
    double pauses = 1;  // how long turns of loops are, of their usual length
    bool everything =
        false;  // watches of "*" are of the whole store, not only of the script's keys
  };
  LiveScript(LiveServer& server, LiveClient& client, const Script& script, std::uint32_t number,
             const Draws& draws, Prng prng);

  void Run();

  std::size_t steps() const { return steps_; }
  // The steps that were carried out, and in their places the compactions of others: what it takes
  // to see the same alone.
  const Script& carried_out() const { return carried_out_; }
  const Features& features() const { return features_; }
  // Kinds of calls that the server did not carry out, each with its first answer: an answer with a
  // reason that may be in the request is none of them, no answer is one. The script has not made
  // its situation then.
  const std::map<std::string_view, Status>& not_done() const { return not_done_; }

 private:
  struct Watch {
    Create asked;
    std::int64_t start = 0;
    StartKind start_kind = StartKind::kNow;
  };
  struct Stream {
    int number = 0;  // in scripts
    WatchStream* client = nullptr;
    std::vector<Watch> watches;  // by ordinal
    bool open = false;
    bool stalled = false;
    bool restricted = false;
  };

  void RunStep(const Step& step);
  void NoteStep(const Step& step);
  bool Passes(const Advance& advance) const;
  std::int64_t SecondsOf(const Grant& grant) const;
  void Carry(const Step& step);
  void Restart();
  // After a step: the server may have come to its crash point.
  void LeaveCrashPoint();
  // What the server does by itself after the last step, within a while, counts as well.
  void AwaitCrashPoint();
  void NoteCompaction();
  void NoteRestart();
  void NoteEvents();
  std::int64_t Resolve(const Place& place) const;
  Stream& StreamOf(int number) { return streams_[static_cast<std::size_t>(number - 1)]; }
  Stream* Open(int number);
  void Ask(Stream& stream, const Create& create, std::int64_t start);
  // What a member answers itself, also while it is cut off; others are sent the rest then.
  enum class Needs { kOthers, kItself };
  Result<Bytes> Call(Method method, std::string request, Needs needs = Needs::kOthers);
  int MemberFor(Needs needs) const;
  void Answered(Method method, const std::string& sent, const Result<Bytes>& answer);
  Known WhatIsKnown() const;
  // A question, which is asked again while it has no answer and that proves nothing. Empty: nothing
  // is known of it. An error: it was refused, or did not come although other answers did.
  std::string CallerAt(int member) const;
  std::optional<Result<Bytes>> Inquire(Method method, const std::string& request,
                                       Needs needs = Needs::kOthers) {
    return Inquire([&] { return Call(method, request, needs); });
  }
  std::optional<Result<Bytes>> Inquire(const std::function<Result<Bytes>()>& ask);
  Result<Bytes> ReadInParts(const std::string& request, Needs needs);
  void NotDone(std::string_view asked, const Status& refused);
  void Pause(Duration longest);
  // A call was answered otherwise than it must be.
  void Differs(std::string expected, std::string observed);

  void Do(const Create& create);
  void Do(const Cancel& cancel);
  void Do(const AskProgress& ask);
  void Do(const CloseStream& close);
  void Do(const Resume& resume);
  void Do(const Put& put);
  void Do(const Delete& erase);
  void Do(const Txn& txn);
  void Do(const Grant& grant);
  void Do(const Revoke& revoke);
  void Do(const KeepAlive& keep);
  void Do(const Get& get);
  void Read(const Get& get, std::int64_t at);
  void Do(const Compact& compact);
  void Do(const Receive& receive);
  void Do(const Restrict& restrict);
  void Do(const Advance& advance);
  void Do(const Turn& turn);
  void Do(const SyncDisk&) {}
  void Do(const Defragment&);
  void Do(const Hash& hash);
  void Do(const CrashPoint& point);
  void Do(const Crash&) {}  // Restart
  void Do(const AtMember& at);
  void Do(const Disturb& disturb);
  void Do(const Calm&);

  // live_closing.cc: after the last step.
  friend class SharedDriver;
  void AskAtTheEnd();
  void AwaitAnswers(Duration limit);
  void Look();
  // A watch that was created and had not ended, as it was then.
  struct LiveWatch {
    Stream* stream = nullptr;
    std::uint32_t ordinal = 0;
    WatchState state;
  };
  using Watches = std::vector<LiveWatch>;
  // Those on one stream; null: on every stream.
  Watches LiveOn(const Stream* only);
  // Until each has received every change through the revision; false if nothing more arrives.
  bool AwaitDelivery(const Watches& watches, Revision through);
  // What this script wrote must come by itself: nothing is asked meanwhile, but by other scripts.
  // False if it did not come.
  bool AwaitArrival();
  // The same within a limit, with the number of events that they have received.
  bool Delivered(const Watches& watches, Revision through, Duration limit, std::uint64_t* events);
  void AwaitEndOfLeases();
  void ListLeases();
  // A watch of the stream ended with ErrCompacted.
  bool HasCompacted(const Stream& stream);
  // kBehind: none came, but nor did every event.
  enum class Progress { kCame, kNone, kBehind };
  Progress AwaitProgress(Stream& stream);
  // With the state of each watch that was created and has not ended.
  void EachLive(
      const Judge& judge,
      const std::function<void(Stream&, std::uint32_t ordinal, const WatchState&)>& visit);
  void NoteMeetings(const Judge& judge);

  LiveServer& server_;
  LiveClient& client_;
  const Script& script_;
  const std::uint32_t number_;
  const std::string name_;
  const Draws draws_;
  const Placement placement_;
  Prng prng_;
  Features features_;
  std::map<std::string_view, Status> not_done_;
  std::vector<Stream> streams_;
  std::vector<std::int64_t> own_;  // revisions that it wrote
  std::int64_t base_ = 0;          // the store's revision before its first step
  std::int64_t seen_floor_ = 0;
  std::uint64_t seen_restarts_ = 0;
  std::uint64_t seen_events_ = 0;
  int member_ = 1;                                // that requests go to
  std::optional<LiveServer::Readable> readable_;  // by the user of restricted streams
  Script carried_out_;
  bool crashed_ = false;  // at its crash point, and goes on after a restart
  WrittenKeys written_;
  std::optional<KeepAlives> keep_alives_;  // at the member that requests go to
  bool granted_ = false;                   // any lease
  std::set<std::int64_t> leases_;          // not revoked
  std::set<std::int64_t> ending_;          // of these, those that end by themselves
  Values values_;
  std::size_t steps_ = 0;
};

}  // namespace watchproof::explore
