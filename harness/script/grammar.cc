// SPDX-License-Identifier: Apache-2.0
#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

using From = Place::From;

constexpr std::size_t kMostSteps = 80;
constexpr int kDeepestTxn = 2;
constexpr std::int64_t kLongestLease = 9'000'000'000;  // seconds, as etcd has it

struct Range {
  const char* key;
  const char* end;
};
// "a0" is the end of the prefix "a/", and a key of its own.
const std::vector<std::string> kKeys = {"a/1", "a/2", "a0", "b"};
const std::vector<Range> kRanges = {{"a/1", ""},  {"a/2", ""},  {"a0", ""},     {"b", ""},
                                    {"a/", "a0"}, {"a/", "a0"}, {"*", "*"},     {"*", "*"},
                                    {"a/2", "b"}, {"a/2", "*"}, {"a/1", "a/2"}, {"a0", "*"}};

Place Head(std::int64_t plus) { return {From::kHead, plus}; }
Place Floor(std::int64_t plus) { return {From::kFloor, plus}; }
Place At(std::int64_t number) { return {From::kNumber, number}; }

// RangeStream refuses what needs all keys before the first is sent.
bool OfferedInParts(const Get& get) {
  const Place none;
  const bool by_key = get.order == Order::kNone || (get.order == Order::kAscend && !get.sort_by);
  return by_key && get.min_mod == none && get.max_mod == none && get.min_create == none &&
         get.max_create == none;
}

// What most requests of a script are about; the others are about anything.
enum class Theme { kAnything, kLeases, kReads };

// Draws steps one by one.
class StepDrawer {
 public:
  explicit StepDrawer(Prng& prng, Theme theme = Theme::kAnything) : prng_(prng), theme_(theme) {}

  int Stream() { return prng_.Chance(0.7) ? 1 : static_cast<int>(prng_.Between(1, kMostStreams)); }
  // Rarely none, which every call refuses.
  std::string Key() { return prng_.Chance(0.005) ? std::string() : prng_.Pick(kKeys); }
  std::int64_t Lease() { return prng_.Chance(0.12) ? -1 : prng_.Between(1, 3); }
  // 0: the server chooses. Rarely -1, which responses for the whole stream carry.
  std::int64_t Id() {
    if (prng_.Chance(0.01)) return -1;
    return prng_.Chance(0.5) ? 0 : prng_.Between(1, 3);
  }

  Place Start() {
    const std::int64_t drawn = prng_.Between(0, 11);
    if (drawn < 3) return {};
    if (drawn < 4) return Head(1);
    if (drawn < 5) return Head(prng_.Between(2, 4));
    if (drawn < 8) return Floor(drawn - 6);
    if (drawn < 9) return At(prng_.Between(1, 6));
    if (drawn < 10) return At(prng_.Chance(0.5) ? -1 : 1 << 20);
    return Head(-prng_.Between(0, 6));
  }

  Create DrawCreate() {
    const Range& range = prng_.Pick(kRanges);
    Create create{
        .stream = Stream(), .key = range.key, .end = range.end, .start = Start(), .id = Id()};
    if (prng_.Chance(0.02)) {
      create.key = "b";
      create.end = "a/";
    }
    create.options.no_put = prng_.Chance(0.12);
    create.options.no_delete = prng_.Chance(0.12);
    create.options.prev_kv = prng_.Chance(0.4);
    create.options.fragment = prng_.Chance(0.25);
    create.options.progress_notify = prng_.Chance(0.2);
    return create;
  }

  // Nested ones are smaller, because etcd refuses two puts of one key. A branch may be empty, and
  // one may be there that never runs.
  Txn DrawTxn(int depth = 0) {
    Txn txn;
    const bool nests = depth < kDeepestTxn && prng_.Chance(0.25);
    const std::int64_t most = nests || depth > 0 ? 1 : 4;
    for (int i = 0; i < 3 && prng_.Chance(0.4); ++i) txn.when.push_back(DrawCondition());
    if (prng_.Chance(0.95)) txn.then = Parts(most);
    if (prng_.Chance(txn.when.empty() ? 0.05 : 0.9)) txn.otherwise = Parts(most);
    for (std::int64_t i = nests ? prng_.Between(1, 3) : 0; i > 0; --i) {
      txn.nested.push_back(DrawTxn(depth + 1));
    }
    return txn;
  }
  Condition DrawCondition() {
    Condition condition{.target = static_cast<Condition::Target>(prng_.Below(5)),
                        .key = Key(),
                        .relation = static_cast<Condition::Relation>(prng_.Below(4))};
    condition.value = Operand(condition.target);
    if (prng_.Chance(0.15)) {
      const Range& range = prng_.Pick(kRanges);
      condition.key = range.key;
      condition.end = range.end;
    }
    return condition;
  }
  // Mostly what is there, or one beside it: a number by itself hardly ever decides anything, but
  // for that of a key that is not there.
  std::string Operand(Condition::Target target) {
    const bool there = prng_.Chance(0.7);
    switch (target) {
      case Condition::Target::kValue:
        return there ? "there" : fmt::format("v{}", prng_.Between(0, 7));
      case Condition::Target::kLease:
        return there ? "there" : fmt::format("{}", Lease());
      case Condition::Target::kVersion:
        if (!there) return fmt::format("{}", prng_.Between(0, 3));
        break;
      default:
        if (!there) return "0";
    }
    return prng_.Pick(std::vector<std::string>{"there", "there", "there+1", "there-1"});
  }
  std::vector<TxnPart> Parts(std::int64_t most) {
    std::vector<TxnPart> parts;
    std::vector<std::string> keys = kKeys;
    prng_.Shuffle(keys);
    for (std::int64_t i = prng_.Between(1, most); i > 0; --i) {
      parts.push_back(DrawPart(keys[static_cast<std::size_t>(i - 1)]));
    }
    if (prng_.Chance(0.05)) parts.push_back(parts.front());
    if (prng_.Chance(0.08)) {
      const Range& range = prng_.Pick(kRanges);
      parts.front() = {.kind = TxnPart::Kind::kDelete, .key = range.key, .end = range.end};
    }
    // About as many as etcd takes.
    if (prng_.Chance(0.01)) {
      parts.resize(static_cast<std::size_t>(prng_.Between(127, 129)),
                   {.kind = TxnPart::Kind::kGet, .key = "b"});
    }
    return parts;
  }
  TxnPart DrawPart(const std::string& key) {
    if (prng_.Chance(0.35)) {
      return {.kind = TxnPart::Kind::kDelete, .key = key, .previous = prng_.Chance(0.5)};
    }
    if (prng_.Chance(0.15)) {
      const Range& range = prng_.Pick(kRanges);
      TxnPart part{.kind = TxnPart::Kind::kGet, .key = range.key, .end = range.end};
      if (prng_.Chance(0.5)) DrawOptions(part.read);
      part.read.at = {};  // judged as a read of the present
      return part;
    }
    TxnPart part{.kind = TxnPart::Kind::kPut, .key = key, .previous = prng_.Chance(0.15)};
    if (prng_.Chance(theme_ == Theme::kLeases ? 0.5 : 0.1)) part.lease = Lease();
    part.keeps_value = prng_.Chance(0.04);
    part.keeps_lease = prng_.Chance(part.lease == 0 ? 0.03 : 0.005);
    return part;
  }

  // Few options are rare, so that most requests are taken; or each is as likely as not, so that any
  // of them meet.
  double EachOption() { return prng_.Chance(0.25) ? 0.5 : 0.06; }

  Put DrawPut() {
    const double each = EachOption();
    Put put{.key = Key()};
    if (prng_.Chance(theme_ == Theme::kLeases ? 0.7 : 0.15)) put.lease = Lease();
    put.prev_kv = prng_.Chance(each);
    put.ignore_value = prng_.Chance(each / 2);
    put.ignore_lease = prng_.Chance(each / 2);
    // Beside another lease it is refused.
    if (put.ignore_lease && prng_.Chance(0.8)) put.lease = 0;
    if (prng_.Chance(0.05)) put.bytes = 300;
    if (prng_.Chance(0.05)) put.bytes = prng_.Between(60, 130);
    if (prng_.Chance(0.08)) put.times = prng_.Between(2, 8);
    return put;
  }
  Delete DrawDelete() {
    if (prng_.Chance(0.7)) return {.key = Key(), .prev_kv = prng_.Chance(0.2)};
    const Range& range = prng_.Pick(kRanges);
    return {.key = range.key, .end = range.end, .prev_kv = prng_.Chance(0.3)};
  }
  Step DrawWrite() {
    const std::uint64_t drawn = prng_.Below(3);
    if (drawn < 1) return DrawPut();
    return drawn < 2 ? Step(DrawDelete()) : Step(DrawTxn());
  }
  // A revision at which a key may have been changed.
  Place Bound() {
    if (prng_.Chance(0.1)) return Floor(prng_.Between(-1, 1));
    return prng_.Chance(0.1) ? At(prng_.Between(1, 8)) : Head(prng_.Between(-6, 1));
  }
  void DrawOptions(Get& get) {
    const double each = EachOption();
    if (prng_.Chance(0.2)) {
      get.at = prng_.Chance(0.5) ? Head(-prng_.Between(-1, 4)) : Floor(prng_.Between(-2, 1));
    }
    if (prng_.Chance(std::max(each, 0.3))) get.limit = prng_.Between(1, 5);
    get.count_only = prng_.Chance(each / 2);
    get.keys_only = prng_.Chance(each);
    if (prng_.Chance(0.6)) get.order = static_cast<Order>(prng_.Between(0, 2));
    if (prng_.Chance(0.4)) get.sort_by = prng_.Between(0, 4);
    for (Place* bound : {&get.min_mod, &get.max_mod, &get.min_create, &get.max_create}) {
      if (prng_.Chance(each / 2)) *bound = Bound();
    }
    get.serializable = prng_.Chance(each);
  }
  Get DrawGet() {
    const Range& range = prng_.Pick(kRanges);
    Get get{.key = range.key, .end = range.end};
    if (prng_.Chance(0.5)) get.key = get.end = "*";
    if (prng_.Chance(0.01)) get.key = "";
    DrawOptions(get);
    get.in_parts = OfferedInParts(get) && prng_.Chance(0.3);
    return get;
  }
  Compact DrawCompact() {
    const std::uint64_t drawn = prng_.Below(6);
    const bool physical = prng_.Chance(0.15);
    if (drawn < 1) return {Floor(prng_.Between(-1, 1)), physical};
    if (drawn < 2) return {Head(1), physical};
    return {Head(drawn < 3 ? -prng_.Between(1, 4) : -prng_.Between(0, 1)), physical};
  }

  // A turn of a loop, or a reply taken: what moves the store and its clients along.
  Step DrawMove(const Limits& limits) {
    const std::uint64_t drawn = prng_.Below(limits.disk ? 12 : 10);
    if (drawn < 3) return Turn{Loop::kCommit};
    if (drawn < 5) return Turn{Loop::kSync};
    if (drawn < 7) return Turn{Loop::kVictims};
    if (drawn < 8) {
      return Turn{prng_.Pick(std::vector<Loop>{Loop::kProgress, Loop::kExpire, Loop::kErase})};
    }
    if (drawn < 10) return Receive{Stream(), prng_.Between(1, 3)};
    return SyncDisk{prng_.Between(1, 3)};
  }

  Grant DrawGrant() {
    return {prng_.Chance(0.1) ? 0 : Lease(), prng_.Chance(0.03)
                                                 ? prng_.Between(kLongestLease, kLongestLease + 1)
                                                 : prng_.Between(1, 6)};
  }
  Step DrawLeaseRequest(const Limits& limits) {
    const std::uint64_t drawn = prng_.Below(limits.disk ? 12 : 10);
    if (drawn < 2) return DrawGrant();
    if (drawn < 4) return DrawPut();
    if (drawn < 5) return DrawTxn();
    if (drawn < 6) return Revoke{Lease()};
    if (drawn < 7) return KeepAlive{Lease(), prng_.Chance(0.6)};
    if (drawn < 8) return Advance{prng_.Between(1, 30) * 100};
    if (drawn < 9) return Turn{Loop::kExpire};
    if (drawn < 10) return Turn{Loop::kCheckpoint};
    if (drawn < 11) return SyncDisk{prng_.Between(1, 3)};
    return Crash{prng_.Between(0, 3)};
  }
  Step DrawReadRequest() {
    const std::uint64_t drawn = prng_.Below(6);
    if (drawn < 1) return DrawPut();
    if (drawn < 2) return DrawDelete();
    if (drawn < 3) return DrawTxn();
    return DrawGet();
  }

  Step DrawRequest(const Limits& limits) {
    if (theme_ == Theme::kLeases && prng_.Chance(0.8)) return DrawLeaseRequest(limits);
    if (theme_ == Theme::kReads && prng_.Chance(0.8)) return DrawReadRequest();
    const std::uint64_t drawn = prng_.Below(100);
    if (drawn < 20) return DrawCreate();
    if (drawn < 27) return Cancel{Stream(), prng_.Between(0, 4)};
    if (drawn < 34) return AskProgress{Stream(), prng_.Chance(0.1) ? prng_.Between(2, 20) : 1};
    if (drawn < 36) return CloseStream{Stream()};
    if (drawn < 40) return Resume{Stream()};
    if (drawn < 60) return DrawPut();
    if (drawn < 71) return DrawDelete();
    if (drawn < 79) return DrawTxn();
    if (drawn < 87) return DrawCompact();
    if (drawn < 92) {
      if (prng_.Chance(0.1)) return Hash{prng_.Chance(0.5) ? Place() : Head(-prng_.Between(0, 4))};
      return DrawGet();
    }
    if (drawn < 96) return DrawLeaseRequest(limits);
    if (drawn < 98 || !limits.disk) return Advance{prng_.Between(1, 4) * 1000};
    return Crash{prng_.Between(0, 2)};
  }

  Step DrawStep(const Limits& limits) {
    const double moves = theme_ == Theme::kAnything ? 0.45 : 0.15;
    return prng_.Chance(moves) ? DrawMove(limits) : DrawRequest(limits);
  }

  Limits DrawLimits() {
    Limits limits;
    limits.queued_replies = prng_.Between(1, 3);
    limits.watchers_per_step = prng_.Between(1, 3);
    limits.revisions_per_batch = prng_.Between(1, 3);
    if (prng_.Chance(0.1)) limits.control_replies = 2;
    if (prng_.Chance(0.2)) limits.reply_bytes = 1;
    if (prng_.Chance(0.3)) limits.queued_replies = 128;
    if (prng_.Chance(0.2)) limits.watchers_per_step = 512;
    if (prng_.Chance(0.2)) limits.revisions_per_batch = 1000;
    limits.part_bytes = prng_.Between(60, 200);
    limits.strict_previous = prng_.Chance(0.15);
    if (prng_.Chance(0.1)) limits.queued_bytes = prng_.Between(40, 400);
    limits.disk = prng_.Chance(theme_ == Theme::kLeases ? 0.5 : 0.15);
    limits.checkpoints = prng_.Chance(theme_ == Theme::kLeases ? 0.5 : 0.05);
    if (limits.disk && prng_.Chance(0.2)) limits.room = prng_.Between(64, 128);
    return limits;
  }

  // One watch in a state that is meant to meet others.
  void Populate(Script& script) {
    std::vector<Step>& steps = script.steps;
    std::vector<Step> after;  // its create
    Create create = DrawCreate();
    const auto write = [&] {
      steps.push_back(prng_.Chance(0.3) ? Step(DrawDelete()) : Step(DrawPut()));
    };
    switch (prng_.Below(10)) {
      case 0:  // live
        create.start = {};
        break;
      case 1:  // behind
        write();
        write();
        create.start = Head(-prng_.Between(0, 2));
        break;
      case 2:  // in the future
        create.start = Head(prng_.Between(1, 3));
        break;
      case 3:  // below the floor
        write();
        write();
        steps.push_back(Compact{Head(0)});
        create.start = Floor(-1);
        break;
      case 4:  // at the floor: from the last revision before a compaction, and not just a put
        write();
        steps.push_back(prng_.Chance(0.5) ? Step(DrawTxn()) : Step(DrawDelete()));
        steps.push_back(Compact{Head(0)});
        create.start = Head(0);
        break;
      case 5:  // refused
        create.id = prng_.Between(1, 3);
        if (prng_.Chance(0.5)) create.start = At(-1);
        after.push_back(create);
        break;
      case 6:  // cancelled
        create.id = prng_.Between(1, 3);
        after.push_back(Cancel{create.stream, create.id});
        break;
      case 7:  // filtered
        create.options.no_put = prng_.Chance(0.5);
        create.options.no_delete = !create.options.no_put;
        break;
      case 8:
        CatchUpTogether(create, steps);
        after.push_back(Turn{Loop::kSync});
        break;
      default:  // fragmented
        create.options.fragment = true;
        create.key = create.end = "*";
        after.push_back(DrawTxn());
    }
    steps.push_back(create);
    steps.insert(steps.end(), after.begin(), after.end());
    if (prng_.Chance(0.3)) steps.push_back(DrawMove(script.limits));
  }

 private:
  // Several watches from neighbouring positions in the history of a key, served in one step; the
  // last of them is left to the caller.
  void CatchUpTogether(Create& create, std::vector<Step>& steps) {
    steps.push_back(Put{.key = Key(), .times = prng_.Between(2, 5)});
    create.options.prev_kv = prng_.Chance(0.7);
    if (prng_.Chance(0.5)) steps.push_back(Compact{Head(-prng_.Between(0, 2))});
    create.id = 0;
    for (std::int64_t i = prng_.Between(2, 3); i > 0; --i) {
      create.start = Floor(prng_.Between(0, 2));
      if (i > 1) steps.push_back(create);
    }
  }

  Prng& prng_;
  const Theme theme_;
};

Theme DrawTheme(Prng& prng) {
  if (prng.Chance(0.7)) return Theme::kAnything;
  return prng.Chance(0.5) ? Theme::kLeases : Theme::kReads;
}

// Rarely, one step is as large as the store's own bounds, which then apply.
void Enlarge(Script& script, Prng& prng) {
  script.limits.queued_replies = 128;
  script.limits.watchers_per_step = 512;
  script.limits.revisions_per_batch = 1000;
  const std::int64_t bound = prng.Pick(std::vector<std::int64_t>{128, 1000, 2000});
  const std::int64_t times = bound + prng.Between(-2, 10);
  const auto at = prng.Below(script.steps.size() + 1);
  script.steps.insert(script.steps.begin() + static_cast<std::ptrdiff_t>(at),
                      Put{.key = prng.Pick(kKeys), .times = times});
}

std::ptrdiff_t Index(const Script& script, Prng& prng) {
  return static_cast<std::ptrdiff_t>(prng.Below(script.steps.size()));
}

}  // namespace

Script Draw(Prng& prng) {
  const Theme theme = DrawTheme(prng);
  StepDrawer drawer(prng, theme);
  Script script{.limits = drawer.DrawLimits()};
  const std::int64_t watches = theme == Theme::kAnything ? prng.Between(0, 4) : prng.Between(0, 1);
  for (std::int64_t i = watches; i > 0; --i) drawer.Populate(script);
  for (std::int64_t i = prng.Between(4, 30); i > 0; --i) {
    script.steps.push_back(drawer.DrawStep(script.limits));
  }
  if (prng.Chance(0.003)) Enlarge(script, prng);
  return script;
}

Script Mutate(const Script& script, Prng& prng) {
  Script changed = script;
  StepDrawer drawer(prng, DrawTheme(prng));
  for (std::int64_t times = prng.Between(1, 3); times > 0; --times) {
    std::vector<Step>& steps = changed.steps;
    if (steps.empty()) return Draw(prng);
    const std::ptrdiff_t at = Index(changed, prng);
    switch (prng.Below(6)) {
      case 0:
        steps.erase(steps.begin() + at);
        break;
      case 1:
        steps.insert(steps.begin() + at, Step(steps[static_cast<std::size_t>(at)]));
        break;
      case 2:
        std::swap(steps[static_cast<std::size_t>(at)],
                  steps[static_cast<std::size_t>(Index(changed, prng))]);
        break;
      case 3:
        steps[static_cast<std::size_t>(at)] = drawer.DrawStep(changed.limits);
        break;
      case 4:
        steps.insert(steps.begin() + at, drawer.DrawStep(changed.limits));
        break;
      default:
        changed.limits = drawer.DrawLimits();
    }
  }
  return changed;
}

Script Splice(const Script& begin, const Script& end, Prng& prng) {
  Script both{.limits = begin.limits};
  const auto head = prng.Below(begin.steps.size() + 1);
  const auto tail = prng.Below(end.steps.size() + 1);
  both.steps.assign(begin.steps.begin(), begin.steps.begin() + static_cast<std::ptrdiff_t>(head));
  both.steps.insert(both.steps.end(), end.steps.begin() + static_cast<std::ptrdiff_t>(tail),
                    end.steps.end());
  if (both.steps.size() > kMostSteps) both.steps.resize(kMostSteps);
  return both;
}

Step DrawWrite(Prng& prng) { return StepDrawer(prng).DrawWrite(); }

Call DrawCall(Prng& prng) {
  StepDrawer drawer(prng);
  const std::uint64_t drawn = prng.Below(10);
  if (drawn < 3) return drawer.DrawPut();
  if (drawn < 4) return drawer.DrawDelete();
  if (drawn < 7) return drawer.DrawTxn();
  return drawer.DrawGet();
}

}  // namespace watchproof::explore
