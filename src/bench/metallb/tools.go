//go:build tools

// Package metallb names what src/test/kube/kube builds of MetalLB for the benchmarks.
package metallb

import (
	_ "go.universe.tf/metallb/controller"
	_ "go.universe.tf/metallb/speaker"
)
