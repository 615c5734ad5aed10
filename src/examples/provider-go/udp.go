package main

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	// A client that is silent for so long is a new one afterwards.
	udpIdle = time.Minute
	// Packets of more clients than that are dropped: their addresses may be forged.
	udpClients = 4096
	largestUDP = 65535
)

// udp is a socket, and what it sends on for each client.
type udp struct {
	socket  *net.UDPConn
	front   *frontend
	running sync.WaitGroup

	mu      sync.Mutex
	clients map[netip.AddrPort]*path // nil once it is closed
}

// path is the way of one client's packets, and of the answers.
type path struct {
	to   backend
	node *net.UDPConn
}

// openUDP listens at once, and carries packets until the function that it
// returns is called.
func openUDP(at netip.AddrPort, front *frontend) (func(), error) {
	socket, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	u := &udp{socket: socket, front: front, clients: map[netip.AddrPort]*path{}}
	u.running.Go(u.receive)
	return u.close, nil
}

func (u *udp) close() {
	u.socket.Close()
	u.mu.Lock()
	for _, way := range u.clients {
		way.node.Close()
	}
	u.clients = nil
	u.mu.Unlock()
	u.running.Wait()
}

func (u *udp) receive() {
	packet := make([]byte, largestUDP)
	for {
		n, client, err := u.socket.ReadFromUDPAddrPort(packet)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(breath)
			continue
		}
		if !u.front.letsIn(client.Addr()) {
			continue
		}
		if way := u.path(client); way != nil {
			way.node.SetReadDeadline(time.Now().Add(udpIdle))
			way.node.Write(packet[:n]) // A packet that is lost is UDP's, and its client's, affair.
		}
	}
}

// path is the client's; a new one if its node is no longer among the
// backends. Nil: there is none to be had.
func (u *udp) path(client netip.AddrPort) *path {
	u.mu.Lock()
	defer u.mu.Unlock()
	backends := u.front.backends()
	if way := u.clients[client]; way != nil {
		if slices.Contains(backends, way.to) {
			return way
		}
		way.node.Close()
		delete(u.clients, client)
	}
	if u.clients == nil || len(u.clients) >= udpClients || len(backends) == 0 {
		return nil
	}
	node, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(backends[0].address))
	if err != nil {
		return nil
	}
	way := &path{to: backends[0], node: node}
	u.clients[client] = way
	node.SetReadDeadline(time.Now().Add(udpIdle))
	u.running.Go(func() { u.answer(client, way) })
	return way
}

// answer sends back what the node says, until it and the client are silent.
func (u *udp) answer(client netip.AddrPort, way *path) {
	packet := make([]byte, largestUDP)
	for {
		n, err := way.node.Read(packet)
		if err != nil {
			break
		}
		way.node.SetReadDeadline(time.Now().Add(udpIdle))
		u.socket.WriteToUDPAddrPort(packet[:n], client)
	}
	way.node.Close()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.clients[client] == way {
		delete(u.clients, client)
	}
}
