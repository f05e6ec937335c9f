// SPDX-License-Identifier: Apache-2.0
#include "harness/report/picture_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "harness/checkers/phrases.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

using ChangeName = std::tuple<Revision, std::string_view, bool>;  // deleted

// When answers first reported the revision.
Duration KnownAt(const std::vector<PictureStep>& head, Revision revision) {
  const auto step = std::ranges::lower_bound(head, revision, {}, &PictureStep::revision);
  return step == head.end() ? Duration::zero() : step->at;
}

// Which deliveries were not as they should be.
void NameDeliveries(const Timeline& timeline, const std::set<ChangeName>& made, ShownWatch& watch) {
  std::set<ChangeName> received;
  Revision highest{};
  for (const ShownWatch::Arrival& arrival : watch.arrivals) {
    const ChangeName name(arrival.revision, arrival.key, arrival.deleted);
    ItemKind& kind = watch.lane.items[arrival.item].kind;
    const bool known =
        arrival.revision > timeline.base() && arrival.revision <= timeline.known_through();
    if (!received.insert(name).second) {
      kind = ItemKind::kRepeated;
    } else if (arrival.revision < watch.start || !watch.range.Contains(arrival.key) ||
               (known && !made.contains(name))) {
      kind = ItemKind::kForeign;
    } else if (arrival.revision < highest && kind == ItemKind::kEvents) {
      kind = ItemKind::kLate;
    }
    highest = std::max(highest, arrival.revision);
  }
}

// The deliveries that went beyond all before them, by revision.
std::map<Revision, std::size_t> Advances(const ShownWatch& watch) {
  std::map<Revision, std::size_t> advances;
  for (const ShownWatch::Arrival& arrival : watch.arrivals) {
    if (!advances.empty() && arrival.revision <= advances.rbegin()->first) continue;
    advances.emplace_hint(advances.end(), arrival.revision, arrival.item);
  }
  return advances;
}

bool MayJoin(const PictureItem& item) {
  return !IsCited(item) && !StyleOf(item.kind).joined.empty();
}

std::string JoinedText(const PictureItem& item) {
  std::string text = fmt::format("{} {}", item.count, StyleOf(item.kind).joined);
  if (!item.of.empty()) text += " of " + item.of;
  if (item.longest > Duration()) {
    text += fmt::format(", the longest {:.1f} ms", static_cast<double>(Micros(item.longest)) / 1e3);
  }
  if (item.last.value > 0) text += fmt::format(", revisions {} to {}", item.first, item.last);
  if (item.kind == ItemKind::kFailed) text += ", the first: " + item.text;
  return text;
}

// Joins what stands closer together than the gap and has no edge in between.
std::vector<PictureItem> Joined(const std::vector<PictureItem>& items, Duration gap,
                                const std::vector<Duration>& edges) {
  std::vector<PictureItem> joined;
  std::map<std::pair<ItemKind, std::string_view>, std::size_t> latest;  // index into `joined`
  for (const PictureItem& item : items) {
    const auto before = latest.find({item.kind, item.of});
    if (MayJoin(item) && before != latest.end()) {
      PictureItem& into = joined[before->second];
      const auto edge = std::upper_bound(edges.begin(), edges.end(), into.at);
      // What took longer stays alone.
      const bool brief = std::max(item.longest, into.longest) <= gap;
      if (brief && item.at - into.until <= gap && (edge == edges.end() || *edge > item.at)) {
        into.until = std::max(into.until, item.until);
        into.first = into.first.value == 0 ? item.first : std::min(into.first, item.first);
        into.last = std::max(into.last, item.last);
        into.count += item.count;
        into.longest = std::max(into.longest, item.longest);
        continue;
      }
    }
    if (MayJoin(item)) latest[{item.kind, item.of}] = joined.size();
    joined.push_back(item);
  }
  return joined;
}

void ThinSteps(std::vector<PictureStep>& steps) {
  constexpr std::size_t kMost = 400;
  if (steps.size() <= kMost) return;
  std::vector<PictureStep> kept;
  const std::size_t stride = steps.size() / kMost + 1;
  for (std::size_t i = 0; i < steps.size(); i += stride) kept.push_back(steps[i]);
  kept.push_back(steps.back());
  steps = std::move(kept);
}

// The moments across which nothing is joined.
std::vector<Duration> Edges(const Picture& picture) {
  std::vector<Duration> edges;
  for (const PictureLane& lane : picture.lanes) {
    for (const PictureItem& item : lane.items) {
      const bool lasts = item.kind == ItemKind::kFault || item.kind == ItemKind::kTakenBack;
      const bool edge = IsCited(item) || lasts || item.kind == ItemKind::kCompaction ||
                        item.kind == ItemKind::kMember || item.kind == ItemKind::kKilled;
      if (!edge) continue;
      edges.push_back(item.at);
      if (lasts) edges.push_back(item.until);
    }
  }
  std::ranges::sort(edges);
  return edges;
}

}  // namespace

void AddDeviations(const Timeline& timeline, const std::vector<PictureStep>& head, bool converged,
                   ShownWatch& watch) {
  if (!watch.created) return;
  std::set<ChangeName> made;
  std::set<ChangeName> received;
  for (const ShownWatch::Arrival& arrival : watch.arrivals) {
    received.insert({arrival.revision, arrival.key, arrival.deleted});
  }
  const std::map<Revision, std::size_t> advances = Advances(watch);
  std::vector<PictureItem> missing;
  bool joins = false;
  for (std::uint32_t i = timeline.first_change(); i < timeline.changes(); ++i) {
    const Change& change = timeline.change(i);
    const ChangeName name(change.revision, change.key, change.deleted);
    made.insert(name);
    if (change.revision < watch.start || !watch.range.Contains(change.key)) continue;
    if (change.deleted ? !watch.deletes : !watch.puts) continue;
    // The first delivery of a later revision.
    const auto overtaking = advances.upper_bound(change.revision);
    const bool overtaken = overtaking != advances.end();
    const bool gone = !received.contains(name) && (overtaken || (converged && !watch.ended));
    if (gone && joins) {
      missing.back().last = change.revision;
      ++missing.back().count;
    } else if (gone) {
      const Duration known = std::max(*watch.created, KnownAt(head, change.revision));
      const Duration at =
          overtaken ? std::min(known, watch.lane.items[overtaking->second].at) : known;
      missing.push_back({.kind = ItemKind::kMissing,
                         .at = at,
                         .until = at,
                         .first = change.revision,
                         .last = change.revision,
                         .line = change.written,
                         .text = fmt::format("never delivered: the {}", Phrase(change))});
    }
    joins = gone;
  }
  NameDeliveries(timeline, made, watch);
  for (PictureItem& item : missing) {
    if (item.count > 1) {
      item.text = fmt::format("never delivered: {} changes, revisions {} to {}", item.count,
                              item.first, item.last);
    }
    watch.lane.items.push_back(std::move(item));
  }
}

void Thin(std::size_t most, Picture& picture) {
  constexpr std::size_t kLanes = 8;
  const std::vector<Duration> edges = Edges(picture);
  for (PictureLane& lane : picture.lanes) {
    std::ranges::stable_sort(lane.items, {}, &PictureItem::at);
  }
  // With many lanes each has less room.
  const std::size_t fair = most * kLanes / std::max(kLanes, picture.lanes.size());
  for (PictureLane& lane : picture.lanes) {
    for (Duration gap = 100us; lane.items.size() > fair && gap < 1h; gap *= 2) {
      lane.items = Joined(lane.items, gap, edges);
    }
    for (PictureItem& item : lane.items) {
      if (item.count > 1 && MayJoin(item)) item.text = JoinedText(item);
    }
    ThinSteps(lane.position);
  }
  ThinSteps(picture.head);
}

void SetPace(Picture& picture) {
  constexpr std::size_t kMost = 400;
  constexpr double kUnit = 50e3;  // nanoseconds: what a reader takes as at once
  std::set<Duration> moments{picture.from, picture.until};
  for (const PictureLane& lane : picture.lanes) {
    for (const PictureItem& item : lane.items) {
      // A disk has no pauses to shorten: what others did gives its calls their room.
      if (lane.kind == LaneKind::kDisk && IsRoutine(item)) continue;
      moments.insert(item.at);
      moments.insert(item.until);
    }
  }
  std::vector<std::pair<Duration, double>> all;
  double place = 0;
  for (const Duration moment : moments) {
    if (!all.empty()) {
      const auto gap = static_cast<double>((moment - all.back().first).count());
      place += std::log2(1 + gap / kUnit);
    }
    all.emplace_back(moment, place);
  }
  if (place <= 0) place = 1;
  double latest = -1;
  for (const auto& [moment, at] : all) {
    const double share = at / place;
    if (share - latest < 1.0 / kMost && moment != picture.until) continue;
    picture.pace.emplace_back(moment, share);
    latest = share;
  }
}

std::optional<PictureItem> ItemOf(const DiskActivity& did) {
  std::optional<PictureItem> found;
  for (int i = static_cast<int>(ItemKind::kSync); i <= static_cast<int>(ItemKind::kStarted); ++i) {
    if (Name(static_cast<ItemKind>(i)) == did.kind) found = {.kind = static_cast<ItemKind>(i)};
  }
  if (!found) return std::nullopt;
  PictureItem& item = *found;
  item.at = did.from_us * 1us;
  item.until = std::max(item.at, Duration(did.until_us * 1us));
  item.of = did.of;
  item.text = did.what;
  if (item.kind == ItemKind::kTakenBack) {
    item.of = "nothing";
    if (did.count > 0) item.of = fmt::format("{} change{}", did.count, did.count == 1 ? "" : "s");
    if (did.bytes > 0) item.of += fmt::format(", {} bytes", WithThousands(did.bytes));
    item.text = fmt::format("taken back, since not synced: {}",
                            did.what.empty() ? std::string("nothing") : did.what);
    return found;
  }
  item.count = static_cast<std::size_t>(std::max<std::int64_t>(1, did.count));
  item.longest = did.longest_us * 1us;
  const double ms = static_cast<double>(did.longest_us) / 1e3;
  if (item.kind == ItemKind::kKilled) {
    item.of = fmt::format("{}, {}", did.what.substr(0, did.what.find(' ')), did.of);
    item.text = "killed at the " + did.what;
  } else if (item.kind == ItemKind::kStarted) {
    item.text = "the program is started again";
  } else if (item.count > 1) {
    item.text = JoinedText(item);
  } else {
    item.text += fmt::format("; {}, {:.1f} ms", did.kind, ms);
  }
  return found;
}

std::string FaultText(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return std::string(line);
  std::string text = json.value("fault", std::string("fault"));
  // Evidence may come later than the line; the receipt has the last word.
  if (json.value("fired", false)) text += ": took effect";
  const auto measured = json.find("measured");
  if (measured == json.end() || !measured->is_object()) return text;
  for (const auto& [name, amount] : measured->items()) {
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    const std::string number =
        amount.is_number_integer() ? WithThousands(amount.get<std::int64_t>()) : amount.dump();
    if (words.starts_with("bytes ")) {
      text += fmt::format("; {} {} bytes", words.substr(6), number);
    } else if (words.ends_with(" ms")) {
      text += fmt::format("; {} {} ms", words.substr(0, words.size() - 3), number);
    } else {
      text += fmt::format("; {} {}", words, number);
    }
  }
  return text;
}

}  // namespace watchproof
