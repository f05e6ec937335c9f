// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/follower.h"

#include <algorithm>
#include <utility>

#include "harness/base/log.h"
#include "proxies/core/pipe.h"

namespace watchproof::proxy {
namespace {

constexpr std::uint32_t kIncrementBits = 0x7fffffff;

// For frames left by stages that are gone. Not used by effects: their ids are small.
constexpr std::uint64_t kGone = UINT64_MAX;

}  // namespace

// What one stage passes on enters the next one.
class Follower::Outlet final : public FrameOutlet {
 public:
  Outlet(Follower& follower, std::size_t next, TimePoint now)
      : follower_(follower), next_(next), now_(now) {}

  void Pass(Unit unit) override { follower_.Route(next_, std::move(unit), now_); }
  void PassBehindResponse(Unit unit) override { behind_.push_back(std::move(unit)); }
  void Drop(Unit unit) override { follower_.Drop(unit); }
  void Inject(Direction direction, std::string frame) override {
    follower_.Inject(direction, std::move(frame));
  }
  void Abort() override {
    follower_.aborted_ = true;
    follower_.to_client_.called = true;
  }
  std::deque<Unit> TakeBehind() { return std::exchange(behind_, {}); }

 private:
  Follower& follower_;
  const std::size_t next_;
  const TimePoint now_;
  std::deque<Unit> behind_;
};

void Follower::Push(Direction direction, Chunk chunk, TimePoint now) {
  Half& side = half(direction);
  if (chunk.kind != Chunk::Kind::kBytes) {
    side.ending = std::move(chunk);
    return;
  }
  side.lost_cost += chunk.cost - chunk.size();  // from here on bytes weigh what they are
  if (aborted_) {
    side.lost_cost += chunk.size();
    return;
  }
  if (!note_.empty()) return Put(side, chunk.bytes, chunk.size());
  side.reader.Push(chunk.bytes);
  while (note_.empty()) {
    const auto run = side.reader.Next();
    if (!run) break;
    OnFrames(direction, *run, now);
  }
  if (side.reader.bad() && note_.empty()) Unfollow(side.reader.bad(), now);
  Settle();
}

void Follower::OnFrames(Direction direction, const FrameRun& run, TimePoint now) {
  Half& side = half(direction);
  const auto cost = static_cast<std::int64_t>(run.bytes.size());
  const auto forward = [&] { Put(side, run.bytes, cost); };
  if (run.preface) return forward();
  StreamTable::Observed observed = streams_.Note(direction, run.header, run.bytes);
  if (run.header.type == FrameType::kSettings) observed.bad = NoteSettings(direction, run.bytes);
  if (observed.bad) {
    LetGo(now);
    forward();
    return Unfollow(observed.bad, now);
  }
  if (NoteWindow(direction, run)) return;
  const std::int64_t flow = run.header.type == FrameType::kData ? run.header.length : 0;
  side.ledger.Arrived(flow);
  if (Plain(side, flow)) {
    side.ledger.Delivered(flow);
    return forward();
  }
  side.held_cost += cost;
  Route(0,
        {.direction = direction,
         .header = run.header,
         .bytes = std::string(run.bytes),
         .stream = std::move(observed.stream),
         .offsets = {observed.offsets.begin(), observed.offsets.end()},
         .cost = cost},
        now);
}

// The sender of settings declares what it is ready to receive.
const char* Follower::NoteSettings(Direction direction, std::string_view frame) {
  const auto settings = ReadSettings(frame);
  if (!settings) return "a malformed SETTINGS frame";
  if (settings->header_table) streams_.AllowTable(Opposite(direction), *settings->header_table);
  if (settings->max_frame) half(Opposite(direction)).reader.AllowFrames(*settings->max_frame);
  return nullptr;
}

bool Follower::NoteWindow(Direction direction, const FrameRun& run) {
  const FrameHeader& header = run.header;
  const bool whole = header.type == FrameType::kWindowUpdate && header.stream.value == 0;
  if (!whole || header.length != 4) return false;
  const Direction data = Opposite(direction);
  const std::int64_t more = ReadNumber32(run.bytes.substr(kFrameHeaderBytes)) & kIncrementBits;
  half(data).ledger.Granted(more);
  DeliverWaiting(data);  // first: what is no longer held is no longer lent
  const std::int64_t expected = half(data).ledger.TakeCredit();
  if (expected == more) {
    Put(half(direction), run.bytes, static_cast<std::int64_t>(run.bytes.size()));
  } else {
    half(direction).lost_cost += static_cast<std::int64_t>(run.bytes.size());
    if (expected > 0) Inject(direction, MakeWindowUpdate(FrameStream(0), expected));
  }
  return true;
}

void Follower::Route(std::size_t link, Unit unit, TimePoint now) {
  if (link == links_.size()) return Deliver(std::move(unit));
  Outlet out(*this, link + 1, now);
  links_[link].stage->Push(std::move(unit), now, out);
}

bool Follower::Plain(const Half& side, std::int64_t flow) const {
  return links_.empty() && side.waiting.empty() && side.over.empty() && !side.last &&
         side.ledger.Fits(flow);
}

// HEADERS stay in their order: once one of them waits for what is before it, all that follows does.
void Follower::Deliver(Unit unit) {
  Half& side = half(unit.direction);
  if (unit.is(FrameType::kGoAway) && side.last) LowerGoAway(unit.bytes, *side.last);
  if (side.over.contains(unit.header.stream) && !unit.is(FrameType::kHeaders)) return Drop(unit);
  const Direction direction = unit.direction;
  const bool behind = side.headers_wait || side.holds(unit.header.stream);
  if (!behind && side.ledger.Fits(unit.flow())) return Write(std::move(unit));
  side.headers_wait |= unit.is(FrameType::kHeaders);
  side.waiting.push_back(std::move(unit));
  if (!behind) DeliverWaiting(direction);
}

void Follower::DeliverWaiting(Direction direction) {
  Half& side = half(direction);
  while (!side.waiting.empty() && side.ledger.Fits(side.waiting.front().flow())) {
    Unit unit = std::move(side.waiting.front());
    side.waiting.pop_front();
    Write(std::move(unit));
  }
  // A frame longer than the minimum that every receiver must accept may be longer than the window
  // ever gets.
  const bool part = !side.waiting.empty() && side.waiting.front().flow() > kDefaultMaxFrame &&
                    side.waiting.front().divisible() && side.ledger.room() > 0;
  if (part) {
    Write(SplitOff(side.waiting.front(), static_cast<std::size_t>(side.ledger.room())));
  }
  side.headers_wait = std::any_of(side.waiting.begin(), side.waiting.end(),
                                  [](const Unit& unit) { return unit.is(FrameType::kHeaders); });
}

void Follower::Write(Unit unit) {
  Half& side = half(unit.direction);
  side.ledger.Delivered(unit.flow());
  side.held_cost -= unit.cost;
  side.called = true;
  if (aborted_) {
    side.lost_cost += unit.cost;
    return;
  }
  Put(side, unit.bytes, unit.cost);
}

void Follower::Drop(const Unit& unit) {
  Half& side = half(unit.direction);
  side.ledger.Dropped(unit.flow());
  side.held_cost -= unit.cost;
  side.lost_cost += unit.cost;
  side.called = true;
}

void Follower::Inject(Direction direction, std::string frame) {
  if (aborted_) return;
  Half& side = half(direction);
  side.called = true;
  const FrameHeader header = ReadFrameHeader(frame);
  if (header.type == FrameType::kGoAway) {
    if (side.last) LowerGoAway(frame, *side.last);
    side.last = FrameStream(ReadNumber32(std::string_view(frame).substr(kFrameHeaderBytes)));
  }
  if (header.type == FrameType::kReset) {
    side.over.insert(header.stream);
    if (side.holds(header.stream)) {
      side.waiting.push_back({.direction = direction, .header = header, .bytes = std::move(frame)});
      return;
    }
  }
  Put(side, frame, 0);
}

void Follower::Put(Half& side, std::string_view bytes, std::int64_t cost) {
  if (bytes.empty()) return;
  if (side.out.empty() || side.out.back().size() >= Pipe::kChunkBytes) side.out.emplace_back();
  side.out.back().bytes += bytes;
  side.out.back().cost += cost;
}

void Follower::Settle() {
  for (const Direction data : kNarrow) {
    const std::int64_t expected =
        std::min<std::int64_t>(half(data).ledger.TakeCredit(), kIncrementBits);
    if (expected > 0) Inject(Opposite(data), MakeWindowUpdate(FrameStream(0), expected));
  }
}

void Follower::Unfollow(const char* why, TimePoint now) {
  note_ = why;
  LogDebug("a connection is forwarded without being followed", {{"why", note_}});
  LetGo(now);
  for (Link& link : links_) link.stage->OnUnfollowed();
  ForwardRest(to_client_);
  ForwardRest(to_target_);
}

void Follower::LetGo(TimePoint now) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Outlet out(*this, i + 1, now);
    links_[i].stage->Release(now, out);
    for (Unit& unit : out.TakeBehind()) out.Pass(std::move(unit));
  }
  for (Half* side : {&to_client_, &to_target_}) {
    while (!side->waiting.empty()) {
      Unit unit = std::move(side->waiting.front());
      side->waiting.pop_front();
      Write(std::move(unit));
    }
    side->headers_wait = false;
  }
}

void Follower::ForwardRest(Half& side) {
  const std::string rest = side.reader.TakeRest();
  Put(side, rest, static_cast<std::int64_t>(rest.size()));
  side.called = true;
}

void Follower::AddStage(std::uint64_t key, std::unique_ptr<FrameStage> stage) {
  if (!note_.empty()) stage->OnUnfollowed();
  links_.push_back({.key = key, .stage = std::move(stage)});
}

void Follower::RemoveStage(std::uint64_t key, TimePoint now) {
  const auto it = std::find_if(links_.begin(), links_.end(),
                               [key](const Link& link) { return link.key == key; });
  if (it == links_.end()) return;
  Outlet out(*this, static_cast<std::size_t>(it - links_.begin()) + 1, now);
  it->stage->Release(now, out);
  std::deque<Unit> behind = out.TakeBehind();
  if (behind.empty()) {
    links_.erase(it);
  } else {
    *it = {.key = kGone, .stage = MakeDrainedFrames(std::move(behind))};
  }
  Settle();
}

void Follower::Tick(TimePoint now) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Outlet out(*this, i + 1, now);
    if (links_[i].stage->wake_at() <= now) links_[i].stage->Tick(now, out);
  }
  std::erase_if(links_, [](const Link& link) { return link.stage->spent(); });
  Settle();
}

std::optional<Chunk> Follower::Pull(Direction direction) {
  Half& side = half(direction);
  // The beginning of a frame that will never be whole: other frames must not be taken for its rest.
  if (side.ending && side.held_cost == 0) ForwardRest(side);
  if (!side.out.empty()) {
    Chunk chunk = std::move(side.out.front());
    side.out.pop_front();
    return chunk;
  }
  if (aborted_ && direction == Direction::kToClient && !std::exchange(reset_sent_, true)) {
    return Chunk::Reset();
  }
  if (side.ending && side.held_cost == 0) return std::exchange(side.ending, std::nullopt);
  return std::nullopt;
}

TimePoint Follower::wake_at() const {
  TimePoint next = kNever;
  for (const Link& link : links_) next = std::min(next, link.stage->wake_at());
  return next;
}

std::int64_t Follower::read_ahead(Direction direction) const {
  const Half& side = half(direction);
  const auto partial = static_cast<std::int64_t>(side.reader.pending());
  if (side.held_cost + partial == 0) return 0;
  return std::min(side.held_cost, kMostHeld) + partial + Pipe::kChunkBytes;
}

std::int64_t Follower::TakeLost(Direction direction) {
  return std::exchange(half(direction).lost_cost, 0);
}

bool Follower::TakePeerCall(Direction direction) {
  half(direction).called = false;  // it is at work itself
  return std::exchange(half(Opposite(direction)).called, false);
}

namespace {

class HalfStage final : public Stage {
 public:
  HalfStage(std::shared_ptr<Follower> follower, Direction direction)
      : follower_(std::move(follower)), direction_(direction) {}

  void Push(Chunk chunk, TimePoint now) override {
    follower_->Push(direction_, std::move(chunk), now);
  }
  std::optional<Chunk> Pull(TimePoint) override { return follower_->Pull(direction_); }
  std::deque<Chunk> TakeAll(TimePoint now) override {
    follower_->LetGo(now);
    std::deque<Chunk> chunks;
    while (auto chunk = follower_->Pull(direction_)) chunks.push_back(std::move(*chunk));
    return chunks;
  }
  void Observe(TimePoint now, std::int64_t) override { follower_->Tick(now); }
  TimePoint wake_at() const override { return follower_->wake_at(); }
  // The client is still read, because otherwise its end would go unnoticed.
  bool shut() const override { return follower_->aborted() && direction_ == Direction::kToClient; }
  std::int64_t read_ahead() const override { return follower_->read_ahead(direction_); }
  std::int64_t TakeLost() override { return follower_->TakeLost(direction_); }
  bool TakePeerCall() override { return follower_->TakePeerCall(direction_); }

 private:
  const std::shared_ptr<Follower> follower_;
  const Direction direction_;
};

}  // namespace

std::unique_ptr<Stage> FollowerStage(std::shared_ptr<Follower> follower, Direction direction) {
  return std::make_unique<HalfStage>(std::move(follower), direction);
}

}  // namespace watchproof::proxy
