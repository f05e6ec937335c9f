// SPDX-License-Identifier: Apache-2.0

// The runner of etcd's common tests for servers that are processes of their own, see package
// launch. It stands in for the runner of unit tests, which runs none.
package common

import (
	"context"
	"os"
	"testing"

	"go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"watchproof.dev/launch"

	"go.etcd.io/etcd/tests/v3/framework/config"
	"go.etcd.io/etcd/tests/v3/framework/integration"
	"go.etcd.io/etcd/tests/v3/framework/interfaces"
)

func init() {
	testRunner = runner{}
	clusterTestCases = func() []testCase {
		return []testCase{{name: "NoTLS", config: config.ClusterConfig{ClusterSize: 1}}}
	}
}

type runner struct{}

func (runner) TestMain(m *testing.M) { os.Exit(m.Run()) }
func (runner) BeforeTest(testing.TB) {}

// NewCluster starts one server, whatever the size: these tests ask through one endpoint.
func (runner) NewCluster(_ context.Context, t testing.TB, opts ...config.ClusterOption) interfaces.Cluster {
	wanted := config.NewClusterConfig(opts...)
	if wanted.AuthToken != "" && wanted.AuthToken != defaultAuthToken {
		t.Skip("the server has no key for such tokens")
	}
	endpoint := launch.Server(t, launch.Settings{QuotaBytes: wanted.QuotaBackendBytes})
	return cluster{t: t, endpoint: endpoint}
}

type cluster struct {
	t        testing.TB
	endpoint string
}

func (c cluster) Client(opts ...config.ClientOption) (interfaces.Client, error) {
	settings := clientv3.Config{
		Endpoints:   c.Endpoints(),
		DialTimeout: launch.Patience,
		Logger:      zap.NewNop(),
	}
	for _, opt := range opts {
		opt(&settings)
	}
	client, err := clientv3.New(settings)
	if err != nil {
		return nil, err
	}
	c.t.Cleanup(func() { client.Close() })
	return integration.ClientOf(client), nil
}

func (c cluster) Endpoints() []string          { return []string{"http://" + c.endpoint} }
func (c cluster) WaitLeader(testing.TB) int    { return 0 }
func (c cluster) Members() []interfaces.Member { return []interfaces.Member{member{c}} }
func (c cluster) Close() error                 { return nil }

type member struct{ cluster }

func (m member) Client() interfaces.Client {
	client, err := m.cluster.Client()
	if err != nil {
		m.t.Fatal(err)
	}
	return client
}

func (m member) Start(context.Context) error {
	m.t.Skip("the server is not started again")
	return nil
}

func (m member) Stop() { m.t.Skip("the server is not stopped") }

// Options of the tests.

func WithAuth(user, password string) config.ClientOption { return integration.WithAuth(user, password) }

func WithAuthToken(token string) config.ClientOption { return integration.WithAuthToken(token) }

func WithEndpoints(endpoints []string) config.ClientOption {
	return integration.WithEndpoints(endpoints)
}

func WithHTTP2Debug() config.ClusterOption { return integration.WithHTTP2Debug() }

func WithTCPClient() config.ClusterOption { return integration.WithTCPClient() }

func WithUnixClient() config.ClusterOption { return integration.WithUnixClient() }
