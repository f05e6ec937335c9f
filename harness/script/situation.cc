// SPDX-License-Identifier: Apache-2.0
#include "harness/script/situation.h"

#include <algorithm>
#include <optional>

namespace watchproof::explore {
namespace {

// So many watches of one stream are looked at; a burst of equal ones adds nothing.
constexpr std::size_t kMostSeen = 12;

// Start and phase belong together: what starts below the floor receives ErrCompacted and nothing
// else, only what starts in the future is there, and only an id in use is refused.
bool Allows(const Row& row) {
  const Situation one = ToSituation(row);
  const bool future = one.start == StartKind::kFuture || one.start == StartKind(kUndecided);
  const bool served = one.watch == WatchPhase::kLive || one.watch == WatchPhase::kBehind;
  return (future || one.watch != WatchPhase::kFuture) &&
         !(served && one.start == StartKind::kBelowFloor) &&
         (one.own_id || one.watch != WatchPhase::kRefused);
}

RangeKind KindOfRange(const Create& create) {
  if (create.key.empty()) return RangeKind::kOther;
  if (create.end.empty()) return RangeKind::kKey;
  if (create.end == "*") return create.key == "*" ? RangeKind::kEverything : RangeKind::kOpen;
  return create.key < create.end ? RangeKind::kInterval : RangeKind::kOther;
}

FilterKind KindOfFilter(const WatchOptions& options) {
  if (options.no_put) return options.no_delete ? FilterKind::kBoth : FilterKind::kNoPut;
  return options.no_delete ? FilterKind::kNoDelete : FilterKind::kNone;
}

Action ActionOf(const Step& step) {
  const std::vector<std::string>& names = SituationModel().parameters.back().values;
  const auto name = std::visit([](const auto& one) { return one.kName; }, step);
  return static_cast<Action>(std::ranges::find(names, name) - names.begin());
}

// Empty: the step is about the whole store.
std::optional<int> StreamOf(const Step& step) {
  return std::visit(
      [](const auto& one) -> std::optional<int> {
        if constexpr (requires { one.stream; }) return one.stream;
        return std::nullopt;
      },
      step);
}

}  // namespace

StartKind KindOfStart(std::int64_t start, std::int64_t floor, std::int64_t head) {
  floor = std::max<std::int64_t>(floor, 1);
  if (start < 0) return StartKind::kOther;
  if (start == 0) return StartKind::kNow;
  if (start > head) return StartKind::kFuture;
  if (start == floor) return StartKind::kFloor;
  return start < floor ? StartKind::kBelowFloor : StartKind::kPast;
}

const Model& SituationModel() {
  static const std::vector<std::string> phases = {"future",    "live",      "behind", "below-floor",
                                                  "compacted", "cancelled", "refused"};
  static const std::vector<std::string> no_yes = {"no", "yes"};
  static const Model model = {{{"watch", phases},
                               {"other", phases},
                               {"range", {"key", "interval", "open", "everything"}},
                               {"start", {"now", "past", "floor", "below-floor", "future"}},
                               {"filter", {"none", "no_put", "no_delete"}},
                               {"prev_kv", no_yes},
                               {"fragment", no_yes},
                               {"progress_notify", no_yes},
                               {"own-id", no_yes},
                               {"stalled", no_yes},
                               {"meanwhile",
                                {"put", "delete", "txn", "compact", "progress", "cancel", "create",
                                 "resume", "revoke", "crash"}}},
                              Allows};
  return model;
}

Row ToRow(Situation situation) {
  Row row{};
  auto at = row.begin();
  situation.Fields([&](auto value) { *at++ = static_cast<std::uint8_t>(value); });
  return row;
}

Situation ToSituation(const Row& row) {
  Situation situation;
  auto at = row.begin();
  situation.Fields([&]<typename T>(T& value) { value = static_cast<T>(*at++); });
  return situation;
}

// What the model has no value for is left out.
void Situations::See(const Stream& stream, const std::vector<Watch>& watches) {
  const std::size_t most = std::min(watches.size(), kMostSeen);
  for (std::size_t i = 0; i < most; ++i) {
    const Watch& watch = watches[i];
    const WatchOptions& options = watch.asked->options;
    Situation situation{.watch = watch.phase,
                        .range = KindOfRange(*watch.asked),
                        .start = watch.start,
                        .filter = KindOfFilter(options),
                        .prev_kv = options.prev_kv,
                        .fragment = options.fragment,
                        .progress = options.progress_notify,
                        .own_id = watch.asked->id != 0,
                        .stalled = stream.stalled};
    if (situation.watch == WatchPhase::kAsked || situation.range == RangeKind::kOther ||
        situation.start == StartKind::kOther || situation.filter == FilterKind::kBoth) {
      continue;
    }
    for (std::size_t j = 0; j < most; ++j) {
      situation.other = watches[j].phase;
      if (j != i && situation.other != WatchPhase::kAsked)
        waiting_.push_back({stream.number, situation});
    }
  }
}

void Situations::Meanwhile(const Step& step) {
  const Action action = ActionOf(step);
  const std::optional<int> stream = StreamOf(step);
  for (Waiting& one : waiting_) {
    if (action == Action::kOther || stream.value_or(one.stream) != one.stream) continue;
    one.situation.meanwhile = action;
    seen_.push_back(ToRow(one.situation));
  }
  waiting_.clear();
}

}  // namespace watchproof::explore
