// SPDX-License-Identifier: Apache-2.0
// After the last step of a script on a real server: every promise of the API is asked of every
// stream and watch that it left open.
#include <algorithm>
#include <map>
#include <thread>

#include "harness/drive/shared/live_script.h"
#include "harness/drive/shared/shared_driver.h"
#include "harness/history/wire.h"
#include "harness/promises/promise.h"

namespace watchproof::explore {
namespace {

// Longer than the judge gives a lease of three seconds.
constexpr Duration kLeasesEnd = 16s;
constexpr Duration kBetweenLists = 200ms;
// A request for progress may be dropped while the server still has a watch among those that are
// behind. It is repeated, each time after twice as long.
constexpr Duration kFirstRequest = 25ms;
constexpr Duration kOnTheWay = 15ms;
constexpr Duration kBehind = 450ms;
constexpr Duration kSoon = 100ms;  // of a wait in which nothing is asked
// Watches of one stream that are looked at for what met; a burst of equal ones adds nothing.
constexpr std::uint32_t kMostMet = 12;

std::set<std::int64_t> LeasesIn(std::string_view list) {
  LeaseLeasesResponseView answer;
  std::set<std::int64_t> leases;
  if (!Parse(list, answer).ok()) return leases;
  for (const LeaseRequestView& one : answer.leases) leases.insert(one.id);
  return leases;
}

WatchPhase PhaseOf(const WatchState& watch, Revision head, Revision floor) {
  if (watch.end == WatchEnd::kRefused) return WatchPhase::kRefused;
  if (watch.end == WatchEnd::kCompacted) return WatchPhase::kCompacted;
  if (watch.end != WatchEnd::kOpen) return WatchPhase::kEnded;
  if (!watch.created) return WatchPhase::kAsked;
  if (watch.start > head) return WatchPhase::kFuture;
  if (watch.complete) return WatchPhase::kLive;
  return watch.position < floor ? WatchPhase::kBelowFloor : WatchPhase::kBehind;
}

}  // namespace

void LiveScript::EachLive(
    const Judge& judge,
    const std::function<void(Stream&, std::uint32_t ordinal, const WatchState&)>& visit) {
  for (Stream& stream : streams_) {
    for (std::uint32_t ordinal = 0; stream.open && ordinal < stream.watches.size(); ++ordinal) {
      const auto index = judge.Find(stream.client->id(), ordinal);
      if (!index) continue;
      const WatchState& state = judge.watch(*index);
      if (state.created && state.end == WatchEnd::kOpen) visit(stream, ordinal, state);
    }
  }
}

void LiveScript::NoteMeetings(const Judge& judge) {
  features_.situations.Look();
  for (const Stream& stream : streams_) {
    std::vector<Situations::Watch> watches;
    for (std::uint32_t ordinal = 0; stream.open && ordinal < stream.watches.size(); ++ordinal) {
      if (ordinal == kMostMet) break;
      const auto index = judge.Find(stream.client->id(), ordinal);
      if (!index) continue;
      const Watch& watch = stream.watches[ordinal];
      watches.push_back({&watch.asked, watch.start_kind,
                         PhaseOf(judge.watch(*index), server_.head(), server_.floor())});
      for (std::size_t i = 0; i + 1 < watches.size(); ++i) {
        features_.Met(watches[i].phase, watches.back().phase, {});
      }
    }
    features_.situations.See({.number = stream.number, .stalled = stream.stalled}, watches);
  }
}

// At what the client knows by now.
void LiveScript::Look() {
  server_.Look([this](const Judge& judge) { NoteMeetings(judge); });
}

// Until every create has been answered.
void LiveScript::AwaitAnswers(Duration limit) {
  server_.Await(
      [this](const Judge& judge) {
        for (const Stream& stream : streams_) {
          if (!stream.open || stream.stalled || stream.watches.empty()) continue;
          const auto index = judge.Find(stream.client->id(),
                                        static_cast<std::uint32_t>(stream.watches.size() - 1));
          if (!index) return false;
          const WatchState& last = judge.watch(*index);
          if (!last.created && last.end == WatchEnd::kOpen) return false;
        }
        NoteMeetings(judge);
        return true;
      },
      limit);
}

void LiveScript::AskAtTheEnd() {
  for (Stream& stream : streams_) {
    if (stream.open) {
      if (stream.stalled) server_.Annotate(ReadingLimited{stream.client->id(), -1});
      stream.client->ResumeReading();
    }
    stream.stalled = false;
  }
  AwaitArrival();
  AwaitAnswers(server_.patience());
  AwaitEndOfLeases();
  SharedDriver driver(*this);
  AskStandingPromises(driver);
  for (const std::int64_t lease : leases_) {
    if (server_.Gone()) return;
    [[maybe_unused]] const auto revoked = Call(Method::kLeaseRevoke, LeaseOf(lease).bytes());
  }
}

// The judge says of the lists whether one has lasted too long.
void LiveScript::AwaitEndOfLeases() {
  const auto enough =
      server_.pulse().answers() + static_cast<std::uint64_t>(kLeasesEnd / Pulse::kEvery);
  while (!server_.Gone()) {
    std::erase_if(ending_, [this](std::int64_t lease) { return !leases_.contains(lease); });
    if (ending_.empty()) return;
    const bool last = server_.pulse().answers() >= enough;
    if (last) ListLeases();
    const auto left = client_.calls(member_).Ask("/etcdserverpb.Lease/LeaseLeases", "");
    if (last || (!left && !IsNoAnswer(left.error().code()))) return;
    const std::set<std::int64_t> listed = left ? LeasesIn(left->view()) : leases_;
    for (const std::int64_t lease : ending_) {
      if (!listed.contains(lease)) leases_.erase(lease);
    }
    std::this_thread::sleep_for(kBetweenLists);
  }
}

// After a read of everything, which shows the keys that are on them. Where none is left, none of
// those that ended may be listed.
void LiveScript::ListLeases() {
  if (!granted_) return;
  const std::string every(1, '\0');
  const auto ask = [this](Method method, const std::string& request) {
    const auto asked = Inquire(method, request);
    if (!asked || asked->has_value()) return;
    Differs("the leases, and the keys that are on them", std::string(asked->error().message()));
  };
  ask(Method::kRange, ToMessage(ReadRequest{.key = every, .range_end = every}).bytes());
  ask(Method::kLeaseLeases, "");
  for (const std::int64_t lease : leases_)
    ask(Method::kLeaseTimeToLive, TimeToLiveOf(lease).bytes());
}

LiveScript::Watches LiveScript::LiveOn(const Stream* only) {
  Watches live;
  server_.Look([&](const Judge& judge) {
    EachLive(judge, [&](Stream& stream, std::uint32_t ordinal, const WatchState& watch) {
      if (only == nullptr || only == &stream) live.push_back({&stream, ordinal, watch});
    });
  });
  return live;
}

// As long as something arrives, the rest is only late.
bool LiveScript::AwaitDelivery(const Watches& watches, Revision through) {
  std::uint64_t events = 0;
  std::uint64_t before = 0;
  do {
    before = events;
    if (Delivered(watches, through, server_.patience() + kOnTheWay, &events)) return true;
  } while (events != before);
  return false;
}

bool LiveScript::Delivered(const Watches& watches, Revision through, Duration limit,
                           std::uint64_t* events) {
  const auto delivered = [&](const Judge& judge) {
    bool all = judge.known_through() >= through;
    *events = 0;
    for (const LiveWatch& one : watches) {
      const auto index = judge.Find(one.stream->client->id(), one.ordinal);
      if (!index) continue;
      const WatchState& watch = judge.watch(*index);
      *events += watch.events;
      all = all && (watch.end != WatchEnd::kOpen || watch.complete || watch.position > through);
    }
    return all;
  };
  return server_.Await(delivered, limit);
}

// The first wait is not worth a line of the recording.
bool LiveScript::AwaitArrival() {
  if (own_.empty()) return true;
  const Disturbances::Peace peace(server_.events());
  const auto hush = server_.Hush();
  const Revision through(own_.back());
  Watches live = LiveOn(nullptr);
  std::erase_if(live, [through](const LiveWatch& one) {
    return one.stream->stalled || one.state.start > through;
  });
  std::uint64_t events = 0;
  if (live.empty() || Delivered(live, through, kSoon, &events)) return true;
  const std::string group = name_ + " unasked";
  DeliveryDue due{.group = group,
                  .streams = {},
                  .ordinals = {},
                  .through = through.value,
                  .limit_ms = server_.patience() / 1ms,
                  .unasked = true};
  std::set<StreamId> streams;
  for (const LiveWatch& one : live) {
    streams.insert(one.stream->client->id());
    due.streams.push_back(one.stream->client->id().value);
    due.ordinals.push_back(one.ordinal);
  }
  server_.Annotate(due);
  const auto come = [&] {
    std::uint64_t sum = 0;
    server_.Look([&](const Judge& judge) { sum = ProgressTo(through, streams, judge); });
    return sum;
  };
  const ByItself what{
      .wait = [&](Duration time) { return Delivered(live, through, time + kOnTheWay, &events); },
      .came = come,
      .given_up = [&] { return server_.Gone(); }};
  const Arrival arrival = AwaitByItself(server_.pulse(), what, server_.patience());
  DeliveryOver over{.group = group};
  if (arrival.connected_within) over.answered_ms = *arrival.connected_within / 1ms;
  server_.Annotate(over);
  return arrival.arrived;
}

bool LiveScript::HasCompacted(const Stream& stream) {
  bool compacted = false;
  server_.Look([&](const Judge& judge) {
    for (std::uint32_t ordinal = 0; ordinal < stream.watches.size(); ++ordinal) {
      const auto index = judge.Find(stream.client->id(), ordinal);
      compacted |= index && judge.watch(*index).end == WatchEnd::kCompacted;
    }
  });
  return compacted;
}

LiveScript::Progress LiveScript::AwaitProgress(Stream& stream) {
  const StreamId id = stream.client->id();
  const Duration patience = server_.patience();
  server_.Annotate(ProgressDue{.stream = id, .asked = true, .limit_ms = patience / 1ms});
  Revision due{};
  server_.Look([&due](const Judge& judge) { due = judge.reached(); });
  std::map<std::uint32_t, std::uint64_t> before;  // answers, by ordinal
  for (const LiveWatch& one : LiveOn(&stream)) before[one.ordinal] = one.state.progress_answers;
  bool any = false;
  const auto answered = [&](const Judge& judge) {
    bool came = any = false;
    EachLive(judge, [&](const Stream& its, std::uint32_t ordinal, const WatchState& watch) {
      if (&its != &stream) return;
      any = true;
      came = came || (watch.progress_answers > before[ordinal] && watch.bookmark >= due);
    });
    return came || !any;
  };
  bool came = false;
  Duration wait = kFirstRequest;
  for (Duration left = patience; !came && left > Duration(0); left -= wait, wait *= 2) {
    ++steps_;
    stream.client->RequestProgress();
    came = server_.Await(answered, std::min<Duration>(wait, left));
  }
  // If another script's compaction has ended the last of its watches, nothing is due any more.
  if (!any) return Progress::kCame;
  std::uint64_t events = 0;
  if (!came && !Delivered(LiveOn(&stream), server_.head(), kBehind, &events)) {
    return Progress::kBehind;
  }
  server_.Annotate(ProgressOver{id});
  return came ? Progress::kCame : Progress::kNone;
}

}  // namespace watchproof::explore
