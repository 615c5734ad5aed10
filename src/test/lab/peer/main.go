// Command peer is both ends of the lab's traffic: the echo server of its pods, and their clients.
//
//	peer serve --name NAME --listen ADDRESS          HTTP and UDP, until it is ended
//	peer get [--count N] [--source IP] URL           one JSON object for each request
//	peer udp [--source IP] ADDRESS                   one JSON object
//	peer load --requests N --workers N URL           one JSON object when all are done
//	peer until [--timeout DURATION] URL              when the first request was answered: nanoseconds of Unix time
//	peer until --down URL                            when the first one was not
//	peer hold --for DURATION ADDRESS                 one connection that asks ten times a second
//	peer pause                                       nothing, until it is ended: what holds the namespaces of a Pod
//
// With --until-eof, load and hold end with their standard input, or by their bound before.
//
// A server answers each request with a Reply. It accepts the PROXY protocol, versions 1 and 2, and does without.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Reply is what a server saw of a request. Clients add what they saw of the answer.
type Reply struct {
	// Name of the server that answered.
	Name string `json:"name,omitempty"`
	// Source is the address, without port, that the packets came from.
	Source string `json:"source,omitempty"`
	// Proxied is the client's address, without port, in the PROXY header; empty without one.
	Proxied string `json:"proxied,omitempty"`
	// Error is what went wrong at the client.
	Error string `json:"error,omitempty"`
	// Millis is how long the client waited.
	Millis int64 `json:"millis"`

	ended time.Time
}

func main() {
	if len(os.Args) < 2 {
		fail("which one: serve, get, udp, load, until, hold or pause")
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	name := flags.String("name", "", "what the server calls itself")
	listen := flags.String("listen", ":8080", "address to serve on, by TCP and UDP")
	tlsCertificate := flags.String("tls-certificate", "", "file; with it and --tls-key the server speaks TLS")
	tlsKey := flags.String("tls-key", "", "file")
	count := flags.Int("count", 1, "requests, one after another")
	source := flags.String("source", "", "address to send from")
	requests := flags.Int("requests", 1000, "how many requests in all")
	workers := flags.Int("workers", 4, "how many at once")
	between := flags.Duration("pause", 0, "between two requests of one worker")
	timeout := flags.Duration("timeout", 2*time.Second, "for each request")
	down := flags.Bool("down", false, "until a request is not answered")
	lasting := flags.Duration("for", 10*time.Second, "how long to hold the connection")
	untilEOF := flags.Bool("until-eof", false, "end with the standard input")
	if err := flags.Parse(os.Args[2:]); err != nil {
		fail(err.Error())
	}
	from := dialer{source: *source, timeout: *timeout}
	ended := make(chan struct{})
	if *untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			close(ended)
		}()
	}
	switch os.Args[1] {
	case "serve":
		serve(*name, *listen, *tlsCertificate, *tlsKey)
	case "get":
		from.get(flags.Arg(0), *count)
	case "udp":
		from.udp(flags.Arg(0))
	case "load":
		from.load(flags.Arg(0), *requests, *workers, *between, ended)
	case "until":
		from.until(!*down, flags.Arg(0))
	case "hold":
		from.hold(flags.Arg(0), *lasting, ended)
	case "pause":
		pause()
	default:
		fail("there is no " + os.Args[1])
	}
}

// The first process of a Pod: it waits for those whose parent has ended.
func pause() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "peer: "+message)
	os.Exit(2)
}
