package main

import (
	"context"
	"net/netip"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
)

// instantCloud is a cloud that has load balancers and nothing else. Each
// Service gets an IPv4 address of its own, at once, out of 198.18.0.0/15 (the
// range for benchmarks, RFC 2544). After a restart, a Service keeps the address
// in its status, as with a cloud that remembers it.
type instantCloud struct {
	mu        sync.Mutex // protects last and addresses: workers call in parallel
	last      netip.Addr
	addresses map[types.UID]netip.Addr
}

var (
	_ cloudprovider.Interface    = (*instantCloud)(nil)
	_ cloudprovider.LoadBalancer = (*instantCloud)(nil)
)

func newInstantCloud() *instantCloud {
	return &instantCloud{
		last:      netip.MustParseAddr("198.18.0.0"),
		addresses: make(map[types.UID]netip.Addr),
	}
}

func (c *instantCloud) EnsureLoadBalancer(_ context.Context, _ string, service *v1.Service, _ []*v1.Node) (*v1.LoadBalancerStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	address, ok := c.known(service)
	if !ok {
		address = c.last.Next()
	}
	if c.last.Less(address) {
		c.last = address
	}
	c.addresses[service.UID] = address
	return statusOf(address), nil
}

// known returns the address of a Service, also one that it had before this
// process began.
func (c *instantCloud) known(service *v1.Service) (netip.Addr, bool) {
	if address, ok := c.addresses[service.UID]; ok {
		return address, true
	}
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		if address, err := netip.ParseAddr(ingress.IP); err == nil {
			return address, true
		}
	}
	return netip.Addr{}, false
}

func (c *instantCloud) GetLoadBalancer(_ context.Context, _ string, service *v1.Service) (*v1.LoadBalancerStatus, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	address, ok := c.known(service)
	if !ok {
		return nil, false, nil
	}
	return statusOf(address), true, nil
}

func (c *instantCloud) EnsureLoadBalancerDeleted(_ context.Context, _ string, service *v1.Service) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.addresses, service.UID)
	return nil
}

func (c *instantCloud) UpdateLoadBalancer(context.Context, string, *v1.Service, []*v1.Node) error {
	return nil
}

func (c *instantCloud) GetLoadBalancerName(_ context.Context, _ string, service *v1.Service) string {
	return cloudprovider.DefaultLoadBalancerName(service)
}

func statusOf(address netip.Addr) *v1.LoadBalancerStatus {
	return &v1.LoadBalancerStatus{Ingress: []v1.LoadBalancerIngress{{IP: address.String()}}}
}

func (c *instantCloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) { return c, true }
func (c *instantCloud) ProviderName() string                             { return "instant" }
func (c *instantCloud) HasClusterID() bool                               { return true }

func (c *instantCloud) Initialize(cloudprovider.ControllerClientBuilder, <-chan struct{}) {}

func (c *instantCloud) Instances() (cloudprovider.Instances, bool)     { return nil, false }
func (c *instantCloud) InstancesV2() (cloudprovider.InstancesV2, bool) { return nil, false }
func (c *instantCloud) Zones() (cloudprovider.Zones, bool)             { return nil, false }
func (c *instantCloud) Clusters() (cloudprovider.Clusters, bool)       { return nil, false }
func (c *instantCloud) Routes() (cloudprovider.Routes, bool)           { return nil, false }
