// SPDX-License-Identifier: Apache-2.0
// The steps from a recording to a picture, apart from reading it.
//
//   WP_ASSIGN_OR_RETURN(const Focus focus, FindFocus(request));
//   AddDeviations(timeline, picture.head, converged, watch);
//   Thin(150, picture);
//   SetPace(picture);
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "harness/history/annotation.h"
#include "harness/history/history_parser.h"
#include "harness/model/timeline.h"
#include "harness/report/picture.h"

namespace watchproof {

// Which watches and streams of a recording the lines of evidence are about.
struct Focus {
  std::vector<WatchIndex> watches;  // at most a few, the closest to it first
  bool gaps = false;                // revisions may be missing from the recording: RunStarted
  std::map<std::uint32_t, std::size_t> creates;  // requests by stream
};

Result<Focus> FindFocus(const PictureRequest& request);

// Gives each line of the recording to `consume`, in order.
Status EachLine(const std::filesystem::path& file,
                const std::function<void(const NumberedEntry& line)>& consume);

// A watch with a lane of its own, while its recording is read.
struct ShownWatch {
  struct Arrival {
    Revision revision;
    std::string key;
    bool deleted = false;
    std::size_t item = 0;  // of the lane
  };
  WatchIndex watch;
  StreamId stream{};
  std::int64_t id = 0;
  KeyRange range{};
  bool puts = true;
  bool deletes = true;
  Revision start{};
  Duration asked{};
  std::optional<Duration> created{};
  std::optional<Duration> ended{};  // other than by the client, at the end of the run
  std::vector<Arrival> arrivals{};
  PictureLane lane{};
};

// Names the deliveries that were repeated, late or foreign, and adds the changes that are missing:
// of those behind its last delivery only if the run had `converged`, so that nothing was to come.
void AddDeviations(const Timeline& timeline, const std::vector<PictureStep>& head, bool converged,
                   ShownWatch& watch);
// Joins neighbours of one kind until a lane has at most so many items, where possible; fewer where
// there are more than a few lanes. Evidence, deviations and what is rare stay as they are, and
// nothing is joined across them.
void Thin(std::size_t most, Picture& picture);
// Pauses grow with the logarithm of their length.
void SetPace(Picture& picture);
// For the lane of a disk; empty for a kind that is not known.
std::optional<PictureItem> ItemOf(const DiskActivity& did);
// "withheld 65,633 bytes", from the line of a healed fault.
std::string FaultText(std::string_view line);

}  // namespace watchproof
