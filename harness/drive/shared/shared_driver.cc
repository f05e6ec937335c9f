// SPDX-License-Identifier: Apache-2.0
#include "harness/drive/shared/shared_driver.h"

#include <algorithm>

#include "harness/promises/promise.h"

namespace watchproof::explore {
namespace {

using State = DrivenWatch::State;

// Progress that an ended watch holds back is no news on this server once it has not come so often.
constexpr std::uint64_t kNoNews = 4;
constexpr int kMoreTries = 2;

State StateIn(const WatchState& watch) {
  if (watch.end == WatchEnd::kOpen) return watch.created ? State::kOpen : State::kAsked;
  if (watch.end == WatchEnd::kCompacted) return State::kCompacted;
  return watch.end == WatchEnd::kCancelled ? State::kCancelled : State::kOver;
}

}  // namespace

DrivenWatch DrivenIn(const WatchState& watch) {
  return {.ref = {watch.stream, watch.ordinal},
          .state = StateIn(watch),
          .id = watch.id,
          .range = KeyRange(watch.key, watch.range_end),
          .start = watch.start,
          .progress_notify = watch.options.progress_notify};
}

LiveScript::Stream* SharedDriver::StreamOf(StreamId id) {
  for (LiveScript::Stream& stream : script_.streams_) {
    if (stream.open && stream.client->id() == id) return &stream;
  }
  return nullptr;
}

KeyRange SharedDriver::Own() {
  return KeyRange(script_.placement_.Key("*"), script_.placement_.End("*"));
}

std::optional<StreamId> SharedDriver::AnyStream() {
  const LiveScript::Stream* const stream = script_.Open(1);
  if (stream == nullptr) return std::nullopt;
  return stream->client->id();
}

std::vector<DrivenWatch> SharedDriver::Watches() {
  std::vector<DrivenWatch> watches;
  script_.server_.Look([&](const Judge& judge) {
    for (const LiveScript::Stream& stream : script_.streams_) {
      for (std::uint32_t i = 0; stream.open && i < stream.watches.size(); ++i) {
        const auto index = judge.Find(stream.client->id(), i);
        if (index) watches.push_back(DrivenIn(judge.watch(*index)));
      }
    }
  });
  return watches;
}

State SharedDriver::StateOf(WatchRef watch) {
  State state = State::kAsked;
  const auto look = [&](const Judge& judge) {
    const auto index = judge.Find(watch.stream, watch.ordinal);
    if (index) state = StateIn(judge.watch(*index));
  };
  if (judge_ != nullptr) {
    look(*judge_);
  } else {
    script_.server_.Look(look);
  }
  return state;
}

void SharedDriver::Await(const std::function<bool()>& done) {
  const auto holds = [&](const Judge& judge) {
    judge_ = &judge;
    const bool is_done = done();
    judge_ = nullptr;
    if (is_done) script_.NoteMeetings(judge);
    return is_done;
  };
  script_.server_.Await(holds, script_.server_.patience());
}

std::string SharedDriver::Without(Capability capability) {
  const bool quiet = capability == Capability::kProgressNotices;
  return quiet ? "on a server that others write to no watch is quiet for long" : "";
}

bool SharedDriver::Begin(std::string_view promise) {
  script_.server_.Annotate(ClientAsks{script_.name_, TextOfPromise(promise)});
  return true;
}

WatchRef SharedDriver::Create(StreamId stream, const WatchCreate& watch) {
  LiveScript::Stream& on = *StreamOf(stream);
  const WatchRef ref{stream, static_cast<std::uint32_t>(on.watches.size())};
  ++script_.steps_;
  script_.Ask(on, CreateOf(on.number, watch, script_.placement_), watch.start.value);
  return ref;
}

void SharedDriver::Cancel(WatchRef watch) {
  for (const DrivenWatch& one : Watches()) {
    if (one.ref == watch) StreamOf(watch.stream)->client->Cancel(one.id);
  }
}

// All in one revision.
void SharedDriver::PutEach(const std::set<std::string>& keys) {
  Txn txn;
  for (const std::string& key : keys) {
    txn.then.push_back({.kind = TxnPart::Kind::kPut, .key = script_.placement_.Word(key)});
  }
  script_.Carry(txn);
}

void SharedDriver::DeleteEach(const std::set<std::string>& keys) {
  Txn txn;
  for (const std::string& key : keys) {
    txn.then.push_back({.kind = TxnPart::Kind::kDelete, .key = script_.placement_.Word(key)});
  }
  script_.Carry(txn);
}

void SharedDriver::Read(Revision at, Reads reads) {
  if (reads == Reads::kLinearizable) return script_.Read({.key = "*", .end = "*"}, at.value);
  const ReadRequest request{.key = script_.placement_.Key("*"),
                            .range_end = script_.placement_.End("*"),
                            .revision = at,
                            .serializable = true};
  const auto asked =
      script_.Inquire(Method::kRange, ToMessage(request).bytes(), LiveScript::Needs::kItself);
  if (!asked || asked->has_value()) return;
  script_.Differs("a serializable read of every key to be answered",
                  std::string(asked->error().message()));
}

// What each has by now. Hashes are compared once, when all scripts are over.
void SharedDriver::AskMember(int member, Revision) {
  const int before = script_.member_;
  script_.Do(AtMember{member});
  Read({}, Reads::kSerializable);
  script_.Do(AtMember{before});
}

void SharedDriver::AskStatus(int member) {
  const int before = script_.member_;
  script_.Do(AtMember{member});
  [[maybe_unused]] const auto asked =
      script_.Inquire(Method::kStatus, {}, LiveScript::Needs::kItself);
  script_.Do(AtMember{before});
}

void SharedDriver::RequireProgress(StreamId id, Progress) {
  LiveScript::Stream* const stream = StreamOf(id);
  if (stream == nullptr) return;
  LiveServer& server = script_.server_;
  const Disturbances::Peace peace(server.events());
  const LiveScript::Watches live = script_.LiveOn(stream);
  if (live.empty() || !script_.AwaitDelivery(live, server.head())) return;
  if (server.held_back() >= kNoNews && script_.HasCompacted(*stream)) return;
  auto progress = script_.AwaitProgress(*stream);
  // What other scripts write keeps the stream behind for as long as a slow server takes.
  for (int i = 0; i < kMoreTries && progress == LiveScript::Progress::kBehind; ++i) {
    if (!script_.AwaitDelivery(script_.LiveOn(stream), server.head())) break;
    progress = script_.AwaitProgress(*stream);
  }
  if (progress == LiveScript::Progress::kNone && script_.HasCompacted(*stream)) {
    server.ProgressHeldBack();
  }
}

void SharedDriver::RequireDelivery(const std::vector<WatchRef>& watches) {
  if (script_.own_.empty()) return;
  const Disturbances::Peace peace(script_.server_.events());
  const Revision through(script_.own_.back());
  LiveScript::Watches live = script_.LiveOn(nullptr);
  std::erase_if(live, [&](const LiveScript::LiveWatch& one) {
    const WatchRef ref{one.stream->client->id(), one.ordinal};
    return one.state.start > through || std::ranges::find(watches, ref) == watches.end();
  });
  if (live.empty()) return;
  DeliveryDue due{.group = script_.name_,
                  .streams = {},
                  .ordinals = {},
                  .through = through.value,
                  .limit_ms = script_.server_.patience() / 1ms};
  for (const LiveScript::LiveWatch& one : live) {
    due.streams.push_back(one.stream->client->id().value);
    due.ordinals.push_back(one.ordinal);
  }
  script_.server_.Annotate(due);
  std::uint64_t events = 0;
  if (!script_.AwaitDelivery(live, through)) {
    script_.Delivered(live, through, script_.server_.certainty(), &events);
  }
  script_.server_.Annotate(DeliveryOver{script_.name_});
}

}  // namespace watchproof::explore
