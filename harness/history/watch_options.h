// SPDX-License-Identifier: Apache-2.0
// What a watch asks for beside its range and its start: one description for plans, for the wire and
// for texts.
//
//   WatchOptions options{.prev_kv = true};
//   for (const WatchOption& option : kWatchOptions) {
//     if (options.*option.flag) fmt::print("{}\n", option.name);     // "prev_kv"
//   }
//
// A new option is a member and a row here, what the model expects of it, and the same in the
// reference oracle of ci/mutants. Threads: values.
#pragma once

#include <cstdint>
#include <string_view>

namespace watchproof {

struct WatchOptions {
  bool prev_kv = false;
  bool progress_notify = false;
  bool fragment = false;
  bool no_put = false;  // filters
  bool no_delete = false;
};

struct WatchOption {
  std::string_view name;  // in dumps of recordings
  std::string_view in_plans;
  bool WatchOptions::*flag;
  // Its field in WatchCreateRequest: a flag, or in the list of filters this value.
  int field = 0;
  int filter = -1;
  // Behind "asked to watch the key k from now on".
  std::string_view phrase = "";
  // What Kubernetes has no request for; empty: it has one.
  std::string_view beyond_kubernetes = "";
};

inline constexpr int kFiltersField = 5;
inline constexpr WatchOption kWatchOptions[] = {
    {.name = "prev_kv",
     .in_plans = "prev_kv",
     .flag = &WatchOptions::prev_kv,
     .field = 6,
     .phrase = ", with previous values"},
    {.name = "progress_notify",
     .in_plans = "progress_notify",
     .flag = &WatchOptions::progress_notify,
     .field = 4},
    {.name = "fragment",
     .in_plans = "fragment",
     .flag = &WatchOptions::fragment,
     .field = 8,
     .beyond_kubernetes = "fragments"},
    {.name = "no_put",
     .in_plans = "no_puts",
     .flag = &WatchOptions::no_put,
     .field = kFiltersField,
     .filter = 0,
     .phrase = ", without puts",
     .beyond_kubernetes = "filters"},
    {.name = "no_delete",
     .in_plans = "no_deletes",
     .flag = &WatchOptions::no_delete,
     .field = kFiltersField,
     .filter = 1,
     .phrase = ", without deletes",
     .beyond_kubernetes = "filters"},
};

}  // namespace watchproof
