package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// proxy is the data plane: all that is served at the moment.
type proxy struct {
	offset     int
	checkEvery time.Duration

	mu        sync.Mutex
	balancers map[key]*balancer
}

type balancer struct {
	plan      *plan
	checks    *checks
	frontends map[socket]*frontend
}

// frontend is an open socket.
type frontend struct {
	rules  atomic.Pointer[rules]
	checks *checks
	close  func() // when it returns, nothing is carried any more
}

func newProxy(offset int, checkEvery time.Duration) *proxy {
	return &proxy{offset: offset, checkEvery: checkEvery, balancers: map[key]*balancer{}}
}

// serve does what plan says from now on. If a socket cannot be opened, it
// goes on as it was.
func (p *proxy) serve(k key, plan *plan) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	served := p.balancers[k]
	if served == nil {
		served = &balancer{checks: &checks{}, frontends: map[socket]*frontend{}}
	}
	opened := map[socket]*frontend{}
	for at, rules := range plan.frontends {
		if served.frontends[at] != nil {
			continue
		}
		one, err := p.open(at, rules, served.checks)
		if err != nil {
			closeAll(opened)
			return fmt.Errorf("%w; is the address on this host, and the port free?", err)
		}
		opened[at] = one
	}
	former := map[socket]*frontend{}
	for at, one := range served.frontends {
		if rules, wanted := plan.frontends[at]; wanted {
			one.rules.Store(rules)
			opened[at] = one
		} else {
			former[at] = one
		}
	}
	closeAll(former)
	served.plan, served.frontends = plan, opened
	served.checks.watch(plan.nodes, plan.check, p.checkEvery)
	p.balancers[k] = served
	return nil
}

func (p *proxy) open(at socket, rules *rules, checks *checks) (*frontend, error) {
	port := int(at.address.Port()) + p.offset
	if port > 65535 {
		return nil, fmt.Errorf("listen %s: -port-offset makes it port %d", at, port)
	}
	one := &frontend{checks: checks}
	one.rules.Store(rules)
	listen := openTCP
	if at.network == "udp" {
		listen = openUDP
	}
	var err error
	one.close, err = listen(netip.AddrPortFrom(at.address.Addr(), uint16(port)), one)
	return one, err
}

func (p *proxy) serves(k key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.balancers[k] != nil
}

// drop ends what is served; connections, too.
func (p *proxy) drop(k key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if served := p.balancers[k]; served != nil {
		closeAll(served.frontends)
		served.checks.end()
		delete(p.balancers, k)
	}
}

func closeAll(frontends map[socket]*frontend) {
	var ending sync.WaitGroup
	for _, one := range frontends {
		ending.Go(one.close)
	}
	ending.Wait()
}

func (f *frontend) letsIn(client netip.Addr) bool {
	sources := f.rules.Load().sources
	return len(sources) == 0 || slices.ContainsFunc(sources, func(source netip.Prefix) bool {
		return source.Contains(client.Unmap())
	})
}

// backends are those to try for one connection, in this order. If no node is
// fit, all are tried: then the check is what is broken.
func (f *frontend) backends() []backend {
	rules := f.rules.Load()
	var fit []backend
	for _, one := range rules.backends {
		if f.checks.fit(one.node) {
			fit = append(fit, one)
		}
	}
	if len(fit) == 0 && !rules.local {
		fit = slices.Clone(rules.backends)
	}
	rand.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
	return fit
}

// shown is a load balancer on the status page.
type shown struct {
	Cluster      string          `json:"cluster"`
	Namespace    string          `json:"namespace"`
	Service      string          `json:"service"`
	UID          string          `json:"uid"`
	Sockets      []string        `json:"sockets"`
	Nodes        map[string]bool `json:"nodes"` // by name, whether they are fit
	SourceRanges []string        `json:"sourceRanges"`
}

// ServeHTTP answers with all that is served, as it is served.
func (p *proxy) ServeHTTP(answer http.ResponseWriter, _ *http.Request) {
	all := []shown{}
	p.mu.Lock()
	for k, served := range p.balancers {
		one := shown{
			Cluster:      k.cluster,
			Namespace:    served.plan.service.GetNamespace(),
			Service:      served.plan.service.GetName(),
			UID:          k.uid,
			Sockets:      []string{},
			Nodes:        map[string]bool{},
			SourceRanges: []string{},
		}
		for at, open := range served.frontends {
			one.Sockets = append(one.Sockets, at.String())
			rules := open.rules.Load()
			for _, to := range rules.backends {
				one.Nodes[to.node] = served.checks.fit(to.node)
			}
			for _, source := range rules.sources {
				if text := source.String(); !slices.Contains(one.SourceRanges, text) {
					one.SourceRanges = append(one.SourceRanges, text)
				}
			}
		}
		slices.Sort(one.Sockets)
		all = append(all, one)
	}
	p.mu.Unlock()
	slices.SortFunc(all, func(a, b shown) int {
		return strings.Compare(a.Cluster+","+a.UID, b.Cluster+","+b.UID)
	})
	answer.Header().Set("Content-Type", "application/json")
	json.NewEncoder(answer).Encode(all)
}
