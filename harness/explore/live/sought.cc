// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/sought.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "harness/checkers/judge.h"
#include "harness/explore/live/go_lines.h"
#include "harness/history/annotation.h"
#include "harness/history/run_started.h"
#include "harness/history/wire.h"

namespace watchproof::explore {
namespace {

struct CameOn {
  Line line{};
  StreamId stream{};
  StreamLine what;
};

std::vector<CameOn> EverythingThatCame(const std::vector<NumberedEntry>& lines) {
  std::vector<CameOn> all;
  std::map<std::uint32_t, StreamLines> streams;
  WatchResponseView response;
  for (const auto& [line, entry] : lines) {
    if (entry.kind != EntryKind::kResponseReceived) continue;
    if (!Parse(entry.payload.view(), entry.tail.view(), response).ok()) continue;
    for (StreamLine& what : streams[entry.stream.value].Of(response)) {
      all.push_back({line, entry.stream, std::move(what)});
    }
  }
  return all;
}

// "watch 3 of stream 1 on ...", or "stream 1".
std::optional<std::int64_t> NumberBehind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  std::int64_t number = 0;
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + word.size());
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

class Seeker {
 public:
  Seeker(const std::vector<NumberedEntry>& lines, const Finding& finding)
      : lines_(lines), finding_(finding), came_(EverythingThatCame(lines)) {
    const auto stream = NumberBehind(finding.watch, "stream ");
    if (stream) sought_.stream = StreamId(static_cast<std::uint32_t>(*stream));
    const bool named = finding.watch.starts_with("watch ");
    if (named) watch_ = NumberBehind(finding.watch, "watch ");
  }

  Sought Seek() {
    const NumberedEntry* const wrong = Offending();
    sought_.until = EndOfScript();
    if (wrong != nullptr) sought_.until = wrong->line;
    const bool by_call = wrong != nullptr && wrong->entry.kind == EntryKind::kCallEnded;
    if (IsSilence() && !by_call) {
      Silence();
    } else if (wrong != nullptr && !Asleep()) {
      Wrong(*wrong);
    }
    if (sought_.of != "isCreation" && sought_.of != "isBound") FindCreation();
    return sought_;
  }

 private:
  void FindCreation() {
    if (!watch_ || sought_.lines.empty()) return;
    std::int64_t creations = 0;
    for (const CameOn& one : came_) {
      if (one.line > sought_.until) break;
      if (one.stream != sought_.stream || !one.what.created) continue;
      ++creations;
      if (one.what.watch == *watch_) sought_.creation = creations;
    }
    sought_.watch = *watch_;
  }

  const NumberedEntry* At(Line line) const {
    const auto found = std::ranges::lower_bound(lines_, line, {}, &NumberedEntry::line);
    return found != lines_.end() && found->line == line ? &*found : nullptr;
  }
  std::optional<Annotation> AnnotationAt(const NumberedEntry& line) const {
    if (line.entry.kind != EntryKind::kAnnotation) return std::nullopt;
    auto annotation = ParseAnnotation(line.entry.text);
    return annotation.has_value() ? std::optional(*std::move(annotation)) : std::nullopt;
  }

  // The line of evidence that the finding is about; null: it is about the whole recording.
  const NumberedEntry* Offending() const {
    const NumberedEntry* last = nullptr;
    for (const Line line : finding_.evidence) {
      const NumberedEntry* const entry = At(line);
      if (entry == nullptr) continue;
      if (entry->entry.at == finding_.at) return entry;
      last = entry;
    }
    return IsSilence() ? nullptr : last;
  }

  // Whoever certifies a finding forgets that it is one of silence; its recording does not.
  bool IsSilence() const {
    if (!silence_) {
      const auto started = ParseRunStarted(lines_.front().entry.text);
      Judge judge(OptionsOf(started.has_value() ? *started : RunStarted()));
      for (const NumberedEntry& line : lines_) judge.Consume(line);
      const std::vector<Finding> all = judge.Finish().findings;
      const auto same = std::ranges::find_if(all, [this](const Finding& one) {
        return one.guarantee == finding_.guarantee && one.watch == finding_.watch &&
               one.expected == finding_.expected;
      });
      silence_ = same == all.end() ? finding_.by_silence : same->by_silence;
    }
    return *silence_;
  }

  Line EndOfScript() const {
    for (const NumberedEntry& line : lines_) {
      if (IsStage(line.entry, Stage::kHealed)) return line.line;
    }
    return lines_.back().line;
  }

  void Of(std::string of, Sought::Kind kind) {
    sought_.of = std::move(of);
    sought_.kind = kind;
  }

  // The lines that count are of the stream and hold the text.
  void Quiet(std::string of, const std::string& text) {
    Of(std::move(of), Sought::Kind::kSilence);
    for (const CameOn& one : came_) {
      const bool counts = one.stream == sought_.stream && one.line <= sought_.until &&
                          !one.what.progress && one.what.text.find(text) != std::string::npos;
      if (counts) sought_.lines.push_back(one.what.text);
    }
  }

  void Silence() {
    if (finding_.guarantee == Guarantee("Bookmarkable")) {
      sought_.since = finding_.evidence.front();
      return Of(fmt::format("progressFrom({})", HeadAt(sought_.since)), Sought::Kind::kNoMore);
    }
    if (finding_.guarantee == Guarantee("Available") ||
        finding_.guarantee == Guarantee("Durable")) {
      return Of("", Sought::Kind::kNoServer);
    }
    if (!watch_) return Quiet("isCreation", ": created");
    if (AsksForEnd()) return Quiet(fmt::format("endOf({})", *watch_), EndText());
    Quiet(fmt::format("linesOf({})", *watch_), fmt::format("watch {}: ", *watch_));
  }

  std::int64_t HeadAt(Line line) const {
    std::int64_t head = 0;
    for (const NumberedEntry& one : lines_) {
      HeaderView header;
      if (one.line >= line) break;
      if (one.entry.kind != EntryKind::kCallEnded || one.entry.code != StatusCode::kOk) continue;
      if (ParseHeader(one.entry.payload.view(), header).ok())
        head = std::max(head, header.revision);
    }
    return head;
  }

  std::string EndText() const { return fmt::format("watch {}: canceled", *watch_); }

  // Its cancel was the last that concerned it.
  bool AsksForEnd() const {
    Line asked{};
    for (const NumberedEntry& one : lines_) {
      WatchRequestView request;
      if (one.entry.kind != EntryKind::kRequestSent || one.entry.stream != sought_.stream) continue;
      if (!Parse(one.entry.payload.view(), request).ok()) continue;
      const bool cancels = request.kind == WatchRequestKind::kCancel;
      if (cancels && request.cancel_id == *watch_) asked = one.line;
    }
    return asked.value > 0 && std::ranges::none_of(came_, [&](const CameOn& one) {
             return one.stream == sought_.stream && one.line > asked &&
                    one.what.text.starts_with(EndText());
           });
  }

  // A change came only after the client had asked for more.
  bool Asleep() {
    for (const Line line : finding_.evidence) {
      const NumberedEntry* const entry = At(line);
      const auto annotation = entry == nullptr ? std::nullopt : AnnotationAt(*entry);
      if (!annotation || !std::holds_alternative<DeliveryOver>(*annotation) || !watch_) continue;
      sought_.until = line;
      Quiet(fmt::format("linesOf({})", *watch_), fmt::format("watch {}: ", *watch_));
      return true;
    }
    return false;
  }

  void Wrong(const NumberedEntry& wrong) {
    switch (wrong.entry.kind) {
      case EntryKind::kResponseReceived:
        return Message(wrong);
      case EntryKind::kCallEnded:
        return Answer(wrong);
      case EntryKind::kStreamClosed:
        sought_.stream = wrong.entry.stream;
        sought_.code = static_cast<std::int64_t>(wrong.entry.code);
        return Of("", Sought::Kind::kStreamEnd);
      case EntryKind::kAnnotation:
        if (const auto annotation = AnnotationAt(wrong)) Stated(*annotation, wrong.line);
        return;
      case EntryKind::kRunStarted:
      case EntryKind::kStreamOpened:
      case EntryKind::kRequestSent:
      case EntryKind::kCallStarted:
      case EntryKind::kFault:
        return;
    }
  }

  void Answer(const NumberedEntry& ended) {
    Of("", Sought::Kind::kAnswer);
    sought_.lines = {AnswerLine(ended.entry)};
  }

  // The client says so of its last call.
  void Stated(const Annotation& annotation, Line line) {
    const auto* const differs = std::get_if<AnswerDiffers>(&annotation);
    if (std::holds_alternative<TargetEnded>(annotation) ||
        std::holds_alternative<NotRestarted>(annotation)) {
      return Of("", Sought::Kind::kNoServer);
    }
    if (differs == nullptr) return;
    std::map<std::uint32_t, std::string> clients;  // by call
    const NumberedEntry* last = nullptr;
    for (const NumberedEntry& one : lines_) {
      if (one.line >= line) break;
      if (one.entry.kind == EntryKind::kCallStarted) {
        clients[one.entry.call.value] = one.entry.text;
      } else if (one.entry.kind == EntryKind::kCallEnded &&
                 clients[one.entry.call.value] == differs->client) {
        last = &one;
      }
    }
    if (last == nullptr) return;
    sought_.until = last->line;
    Answer(*last);
  }

  bool IsEvidence(Line line) const { return std::ranges::count(finding_.evidence, line) > 0; }

  // With all that its watch had received before, but of progress only what the finding is about.
  void Message(const NumberedEntry& wrong) {
    sought_.stream = wrong.entry.stream;
    const auto last = std::ranges::find(came_, wrong.line, &CameOn::line);
    if (last == came_.end()) return;
    const bool created = last->what.created;
    const std::int64_t watch =
        last->what.watch == kWholeStream && watch_ ? *watch_ : last->what.watch;
    if (watch != kWholeStream) watch_ = watch;
    const bool refused = created && last->what.canceled;
    const std::string bounds = refused ? "isBound" : "isCreation";
    Of(created ? bounds : fmt::format("ofWatch({})", watch), Sought::Kind::kMessage);
    Line progress{};  // how far an ErrCompacted finds its watch
    for (const CameOn& one : came_) {
      const bool its = one.what.watch == watch || one.what.watch == kWholeStream;
      if (one.stream != sought_.stream || !one.what.progress || !its) continue;
      if (finding_.guarantee == Guarantee("CompactionSurfaced") && one.line < wrong.line) {
        progress = one.line;
      }
    }
    const auto counts = [&](const CameOn& one) {
      if (one.stream != sought_.stream) return false;
      if (created) return one.what.created || (refused && one.what.canceled);
      if (one.what.progress) return IsEvidence(one.line) || one.line == progress;
      return one.what.watch == watch;
    };
    if (finding_.guarantee == Guarantee("Atomic")) {
      // The rest of the revision is missing, or comes with the next message.
      const auto next = std::ranges::find_if(
          came_, [&](const CameOn& one) { return one.line > wrong.line && counts(one); });
      if (next != came_.end()) sought_.until = next->line;
    }
    const bool with_header = created || finding_.guarantee == Guarantee("Headers");
    for (const CameOn& one : came_) {
      if (one.line > sought_.until || !counts(one)) continue;
      const bool named = with_header && one.line == wrong.line;
      sought_.lines.push_back(one.what.text +
                              (named ? fmt::format(", header {}", one.what.header) : ""));
    }
  }

  const std::vector<NumberedEntry>& lines_;
  const Finding& finding_;
  const std::vector<CameOn> came_;
  std::optional<std::int64_t> watch_;  // its id
  mutable std::optional<bool> silence_;
  Sought sought_;
};

}  // namespace

Sought SoughtOf(const std::vector<NumberedEntry>& lines, const Finding& finding) {
  return Seeker(lines, finding).Seek();
}

}  // namespace watchproof::explore
