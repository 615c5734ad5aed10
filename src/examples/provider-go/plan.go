package main

import (
	"fmt"
	"net/netip"

	pb "berth.dev/examples/providerv1"
)

// plan is a request as the proxy needs it.
type plan struct {
	service   *pb.ServiceIdentity
	frontends map[socket]*rules
	nodes     map[string]netip.Addr // where each one's health is asked for
	check     *pb.HealthCheck       // nil: every node is fit
}

// socket is where packets come in.
type socket struct {
	network string // "tcp" or "udp"
	address netip.AddrPort
}

func (s socket) String() string { return s.network + " " + s.address.String() }

// rules say what becomes of the packets of a socket.
type rules struct {
	sources  []netip.Prefix // empty: all are let in
	backends []backend
	local    bool // no fit node: to none, instead of to all
}

type backend struct {
	node    string
	address netip.AddrPort
}

var networks = map[pb.Protocol]string{pb.Protocol_PROTOCOL_TCP: "tcp", pb.Protocol_PROTOCOL_UDP: "udp"}

func planFor(request *pb.LoadBalancerRequest) (*plan, error) {
	addresses, err := parseAll(request.GetAddresses(), netip.ParseAddr)
	if err != nil {
		return nil, fmt.Errorf("addresses: %w", err)
	}
	sources, err := parseAll(request.GetSourceRanges(), netip.ParsePrefix)
	if err != nil {
		return nil, fmt.Errorf("source_ranges: %w", err)
	}
	nodes := map[string][]netip.Addr{}
	made := &plan{
		service:   request.GetService(),
		frontends: map[socket]*rules{},
		nodes:     map[string]netip.Addr{},
		check:     request.GetHealthCheck(),
	}
	for _, node := range request.GetNodes() {
		all, err := parseAll(node.GetAddresses(), netip.ParseAddr)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", node.GetName(), err)
		}
		if len(all) > 0 {
			nodes[node.GetName()] = all
			made.nodes[node.GetName()] = all[0]
		}
	}
	for _, address := range addresses {
		for _, port := range request.GetPorts() {
			network, known := networks[port.GetProtocol()]
			if !known || !isPort(port.GetPort()) || port.GetNodePort() != 0 && !isPort(port.GetNodePort()) {
				return nil, fmt.Errorf("cannot carry port %v", port)
			}
			if port.GetNodePort() == 0 {
				continue // statusOf says it.
			}
			to := &rules{sources: sources, local: request.GetLocalTrafficPolicy()}
			for _, node := range request.GetNodes() {
				if all, known := nodes[node.GetName()]; known {
					to.backends = append(to.backends, backend{
						node:    node.GetName(),
						address: netip.AddrPortFrom(ofFamily(all, address), uint16(port.GetNodePort())),
					})
				}
			}
			made.frontends[socket{network, netip.AddrPortFrom(address, uint16(port.GetPort()))}] = to
		}
	}
	return made, nil
}

// ofFamily prefers a node's address of the family that the Service is of: a
// node port may be open in that one only.
func ofFamily(all []netip.Addr, like netip.Addr) netip.Addr {
	for _, address := range all {
		if address.Is4() == like.Is4() {
			return address
		}
	}
	return all[0]
}

func isPort(number int32) bool { return number >= 1 && number <= 65535 }

func parseAll[T any](texts []string, parse func(string) (T, error)) ([]T, error) {
	var all []T
	for _, text := range texts {
		one, err := parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
