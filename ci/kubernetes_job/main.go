// SPDX-License-Identifier: Apache-2.0

// The control plane of Kubernetes and its client in one program; the first argument says which:
//
//	program kube-apiserver --etcd-servers=...
//	program kube-controller-manager --kubeconfig=...
//	program kubectl apply -k ...
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

func main() {
	os.Args = os.Args[1:]
	if len(os.Args) == 0 || commands[os.Args[0]] == nil {
		fmt.Fprintln(os.Stderr, "expected kube-apiserver, kube-controller-manager or kubectl")
		os.Exit(2)
	}
	os.Exit(cli.Run(commands[os.Args[0]]()))
}
