// SPDX-License-Identifier: Apache-2.0
#include "harness/report/picture_focus.h"

#include <algorithm>

#include "harness/history/run_started.h"

namespace watchproof {
namespace {

constexpr std::size_t kMostNamed = 3;

void AddNew(const std::vector<WatchIndex>& from, std::vector<WatchIndex>& into) {
  for (const WatchIndex watch : from) {
    if (into.size() == kMostNamed) return;
    if (std::find(into.begin(), into.end(), watch) == into.end()) into.push_back(watch);
  }
}

}  // namespace

void FocusFinder::Consume(const NumberedEntry& line) {
  if (line.entry.kind == EntryKind::kRunStarted) {
    const auto started = ParseRunStarted(line.entry.text);
    gaps_ = started.has_value() && started->gaps;
  }
  parser_.Consume(line);
}

void FocusFinder::Meet(WatchIndex watch, Where where, std::vector<WatchIndex>& into) const {
  if (evidence_.contains(where.line.value)) into.push_back(watch);
}

void FocusFinder::OnAsked(WatchIndex watch, const Asked& asked) {
  stream_of_.push_back(asked.stream);
  by_ordinal_.insert({{asked.stream.value, asked.ordinal}, watch});
  Meet(watch, asked.where, direct_);
}

void FocusFinder::OnAnnotation(const Annotation& annotation, Where where) {
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

Focus FocusFinder::Finish() const {
  Focus focus{.watches = {}, .gaps = gaps_, .creates = {}};
  for (const StreamId stream : stream_of_) ++focus.creates[stream.value];
  AddNew(direct_, focus.watches);
  if (focus.watches.empty()) AddNew(named_, focus.watches);
  if (focus.watches.empty()) AddNew(shared_, focus.watches);
  std::vector<WatchIndex> others;
  for (std::uint32_t i = 0; i < stream_of_.size(); ++i) {
    if (streams_.empty() || streams_.contains(stream_of_[i].value)) others.emplace_back(i);
  }
  if (focus.watches.empty()) AddNew(others, focus.watches);
  return focus;
}

}  // namespace watchproof
