// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"go.etcd.io/etcd/client/v3"

	"go.etcd.io/etcd/tests/v3/framework/interfaces"
)

// ClientOf makes a client of the tests from one that is connected to any server.
func ClientOf(client *clientv3.Client) interfaces.Client { return integrationClient{Client: client} }
