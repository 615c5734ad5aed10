package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

type dialer struct {
	source  string
	timeout time.Duration
}

// Summary of a load: how many requests were sent, and what came of them.
type Summary struct {
	Requests int            `json:"requests"`
	Failed   int            `json:"failed"`
	ByName   map[string]int `json:"byName"`
	BySource map[string]int `json:"bySource"`
	// LastByName is when the last answer of each came, in nanoseconds of Unix time.
	LastByName map[string]int64 `json:"lastByName"`
	// Errors are the first few, each once.
	Errors []string `json:"errors"`
	// Millis of all requests that were answered.
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
	// Gap is the longest time without an answer, in milliseconds.
	Gap int64 `json:"gap"`
}

func (d dialer) net(network string) *net.Dialer {
	dialer := &net.Dialer{Timeout: d.timeout}
	if ip := net.ParseIP(d.source); ip != nil {
		if network == "udp" {
			dialer.LocalAddr = &net.UDPAddr{IP: ip}
		} else {
			dialer.LocalAddr = &net.TCPAddr{IP: ip}
		}
	}
	return dialer
}

// A client that opens a connection for each request.
func (d dialer) http() *http.Client {
	return &http.Client{
		Timeout: d.timeout,
		Transport: &http.Transport{
			DialContext:       d.net("tcp").DialContext,
			DisableKeepAlives: true,
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		},
	}
}

func (d dialer) get(url string, count int) {
	client := d.http()
	for range count {
		write(ask(client, url))
	}
}

func ask(client *http.Client, url string) (reply Reply) {
	started := time.Now()
	defer func() {
		reply.ended = time.Now()
		reply.Millis = reply.ended.Sub(started).Milliseconds()
	}()
	var connected atomic.Bool
	trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	request, err := http.NewRequestWithContext(
		httptrace.WithClientTrace(context.Background(), &trace), http.MethodGet, url, nil)
	if err != nil {
		return Reply{Error: err.Error()}
	}
	response, err := client.Do(request)
	if err != nil {
		if connected.Load() {
			return Reply{Error: "connected, but: " + err.Error()}
		}
		return Reply{Error: "not connected: " + err.Error()}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		return Reply{Error: response.Status}
	}
	if err == nil {
		err = json.Unmarshal(body, &reply)
	}
	if err != nil {
		return Reply{Error: err.Error()}
	}
	return reply
}

func (d dialer) udp(address string) {
	connection, err := d.net("udp").DialContext(context.Background(), "udp", address)
	if err != nil {
		write(Reply{Error: err.Error()})
		return
	}
	defer connection.Close()
	var reply Reply
	// A datagram may get lost.
	for range 3 {
		started := time.Now()
		buffer := make([]byte, 1500)
		_ = connection.SetDeadline(started.Add(d.timeout / 3))
		var n int
		if _, err = connection.Write([]byte("?")); err == nil {
			n, err = connection.Read(buffer)
		}
		if err == nil {
			err = json.Unmarshal(buffer[:n], &reply)
		}
		if err == nil {
			reply.Millis = time.Since(started).Milliseconds()
			break
		}
		reply = Reply{Error: err.Error()}
	}
	write(reply)
}

func (d dialer) load(url string, requests, workers int, pause time.Duration, ended <-chan struct{}) {
	work := make(chan struct{})
	replies := make(chan Reply, workers)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			client := d.http()
			for range work {
				replies <- ask(client, url)
				time.Sleep(pause)
			}
		})
	}
	go func() {
		hand(work, requests, ended)
		close(work)
		all.Wait()
		close(replies)
	}()
	write(summarize(replies))
}

func hand(work chan<- struct{}, requests int, ended <-chan struct{}) {
	for range requests {
		select {
		case work <- struct{}{}:
		case <-ended:
			return
		}
	}
}

func summarize(replies <-chan Reply) Summary {
	summary := Summary{ByName: map[string]int{}, BySource: map[string]int{}, LastByName: map[string]int64{},
		Errors: []string{}}
	last := time.Now()
	var millis []int64
	seen := map[string]bool{}
	for reply := range replies {
		summary.Requests++
		if reply.Error != "" {
			summary.Failed++
			if !seen[reply.Error] && len(summary.Errors) < 5 {
				seen[reply.Error] = true
				summary.Errors = append(summary.Errors, reply.Error)
			}
			continue
		}
		summary.ByName[reply.Name]++
		summary.BySource[reply.Source]++
		summary.LastByName[reply.Name] = max(reply.ended.UnixNano(), summary.LastByName[reply.Name])
		summary.Gap = max(summary.Gap, reply.ended.Sub(last).Milliseconds())
		last = reply.ended
		millis = append(millis, reply.Millis)
	}
	if len(millis) > 0 {
		sort.Slice(millis, func(i, j int) bool { return millis[i] < millis[j] })
		summary.P50, summary.P99 = millis[len(millis)/2], millis[len(millis)*99/100]
		summary.Max = millis[len(millis)-1]
	}
	return summary
}

// The moment of the first answer, or of the first request without one. Some workers ask all the time, for a connection
// may hang that was opened too early.
func (d dialer) until(answered bool, url string) {
	started := time.Now()
	const patience = time.Minute
	first := make(chan time.Time, 4)
	for range cap(first) {
		go func() {
			client := d.http()
			for (ask(client, url).Error == "") != answered {
				time.Sleep(2 * time.Millisecond)
			}
			first <- time.Now()
		}()
	}
	select {
	case at := <-first:
		write(map[string]int64{"started": started.UnixNano(), "at": at.UnixNano()})
	case <-time.After(patience):
		fail(url + ": nothing came about within " + patience.String())
	}
}

// One connection for the whole time: HTTP with keep-alive, and never a second connection.
func (d dialer) hold(address string, lasting time.Duration, ended <-chan struct{}) {
	first, err := d.net("tcp").DialContext(context.Background(), "tcp", address)
	if err != nil {
		write(Reply{Error: err.Error()})
		return
	}
	connections := make(chan net.Conn, 1)
	connections <- first
	client := &http.Client{Timeout: d.timeout, Transport: &http.Transport{
		MaxConnsPerHost: 1,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			select {
			case connection := <-connections:
				return connection, nil
			default:
				return nil, net.ErrClosed
			}
		},
	}}
	for end := time.Now().Add(lasting); time.Now().Before(end); {
		reply := ask(client, "http://"+address+"/")
		write(reply)
		if reply.Error != "" {
			return
		}
		select {
		case <-ended:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func write(value any) {
	if err := json.NewEncoder(os.Stdout).Encode(value); err != nil {
		fail(err.Error())
	}
}
