// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/machine_checks.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "harness/consumers/consumer_source.h"
#include "harness/environment/loopback.h"
#include "harness/process/child_process.h"
#include "harness/releases/cache_folder.h"
#include "harness/releases/release_cache.h"
#include "harness/releases/tool.h"
#include "harness/report/text.h"
#include "harness/targets/capability.h"
#include "proxies/disk/call_trap.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr double kBytesPerJob = 256e6;  // three members, their clients and a recording
constexpr double kBytesOfRun = 1e9;     // recordings of a run with many failures
constexpr rlim_t kDescriptors = 1024;
constexpr Duration kNetworkPatience = 4s;

// Both numbers of a file; 0 where there is no number, as in "max 100000".
struct NumbersOfFile {
  std::int64_t first = 0;
  std::int64_t second = 0;
};
NumbersOfFile NumbersIn(const fs::path& file) {
  std::ifstream in(file);
  NumbersOfFile numbers;
  std::string first;
  in >> first >> numbers.second;
  std::istringstream(first) >> numbers.first;
  return numbers;
}

void LimitCores(std::int64_t quota, std::int64_t period, MachineLimits& limits) {
  if (quota <= 0 || period <= 0) return;
  const double cores = static_cast<double>(quota) / static_cast<double>(period);
  limits.cores = std::min(cores, limits.cores.value_or(cores));
}

void LimitBytes(std::int64_t bytes, MachineLimits& limits) {
  // Version 1 says "no limit" by a number near the largest.
  if (bytes <= 0 || bytes >= std::int64_t{1} << 60) return;
  const auto limit = static_cast<std::uint64_t>(bytes);
  limits.bytes = std::min(limit, limits.bytes.value_or(limit));
}

MachineCheck Good(std::string name, std::string found) {
  return {std::move(name), Health::kGood, std::move(found), "", ""};
}
MachineCheck Missing(std::string name, std::string found, std::string without, std::string advice) {
  return {std::move(name), Health::kMissing, std::move(found), std::move(without),
          std::move(advice)};
}
// The same with a reserve that is too small.
MachineCheck Limited(MachineCheck good, std::string without, std::string advice) {
  return {good.name, Health::kLimited, good.found, std::move(without), std::move(advice)};
}

// The first line that a program prints; empty if it prints none.
std::string FirstLineOf(const fs::path& scratch, const std::string& program,
                        std::vector<std::string> arguments) {
  const Result<std::string> output = RunTool(
      {.name = program, .arguments = std::move(arguments), .folder = scratch, .patience = 5s});
  if (!output.has_value()) return {};
  std::istringstream lines(*output);
  std::string line;
  // A script that starts the program may complain first, under its own path.
  while (std::getline(lines, line) && line.starts_with(program)) {
  }
  return line;
}

MachineCheck CheckProgram(const fs::path& scratch, const std::string& program,
                          const std::string& flag, std::string without, std::string advice) {
  const fs::path path = FindInPath(program);
  if (path.empty()) return Missing(program, "not in PATH", std::move(without), std::move(advice));
  const std::string version = FirstLineOf(scratch, path.string(), {flag});
  return Good(program, version.empty() ? path.string() : version + ", " + path.string());
}

MachineCheck CheckEtcd(const fs::path& scratch) {
  MachineCheck check = CheckProgram(
      scratch, "etcd", "--version", "etcd is not tested: neither etcd:PATH nor etcd@VERSION",
      "apt-get install etcd-server, or `watchproof fetch etcd 3.5.16` (`fetch --list` names more)");
  const std::size_t fetched = CachedVersions("etcd").size();
  if (fetched == 0) return check;
  return Good(check.name, fmt::format("{}; {} fetched, for --target etcd@VERSION", check.found,
                                      Count(fetched, "release")));
}

// What is built with Go, and each other tool that consumers need, as their recipes say.
std::vector<MachineCheck> CheckBuildTools(const fs::path& scratch) {
  std::map<std::string, std::string> without;
  std::map<std::string, std::string> advice;
  without["go"] = "no releases that are built from their Go module";
  for (const std::string& name : ShippedConsumers()) {
    const auto source = FindConsumer(name);
    if (!source.has_value()) continue;
    const ConsumerRecipe& recipe = source->recipe;
    std::string& text = without[recipe.tool];
    text += fmt::format("{}no --consumer {}", text.empty() ? "" : ", ", name);
    advice[recipe.tool] = recipe.advice;
  }
  advice["go"] += "; releases from Debian and etcd's archive need none";
  std::vector<MachineCheck> checks;
  for (const auto& [tool, text] : without) {
    const std::string flag = tool == "go" ? "version" : "--version";
    checks.push_back(CheckProgram(scratch, tool, flag, text, advice[tool]));
  }
  return checks;
}

fs::path NearestThere(fs::path folder) {
  std::error_code error;
  folder = fs::absolute(folder, error);
  while (folder.has_relative_path() && !fs::exists(folder, error)) folder = folder.parent_path();
  return folder;
}

MachineCheck CheckFolder(const std::string& name, const fs::path& folder, std::string without,
                         std::string advice) {
  const fs::path there = NearestThere(folder);
  if (access(there.c_str(), W_OK | X_OK) != 0) {
    return Missing(name, there.string() + " cannot be written to", std::move(without),
                   std::move(advice));
  }
  struct statvfs space {};
  statvfs(there.c_str(), &space);
  const double left = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  const auto good = Good(name, fmt::format("{}, {:.1f} GB left", folder.string(), left / 1e9));
  if (left >= kBytesOfRun) return good;
  return Limited(good, "recordings of a run with many failures may not find room",
                 "make room, or --keep none");
}

MachineCheck CheckAddresses() {
  const Result<LoopbackAddress> address = LoopbackAddress::Reserve();
  if (address.has_value()) {
    return Good("addresses",
                fmt::format("loopback addresses such as {} are free", address->host()));
  }
  return Missing("addresses", address.error().message(),
                 "no target can be started: each has an address below 127.64.0.0/10 of its own",
                 "on Linux the whole of 127.0.0.0/8 belongs to lo: bring it up, and let the "
                 "sandbox use it; running servers can be tested all the same");
}

MachineCheck CheckDescriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const auto good = Good("descriptors", fmt::format("{} per process", limit.rlim_cur));
  if (limit.rlim_cur >= kDescriptors) return good;
  return Limited(good, "cases with many connections are inconclusive or harness errors",
                 fmt::format("ulimit -n {}", kDescriptors));
}

MachineCheck CheckCores(const MachineLimits& limits, int jobs) {
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  const double usable = std::min(cores, limits.cores.value_or(cores));
  auto good = Good("cores", fmt::format("{:g}, {} cases at a time", usable, jobs));
  if (usable >= cores && usable >= 2) return good;
  if (usable < cores) good.found += fmt::format("; the control group leaves them of {:g}", cores);
  return Limited(good, "attempts that wait for their core are inconclusive more often",
                 fmt::format("--jobs {}", std::max(1, static_cast<int>(4 * usable))));
}

MachineCheck CheckMemory(const MachineLimits& limits, int jobs) {
  struct sysinfo info {};
  sysinfo(&info);
  const double machine = static_cast<double>(info.totalram) * info.mem_unit;
  const double usable =
      limits.bytes ? std::min(machine, static_cast<double>(*limits.bytes)) : machine;
  const auto good = Good("memory", fmt::format("{:.1f} GB", usable / 1e9));
  if (usable >= kBytesPerJob * jobs) return good;
  return Limited(good, fmt::format("{} cases at a time may be more than fits", jobs),
                 fmt::format("--jobs {}", std::max(1, static_cast<int>(usable / kBytesPerJob))));
}

// 'T' once it is stopped, which the signal alone does not make sure of.
bool BecomesStopped(int pid, Deadline deadline) {
  while (!deadline.expired()) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(") ");
    if (name_end != std::string::npos && text[name_end + 2] == 'T') return true;
    std::this_thread::yield();
  }
  return false;
}

MachineCheck CheckSignals() {
  const auto child = ChildProcess::Launch({.executable = "/bin/sleep", .arguments = {"60"}});
  std::string wrong;
  if (!child.has_value()) {
    wrong = child.error().message();
  } else {
    (*child)->Signal(SIGSTOP);
    if (!BecomesStopped((*child)->pid(), Within(2s))) wrong = "SIGSTOP does not freeze a child";
    (*child)->Signal(SIGCONT);
    (*child)->Signal(SIGKILL);
    if (!(*child)->Wait(Within(2s)).has_value()) wrong = "SIGKILL does not end a child";
  }
  if (wrong.empty()) return Good("processes", "can be frozen, continued and killed");
  return Missing(
      "processes", wrong,
      "cases that pause, kill or restart a server are unsupported or harness errors",
      "run where a process may signal its children: not below a tracer, with /proc mounted");
}

// What faults of disks, power failures and `disk` need.
MachineCheck CheckDisks() {
  const Status can = proxy::CanTrapCalls();
  if (can.ok()) return Good("disks", "a proxy can stand between a program and its disk");
  return Missing(
      "disks", can.message(),
      fmt::format("cases that need {}, faults of disks and `watchproof disk` are unsupported",
                  Name(Capability::kDisk)),
      "Linux 5.19 or newer; in a container a seccomp profile that allows seccomp with a listener "
      "and process_vm_readv (Docker's own does; --security-opt seccomp=unconfined); sysctl "
      "kernel.yama.ptrace_scope=1 at most; not below a program that stops this one's calls");
}

// Where Go's modules come from: https://go.dev/ref/mod#environment-variables
std::string ModuleProxy(const fs::path& scratch) {
  std::string list;
  if (const char* set = std::getenv("GOPROXY"); set != nullptr) list = set;
  if (list.empty() && !FindInPath("go").empty())
    list = FirstLineOf(scratch, "go", {"env", "GOPROXY"});
  if (list.empty()) list = "https://proxy.golang.org";
  return list.substr(0, list.find_first_of(",|"));
}

MachineCheck CheckNetwork(const fs::path& scratch) {
  const std::string proxy = ModuleProxy(scratch);
  const std::string name = "module proxy";
  const std::string without = "releases that are built from their Go module cannot be fetched";
  if (!proxy.starts_with("http")) {
    return Good(name, fmt::format("GOPROXY is {}: not asked", proxy));
  }
  const auto answer =
      RunTool({.name = "curl",
               .arguments = {"--silent", "--show-error", "--output", "/dev/null", "--max-time",
                             std::to_string(kNetworkPatience / 1s), "--write-out", "%{http_code}",
                             proxy + "/go.etcd.io/etcd/server/v3/@v/list"},
               .folder = scratch,
               .patience = kNetworkPatience + 2s});
  if (!answer.has_value()) {
    return Missing(name, fmt::format("{}: {}", proxy, answer.error().message()), without,
                   "let this machine reach it, set GOPROXY, or place binaries in the cache by "
                   "hand; runs need no network");
  }
  if (*answer == "200") return Good(name, proxy + " answers");
  return Missing(name, fmt::format("{} answers {}", proxy, *answer), without,
                 "set GOPROXY to one that has go.etcd.io/etcd");
}

}  // namespace

MachineLimits LimitsIn(const fs::path& groups, const fs::path& membership) {
  MachineLimits limits;
  LimitCores(NumbersIn(groups / "cpu/cpu.cfs_quota_us").first,
             NumbersIn(groups / "cpu/cpu.cfs_period_us").first, limits);
  LimitBytes(NumbersIn(groups / "memory/memory.limit_in_bytes").first, limits);
  std::ifstream lines(membership);
  std::string line;
  while (std::getline(lines, line) && !line.starts_with("0::/")) {
  }
  fs::path group = line.starts_with("0::/") ? fs::path(line.substr(4)) : fs::path();
  while (true) {
    const NumbersOfFile cpu = NumbersIn(groups / group / "cpu.max");
    LimitCores(cpu.first, cpu.second, limits);
    LimitBytes(NumbersIn(groups / group / "memory.max").first, limits);
    if (group.empty()) return limits;
    group = group.parent_path();
  }
}

std::vector<MachineCheck> CheckMachine(const PlannedLoad& load) {
  const fs::path& scratch = load.scratch;
  const MachineLimits limits = LimitsIn("/sys/fs/cgroup", "/proc/self/cgroup");
  const auto cache = CacheFolder();
  std::vector<MachineCheck> checks{
      CheckAddresses(),
      CheckSignals(),
      CheckDisks(),
      CheckDescriptors(),
      CheckCores(limits, load.jobs),
      CheckMemory(limits, load.jobs),
      CheckFolder("run folder", load.run_dir, "no run can be made", "--run-dir DIR"),
      cache.has_value()
          ? CheckFolder("cache", *cache, "no release can be fetched", "set WATCHPROOF_CACHE")
          : Missing("cache", cache.error().message(), "no release can be fetched",
                    "set WATCHPROOF_CACHE"),
      CheckEtcd(scratch),
      CheckProgram(scratch, "curl", "--version",
                   "no releases from etcd's archive, and the module proxy is not asked",
                   "apt-get install curl")};
  if (!FindInPath("curl").empty()) checks.push_back(CheckNetwork(scratch));
  for (MachineCheck& check : CheckBuildTools(scratch)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace watchproof
