package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

var proxySignature = []byte("\r\n\r\n\x00\r\nQUIT\n")

func serve(name, address, certificate, key string) {
	go serveUDP(name, address)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		fail(err.Error())
	}
	fmt.Println("peer: serving on", listener.Addr())
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		source, proxied, _ := strings.Cut(r.RemoteAddr, " ")
		answer(w, Reply{Name: name, Source: host(source), Proxied: host(proxied)})
	})}
	if certificate != "" {
		err = server.ServeTLS(proxyListener{listener}, certificate, key)
	} else {
		err = server.Serve(proxyListener{listener})
	}
	fail(err.Error())
}

func serveUDP(name, address string) {
	socket, err := net.ListenPacket("udp", address)
	if err != nil {
		fail(err.Error())
	}
	buffer := make([]byte, 1500)
	for {
		_, from, err := socket.ReadFrom(buffer)
		if err != nil {
			fail(err.Error())
		}
		body, _ := json.Marshal(Reply{Name: name, Source: host(from.String())})
		_, _ = socket.WriteTo(body, from)
	}
}

func answer(w io.Writer, reply Reply) {
	body, _ := json.Marshal(reply)
	_, _ = w.Write(body)
}

func host(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// proxyListener takes the PROXY header off its connections when the first bytes come.
type proxyListener struct{ net.Listener }

func (l proxyListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &proxyConn{Conn: connection, buffered: bufio.NewReader(connection)}, nil
}

type proxyConn struct {
	net.Conn
	buffered *bufio.Reader
	started  bool
	client   string
}

// RemoteAddr is "SOURCE" or "SOURCE CLIENT", because net/http hands on no more than that.
func (c *proxyConn) RemoteAddr() net.Addr {
	c.start()
	if c.client == "" {
		return c.Conn.RemoteAddr()
	}
	return proxyAddr(c.Conn.RemoteAddr().String() + " " + c.client)
}

type proxyAddr string

func (a proxyAddr) Network() string { return "tcp" }
func (a proxyAddr) String() string  { return string(a) }

func (c *proxyConn) Read(into []byte) (int, error) {
	c.start()
	return c.buffered.Read(into)
}

func (c *proxyConn) start() {
	if c.started {
		return
	}
	c.started = true
	if head, err := c.buffered.Peek(5); err == nil && string(head) == "PROXY" {
		line, _ := c.buffered.ReadString('\n')
		if fields := strings.Fields(line); len(fields) == 6 {
			c.client = net.JoinHostPort(fields[2], fields[4])
		}
		return
	}
	head, err := c.buffered.Peek(16)
	if err != nil || !bytes.HasPrefix(head, proxySignature) {
		return
	}
	body := make([]byte, 16+int(binary.BigEndian.Uint16(head[14:])))
	if _, err := io.ReadFull(c.buffered, body); err != nil {
		return
	}
	body = body[16:]
	switch {
	case head[13]>>4 == 1 && len(body) >= 12:
		c.client = net.JoinHostPort(net.IP(body[:4]).String(), fmt.Sprint(binary.BigEndian.Uint16(body[8:])))
	case head[13]>>4 == 2 && len(body) >= 36:
		c.client = net.JoinHostPort(net.IP(body[:16]).String(), fmt.Sprint(binary.BigEndian.Uint16(body[32:])))
	}
}
