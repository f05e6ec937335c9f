// SPDX-License-Identifier: Apache-2.0
// Whether this case process has been asked to stop. Waits of the driver end early when it has.
//
// Threads: any. WatchForInterrupts is called once, at the start of the process.
#pragma once

namespace watchproof {

// SIGINT, SIGTERM, SIGHUP and SIGQUIT are remembered from now on instead of ending the process.
void WatchForInterrupts();
bool Interrupted();

}  // namespace watchproof
