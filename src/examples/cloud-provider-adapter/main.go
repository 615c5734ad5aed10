// Command cloud-provider-adapter serves the fake cloud of k8s.io/cloud-provider
// as a plug-in for Berth. For a cloud that is real, adapter.Main is all.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	cloudprovider "k8s.io/cloud-provider"

	"berth.dev/examples/cloud-provider-adapter/adapter"
)

func main() {
	pendingFor := flag.Duration("pending-for", 0, "how long a load balancer of the fake cloud is being made")
	console := flag.String("console", "", "host:port where to look into the fake cloud (GET /) and to take it away for a time (PUT and DELETE /outage)")
	adapter.Main(func() (cloudprovider.Interface, error) {
		fake := newCloud(*pendingFor)
		return fake, fake.openConsole(*console)
	}, adapter.Usual())
}

func (c *cloud) openConsole(at string) error {
	if at == "" {
		return nil
	}
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	log.Printf("fake cloud: console on http://%s/", listener.Addr())
	console := http.NewServeMux()
	console.HandleFunc("GET /", c.show)
	console.HandleFunc("PUT /outage", func(http.ResponseWriter, *http.Request) { c.fail(errors.New("the fake cloud is away")) })
	console.HandleFunc("DELETE /outage", func(http.ResponseWriter, *http.Request) { c.fail(nil) })
	go func() { log.Print(http.Serve(listener, console)) }()
	return nil
}

func (c *cloud) fail(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Err = cause
}

// shown is a load balancer of the fake cloud.
type shown struct {
	UID          string   `json:"uid"`
	Listeners    []string `json:"listeners"`
	Nodes        []string `json:"nodes"`
	SourceRanges []string `json:"sourceRanges"`
}

func (c *cloud) show(answer http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []shown{}
	for name, one := range c.Balancers {
		service := c.known[name].service
		entry := shown{
			UID:          string(service.UID),
			Listeners:    []string{},
			Nodes:        []string{},
			SourceRanges: append([]string{}, service.Spec.LoadBalancerSourceRanges...),
		}
		for _, port := range one.Ports {
			entry.Listeners = append(entry.Listeners, fmt.Sprintf("%s %d", port.Protocol, port.Port))
		}
		for _, node := range one.Hosts {
			entry.Nodes = append(entry.Nodes, node.Name)
		}
		all = append(all, entry)
	}
	answer.Header().Set("Content-Type", "application/json")
	json.NewEncoder(answer).Encode(all)
}
