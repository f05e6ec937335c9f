// SPDX-License-Identifier: Apache-2.0
#include "harness/session/machine_use.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

namespace watchproof {
namespace {

struct ProcessUse {
  int parent = 0;
  double ticks = 0;
};

// The name is in brackets and may contain anything; parent and times are the 4th, 14th and 15th.
ProcessUse UseOf(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  const std::string line((std::istreambuf_iterator<char>(file)), {});
  const auto bracket = line.rfind(") ");
  if (bracket == std::string::npos) return {};
  std::istringstream fields(line.substr(bracket + 2));
  std::string skipped;
  ProcessUse use;
  double user = 0;
  double system = 0;
  fields >> skipped >> use.parent;
  for (int i = 5; i < 14; ++i) fields >> skipped;
  fields >> user >> system;
  use.ticks = user + system;
  return use;
}

std::map<int, ProcessUse> AllProcesses() {
  std::map<int, ProcessUse> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    int pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && *end == '\0') all[pid] = UseOf(entry.path());
  }
  return all;
}

// Without what is idle, or waits for a disk: the 4th and 5th of "cpu user nice system idle ...".
double BusyTicks() {
  std::ifstream file("/proc/stat");
  std::string name;
  double busy = 0;
  file >> name;
  for (int i = 1; i <= 7; ++i) {
    double ticks = 0;
    file >> ticks;
    if (i != 4 && i != 5) busy += ticks;
  }
  return busy;
}

}  // namespace

MachineUse ReadMachineUse() {
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::map<int, ProcessUse> all = AllProcesses();
  std::set<int> ours{static_cast<int>(getpid())};
  for (bool more = true; more;) {
    more = false;
    for (const auto& [pid, use] : all) {
      if (ours.contains(use.parent)) more = ours.insert(pid).second || more;
    }
  }
  MachineUse use{.all = BusyTicks() / per_second, .at = Clock::now()};
  for (const int pid : ours) {
    if (const auto one = all.find(pid); one != all.end()) use.ours += one->second.ticks;
  }
  use.ours /= per_second;
  return use;
}

double ElsewhereSince(const MachineUse& before) {
  const MachineUse now = ReadMachineUse();
  const double seconds = std::chrono::duration<double>(now.at - before.at).count();
  const double most = seconds * std::max(1U, std::thread::hardware_concurrency());
  const double others = (now.all - before.all) - (now.ours - before.ours);
  return most <= 0 ? 0 : std::clamp(others / most, 0.0, 1.0);
}

}  // namespace watchproof
