// SPDX-License-Identifier: Apache-2.0
// Writes the recording of a correct run of any size, to measure the cost of judging it.
//
//   record_load hot|ranges EVENTS FILE
//
// hot: 1000 watchers of one key; ranges: 10,000 of random ranges, with previous values. The store
// is compacted after every 1000 writes. Prints how many events there are.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "harness/checkers/testing/watch_load.h"
#include "harness/history/recorder.h"

namespace watchproof {
namespace {

int Run(const std::string& kind, std::size_t events, const std::string& file) {
  const bool ranges = kind == "ranges";
  // Entries that wait for the writer cost memory here, which is not measured.
  const auto recorder =
      Recorder::Open({.file = file, .capacity = ByteCount(8LL << 30), .follow = false});
  if (!recorder.has_value()) {
    fmt::print(stderr, "record_load: {}\n", recorder.error().ToString());
    return 1;
  }
  const std::size_t made =
      MakeWatchLoad({.watchers = ranges ? 10'000U : 1000U,
                     .events = events,
                     .random_ranges = ranges,
                     .previous_values = ranges,
                     .late = true,
                     .compact_every = 1000},
                    [&](Entry entry) { (void)(*recorder)->Append(std::move(entry)); });
  const bool incomplete = (*recorder)->incomplete();
  if (const Status closed = (*recorder)->Close(); incomplete || !closed.ok()) {
    fmt::print(stderr, "record_load: {} could not be written\n", file);
    return 1;
  }
  fmt::print("{}\n", made);
  return 0;
}

}  // namespace
}  // namespace watchproof

int main(int argc, char** argv) {
  const std::string kind = argc == 4 ? argv[1] : "";
  if (kind != "hot" && kind != "ranges") {
    fmt::print(stderr, "usage: record_load hot|ranges EVENTS FILE\n");
    return 2;
  }
  return watchproof::Run(kind, std::strtoull(argv[2], nullptr, 10), argv[3]);
}
