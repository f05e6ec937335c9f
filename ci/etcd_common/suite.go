// SPDX-License-Identifier: Apache-2.0

// Package suite names what the job etcd_common tests, so that go.mod and go.sum pin it and what its
// tests need. The folders common and integration hold the files that the job adds to the copies of
// the packages of these names; they do not compile here.
package suite

import (
	_ "go.etcd.io/etcd/tests/v3/common"
	_ "go.etcd.io/etcd/tests/v3/framework/integration"
	_ "watchproof.dev/launch"
)
