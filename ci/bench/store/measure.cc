// SPDX-License-Identifier: Apache-2.0
// Measures one running server, etcd or the embedded store, with a client that does as little as
// possible. Prints one line of name=value pairs per run.
//
//   watch_bench fanout  --endpoint 127.0.0.1:2379 --pid 4711 --watchers 1000 --puts 2000
//   watch_bench catchup --endpoint 127.0.0.1:2379 --revisions 120000
//   watch_bench memory  --endpoint 127.0.0.1:2379 --pid 4711 --watchers 1000 --puts 100000
//   watch_bench canned  --endpoint 127.0.0.1:2390          (a server for `ceiling`)
//   watch_bench ceiling --endpoint 127.0.0.1:2390
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <deque>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "ci/bench/store/bench_stream.h"
#include "ci/bench/store/bench_writers.h"
#include "ci/bench/store/canned_server.h"

namespace watchproof::store {
namespace {

struct Flags {
  std::string endpoint = "127.0.0.1:2379";
  int pid = 0;
  std::string key = "bench";
  std::string reader = "raw";
  std::size_t streams = 1;
  std::size_t stalled = 0;
  std::size_t watchers = 1000;
  std::size_t other_ranges = 0;
  bool ranges = false;
  std::uint64_t puts = 1000;
  std::size_t writers = 8;
  double rate = 0;
  std::size_t value_bytes = 100;
  std::uint64_t revisions = 120'000;
  double seconds = 5;
  bool stamps = false;
};

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGiveUpAfter(30);  // without any progress

// Processor time of the server, user and system, in seconds.
double CpuSeconds(int pid) {
  if (pid == 0) return 0;
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skip;
  for (int i = 0; i < 11; ++i) fields >> skip;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double ResidentMebibytes(int pid) {
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

etcdserverpb::WatchRequest Watch(const std::string& key, const std::string& end,
                                 std::int64_t start = 0) {
  etcdserverpb::WatchRequest request;
  etcdserverpb::WatchCreateRequest& create = *request.mutable_create_request();
  create.set_key(key);
  create.set_range_end(end);
  create.set_start_revision(start);
  return request;
}

// The matching watches come last, so that a server cannot find them early by luck.
std::vector<etcdserverpb::WatchRequest> Requests(const Flags& flags) {
  std::vector<etcdserverpb::WatchRequest> requests;
  for (std::size_t i = 0; i < flags.other_ranges; ++i) {
    requests.push_back(Watch(fmt::format("a{:07}", i), fmt::format("a{:07}~", i)));
  }
  for (std::size_t i = 0; i < flags.watchers; ++i) {
    // Distinct ranges that all hold the key, or the key itself.
    requests.push_back(flags.ranges ? Watch(flags.key, fmt::format("{}~{:07}", flags.key, i))
                                    : Watch(flags.key, ""));
  }
  return requests;
}

// False when nothing came for a long time.
bool Await(const std::function<std::uint64_t()>& count, std::uint64_t wanted) {
  std::uint64_t last = count();
  auto moved = Clock::now();
  while (last < wanted) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::uint64_t now = count();
    if (now != last) moved = Clock::now();
    last = now;
    if (Clock::now() - moved > kGiveUpAfter) return false;
  }
  return true;
}

int Fanout(const Flags& flags) {
  std::deque<BenchStream> streams;
  for (std::size_t i = 0; i < flags.streams; ++i) {
    BenchStream& stream = streams.emplace_back(
        StreamOptions{.endpoint = flags.endpoint,
                      .reader = flags.reader == "raw" ? Reader::kRaw : Reader::kParsing,
                      .stamps = flags.stamps,
                      .read_events = i >= flags.stalled});
    if (!stream.Open(Requests(flags))) return 1;
  }
  const auto events = [&] {
    std::uint64_t sum = 0;
    for (std::size_t i = flags.stalled; i < streams.size(); ++i) sum += streams[i].events();
    return sum;
  };
  const double cpu = CpuSeconds(flags.pid);
  const auto start = Clock::now();
  const PutsDone done = PutAll({.endpoint = flags.endpoint,
                                .key = flags.key,
                                .puts = flags.puts,
                                .writers = flags.writers,
                                .per_second = flags.rate,
                                .value_bytes = flags.value_bytes});
  const std::uint64_t wanted = done.acknowledged * flags.watchers * (flags.streams - flags.stalled);
  const bool whole = Await(events, wanted);
  const std::chrono::duration<double> took = Clock::now() - start;
  const double spent = CpuSeconds(flags.pid) - cpu;
  DelayCounts delays;
  std::uint64_t messages = 0;
  for (const BenchStream& stream : streams) {
    delays.Add(stream.delays());
    messages += stream.messages();
  }
  fmt::print(
      "whole={} failed={} events={} events_per_s={:.0f} puts_per_s={:.0f} "
      "events_per_message={:.1f} "
      "cpu_us_per_event={:.4f} p50_ms={:.2f} p99_ms={:.2f}\n",
      whole ? 1 : 0, done.failed, events(), static_cast<double>(events()) / took.count(),
      static_cast<double>(done.acknowledged) / done.seconds,
      static_cast<double>(events()) / static_cast<double>(std::max<std::uint64_t>(messages, 1)),
      spent * 1e6 / static_cast<double>(std::max<std::uint64_t>(events(), 1)), delays.Quantile(0.5),
      delays.Quantile(0.99));
  return whole && done.failed == 0 ? 0 : 1;
}

int Catchup(const Flags& flags) {
  const PutsDone done = PutAll({.endpoint = flags.endpoint,
                                .key = flags.key,
                                .keys = 1000,
                                .puts = flags.revisions,
                                .writers = flags.writers,
                                .value_bytes = flags.value_bytes});
  BenchStream stream({.endpoint = flags.endpoint});
  const double cpu = CpuSeconds(flags.pid);
  const auto start = Clock::now();
  if (!stream.Open({Watch(flags.key, flags.key + "~", done.first_revision)})) return 1;
  const bool whole = Await([&] { return stream.events(); }, done.acknowledged);
  const std::chrono::duration<double> took = Clock::now() - start;
  fmt::print("whole={} failed={} revisions={} seconds={:.3f} cpu_s={:.2f} puts_per_s={:.0f}\n",
             whole ? 1 : 0, done.failed, done.acknowledged, took.count(),
             CpuSeconds(flags.pid) - cpu, static_cast<double>(done.acknowledged) / done.seconds);
  return whole && done.failed == 0 ? 0 : 1;
}

// Without watchers it shows what the data itself takes.
int Memory(const Flags& flags) {
  BenchStream stream({.endpoint = flags.endpoint, .read_events = false});
  if (flags.watchers > 0 && !stream.Open(Requests(flags))) return 1;
  const double before = ResidentMebibytes(flags.pid);
  const PutsDone done = PutAll({.endpoint = flags.endpoint,
                                .key = flags.key,
                                .puts = flags.puts,
                                .writers = flags.writers,
                                .value_bytes = flags.value_bytes});
  const double after = ResidentMebibytes(flags.pid);
  fmt::print(
      "failed={} puts={} before_mib={:.1f} after_mib={:.1f} growth_mib={:.1f} puts_per_s={:.0f}\n",
      done.failed, done.acknowledged, before, after, after - before,
      static_cast<double>(done.acknowledged) / done.seconds);
  return done.failed == 0 ? 0 : 1;
}

int Ceiling(const Flags& flags) {
  BenchStream stream({.endpoint = flags.endpoint,
                      .reader = flags.reader == "raw" ? Reader::kRaw : Reader::kParsing});
  if (!stream.Open({Watch(flags.key, "")})) return 1;
  const std::uint64_t before = stream.events();
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(flags.seconds));
  const std::chrono::duration<double> took = Clock::now() - start;
  fmt::print("events_per_s={:.0f}\n", static_cast<double>(stream.events() - before) / took.count());
  return 0;
}

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--endpoint", flags.endpoint, "host:port of the server");
  app.add_option("--pid", flags.pid, "of the server, for its processor time and memory");
  app.add_option("--key", flags.key, "written by all writers");
  app.add_option("--reader", flags.reader, "raw or parse")->check(CLI::IsMember({"raw", "parse"}));
  app.add_option("--streams", flags.streams, "connections with one watch stream each");
  app.add_option("--stalled", flags.stalled, "streams of these that never read");
  app.add_option("--watchers", flags.watchers, "per stream, all of them match");
  app.add_option("--other-ranges", flags.other_ranges, "watchers on distinct ranges, none matches");
  app.add_flag("--ranges", flags.ranges, "those that match watch distinct ranges, not the key");
  app.add_option("--puts", flags.puts, "puts in all");
  app.add_option("--writers", flags.writers, "connections that put");
  app.add_option("--rate", flags.rate, "puts per second; 0: as fast as they are answered");
  app.add_option("--value", flags.value_bytes, "bytes per value");
  app.add_option("--revisions", flags.revisions, "length of the backlog");
  app.add_option("--seconds", flags.seconds, "how long to read");
  app.add_flag("--stamps", flags.stamps, "measure how long each event took");
}

int Main(int argc, char** argv) {
  CLI::App app("Measures the watch side of one running server.");
  Flags flags;
  AddFlags(app, flags);
  int code = 0;
  const auto command = [&](const char* name, const char* what, int (*run)(const Flags&)) {
    app.add_subcommand(name, what)->fallthrough()->callback([&, run] { code = run(flags); });
  };
  command("fanout", "Events delivered to watchers while keys are written", Fanout);
  command("catchup", "One watch from the past", Catchup);
  command("memory", "Growth of the server while no client reads", Memory);
  command("ceiling", "What this client can read at most", Ceiling);
  command("canned", "The server for ceiling", [](const Flags& f) {
    ServeCanned(f.endpoint, f.value_bytes);
    return 1;
  });
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  return code;
}

}  // namespace
}  // namespace watchproof::store

int main(int argc, char** argv) { return watchproof::store::Main(argc, argv); }
