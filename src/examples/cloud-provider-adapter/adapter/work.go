package adapter

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	errdetails "google.golang.org/genproto/googleapis/rpc/errdetails"

	pb "berth.dev/examples/providerv1"
)

const (
	// How long a cloud may be at work on one call: some create for minutes.
	longestWork = 30 * time.Minute
	// What of a call's deadline is left for the answer.
	forTheAnswer = time.Second
	// When Berth is to ask again for what is still at work.
	askAgain = 5 * time.Second
	// After that, what came out of a call says nothing any more.
	stale = 2 * time.Minute
)

// errAtWork: the cloud has not finished, and goes on.
var errAtWork = errors.New("the cloud is still at work on it")

// works are the calls that change something, at most one for each Service. A
// cloud blocks until it is done, for minutes; a call of Berth has seconds. So
// the work goes on when the call ends, and the next call for the same has
// what came out of it.
type works struct {
	mu   sync.Mutex
	byID map[string]*work
}

type work struct {
	call    string
	request *pb.LoadBalancerRequest
	done    chan struct{} // closed once answer and err are there
	ended   time.Time
	answer  proto.Message
	err     error
}

// do has f called, and waits for what comes of it for as long as ctx lets it;
// then it is errAtWork. So it is while another call for the Service is at work.
func (w *works) do(ctx context.Context, id, call string, request *pb.LoadBalancerRequest, f func(context.Context) (proto.Message, error)) (proto.Message, error) {
	one := w.begin(ctx, id, call, request, f)
	if one == nil {
		return nil, errAtWork
	}
	patience := forTheAnswer
	if deadline, has := ctx.Deadline(); has {
		left := time.Until(deadline)
		patience = max(left-forTheAnswer, left/2)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-one.done:
		w.end(id, one)
		return one.answer, one.err
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, errAtWork
}

// begin returns the work that was begun before for the same, or begins it; nil
// while the cloud is at work on something else for the Service.
func (w *works) begin(ctx context.Context, id, call string, request *pb.LoadBalancerRequest, f func(context.Context) (proto.Message, error)) *work {
	w.mu.Lock()
	defer w.mu.Unlock()
	if before := w.byID[id]; before != nil {
		select {
		case <-before.done:
			if before.isFor(call, request) && time.Since(before.ended) < stale {
				return before
			}
		default:
			if before.isFor(call, request) {
				return before
			}
			return nil
		}
	}
	one := &work{call: call, request: request, done: make(chan struct{})}
	w.byID[id] = one
	go func() {
		// What is begun is not given up with the call.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestWork)
		defer cancel()
		one.answer, one.err = f(ctx)
		one.ended = time.Now()
		close(one.done)
	}()
	return one
}

// end forgets what was answered.
func (w *works) end(id string, one *work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byID[id] == one {
		delete(w.byID, id)
	}
}

// isFor: another leader may ask for the same.
func (w *work) isFor(call string, request *pb.LoadBalancerRequest) bool {
	if w.call != call {
		return false
	}
	same := proto.CloneOf(request)
	same.FencingToken = w.request.GetFencingToken()
	return proto.Equal(same, w.request)
}

// stillAtWork answers a call that knows no Pending.
func stillAtWork(cloud string) error {
	said := status.New(codes.Aborted, "the cloud "+cloud+" is still at work on this Service")
	if detailed, err := said.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(askAgain)}); err == nil {
		said = detailed
	}
	return said.Err()
}
