// SPDX-License-Identifier: Apache-2.0
#include "harness/capture/segment_writer.h"

#include <thread>
#include <utility>

#include "harness/base/log.h"
#include "harness/history/reader.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr ByteCount kMostWaiting{128 << 20};
constexpr Duration kPatience = 2ms;
// The size of the file is looked up once per so many bytes of messages.
constexpr std::int64_t kLookUpAfter = 1 << 20;

}  // namespace

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::Open(const Options& options) {
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) {
    return Fail(StatusCode::kInvalidArgument, "{}: {}", options.folder.string(), error.message());
  }
  WP_ASSIGN_OR_RETURN(const std::vector<Segment> found, SegmentsIn(options.folder));
  if (!found.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "{}: there is a recording in it already ({}); expected an empty or new folder",
                options.folder.string(), found.front().file.filename().string());
  }
  auto writer = std::unique_ptr<SegmentWriter>(new SegmentWriter(options));
  WP_RETURN_IF_ERROR(writer->Begin({}));
  return writer;
}

fs::path SegmentWriter::File() const { return options_.folder / SegmentName(number_); }

std::int64_t SegmentWriter::Size() const {
  std::error_code none;
  const auto size = fs::file_size(File(), none);
  return none ? 0 : static_cast<std::int64_t>(size);
}

Status SegmentWriter::Begin(std::vector<Entry> restated) {
  ++number_;
  WP_ASSIGN_OR_RETURN(recorder_, Recorder::Open({.file = File(), .follow = false}));
  RunStarted started = options_.started;
  started.segment = number_;
  started.restated = static_cast<int>(restated.size());
  bool kept = recorder_->Append({.kind = EntryKind::kRunStarted,
                                 .at = restated.empty() ? Duration(1) : restated.front().at,
                                 .text = ToText(started)});
  for (Entry& entry : restated) kept = Append(std::move(entry)) && kept;
  if (kept) return Status();
  return Fail(StatusCode::kUnavailable, "{} cannot be written", File().string());
}

bool SegmentWriter::Append(Entry entry) {
  if (!outcome_.ok()) return false;
  while (recorder_->waiting() > kMostWaiting) std::this_thread::sleep_for(kPatience);
  appended_ += static_cast<std::int64_t>(entry.payload.size() + entry.text.size());
  return recorder_->Append(std::move(entry));
}

bool SegmentWriter::full() {
  if (appended_ < kLookUpAfter || !outcome_.ok()) return false;
  appended_ = 0;
  return Size() >= options_.limit.value / kParts;
}

void SegmentWriter::BeginNext(std::vector<Entry> restated) {
  if (!outcome_.ok()) return;
  outcome_ = recorder_->Close();
  closed_.push_back({File(), Size()});
  DropOldest();
  if (outcome_.ok()) outcome_ = Begin(std::move(restated));
  if (!outcome_.ok()) LogWarn("nothing more is recorded", {{"why", outcome_.message()}});
}

// Room for the segment that begins now is kept free.
void SegmentWriter::DropOldest() {
  std::int64_t total = options_.limit.value / kParts;
  for (const Closed& one : closed_) total += one.size;
  while (!closed_.empty() && total > options_.limit.value) {
    std::error_code none;
    fs::remove(closed_.front().file, none);
    total -= closed_.front().size;
    closed_.pop_front();
  }
}

Status SegmentWriter::Close() {
  if (recorder_ == nullptr) return outcome_;
  const Status closed = recorder_->Close();
  return outcome_.ok() ? closed : outcome_;
}

}  // namespace watchproof
