// SPDX-License-Identifier: Apache-2.0

// Package testserver stands in for k8s.io/apiserver/pkg/storage/etcd3/testserver: the same two
// functions, but the server is a process of its own, see package launch. Of the configuration only
// what these tests set reaches the server.
package testserver

import (
	"context"
	"testing"

	"go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"watchproof.dev/launch"

	recorders "k8s.io/apiserver/pkg/storage/testing"
)

// NewTestConfig returns etcd's defaults; a test changes what it needs.
func NewTestConfig(testing.TB) *embed.Config { return embed.NewConfig() }

// RunEtcd starts a server that ends with the test and connects to it.
func RunEtcd(t testing.TB, config *embed.Config) *kubernetes.Client {
	t.Helper()
	if config == nil {
		config = NewTestConfig(t)
	}
	return connect(t, launch.Server(t, launch.Settings{
		ProgressInterval: config.WatchProgressNotifyInterval,
		QuotaBytes:       config.QuotaBackendBytes,
	}))
}

func connect(t testing.TB, endpoint string) *kubernetes.Client {
	t.Helper()
	client, err := kubernetes.New(clientv3.Config{
		Endpoints:   []string{"http://" + endpoint},
		DialTimeout: launch.Patience,
		Logger:      zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ready, cancel := context.WithTimeout(context.Background(), launch.Patience)
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
