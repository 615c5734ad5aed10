package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	pb "berth.dev/examples/providerv1"
)

// key tells load balancers apart: a cluster that was restored into another
// one has the same uids.
type key struct{ cluster, uid string }

func keyOf(request *pb.LoadBalancerRequest) key {
	return key{request.GetClusterName(), request.GetService().GetUid()}
}

// folder keeps the last request of each load balancer as a file, and the
// highest fencing token of each cluster: a load balancer that is deleted takes
// its own with it.
type folder string

// path has a comma, which an escaped name has not.
func (f folder) path(k key) string {
	return filepath.Join(string(f), url.PathEscape(k.cluster)+","+url.PathEscape(k.uid)+".json")
}

func (f folder) tokenPath(cluster string) string {
	return filepath.Join(string(f), url.PathEscape(cluster)+".token")
}

// token is the highest that was kept for the cluster; 0 if none was.
func (f folder) token(cluster string) (int64, error) {
	text, err := os.ReadFile(f.tokenPath(cluster))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	token, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.tokenPath(cluster), err)
	}
	return token, nil
}

// keepToken writes the token: once for each change of leader.
func (f folder) keepToken(cluster string, token int64) error {
	return writeWhole(f.tokenPath(cluster), strconv.AppendInt(nil, token, 10))
}

// read returns nil if there is none.
func (f folder) read(k key) (*pb.LoadBalancerRequest, error) {
	if _, err := os.Stat(string(f)); err != nil {
		return nil, err // A mount that is gone is not a load balancer that never was.
	}
	request, err := readFile(f.path(k))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return request, err
}

// all are sorted by name.
func (f folder) all() ([]*pb.LoadBalancerRequest, error) {
	files, err := os.ReadDir(string(f))
	if err != nil {
		return nil, err
	}
	var all []*pb.LoadBalancerRequest
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".json") {
			continue
		}
		request, err := readFile(filepath.Join(string(f), file.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, request)
	}
	slices.SortFunc(all, func(a, b *pb.LoadBalancerRequest) int {
		return strings.Compare(nameOf(a.GetService()), nameOf(b.GetService()))
	})
	return all, nil
}

func readFile(path string) (*pb.LoadBalancerRequest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	request := &pb.LoadBalancerRequest{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, request); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return request, nil
}

func (f folder) write(request *pb.LoadBalancerRequest) error {
	text, err := protojson.Marshal(request)
	if err != nil {
		return err
	}
	return writeWhole(f.path(keyOf(request)), text)
}

// writeWhole leaves the file as it was, or whole, also when the host loses its
// power.
func writeWhole(path string, text []byte) error {
	half, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = half.Write(text)
	if err := errors.Join(err, half.Sync(), half.Close()); err != nil {
		return err
	}
	if err := os.Rename(half.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// remove is content if there is none.
func (f folder) remove(k key) error {
	err := os.Remove(f.path(k))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncFolder(string(f))
}
