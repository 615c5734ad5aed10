package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	dialTimeout = 2 * time.Second
	// After a failure to accept or receive, as for want of file descriptors.
	breath = 50 * time.Millisecond
)

// openTCP listens at once, and carries connections until the function that it
// returns is called.
func openTCP(at netip.AddrPort, front *frontend) (func(), error) {
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.AcceptTCP()
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil:
				time.Sleep(breath)
			default:
				running.Go(func() { carry(ctx, client, front) })
			}
		}
	})
	return func() {
		cancel()
		listener.Close()
		running.Wait()
	}, nil
}

// carry returns when both sides have ended, or ctx is done.
func carry(ctx context.Context, client *net.TCPConn, front *frontend) {
	defer client.Close()
	defer context.AfterFunc(ctx, func() { client.Close() })()
	from := client.RemoteAddr().(*net.TCPAddr).AddrPort()
	if !front.letsIn(from.Addr()) {
		return
	}
	for _, to := range front.backends() {
		dialer := net.Dialer{Timeout: dialTimeout}
		connection, err := dialer.DialContext(ctx, "tcp", to.address.String())
		if err != nil {
			continue
		}
		node := connection.(*net.TCPConn)
		defer node.Close()
		defer context.AfterFunc(ctx, func() { node.Close() })()
		var back sync.WaitGroup
		back.Go(func() { pour(client, node) })
		pour(node, client)
		back.Wait()
		return
	}
}

// pour passes on the end of what it copies; what breaks ends both sides.
func pour(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		from.Close()
		return
	}
	to.CloseWrite()
}
