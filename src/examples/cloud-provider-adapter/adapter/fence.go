package adapter

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"

	"berth.dev/examples/plugin"
	pb "berth.dev/examples/providerv1"
)

// fence keeps the highest fencing token of each cluster in a file: a cloud has
// nowhere to keep it. It is written once for each change of leader.
type fence struct {
	path string
	mu   sync.Mutex
	seen map[string]int64
}

func openFence(path string) (*fence, error) {
	made := &fence{path: path, seen: map[string]int64{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return made, made.write(made.seen) // A folder that is not there shows now.
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &made.seen); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return made, nil
}

// pass refuses a leader that another one has followed.
func (f *fence) pass(request *pb.LoadBalancerRequest) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	cluster, token := request.GetClusterName(), request.GetFencingToken()
	seen, known := f.seen[cluster]
	if known && token == seen {
		return nil
	}
	if token < seen {
		return plugin.Deposed(request, seen)
	}
	next := maps.Clone(f.seen)
	next[cluster] = token
	if err := f.write(next); err != nil {
		return plugin.Failed(fmt.Errorf("keeping the fencing token: %w", err))
	}
	f.seen = next
	return nil
}

// write leaves the file as it was, or whole.
func (f *fence) write(seen map[string]int64) error {
	text, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	half, err := os.OpenFile(f.path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = half.Write(text)
	if err := errors.Join(err, half.Sync(), half.Close()); err != nil {
		return err
	}
	return os.Rename(half.Name(), f.path)
}
