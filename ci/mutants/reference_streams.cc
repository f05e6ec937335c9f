// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/reference_streams.h"

#include <algorithm>
#include <utility>

#include "harness/history/annotation.h"

namespace watchproof {
namespace {

struct Stream {
  std::uint64_t opened = 0;
  bool proxied = false;
  bool control = false;
  bool progress_asked = false;
  bool closing = false;
  std::vector<std::size_t> creates;  // watches
  std::size_t answered = 0;
  std::map<std::int64_t, std::size_t> ids;
  std::uint64_t cluster = 0;
  std::uint64_t member = 0;
};

class Listener {
 public:
  explicit Listener(std::uint64_t converged) : converged_(converged) {}

  ReferenceStreams Run(const std::vector<NumberedEntry>& lines) {
    for (const NumberedEntry& line : lines) {
      const Entry& entry = line.entry;
      at_ = line.line.value;
      stream_ = entry.stream.value;
      if (entry.kind == EntryKind::kStreamOpened) Open(entry.text);
      if (entry.kind == EntryKind::kFault) Fault(entry.text);
      if (entry.kind == EntryKind::kRequestSent) Request(entry);
      if (entry.kind == EntryKind::kResponseReceived) Response(entry);
      if (entry.kind == EntryKind::kStreamClosed) Close(entry.code);
      if (entry.kind == EntryKind::kAnnotation) Annotated(entry.text);
    }
    const bool unsaid = std::any_of(out_.faults.begin(), out_.faults.end(),
                                    [](const ReferenceFault& fault) { return fault.unsaid; });
    for (const std::string& drop : drops_) {
      if (!unsaid) out_.wrongs.push_back(drop);
    }
    return std::move(out_);
  }

 private:
  Stream& Here() { return streams_[stream_]; }
  void Wrong(const std::string& what) {
    out_.wrongs.push_back(fmt::format("line {}: {}", at_, what));
  }

  void Open(const std::string& path) {
    Here().opened = at_;
    Here().control = path == "control";
    Here().proxied = path == "proxied";
  }

  void Fault(const std::string& text) {
    const auto says = [&](const char* what) { return text.find(what) != std::string::npos; };
    const std::size_t name = text.find(R"("fault":")");
    ReferenceFault fault{.name = text.substr(name, text.find(',', name) - name), .armed = at_};
    if (says(R"("phase":"healed")")) {
      for (ReferenceFault& earlier : out_.faults) {
        if (earlier.name == fault.name) earlier.healed = std::min(earlier.healed, at_);
      }
      return;
    }
    fault.unsaid = !says(R"("ends_streams":)");
    fault.ends_all = says(R"("ends_streams":"every")");
    fault.ends_proxied = says(R"("ends_streams":"proxied")");
    fault.parts_members = says(R"("parts_members":)");
    out_.faults.push_back(fault);
  }

  // Whether a fault with such an effect was active on the stream while it was open.
  template <typename Does>
  bool FaultOn(const Stream& stream, Does does) const {
    return std::any_of(out_.faults.begin(), out_.faults.end(), [&](const ReferenceFault& fault) {
      const bool ends = fault.ends_all || (fault.ends_proxied && stream.proxied);
      return fault.healed > stream.opened && does(fault, ends);
    });
  }

  bool RefusedRightly(const Stream& stream, const WatchCreateView& asked) const {
    const std::string_view zero("\0", 1);
    if (!asked.range_end.empty() && asked.range_end != zero && asked.key >= asked.range_end) {
      return true;
    }
    if (asked.start_revision < 0) return true;
    if (FaultOn(stream, [](const ReferenceFault& fault, bool ends) {
          return ends || fault.parts_members || fault.unsaid;
        })) {
      return true;
    }
    return asked.watch_id != 0 &&
           std::any_of(stream.creates.begin(), stream.creates.end(), [&](std::size_t index) {
             const ReferenceWatch& other = out_.watches[index];
             return other.answer && other.end != ReferenceEnd::kRefused &&
                    other.end != ReferenceEnd::kCancelled &&
                    other.answer->view.watch_id == asked.watch_id;
           });
  }

  void Request(const Entry& entry) {
    WatchRequestView request;
    if (!Parse(entry.payload.view(), request).ok() || Here().control) return;
    if (request.kind == WatchRequestKind::kCreate) {
      ReferenceWatch watch;
      watch.stream = stream_;
      watch.ordinal = static_cast<std::uint32_t>(Here().creates.size());
      watch.asked = request.create;
      watch.asked_line = at_;
      const std::size_t index = out_.watches.size();
      if (const auto before = resumed_.find({stream_, watch.ordinal}); before != resumed_.end()) {
        watch.continues = before->second;
        out_.watches[before->second].continued_by = index;
      }
      Here().creates.push_back(index);
      out_.watches.push_back(std::move(watch));
    } else if (request.kind == WatchRequestKind::kProgress) {
      Here().progress_asked = true;
    } else if (request.kind == WatchRequestKind::kCancel) {
      if (const auto meant = MeantByCancel(request.cancel_id)) {
        out_.watches[*meant].cancels.push_back(at_);
        ++out_.watches[*meant].cancels_open;
      }
    }
  }

  std::optional<std::size_t> MeantByCancel(std::int64_t id) {
    const Stream& stream = Here();
    for (std::size_t i = stream.creates.size(); i > stream.answered; --i) {
      const std::int64_t chosen = out_.watches[stream.creates[i - 1]].asked.watch_id;
      if (chosen != 0 && chosen == id) return stream.creates[i - 1];
    }
    const auto found = stream.ids.find(id);
    if (found == stream.ids.end()) return std::nullopt;
    return found->second;
  }

  void Response(const Entry& entry) {
    ReferenceMessage message{.line = at_,
                             .view = {},
                             .bytes = entry.payload.view().size() + entry.tail.view().size(),
                             .progress_asked = Here().progress_asked};
    const bool readable = Parse(entry.payload.view(), message.view).ok();
    if (Here().control) return;
    if (!readable) return Wrong("bytes that are no message");
    SameSender(message.view.header);
    const WatchResponseView& view = message.view;
    if (view.compact_revision < 0) Wrong("a negative compact revision");
    if (view.compact_revision != 0 && !view.canceled) {
      Wrong("a compact revision, but canceled is not set");
    }
    if (view.created) return Created(message);
    if (view.watch_id == -1 && view.events.empty() && !view.canceled) return Everyone(message);
    const auto found = Here().ids.find(view.watch_id);
    if (found == Here().ids.end()) return Wrong("a message for no watch");
    Give(out_.watches[found->second], message);
  }

  void SameSender(const HeaderView& header) {
    Stream& stream = Here();
    if (stream.cluster == 0) stream.cluster = header.cluster_id;
    if (stream.member == 0) stream.member = header.member_id;
    if (header.cluster_id != 0 && header.cluster_id != stream.cluster) {
      Wrong("an answer of another cluster");
    }
    if (header.member_id != 0 && header.member_id != stream.member) {
      Wrong("an answer of another member");
    }
  }

  void Created(const ReferenceMessage& message) {
    Stream& stream = Here();
    if (stream.answered == stream.creates.size()) return Wrong("the answer to no create");
    const std::size_t index = stream.creates[stream.answered++];
    ReferenceWatch& watch = out_.watches[index];
    const WatchResponseView& view = message.view;
    watch.refused_rightly = RefusedRightly(stream, watch.asked);
    if (view.fragment) Wrong("an answer to a create in parts");
    if (!view.events.empty()) Wrong("an answer to a create with events");
    watch.answer = message;
    if (view.canceled && view.compact_revision <= 0) {
      watch.end = ReferenceEnd::kRefused;
      return;
    }
    if (view.watch_id < 0) Wrong("a watch with a negative id");
    if (watch.asked.watch_id != 0 && view.watch_id != watch.asked.watch_id) {
      Wrong("another watch id than the client chose");
    }
    const auto namesake = stream.ids.find(view.watch_id);
    if (namesake != stream.ids.end() && out_.watches[namesake->second].end == ReferenceEnd::kOpen) {
      Wrong("a watch id that is in use");
    }
    stream.ids[view.watch_id] = index;
    if (view.canceled) Give(watch, message);
  }

  void Everyone(const ReferenceMessage& message) {
    const Stream& stream = Here();
    for (std::size_t i = 0; i < stream.answered; ++i) {
      ReferenceWatch& watch = out_.watches[stream.creates[i]];
      if (watch.end == ReferenceEnd::kOpen) watch.given.push_back(message);
    }
  }

  void Give(ReferenceWatch& watch, const ReferenceMessage& message) {
    const WatchResponseView& view = message.view;
    const bool bare = view.canceled && view.events.empty() && view.compact_revision == 0;
    if (watch.end != ReferenceEnd::kOpen) {
      if (bare && watch.cancels_open > 0) {
        --watch.cancels_open;
        return;
      }
      return Wrong("a message for a watch that has ended");
    }
    watch.given.push_back(message);
    if (!view.canceled) return;
    watch.end = view.compact_revision > 0 ? ReferenceEnd::kNotice : ReferenceEnd::kCancelled;
    if (watch.end == ReferenceEnd::kNotice) return;
    if (watch.cancels_open == 0) return Wrong("the end of a watch without a request");
    --watch.cancels_open;
  }

  void Close(StatusCode code) {
    const bool leaderless = code == StatusCode::kUnavailable;
    const bool cut = FaultOn(Here(), [&](const ReferenceFault& fault, bool ends) {
      return ends || (leaderless && fault.parts_members);
    });
    if (!Here().closing && !cut) {
      drops_.push_back(fmt::format("line {}: the stream ended by itself", at_));
    }
    if (at_ >= converged_ && Here().closing) return;
    for (const std::size_t index : Here().creates) {
      ReferenceWatch& watch = out_.watches[index];
      if (watch.end != ReferenceEnd::kOpen) continue;
      watch.end = ReferenceEnd::kCut;
      watch.cut_by_us = Here().closing;
    }
  }

  void Annotated(const std::string& text) {
    const auto annotation = ParseAnnotation(text);
    if (!annotation.has_value()) return;
    if (const auto* closing = std::get_if<ClosingStream>(&*annotation)) {
      streams_[closing->stream.value].closing = true;
    } else if (const auto* next = std::get_if<Resumption>(&*annotation)) {
      const std::vector<std::size_t>& creates = streams_[next->stream.value].creates;
      if (next->ordinal >= creates.size()) return;
      resumed_[{next->next_stream.value, next->next_ordinal}] = creates[next->ordinal];
    }
  }

  const std::uint64_t converged_;
  ReferenceStreams out_;
  std::vector<std::string> drops_;
  std::map<std::uint32_t, Stream> streams_;
  std::map<std::pair<unsigned, unsigned>, std::size_t> resumed_;  // by the create to come
  std::uint64_t at_ = 0;
  std::uint32_t stream_ = 0;
};

}  // namespace

bool IsProgress(const WatchResponseView& view) {
  return view.events.empty() && !view.canceled && !view.created && view.compact_revision == 0;
}

std::int64_t StartOf(const ReferenceWatch& watch) {
  if (watch.asked.start_revision > 0) return watch.asked.start_revision;
  return watch.answer ? watch.answer->view.header.revision + 1 : 0;
}

std::int64_t PositionAfter(const ReferenceWatch& watch, std::size_t count) {
  std::int64_t position = StartOf(watch);
  for (std::size_t i = 0; i < count; ++i) {
    const WatchResponseView& view = watch.given[i].view;
    if (IsProgress(view)) position = std::max(position, view.header.revision + 1);
    for (const EventView& event : view.events) {
      position = std::max(position, event.kv.mod_revision + 1);
    }
  }
  return position;
}

std::int64_t ResumeAt(const ReferenceWatch& watch) {
  std::size_t whole = watch.given.size();
  while (whole > 0 && watch.given[whole - 1].view.fragment) --whole;
  return PositionAfter(watch, whole);
}

ReferenceStreams Listen(const std::vector<NumberedEntry>& lines, std::uint64_t converged) {
  return Listener(converged).Run(lines);
}

}  // namespace watchproof
