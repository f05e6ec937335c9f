// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/go_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/drive/shared/live_server.h"
#include "harness/explore/live/go_frame.h"
#include "harness/explore/live/go_lines.h"
#include "harness/explore/live/go_requests.h"
#include "harness/history/annotation.h"
#include "harness/history/wire.h"
#include "harness/model/operations.h"

namespace watchproof::explore {
namespace {

constexpr Duration kPause = 50ms;  // the shortest that is kept
constexpr std::size_t kFewAlike = 3;

class ProgramWriter {
 public:
  ProgramWriter(const std::vector<NumberedEntry>& lines, const Finding& finding,
                const Sought& sought)
      : lines_(lines), finding_(finding), sought_(sought) {
    for (const NumberedEntry& line : lines) {
      if (line.entry.kind != EntryKind::kAnnotation) continue;
      const auto annotation = ParseAnnotation(line.entry.text);
      if (!annotation.has_value()) continue;
      if (const auto* right = std::get_if<ReadRight>(&*annotation)) {
        rights_[right->stream.value] = *right;
      }
    }
  }

  std::string Write() {
    for (const NumberedEntry& line : lines_) {
      if (line.line == sought_.since) {
        Await();
        Statement(fmt::format("before := soFar({}, {})", sought_.stream.value, sought_.of));
      }
      Follow(line.entry);
      if (line.line >= sought_.until) break;
    }
    Statement(fmt::format("fmt.Println(\"EXPECTED:\", {})", GoString(finding_.expected)));
    if (sought_.kind == Sought::Kind::kUnknown) {
      Statement("// Whether it shows is for a person to say: what came must be compared.");
    }
    if (sought_.creation > 0) {
      Statement(
          fmt::format("isOf({}, {}, {})", sought_.stream.value, sought_.creation, sought_.watch));
    }
    Statement(fmt::format("end({})", Verdict()));
    return GoFrame(Body(), !rights_.empty());
  }

 private:
  void Follow(const Entry& entry) {
    switch (entry.kind) {
      case EntryKind::kStreamOpened:
        return Open(entry);
      case EntryKind::kRequestSent:
        if (!IsLeftOut(entry.stream)) Ask(entry, GoStatement(entry.stream, entry.payload.view()));
        return;
      case EntryKind::kResponseReceived:
        return Receive(entry);
      case EntryKind::kCallStarted:
        // What the harness reads for itself changes nothing.
        if (ScriptOfClient(entry.text) > 0 || IsWrite(entry.method)) {
          Ask(entry, GoStatement(entry.method, entry.payload.view()));
        }
        return;
      case EntryKind::kCallEnded:
        return Answered(entry);
      case EntryKind::kAnnotation:
        return Annotated(entry);
      case EntryKind::kFault:
        return Fault(entry);
      case EntryKind::kRunStarted:
      case EntryKind::kStreamClosed:
        return;
    }
  }

  // The harness watches everything for itself.
  bool IsLeftOut(StreamId stream) const { return left_out_.contains(stream.value); }

  void Open(const Entry& entry) {
    if (entry.text == "control" && entry.stream != sought_.stream) {
      left_out_.insert(entry.stream.value);
      return;
    }
    const auto right = rights_.find(entry.stream.value);
    if (right != rights_.end()) {
      Ask(entry, fmt::format("permit({}, {})", GoString(right->second.key.bytes),
                             GoString(right->second.end.bytes)));
    }
    Ask(entry, fmt::format("open({}, {})", entry.stream.value,
                           right == rights_.end() ? "ctx" : "asReader"));
  }

  void Receive(const Entry& entry) {
    WatchResponseView response;
    if (IsLeftOut(entry.stream)) return;
    idle_since_ = std::max(idle_since_, entry.at);
    if (!Parse(entry.payload.view(), entry.tail.view(), response).ok()) return;
    for (const StreamLine& line : received_[entry.stream.value].Of(response)) {
      if (!line.progress) ++came_[entry.stream.value];
    }
  }

  void Answered(const Entry& entry) {
    HeaderView header;
    if (std::exchange(answered_, true) || entry.method != Method::kRange) return;
    if (!ParseHeader(entry.payload.view(), header).ok()) return;
    // A fresh store is at revision 1, and revisions in requests count from there.
    if (header.revision > 1) Statement(fmt::format("fill({})", header.revision));
  }

  void Annotated(const Entry& entry) {
    const auto annotation = ParseAnnotation(entry.text);
    if (!annotation.has_value()) return;
    if (const auto* asks = std::get_if<ClientAsks>(&*annotation)) {
      comment_ = fmt::format("// Asked at the end of every script: {}.", asks->text);
    } else if (const auto* closing = std::get_if<ClosingStream>(&*annotation)) {
      if (!IsLeftOut(closing->stream)) {
        Ask(entry, fmt::format("closeStream({})", closing->stream.value));
      }
    } else if (const auto* limited = std::get_if<ReadingLimited>(&*annotation)) {
      Ask(entry, fmt::format("allow({}, {})", limited->stream.value, limited->messages));
    }
  }

  // It takes a person longer to bring it back than the harness.
  void Fault(const Entry& entry) {
    const auto fault = ParseFaultLine(entry.text);
    if (!fault.has_value() || fault->fault != "kill") return;
    if (!fault->healed) Ask(entry, "restart()");
    idle_since_ = entry.at;
  }

  // After what had come by then, and as long after it. What an answer took on a slow disk counts as
  // a pause: the store's loops ran meanwhile.
  void Ask(const Entry& entry, const std::string& statement) {
    if (!comment_.empty()) Statement(std::exchange(comment_, {}));
    Await();
    const Duration idle = entry.at - idle_since_;
    if (idle > kPause && !body_.empty()) {
      Statement(fmt::format("time.Sleep({} * time.Millisecond)", idle / 1ms));
    }
    Statement(statement);
    idle_since_ = std::max(idle_since_, entry.at);
  }

  void Await() {
    for (const auto& [stream, came] : came_) {
      std::uint64_t& awaited = awaited_[stream];
      if (std::exchange(awaited, came) != came) {
        Statement(fmt::format("await({}, {})", stream, came));
      }
    }
  }

  void Statement(const std::string& statement) { body_.push_back(statement); }

  // Those in a row that are alike become a loop.
  std::string Body() const {
    std::string text;
    for (auto one = body_.begin(); one != body_.end();) {
      const auto other = std::find_if(one, body_.end(), [&](const auto& s) { return s != *one; });
      const auto alike = static_cast<std::size_t>(other - one);
      if (alike > kFewAlike) {
        text += fmt::format("\tfor i := 0; i < {}; i++ {{\n\t\t{}\n\t}}\n", alike, *one);
      } else {
        for (std::size_t i = 0; i < alike; ++i) text += "\t" + *one + "\n";
      }
      one = other;
    }
    return text;
  }

  std::string Compared(std::string_view how) const {
    std::string text = fmt::format("{}({}, {}", how, sought_.stream.value, sought_.of);
    for (const std::string& line : sought_.lines) text += ",\n\t\t" + GoString(line);
    return text + ")";
  }

  std::string Verdict() const {
    switch (sought_.kind) {
      case Sought::Kind::kMessage:
        return fmt::format("{}, {}", Compared("came"), GoString(sought_.lines.back()));
      case Sought::Kind::kSilence:
        return Compared("only") + ", \"nothing more for\", patience";
      case Sought::Kind::kNoMore:
        return fmt::format("noMore({}, before, {}), \"nothing more for\", patience",
                           sought_.stream.value, sought_.of);
      case Sought::Kind::kAnswer:
        return fmt::format("lastAnswer == {}, lastAnswer", GoString(sought_.lines.back()));
      case Sought::Kind::kStreamEnd:
        return fmt::format("ended({0}, {1}), \"stream {0} ended with error {1}\"",
                           sought_.stream.value, sought_.code);
      case Sought::Kind::kUnknown:
        return "false";
      case Sought::Kind::kNoServer:
        return "!alive(), \"the server does not answer\"";
    }
    return {};
  }

  const std::vector<NumberedEntry>& lines_;
  const Finding& finding_;
  const Sought& sought_;
  std::map<std::uint32_t, ReadRight> rights_;  // by stream
  std::set<std::uint32_t> left_out_;           // streams
  std::map<std::uint32_t, StreamLines> received_;
  std::map<std::uint32_t, std::uint64_t> came_;  // so much, by stream, progress left out
  std::map<std::uint32_t, std::uint64_t> awaited_;
  Duration idle_since_{};
  bool answered_ = false;  // a call was
  std::string comment_;
  std::vector<std::string> body_;
};

}  // namespace

std::string GoProgram(const std::vector<NumberedEntry>& lines, const Finding& finding,
                      const Sought& sought) {
  return ProgramWriter(lines, finding, sought).Write();
}

std::string PromiseAskedFor(const std::vector<NumberedEntry>& lines, const Sought& sought) {
  std::string text;
  for (const NumberedEntry& line : lines) {
    if (line.line >= sought.until) break;
    if (line.entry.kind != EntryKind::kAnnotation) continue;
    if (IsStage(line.entry, Stage::kHealed)) return "a last write, of another key";
    const auto annotation = ParseAnnotation(line.entry.text);
    if (!annotation.has_value()) continue;
    if (const auto* asks = std::get_if<ClientAsks>(&*annotation)) text = asks->text;
  }
  return text;
}

}  // namespace watchproof::explore
