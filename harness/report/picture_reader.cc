// SPDX-License-Identifier: Apache-2.0
// Reads a recording a second time: for the lanes of the watches that the evidence is about.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/checkers/line_text.h"
#include "harness/checkers/phrases.h"
#include "harness/history/annotation.h"
#include "harness/history/reader.h"
#include "harness/history/run_started.h"
#include "harness/model/model.h"
#include "harness/report/picture.h"
#include "harness/report/picture_parts.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

std::string AfterColon(const std::string& text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}
// "line 12, at 3.1 ms: stream 1 ..." without what the picture shows anyway.
std::string Said(const NumberedEntry& line) { return AfterColon(LineText(line)); }

class PictureReader final : private HistoryVisitor {
 public:
  PictureReader(const PictureRequest& request, const Focus& focus)
      : focus_(focus),
        model_(focus.gaps ? Revisions::kWithGaps : Revisions::kDense, CallLog::Keep::kAll) {
    for (const auto& lines : request.evidence) {
      for (const std::uint64_t line : lines) cited_.try_emplace(line, cited_.size() + 1);
    }
    picture_.evidence.resize(cited_.size());
    for (const auto& lines : request.evidence) {
      if (!lines.empty()) picture_.evidence[cited_.at(lines.back()) - 1].wrong = true;
    }
    shown_.reserve(focus.watches.size());
    for (const WatchIndex watch : focus.watches) shown_.push_back({.watch = watch});
  }

  void Consume(const NumberedEntry& line) {
    now_ = &line;
    const Entry& entry = line.entry;
    if (entry.kind == EntryKind::kRunStarted) {
      picture_.from = entry.at;
      if (const auto started = ParseRunStarted(entry.text); started.has_value()) {
        picture_.case_name = started->case_name;
        cluster_ = started->members > 1;
        picture_.passive = started->passive;
        if (!started->version.empty()) {
          picture_.target = fmt::format(
              "{} {}", started->product.empty() ? "version" : started->product, started->version);
        }
      }
    }
    picture_.until = std::max(picture_.until, entry.at);
    if (const auto cited = cited_.find(line.line.value); cited != cited_.end()) {
      CitedLine& evidence = picture_.evidence[cited->second - 1];
      evidence = {line.line, entry.at, Said(line), evidence.wrong};
    }
    switch (entry.kind) {
      case EntryKind::kCallStarted:
        model_.Consume(line);
        return;
      case EntryKind::kCallEnded: {
        const RecordedCall* call = model_.Consume(line);
        if (call == nullptr || call->outcome != CallOutcome::kAnswered) return;
        Reach(call->revision);
        if (call->method != Method::kCompact) return;
        picture_.floor.push_back({entry.at, model_.calls().compaction_acknowledged()});
        return;
      }
      case EntryKind::kFault:
        return ReadFault(line);
      case EntryKind::kStreamOpened: {
        PictureLane& lane = StreamLane(entry.stream);
        lane.name = entry.text;
        lane.items.push_back(Item(ItemKind::kOpened));
        [[fallthrough]];
      }
      default:
        parser_.Consume(line);
    }
  }

  Picture Finish() {
    model_.Finish();
    for (PictureLane& lane : faults_) {
      PictureItem& item = lane.items.front();
      if (item.until < Duration::zero()) item.until = picture_.until;
      picture_.lanes.push_back(std::move(lane));
    }
    for (auto& [member, lane] : members_) picture_.lanes.push_back(std::move(lane));
    for (auto& [member, lane] : disks_) picture_.lanes.push_back(std::move(lane));
    AddWriters();
    AddWatches();
    AddStreams();
    for (PictureLane& lane : layers_) {
      lane.name = fmt::format("layer {}", lane.name);
      picture_.lanes.push_back(std::move(lane));
    }
    return std::move(picture_);
  }

 private:
  ShownWatch* Find(WatchIndex watch) {
    const auto found = std::ranges::find(shown_, watch, &ShownWatch::watch);
    return found == shown_.end() ? nullptr : &*found;
  }

  PictureItem Item(ItemKind kind, Revision first = {}, Revision last = {}) const {
    return {.kind = kind,
            .at = now_->entry.at,
            .until = now_->entry.at,
            .first = first,
            .last = last.value == 0 ? first : last,
            .line = now_->line,
            .cited = Cited(now_->line),
            .text = {}};
  }

  PictureLane& StreamLane(StreamId stream) {
    const auto [entry, is_new] = streams_.try_emplace(stream.value);
    if (is_new) entry->second.kind = LaneKind::kStream;
    return entry->second;
  }

  // To the lane of the watch, or to that of its stream in brief.
  void Add(WatchIndex watch, StreamId stream, PictureItem item) {
    ShownWatch* shown = Find(watch);
    if (shown == nullptr) return AddToStream(stream, item, item.kind);
    item.text = Said(*now_);
    shown->lane.items.push_back(std::move(item));
  }

  void AddToStream(StreamId stream, PictureItem item, ItemKind kind) {
    item.kind = kind;
    item.text = item.cited > 0 ? Said(*now_) : "";
    std::vector<PictureItem>& items = StreamLane(stream).items;
    // One answer for every watch of the stream is one item.
    if (!items.empty() && items.back().line == item.line) return;
    items.push_back(std::move(item));
  }

  void ReadFault(const NumberedEntry& line) {
    const auto fault = ParseFaultLine(line.entry.text);
    if (!fault.has_value()) return;
    if (!fault->healed) {
      PictureItem item = Item(ItemKind::kFault);
      item.until = Duration(-1);
      item.text = fault->fault;
      faults_.push_back({.kind = LaneKind::kFault, .name = fault->fault, .items = {item}});
      return;
    }
    for (PictureLane& lane : faults_) {
      PictureItem& item = lane.items.front();
      if (lane.name != fault->fault || item.until >= Duration::zero()) continue;
      item.until = line.entry.at;
      item.text = FaultText(line.entry.text);
      return;
    }
  }
  void ReadDisk(const DiskActivity& did) {
    auto item = ItemOf(did);
    if (!item) return;
    const PictureItem read = Item(item->kind);
    item->line = read.line;
    item->cited = read.cited;
    PictureLane& lane = disks_[did.member];
    lane.kind = LaneKind::kDisk;
    lane.name = cluster_ ? fmt::format("disk of member {}", did.member) : "disk";
    lane.items.push_back(*std::move(item));
  }
  // Whether its layer has a lane.
  bool ReadReport(const ConsumerReport& report) {
    static const std::map<std::string, ItemKind> kItemOf = {
        {"event", ItemKind::kEvents},  {"handled", ItemKind::kEvents},
        {"relist", ItemKind::kListed}, {"bookmark", ItemKind::kProgress},
        {"opened", ItemKind::kAsked},  {"watch", ItemKind::kAsked},
        {"moved", ItemKind::kAsked},   {"snapshot", ItemKind::kHolds},
        {"error", ItemKind::kFailed},  {"refused", ItemKind::kFailed}};
    const auto kind = kItemOf.find(report.kind);
    const auto lane = std::ranges::find(layers_, report.layer, &PictureLane::name);
    if (kind == kItemOf.end() || lane == layers_.end()) return false;
    PictureItem item = Item(kind->second, Revision(report.revision));
    if (report.type == "tombstone") item.kind = ItemKind::kTombstone;
    item.text = report.error.empty() ? Said(*now_) : report.error;
    lane->items.push_back(std::move(item));
    return true;
  }

  void Reach(Revision revision) {
    std::vector<PictureStep>& head = picture_.head;
    if (head.empty() || head.back().revision < revision) head.push_back({now_->entry.at, revision});
  }

  std::map<std::uint32_t, PictureLane> LanesOfCallers() const {
    const std::set<Revision> concerned = Concerned();
    std::map<std::uint32_t, PictureLane> callers;
    for (const RecordedCall& call : model_.calls().calls()) {
      const bool writes = IsWrite(call.method) || call.method == Method::kCompact;
      if (!writes && Cited(call.began) + Cited(call.ended) == 0) continue;
      PictureLane& lane = callers[call.client];
      lane.kind = LaneKind::kWriter;
      if (lane.name != "writer") lane.name = writes ? "writer" : "caller";
      lane.items.push_back(CallItem(call, concerned));
    }
    for (auto& [client, lane] : callers) {
      const std::string& name = model_.calls().client_names()[client];
      if (!name.empty()) lane.name += ", " + name;
    }
    return callers;
  }

  void AddWriters() {
    std::map<std::uint32_t, PictureLane> callers = LanesOfCallers();
    PictureLane shared{.kind = LaneKind::kWriter, .name = {}, .items = {}, .position = {}};
    std::size_t joined = 0;
    for (auto& [client, lane] : callers) {
      if (callers.size() < 3 || !MayShare(lane)) {
        picture_.lanes.push_back(std::move(lane));
        continue;
      }
      ++joined;
      shared.name = lane.name;
      shared.items.insert(shared.items.end(), lane.items.begin(), lane.items.end());
    }
    if (joined > 1) {
      shared.name = fmt::format("{} {}", joined,
                                picture_.passive ? "short connections\nof a few calls each"
                                                 : "other writers\nof other keys");
    }
    if (joined > 0) picture_.lanes.push_back(std::move(shared));
  }

  // Those that only make load; of what others did, connections with a few calls, as those of
  // command-line clients.
  bool MayShare(const PictureLane& lane) const {
    constexpr std::size_t kFew = 3;
    if (std::ranges::any_of(lane.items, IsCited)) return false;
    if (picture_.passive) return lane.items.size() <= kFew;
    return std::ranges::all_of(
        lane.items, [](const PictureItem& item) { return item.kind == ItemKind::kOtherWrite; });
  }

  void AddWatches() {
    for (ShownWatch& watch : shown_) {
      if (converged_ && watch.ended && *watch.ended > *converged_) watch.ended.reset();
      AddDeviations(model_.timeline(), picture_.head, converged_.has_value(), watch);
      watch.lane.kind = LaneKind::kWatch;
      watch.lane.name = fmt::format("watch {} of stream {}\n{}", watch.id, watch.stream.value,
                                    Phrase(watch.range));
      if (watch.start.value > 0) watch.lane.name += fmt::format(" from {}", watch.start);
      picture_.lanes.push_back(std::move(watch.lane));
    }
  }

  void AddStreams() {
    constexpr std::size_t kMostAlone = 12;
    // A client may open its watch again and again.
    PictureLane rest{.kind = LaneKind::kStream, .name = {}, .items = {}, .position = {}};
    std::size_t joined = 0;
    for (auto& [stream, lane] : streams_) {
      const bool shown = std::ranges::any_of(
          shown_, [stream](const ShownWatch& watch) { return watch.stream.value == stream; });
      if (streams_.size() > kMostAlone && !shown && lane.name != "control") {
        ++joined;
        rest.items.insert(rest.items.end(), lane.items.begin(), lane.items.end());
        continue;
      }
      const auto creates = focus_.creates.find(stream);
      std::size_t others = creates == focus_.creates.end() ? 0 : creates->second;
      for (const ShownWatch& watch : shown_) others -= watch.stream.value == stream ? 1 : 0;
      lane.name = lane.name == "control" ? std::string("control watch\nnot disturbed")
                  : picture_.passive     ? fmt::format("stream {}", stream)
                                         : fmt::format("stream {}, {}", stream, lane.name);
      if (others > 0)
        lane.name += "\n" + fmt::format("{} more {}", others, others == 1 ? "watch" : "watches");
      picture_.lanes.push_back(std::move(lane));
    }
    rest.name = fmt::format("{} more streams", joined);
    if (joined > 0) picture_.lanes.push_back(std::move(rest));
  }

  // The number of the line of evidence; 0: it is none.
  std::size_t Cited(Line line) const {
    const auto cited = cited_.find(line.value);
    return cited == cited_.end() ? 0 : cited->second;
  }

  PictureItem CallItem(const RecordedCall& call, const std::set<Revision>& concerned) const {
    const bool answered = call.outcome == CallOutcome::kAnswered;
    ItemKind kind = ItemKind::kOtherWrite;
    if (call.method == Method::kCompact) {
      kind = ItemKind::kCompaction;
    } else if (!IsWrite(call.method)) {
      kind = ItemKind::kCall;
    } else if (call.outcome == CallOutcome::kOpen) {
      kind = ItemKind::kLostWrite;
    } else if (answered && concerned.contains(call.revision)) {
      kind = call.method == Method::kDeleteRange ? ItemKind::kDelete : ItemKind::kWrite;
    }
    const Revision revision = kind == ItemKind::kCompaction ? Revision(call.named)
                              : answered                    ? call.revision
                                                            : Revision();
    PictureItem item{.kind = kind,
                     .at = call.at - call.took,
                     .until = call.at,
                     .first = revision,
                     .last = revision,
                     .line = call.began,
                     .cited = Cited(call.began),
                     .cited_until = Cited(call.ended),
                     .text = {}};
    const std::string asked = Said({call.began,
                                    {.kind = EntryKind::kCallStarted,
                                     .method = call.method,
                                     .call = call.id,
                                     .payload = call.request}});
    item.text = asked;
    if (kind == ItemKind::kLostWrite) item.text += "; no answer";
    if (call.outcome == CallOutcome::kRefused) item.text += "; refused";
    if (answered) item.text += fmt::format("; answered with revision {}", call.revision);
    if (kind == ItemKind::kCall) item.of = Shorten(AfterColon(asked), 40, Charset::kUtf8);
    return item;
  }

  // The revisions that changed a key in the range of a watch of the picture.
  std::set<Revision> Concerned() const {
    std::set<Revision> concerned;
    const Timeline& timeline = model_.timeline();
    for (std::uint32_t i = timeline.first_change(); i < timeline.changes(); ++i) {
      const Change& change = timeline.change(i);
      const bool concerns =
          shown_.empty() || std::ranges::any_of(shown_, [&](const ShownWatch& watch) {
            return watch.range.Contains(change.key);
          });
      if (concerns) concerned.insert(change.revision);
    }
    return concerned;
  }

  void End(WatchIndex watch, Duration at) {
    ShownWatch* shown = Find(watch);
    if (shown != nullptr && !shown->ended) shown->ended = at;
  }

  void OnAsked(WatchIndex watch, const Asked& asked) override {
    ShownWatch* shown = Find(watch);
    if (shown == nullptr) return;
    shown->stream = asked.stream;
    shown->range = KeyRange(asked.request.key, asked.request.range_end);
    shown->puts = !asked.request.no_put;
    shown->deletes = !asked.request.no_delete;
    shown->start = Revision(asked.request.start_revision);
    shown->asked = asked.where.at;
    Add(watch, asked.stream, Item(ItemKind::kAsked, shown->start));
    if (shown->start.value > 0) shown->lane.position.push_back({asked.where.at, shown->start});
  }

  void OnCancelAsked(WatchIndex watch, Where) override {
    if (Find(watch) != nullptr) Add(watch, {}, Item(ItemKind::kDriver));
  }

  void OnCreated(WatchIndex watch, const Response& response) override {
    const Revision at(response.message.header.revision);
    Add(watch, response.stream, Item(ItemKind::kCreated, at));
    ShownWatch* shown = Find(watch);
    if (shown == nullptr) return;
    shown->created = response.where.at;
    shown->id = response.message.watch_id;
    if (shown->start.value == 0) {
      shown->start = at.next();
      shown->lane.position.push_back({response.where.at, shown->start});
    }
  }
  void OnRefused(WatchIndex watch, const Response& response) override {
    OnCancelled(watch, response);
  }

  void OnDelivered(WatchIndex watch, ResponsePtr& response) override {
    const auto& events = response->message.events;
    Add(watch, response->stream,
        Item(ItemKind::kEvents, Revision(events.front().kv.mod_revision), response->highest));
    ShownWatch* shown = Find(watch);
    if (shown == nullptr) return;
    for (const EventView& event : events) {
      shown->arrivals.push_back({.revision = Revision(event.kv.mod_revision),
                                 .key = std::string(event.kv.key),
                                 .deleted = event.type != 0,
                                 .item = shown->lane.items.size() - 1});
    }
    std::vector<PictureStep>& position = shown->lane.position;
    if (position.empty() || position.back().revision < response->highest.next()) {
      position.push_back({response->where.at, response->highest.next()});
    }
  }

  void OnProgress(WatchIndex watch, const Response& response) override {
    const Revision through(response.message.header.revision);
    Add(watch, response.stream, Item(ItemKind::kProgress, through));
  }

  void OnCompacted(WatchIndex watch, const Response& response) override {
    Add(watch, response.stream,
        Item(ItemKind::kErrCompacted, Revision(response.message.compact_revision)));
    End(watch, response.where.at);
  }

  void OnCancelled(WatchIndex watch, const Response& response) override {
    Add(watch, response.stream, Item(ItemKind::kCancelled));
    End(watch, response.where.at);
  }

  void OnAfterwards(WatchIndex watch, const Response& response) override {
    const WatchResponseView& message = response.message;
    ItemKind kind = ItemKind::kForeign;
    if (message.compact_revision > 0) kind = ItemKind::kErrCompacted;
    Add(watch, response.stream,
        Item(kind, Revision(message.compact_revision > 0 ? message.compact_revision
                            : message.events.empty()     ? 0
                                                     : message.events.front().kv.mod_revision)));
  }
  void OnProgressAsked(StreamId stream, Where /*where*/) override {
    AddToStream(stream, Item(ItemKind::kProgressAsked), ItemKind::kProgressAsked);
  }

  void OnAnnotation(const Annotation& annotation, Where where) override {
    if (const auto* stage = std::get_if<StageReached>(&annotation)) {
      if (stage->stage == Stage::kConverged) converged_ = where.at;
      if (stage->stage != Stage::kHealed) return;
      for (PictureLane& lane : faults_) {
        PictureItem& item = lane.items.front();
        if (item.until < Duration::zero()) item.until = where.at;
      }
      return;
    }
    if (const auto* started = std::get_if<ConsumerStarted>(&annotation)) {
      for (const std::string& layer : started->layers) {
        layers_.push_back({.kind = LaneKind::kLayer, .name = layer, .items = {}, .position = {}});
      }
      return;
    }
    if (const auto* did = std::get_if<DiskActivity>(&annotation)) return ReadDisk(*did);
    const auto* report = std::get_if<ConsumerReport>(&annotation);
    if (report != nullptr && ReadReport(*report)) return;
    PictureItem item = Item(ItemKind::kDriver);
    item.text = Said(*now_);
    std::int64_t member = 0;
    if (const auto* ended = std::get_if<TargetEnded>(&annotation)) member = ended->member;
    if (const auto* silent = std::get_if<TargetSilent>(&annotation)) member = silent->member;
    if (member != 0) item.kind = ItemKind::kMember;
    if (member == 0 && item.cited == 0) return;
    if (member == 0 && !shown_.empty()) return shown_.front().lane.items.push_back(item);
    PictureLane& lane = members_[member];
    lane.kind = LaneKind::kMember;
    lane.name = member == 0 ? "the run" : fmt::format("member {}", member);
    lane.items.push_back(item);
  }
  void OnStreamEnded(WatchIndex watch, const StreamEnd& end) override { End(watch, end.where.at); }
  void OnStreamClosed(const StreamEnd& end) override {
    StreamLane(end.stream).items.push_back(Item(ItemKind::kClosed));
  }
  void OnHeader(Revision revision, bool control) override { model_.HeaderSeen(revision, control); }
  void OnControlAsked(const Asked& asked) override {
    model_.ControlAsked(asked.stream, asked.request);
  }

  void OnControlEvents(const Response& response) override {
    const auto& events = response.message.events;
    model_.ControlEvents(response.stream, events,
                         response.tail.size() > 0 ? response.tail : response.payload,
                         response.where.line);
    const Revision last(events.back().kv.mod_revision);
    AddToStream(response.stream,
                Item(ItemKind::kEvents, Revision(events.front().kv.mod_revision), last),
                ItemKind::kEvents);
    Reach(last);
  }

  const Focus& focus_;
  std::map<std::uint64_t, std::size_t> cited_;  // by line
  Picture picture_;
  std::vector<ShownWatch> shown_;
  std::map<std::uint32_t, PictureLane> streams_;
  std::vector<PictureLane> faults_;
  std::map<std::int64_t, PictureLane> members_;  // 0: of the run itself
  std::map<std::int64_t, PictureLane> disks_;    // by member
  bool cluster_ = false;
  std::vector<PictureLane> layers_;  // of a consumer, from the store up
  const NumberedEntry* now_ = nullptr;
  std::optional<Duration> converged_;
  Model model_;
  HistoryParser parser_{*this};
};

}  // namespace

Result<Picture> ReadPicture(const PictureRequest& request) {
  WP_ASSIGN_OR_RETURN(const Focus focus, FindFocus(request));
  PictureReader reader(request, focus);
  WP_RETURN_IF_ERROR(
      EachLine(request.file, [&](const NumberedEntry& line) { reader.Consume(line); }));
  Picture picture = reader.Finish();
  Thin(request.most, picture);
  SetPace(picture);
  return picture;
}

}  // namespace watchproof
