// SPDX-License-Identifier: Apache-2.0
// Sockets as a proxy needs them: no Nagle, never inherited by children, and, unless configured for
// throughput, small kernel buffers.
//
// Small buffers, because a stall cannot withhold what the kernel has accepted. Never inherited,
// because a reset is only sent when the last copy of a descriptor is closed, and this program
// starts others.
//
// Threads: the io thread only.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/status.h"
#include "proxies/core/buffers.h"
#include "proxies/core/task.h"

namespace watchproof::proxy {

// Where buffers are to be small: requested for SO_RCVBUF and SO_SNDBUF, before listen and connect,
// so that the window follows. Below 64 KiB bulk transfers over loopback stutter by tens of
// milliseconds.
inline constexpr int kSocketBufferBytes = 64 * 1024;
// Announced to the peer: its kernel sizes the send buffer in segments, and a segment of loopback is
// 64 KiB. Without this a stalled sender can send 4 MB before it blocks, with it 0.8 MB.
inline constexpr int kSegmentBytes = 1460;

// Requires: `acceptor` is closed. Leaves it bound, so that the port is ours and connections to it
// are refused, or closed. What it accepts will have such buffers.
Status OpenBound(Tcp::acceptor& acceptor, const Tcp::endpoint& at, Buffers buffers);
// Requires: `acceptor` is bound. Leaves it listening, or closed.
Status Listen(Tcp::acceptor& acceptor);
// Requires: `socket` is closed. Leaves it ready to connect, or closed.
Status OpenForConnect(Tcp::socket& socket, const Tcp::endpoint& to, Buffers buffers);

// Takes one waiting connection into `socket`. False if there was none: then it has waited until
// there may be one, or, when out of descriptors, until others may have come back; `pause` ends that
// sooner.
boost::asio::awaitable<bool> Accept(Tcp::acceptor& acceptor, Tcp::socket& socket, Signal& pause);

// Bytes that have arrived and were not read; 0 if the socket is closed.
std::int64_t UnreadBytes(const Tcp::socket& socket);
// Closes with FIN even if unread bytes have arrived: the kernel would turn that into a reset, so
// they are discarded first. Nothing happens if it is closed already.
void CloseInOrder(Tcp::socket& socket);
// Closes with RST instead of FIN. Nothing happens if it is closed already.
void CloseWithReset(Tcp::socket& socket);

// "127.0.0.1:2379" or "[::1]:2379".
std::string ToString(const Tcp::endpoint& endpoint);

}  // namespace watchproof::proxy
