// SPDX-License-Identifier: Apache-2.0

// Package launch starts a store as a process of its own for one test of a suite that others wrote.
// The environment describes the store:
//
//	WATCHPROOF_STORE   embedded, or etcd
//	WATCHPROOF_BINARY  the program: watchproof, or etcd
//	WATCHPROOF_PROXY   watchproof, to put its proxy in front of each server; empty: none
//
//	endpoint := launch.Server(t, launch.Settings{})
//
// Any goroutine may use it. A server ends with its test.
package launch

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Patience is how long a server may take to start.
const Patience = 60 * time.Second

// Settings are what tests change; 0 is the store's default.
type Settings struct {
	ProgressInterval time.Duration
	QuotaBytes       int64
}

// Server starts a server and returns its HOST:PORT.
func Server(t testing.TB, settings Settings) string {
	t.Helper()
	var endpoint string
	switch kind := os.Getenv("WATCHPROOF_STORE"); kind {
	case "embedded":
		endpoint = startEmbedded(t, settings)
	case "etcd":
		endpoint = startEtcd(t, settings)
	default:
		t.Fatalf("WATCHPROOF_STORE is %q; expected embedded or etcd", kind)
	}
	if proxy := os.Getenv("WATCHPROOF_PROXY"); proxy != "" {
		endpoint = start(t, exec.Command(proxy, "proxy", "--to", endpoint), announced("listening on "))
	}
	return endpoint
}

func startEmbedded(t testing.TB, settings Settings) string {
	t.Helper()
	command := exec.Command(os.Getenv("WATCHPROOF_BINARY"), "store", "--listen", "127.0.0.1:0",
		"--quota-backend-bytes", strconv.FormatInt(settings.QuotaBytes, 10))
	if interval := settings.ProgressInterval; interval != 0 {
		command.Args = append(command.Args, "--progress-interval", interval.String())
	}
	return start(t, command, announced("serving on "))
}

func startEtcd(t testing.TB, settings Settings) string {
	t.Helper()
	host := ownAddress(t)
	client, peer := "http://"+host+":2379", "http://"+host+":2380"
	command := exec.Command(os.Getenv("WATCHPROOF_BINARY"), "--name", "m1",
		"--data-dir", filepath.Join(t.TempDir(), "data"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "m1="+peer,
		"--quota-backend-bytes", strconv.FormatInt(settings.QuotaBytes, 10))
	if interval := settings.ProgressInterval; interval != 0 {
		// Releases differ in the name of the flag and reject one that they do not know.
		command.Args = append(command.Args, os.Getenv("WATCHPROOF_PROGRESS_FLAG"), interval.String())
	}
	return start(t, command, func(line string) string {
		if strings.Contains(line, "ready to serve client requests") {
			return host + ":2379"
		}
		return ""
	})
}

var addresses atomic.Uint32

// ownAddress returns a loopback address with free ports, so that no other server can take them
// before this one does.
func ownAddress(t testing.TB) string {
	t.Helper()
	for range 1000 {
		next := uint32(os.Getpid())*64 + addresses.Add(1)
		host := fmt.Sprintf("127.%d.%d.%d", 64+next>>16%32, next>>8%256, 1+next%254)
		listener, err := net.Listen("tcp", host+":2379")
		if err == nil {
			listener.Close()
			return host
		}
	}
	t.Fatal("no free loopback address in 1000 attempts")
	return ""
}

// announced finds the address that a program of watchproof prints after these words.
func announced(words string) func(line string) string {
	return func(line string) string {
		_, rest, found := strings.Cut(line, words)
		if !found {
			return ""
		}
		address, _, _ := strings.Cut(rest, " ")
		return strings.TrimRight(address, ",")
	}
}

// start returns the address that `find` takes from a line of the output.
func start(t testing.TB, command *exec.Cmd, find func(line string) string) string {
	t.Helper()
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = in, in
	if err := command.Start(); err != nil {
		t.Fatalf("starting %v: %v", command.Args, err)
	}
	in.Close()
	found := make(chan string, 1)
	said := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(output)
		lines.Buffer(nil, 1<<20)
		var last string
		for lines.Scan() {
			last = lines.Text()
			if address := find(last); address != "" {
				select {
				case found <- address:
				default:
				}
			}
		}
		said <- last
		output.Close()
	}()
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	select {
	case address := <-found:
		return address
	case last := <-said:
		t.Fatalf("%v ended: %s", command.Args, last)
	case <-time.After(Patience):
		t.Fatalf("%v was not ready after %s", command.Args, Patience)
	}
	return ""
}
