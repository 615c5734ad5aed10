// Command provider-go is a plug-in for Berth: a proxy that has the addresses
// of the AddressPools, and sends what comes to them to the node ports.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"berth.dev/examples/plugin"
)

func main() {
	log.SetFlags(0)
	listen := plugin.Flags(flag.CommandLine)
	state := flag.String("state", "", "an existing folder for what has to outlive the process (required)")
	statusAt := flag.String("status", "", "host:port of a page, in JSON, of what is served; by default there is none")
	offset := flag.Int("port-offset", 0, "is added to each port that is listened on: to try it without the right to the low ones")
	checkEvery := flag.Duration("check-every", 2*time.Second, "how often each node's health is checked")
	flag.Parse()
	if *state == "" || flag.NArg() > 0 {
		log.Fatal("usage: provider-go -listen ADDRESS -state FOLDER [flags]; -help shows them")
	}
	if err := run(listen, folder(*state), *statusAt, *offset, *checkEvery); err != nil {
		log.Fatalf("provider-go: %v", err)
	}
}

func run(listen *plugin.Listen, state folder, statusAt string, offset int, checkEvery time.Duration) error {
	server := newServer(state, newProxy(offset, checkEvery))
	if err := server.resume(); err != nil {
		return fmt.Errorf("taking up what was served before: %w", err)
	}
	if statusAt != "" {
		page, err := net.Listen("tcp", statusAt)
		if err != nil {
			return err
		}
		log.Printf("provider-go: status on http://%s/", page.Addr())
		go func() { log.Print(http.Serve(page, server.proxy)) }()
	}
	return listen.Serve(context.Background(), name+" "+version, server)
}
