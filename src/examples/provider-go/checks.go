package main

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	pb "berth.dev/examples/providerv1"
)

const checkTimeout = time.Second

// checker asks the node itself, by no proxy, and takes a redirect for no 200.
var checker = http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// checks find out which nodes of one load balancer are fit to get packets.
type checks struct {
	mu      sync.Mutex
	known   map[string]bool // by node; nil: every node is fit
	stop    context.CancelFunc
	running sync.WaitGroup
}

// watch checks these nodes from now on; how it was with those of before is
// kept until the next answer. A new node is unfit until it has passed.
func (c *checks) watch(nodes map[string]netip.Addr, check *pb.HealthCheck, every time.Duration) {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.known
	c.known = nil
	if check == nil {
		return
	}
	c.known = map[string]bool{}
	for node := range nodes {
		c.known[node] = before[node]
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	for node, address := range nodes {
		at := netip.AddrPortFrom(address, uint16(check.GetPort())).String()
		c.running.Go(func() { c.repeat(ctx, node, at, check.Path, every) })
	}
}

func (c *checks) repeat(ctx context.Context, node, at string, path *string, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		passed := passes(ctx, at, path)
		if ctx.Err() != nil {
			return
		}
		c.mu.Lock()
		c.known[node] = passed
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// passes asks once. Without a path it is enough that TCP connects.
func passes(ctx context.Context, at string, path *string) bool {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if path == nil {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", at)
		if err != nil {
			return false
		}
		connection.Close()
		return true
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+*path, nil)
	if err != nil {
		return false
	}
	answer, err := checker.Do(request)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

func (c *checks) fit(node string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known == nil || c.known[node]
}

func (c *checks) end() {
	c.mu.Lock()
	stop := c.stop
	c.stop = nil
	c.mu.Unlock()
	if stop != nil {
		stop()
		c.running.Wait()
	}
}
