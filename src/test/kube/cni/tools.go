//go:build tools

// Package tools names the commands that are built from this module, so that
// go mod tidy keeps what they need.
package tools

import (
	_ "github.com/containernetworking/plugins/plugins/ipam/host-local"
	_ "github.com/containernetworking/plugins/plugins/main/ptp"
)
