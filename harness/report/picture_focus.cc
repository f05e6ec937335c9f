// SPDX-License-Identifier: Apache-2.0
// Which watches the lines of evidence are about: the first of two passes over a recording.
#include <algorithm>
#include <set>

#include "harness/history/reader.h"
#include "harness/history/run_started.h"
#include "harness/report/picture_parts.h"

namespace watchproof {
namespace {

constexpr std::size_t kMostNamed = 3;

void AddWatches(const std::vector<WatchIndex>& from, std::vector<WatchIndex>& into) {
  for (const WatchIndex watch : from) {
    if (into.size() == kMostNamed) return;
    if (std::ranges::find(into, watch) == into.end()) into.push_back(watch);
  }
}

class FocusFinder final : private HistoryVisitor {
 public:
  explicit FocusFinder(const std::vector<std::vector<std::uint64_t>>& evidence) {
    for (const auto& lines : evidence) evidence_.insert(lines.begin(), lines.end());
  }

  void Consume(const NumberedEntry& line) {
    if (line.entry.kind == EntryKind::kRunStarted) {
      const auto started = ParseRunStarted(line.entry.text);
      gaps_ = started.has_value() && started->gaps;
    }
    parser_.Consume(line);
  }

  Focus Finish() const {
    Focus focus{.watches = {}, .gaps = gaps_, .creates = {}};
    for (const StreamId stream : stream_of_) ++focus.creates[stream.value];
    AddWatches(direct_, focus.watches);
    if (focus.watches.empty()) AddWatches(named_, focus.watches);
    if (focus.watches.empty()) AddWatches(shared_, focus.watches);
    std::vector<WatchIndex> others;
    for (std::uint32_t i = 0; i < stream_of_.size(); ++i) {
      if (streams_.empty() || streams_.contains(stream_of_[i].value)) others.emplace_back(i);
    }
    if (focus.watches.empty()) AddWatches(others, focus.watches);
    return focus;
  }

 private:
  void Meet(WatchIndex watch, Where where, std::vector<WatchIndex>& into) const {
    if (evidence_.contains(where.line.value)) into.push_back(watch);
  }
  void Meet(WatchIndex watch, const Response& response) { Meet(watch, response.where, direct_); }

  void OnAsked(WatchIndex watch, const Asked& asked) override {
    stream_of_.push_back(asked.stream);
    by_ordinal_.insert({{asked.stream.value, asked.ordinal}, watch});
    Meet(watch, asked.where, direct_);
  }
  void OnCancelAsked(WatchIndex watch, Where where) override { Meet(watch, where, direct_); }
  void OnCreated(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnRefused(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnDelivered(WatchIndex watch, ResponsePtr& response) override { Meet(watch, *response); }
  void OnProgress(WatchIndex watch, const Response& response) override {
    // One answer may cover every watch of the stream.
    Meet(watch, response.where, shared_);
  }
  void OnCompacted(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnCancelled(WatchIndex watch, const Response& response) override { Meet(watch, response); }
  void OnAfterwards(WatchIndex watch, const Response& response) override { Meet(watch, response); }

  void OnAnnotation(const Annotation& annotation, Where where) override {
    if (!evidence_.contains(where.line.value)) return;
    std::visit(
        [this](const auto& said) {
          if constexpr (requires { said.ordinals; }) {
            for (std::size_t i = 0; i < std::min(said.streams.size(), said.ordinals.size()); ++i) {
              const auto found = by_ordinal_.find({said.streams[i], said.ordinals[i]});
              if (found != by_ordinal_.end()) named_.push_back(found->second);
            }
          } else if constexpr (requires { said.stream; }) {
            streams_.insert(said.stream.value);
          }
        },
        annotation);
  }
  void OnStreamEnded(WatchIndex watch, const StreamEnd& end) override {
    Meet(watch, end.where, shared_);
  }

  std::set<std::uint64_t> evidence_;
  bool gaps_ = false;
  std::vector<StreamId> stream_of_;  // by watch
  std::map<std::pair<std::uint32_t, std::uint32_t>, WatchIndex> by_ordinal_;
  std::vector<WatchIndex> direct_;
  std::vector<WatchIndex> shared_;
  std::vector<WatchIndex> named_;  // by an annotation
  std::set<std::uint32_t> streams_;
  HistoryParser parser_{*this};
};

}  // namespace

Status EachLine(const std::filesystem::path& file,
                const std::function<void(const NumberedEntry& line)>& consume) {
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  while (true) {
    WP_ASSIGN_OR_RETURN(const std::optional<NumberedEntry> line, reader->Next());
    if (!line) return {};
    consume(*line);
  }
}

Result<Focus> FindFocus(const PictureRequest& request) {
  FocusFinder finder(request.evidence);
  WP_RETURN_IF_ERROR(
      EachLine(request.file, [&](const NumberedEntry& line) { finder.Consume(line); }));
  return finder.Finish();
}

}  // namespace watchproof
