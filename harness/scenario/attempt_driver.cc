// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/attempt_driver.h"

#include <algorithm>

#include "harness/drive/shared/shared_driver.h"
#include "harness/promises/promise.h"
#include "harness/scenario/operator_calls.h"
#include "harness/session/verdict.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

constexpr Duration kLimit = 5s;
constexpr int kMostKeys = 32;   // that are probed
constexpr int kNewWatches = 7;  // of a stream
constexpr int kWritesOfKey = 8;
constexpr int kMostStreams = 8;  // for the bound of what is used
constexpr std::int64_t kProbeValue = 16;
const std::string kGroup = "standing promises";

class AttemptDriver final : public Driver {
 public:
  AttemptDriver(StepContext& context, const Plan& plan) : context_(context), plan_(plan) {}

  // The first call that failed although every target answers it.
  const Status& status() const { return status_; }

  std::vector<DrivenWatch> Watches() override {
    std::vector<DrivenWatch> watches;
    for (const WatchState& watch : context_.judge().watches()) {
      if (OpenStream(watch.stream) != nullptr) watches.push_back(explore::DrivenIn(watch));
    }
    std::ranges::sort(watches, {}, &DrivenWatch::ref);
    return watches;
  }
  DrivenWatch::State StateOf(WatchRef watch) override {
    const auto index = context_.judge().Find(watch.stream, watch.ordinal);
    return index ? explore::DrivenIn(context_.judge().watch(*index)).state
                 : DrivenWatch::State::kAsked;
  }
  Revision head() override { return context_.head(); }
  Revision floor() override { return context_.judge().compacted_through(); }
  Revision oldest() override { return context_.first_head().next(); }
  // On a target that others use, too, those below the prefix.
  KeyRange Own() override {
    return KeyRange(session_.FirstKey(), EndOfPrefix(session_.Placed("")));
  }
  std::size_t most_streams() override { return SIZE_MAX; }
  std::optional<StreamId> AnyStream() override { return std::nullopt; }
  // Values may be large: what the stream has watched anyway.
  KeyRange HistoryToWatch(const KeyRange& latest) override { return latest; }

  // A target reports progress unasked as often as its default says, every ten minutes, unless a
  // plan needs that: then it is started with a short interval.
  std::string Without(Capability capability) override {
    if (capability == Capability::kProgressNotices &&
        std::ranges::find(plan_.needs, capability) == plan_.needs.end()) {
      return "the case needs no short interval of progress";
    }
    const bool asked = capability == Capability::kProgressRequest && context_.progress_requested();
    if (asked || session_.offer().offered.contains(capability)) return {};
    return fmt::format("it is not known that the target offers {}", Name(capability));
  }
  std::string WithoutReadsAt(Revision) override {
    return session_.offer().stated ? "" : "it is not stated what the target offers";
  }
  std::string WithoutFuture() override {
    return session_.kubernetes_only() ? "no request of Kubernetes does that" : "";
  }
  int members() override { return context_.environment().members(); }
  bool GivesUp() override { return !status_.ok() || session_.GivesUp(); }
  bool Begin(std::string_view promise) override {
    promise_ = promise;
    if (!session_.Asks(promise)) {
      Leave(promise, "the profile of the target leaves it out");
      return false;
    }
    session_.Annotate(PromiseAsked{std::string(promise), TextOfPromise(promise)});
    return true;
  }
  void Leave(std::string_view promise, std::string why) override {
    session_.Annotate(QuestionLeft{.question = std::string(promise), .why = std::move(why)});
  }

  WatchRef Create(StreamId stream, const WatchCreate& watch) override {
    return {stream, OpenStream(stream)->Create(watch)};
  }
  void Cancel(WatchRef watch) override {
    WatchStream* const stream = OpenStream(watch.stream);
    const auto index = context_.judge().Find(watch.stream, watch.ordinal);
    if (stream != nullptr && index) stream->Cancel(context_.judge().watch(*index).id);
  }
  void PutEach(const std::set<std::string>& keys) override {
    for (const std::string& key : keys) {
      Answered("a put", context_.NoteHead(session_.kv().Put(key, "probe")));
    }
  }
  void DeleteEach(const std::set<std::string>& keys) override {
    for (const std::string& key : keys) {
      Answered("a deletion", context_.NoteHead(session_.kv().Delete(key, "")));
    }
  }
  void Read(Revision at, Reads reads) override {
    const auto read = session_.ReadKeys(at, reads == Reads::kSerializable);
    if (read.has_value()) return context_.NoteHead(*read);
    if (at.value > 0 && read.error().code() == StatusCode::kOutOfRange) return;
    Answered(TextOfPromise(promise_), read.error());
  }
  void AskMember(int member, Revision at) override {
    if (!context_.MustHash(member, at)) return;
    const int before = session_.UseMember(member);
    Read({}, Reads::kSerializable);
    session_.UseMember(before);
  }
  void AskStatus(int member) override {
    const int before = session_.UseMember(member);
    Answered(TextOfPromise(promise_), StatusOf(session_.kv().Record(Method::kStatus, Message())));
    session_.UseMember(before);
  }
  void ListMembers(int member) override {
    const auto known = RecordMembers(context_, member);
    if (!known.has_value()) return Answered(TextOfPromise(promise_), known.error());
    if (!*known) Leave(promise_, "it is not known which members there are");
  }
  void ListLeases() override {
    if (session_.kubernetes_only()) return Leave(promise_, "Kubernetes lists none");
    Answered("the list of leases", context_.ListLeases());
  }

  void RequireProgress(StreamId stream, Progress progress) override {
    WatchStream* const open = OpenStream(stream);
    if (open == nullptr) return;
    context_.MustReportProgress(*open, progress == Progress::kRequested, kLimit);
  }
  void RequireDelivery(const std::vector<WatchRef>& watches) override {
    auto& members = context_.groups()[kGroup];
    members.clear();
    for (const WatchRef watch : watches) members.push_back({watch.stream, watch.ordinal});
    context_.MustDeliver(kGroup, kLimit);
  }
  void Await(const std::function<bool()>& done) override {
    session_.PumpUntil(done, Within(kLimit));
  }

 private:
  // Null if nothing can be asked on it any more.
  WatchStream* OpenStream(StreamId id) const {
    const bool over = session_.traffic().HasEnded(id) || context_.finished_requests().contains(id);
    return over ? nullptr : session_.StreamOf(id);
  }
  // A refusal is an answer, too: a broken promise of a target that is known to offer what was
  // asked, and of any other one a part that it does not offer. Without an answer nothing more is
  // asked.
  void Answered(const std::string& asked, const Status& done) {
    if (done.ok() || !status_.ok()) return;
    const Trouble trouble{
        .status = done, .asked = asked, .lease_may_have_ended = context_.has_leases()};
    if (!IsAnswer(done.code())) {
      status_ = done;
    } else if (const std::string known = WhyKnownToOffer(session_, trouble); !known.empty()) {
      session_.Annotate(TargetRefused{
          .asked = asked, .refusal = done.ToString(), .known = known, .member = session_.member()});
    } else {
      Leave(promise_, fmt::format("the target does not offer {}: {}", asked, done.ToString()));
    }
  }

  StepContext& context_;
  const Plan& plan_;
  AttemptSession& session_ = context_.session();
  Status status_;
  std::string_view promise_;  // the one that is asked for
};

}  // namespace

Usage CostOfStandingPromises() {
  return {.bytes = std::int64_t{kMostKeys} * kWritesOfKey * kProbeValue,
          .watchers = std::int64_t{kMostStreams} * kNewWatches};
}

Status AskPromisesOfAttempt(StepContext& context, const Plan& plan) {
  AttemptDriver driver(context, plan);
  AskStandingPromises(driver);
  return driver.status();
}

}  // namespace watchproof
