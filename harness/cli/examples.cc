// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/examples.h"

#include <fmt/format.h>

namespace watchproof {

const std::vector<Example>& Examples() {
  static const std::vector<Example> kExamples = {
      {"run", "watchproof run --target embedded+delete-at-floor-lost --filter '*AtFloor'",
       "find a planted bug; no server is needed"},
      {"run", "watchproof run --target etcd:/usr/bin/etcd --profile quick",
       "test the etcd of this machine, within a minute"},
      {"doctor", "watchproof doctor",
       "what this machine can do, and what it would take to do more"},
      {"fetch", "watchproof fetch etcd 3.5.16 3.5.30", "place two releases in the cache"},
      {"run", "watchproof run --target etcd@3.5.16 --target etcd@3.5.30",
       "test two releases side by side, with every case"},
      {"run", "watchproof run --target 'command:mystore --listen {host}:{port}'",
       "test any store, started by its command line"},
      {"run", "watchproof run --target endpoint:https://10.0.0.7:2379 --tls-ca ca.crt",
       "test a server that is running: only keys below watchproof/ are written"},
      {"bugs", "watchproof bugs 3.5.16", "the known bugs of a release"},
      {"explain", "watchproof explain 20221", "what is known of a bug, and how to see it"},
      {"explain", "watchproof explain CompactionSurfaced", "what a guarantee requires"},
      {"draw", "watchproof draw latest -o finding.svg",
       "draw the first new finding of the latest run"},
      {"repeat", "watchproof repeat latest#2", "try its second finding again, until it shows"},
      {"shrink", "watchproof shrink latest", "reduce the plan of its failure to what it needs"},
      {"check", "watchproof check latest", "judge its recordings again"},
      {"report", "watchproof report latest --format report.html", "write its page again"},
      {"runs", "watchproof runs --keep-runs 5", "remove all but the last five runs"},
      {"gate", "watchproof gate --base etcd@3.5.16 --head etcd@3.5.30 --budget 15m",
       "is the upgrade worse? exit code 0, 1, or 2: undecided"},
      {"bisect", "watchproof bisect --bug 20221 --good 3.5.30 --bad 3.5.16",
       "between which cached releases a bug was fixed"},
      {"compare", "watchproof compare 20260114T101500Z-7f2c latest",
       "what has changed since an earlier run"},
      {"baseline update",
       "watchproof baseline update latest --baseline known.toml --reason 'until May'",
       "accept the failures of the latest run"},
      {"baseline show", "watchproof baseline show latest --baseline known.toml",
       "what is accepted, and what of it the latest run has shown"},
      {"baseline prune", "watchproof baseline prune latest --baseline known.toml",
       "remove what no longer fails"},
      {"explore", "watchproof explore --target etcd@3.5.16 --time-budget 10m --keep found",
       "look for what no case asks"},
      {"case", "watchproof case found/Reliable-1.jsonl", "make a case of what was found"},
      {"score", "watchproof score --target etcd@3.5.16", "how much of the contract it keeps"},
      {"power", "watchproof power --bug 20221 --attempts 50", "how often its cases show a bug"},
      {"selftest", "watchproof selftest", "does watchproof notice what it has to notice?"},
      {"list", "watchproof list cases", "every case, in a line each"},
      {"proxy", "watchproof proxy --to 127.0.0.1:2379 --record recording --control-watch all",
       "record what clients of a running server receive, to check it later"},
      {"store", "watchproof store --listen 127.0.0.1:2379 --defect delete-at-floor-lost",
       "a server with a bug, to try a client on"},
      {"disk", "watchproof disk --data db --effect slow:hold=20ms -- etcd --data-dir db",
       "a program on a slow disk"},
      {"history dump", "watchproof history dump history.wire.zst --watch 1:0",
       "what the first watch of stream 1 received"},
      {"history import", "watchproof history import reports history.wire.zst",
       "read a report of etcd's robustness tests, to check it"},
      {"completion", "source <(watchproof completion bash)", "complete words in this shell"},
      {"man", "watchproof man | man -l -", "read the manual page"},
  };
  return kExamples;
}

std::string ExampleText(const Example& example) {
  return fmt::format("  # {}\n  {}\n", example.does, example.line);
}

std::string ExamplesOf(std::string_view command) {
  std::string text;
  for (const Example& example : Examples()) {
    if (example.command == command) text += ExampleText(example);
  }
  return text.empty() ? text : "\nExamples:\n" + text;
}

}  // namespace watchproof
