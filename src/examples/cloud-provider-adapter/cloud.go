package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"
	"k8s.io/cloud-provider/fake"
)

// cloud is the fake one of k8s.io/cloud-provider, with what it lacks as a
// cloud: an address for each load balancer, the end of what is deleted, and a
// time in which it cannot be reached.
type cloud struct {
	fake.Cloud
	pendingFor time.Duration

	mu    sync.Mutex // the fake has none for its load balancers
	known map[string]*balancer
}

// balancer is what the fake does not keep.
type balancer struct {
	address net.IP
	ready   time.Time
	service *v1.Service
}

var _ cloudprovider.LoadBalancer = (*cloud)(nil)

func newCloud(pendingFor time.Duration) *cloud {
	return &cloud{pendingFor: pendingFor, known: map[string]*balancer{}}
}

func (c *cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) { return c, true }

func (c *cloud) GetLoadBalancer(ctx context.Context, cluster string, service *v1.Service) (*v1.LoadBalancerStatus, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := c.GetLoadBalancerName(ctx, cluster, service)
	if _, c.Exists = c.Balancers[name]; c.Exists {
		c.ExternalIP = c.known[name].address
	}
	return c.Cloud.GetLoadBalancer(ctx, cluster, service)
}

func (c *cloud) EnsureLoadBalancer(ctx context.Context, cluster string, service *v1.Service, nodes []*v1.Node) (*v1.LoadBalancerStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Err != nil {
		return nil, c.Err
	}
	name := c.GetLoadBalancerName(ctx, cluster, service)
	one := c.known[name]
	if one == nil {
		one = &balancer{address: c.freeAddress(), ready: time.Now().Add(c.pendingFor)}
		c.known[name] = one
	}
	if left := time.Until(one.ready); left > 0 {
		return nil, api.NewRetryError("load balancer "+name+" is being made", left)
	}
	one.service = service
	c.ExternalIP = one.address
	return c.Cloud.EnsureLoadBalancer(ctx, cluster, service, nodes)
}

// freeAddress is of the range for benchmarks (RFC 2544).
func (c *cloud) freeAddress() net.IP {
	taken := map[string]bool{}
	for _, one := range c.known {
		taken[one.address.String()] = true
	}
	for n := 1; ; n++ {
		if address := net.IPv4(198, 18, byte(n>>8), byte(n)); !taken[address.String()] {
			return address
		}
	}
}

func (c *cloud) UpdateLoadBalancer(ctx context.Context, cluster string, service *v1.Service, nodes []*v1.Node) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.Cloud.UpdateLoadBalancer(ctx, cluster, service, nodes); err != nil {
		return err
	}
	name := c.GetLoadBalancerName(ctx, cluster, service)
	one, exists := c.Balancers[name]
	if !exists {
		return errors.New("there is no load balancer " + name)
	}
	one.Hosts = nodes
	c.Balancers[name] = one
	return nil
}

func (c *cloud) EnsureLoadBalancerDeleted(ctx context.Context, cluster string, service *v1.Service) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.Cloud.EnsureLoadBalancerDeleted(ctx, cluster, service); err != nil {
		return err
	}
	name := c.GetLoadBalancerName(ctx, cluster, service)
	delete(c.Balancers, name)
	delete(c.known, name)
	return nil
}
