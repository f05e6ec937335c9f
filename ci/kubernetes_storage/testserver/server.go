// SPDX-License-Identifier: Apache-2.0

// Package testserver stands in for k8s.io/apiserver/pkg/storage/etcd3/testserver: the same two
// functions, but the server is a process of its own, described by the environment:
//
//	WATCHPROOF_STORE   embedded, or etcd
//	WATCHPROOF_BINARY  the program: watchproof, or etcd
//	WATCHPROOF_PROXY   watchproof, to put its proxy in front of each server; empty: none
//
// Of the configuration only what these tests set reaches the server.
package testserver

import (
	"bufio"
	"context"
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

	"go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	recorders "k8s.io/apiserver/pkg/storage/testing"
)

const patience = 60 * time.Second

// NewTestConfig returns etcd's defaults; a test changes what it needs.
func NewTestConfig(testing.TB) *embed.Config { return embed.NewConfig() }

// RunEtcd starts a server that ends with the test and connects to it.
func RunEtcd(t testing.TB, config *embed.Config) *kubernetes.Client {
	t.Helper()
	if config == nil {
		config = NewTestConfig(t)
	}
	var endpoint string
	switch kind := os.Getenv("WATCHPROOF_STORE"); kind {
	case "embedded":
		endpoint = startEmbedded(t, config)
	case "etcd":
		endpoint = startEtcd(t, config)
	default:
		t.Fatalf("WATCHPROOF_STORE is %q; expected embedded or etcd", kind)
	}
	if proxy := os.Getenv("WATCHPROOF_PROXY"); proxy != "" {
		endpoint = start(t, exec.Command(proxy, "proxy", "--to", endpoint), announced("listening on "))
	}
	return connect(t, endpoint)
}

func connect(t testing.TB, endpoint string) *kubernetes.Client {
	t.Helper()
	client, err := kubernetes.New(clientv3.Config{
		Endpoints:   []string{"http://" + endpoint},
		DialTimeout: patience,
		Logger:      zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ready, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := client.Client.Status(ready, endpoint); err != nil {
		t.Fatalf("the server at %s does not answer: %v", endpoint, err)
	}
	// The tests count requests by these.
	lists := recorders.NewKubernetesRecorder(client.Kubernetes)
	client.KV = recorders.NewKVRecorder(client.KV, lists)
	client.Kubernetes = lists
	return client
}

func startEmbedded(t testing.TB, config *embed.Config) string {
	t.Helper()
	command := exec.Command(os.Getenv("WATCHPROOF_BINARY"), "store", "--listen", "127.0.0.1:0",
		"--quota-backend-bytes", strconv.FormatInt(config.QuotaBackendBytes, 10))
	if interval := config.WatchProgressNotifyInterval; interval != 0 {
		command.Args = append(command.Args, "--progress-interval", interval.String())
	}
	return start(t, command, announced("serving on "))
}

func startEtcd(t testing.TB, config *embed.Config) string {
	t.Helper()
	host := ownAddress(t)
	client, peer := "http://"+host+":2379", "http://"+host+":2380"
	command := exec.Command(os.Getenv("WATCHPROOF_BINARY"), "--name", "m1",
		"--data-dir", filepath.Join(t.TempDir(), "data"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "m1="+peer,
		"--quota-backend-bytes", strconv.FormatInt(config.QuotaBackendBytes, 10))
	if interval := config.WatchProgressNotifyInterval; interval != 0 {
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
	case <-time.After(patience):
		t.Fatalf("%v was not ready after %s", command.Args, patience)
	}
	return ""
}
