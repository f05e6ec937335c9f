// SPDX-License-Identifier: Apache-2.0
#include "harness/session/machine_use.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace watchproof {
namespace {

// Until it has used so much processor time: no clock of the wall decides.
void Work(double seconds) {
  while (static_cast<double>(clock()) / CLOCKS_PER_SEC < seconds) {
  }
}

TEST(MachineUse, WorkOfOurOwnIsNotElsewhere) {
  const MachineUse before = ReadMachineUse();
  Work(static_cast<double>(clock()) / CLOCKS_PER_SEC + 0.3);
  const MachineUse after = ReadMachineUse();
  EXPECT_GE(after.ours - before.ours, 0.25);
  EXPECT_GE(after.all - before.all, after.ours - before.ours - 0.1);
}

TEST(MachineUse, WorkOfAChildIsOurOwn) {
  const MachineUse before = ReadMachineUse();
  const pid_t child = fork();
  if (child == 0) {
    Work(static_cast<double>(clock()) / CLOCKS_PER_SEC + 0.3);
    pause();
    _exit(0);
  }
  MachineUse after = ReadMachineUse();
  while (after.ours - before.ours < 0.25) after = ReadMachineUse();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_GE(after.ours - before.ours, 0.25);
}

TEST(MachineUse, TheShareIsBetweenNothingAndAll) {
  EXPECT_EQ(0, ElsewhereSince({.all = 1e12, .at = Clock::now() - 1s}));
  EXPECT_EQ(1, ElsewhereSince({.all = -1e12, .at = Clock::now() - 1s}));
}

}  // namespace
}  // namespace watchproof
