// Differ reads traces, and mutants of them, through golang.org/x/exp/trace and through libgotrace, and reports where
// the two differ: in events, or in where they end. It knows the differences that are meant (docs/reader.md) and counts
// them apart.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// ours is a running print-many.
type ours struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func start(program string) (*ours, error) {
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &ours{in, bufio.NewReaderSize(out, 1<<20)}, cmd.Start()
}

func (o *ours) read(data []byte) ([]byte, error) {
	sent := make(chan error, 1)
	go func() {
		_, err := o.in.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), data...))
		sent <- err
	}()
	var size [4]byte
	if _, err := io.ReadFull(o.out, size[:]); err != nil {
		return nil, err
	}
	answer := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(o.out, answer); err != nil {
		return nil, err
	}
	return answer, <-sent
}

type run struct {
	server *ours
	found  string // a folder for what differs
	counts map[verdict]int
	traces int
}

// compare returns an error only if it cannot go on.
func (r *run) compare(data []byte, what string) error {
	answer, err := r.server.read(data)
	if err != nil {
		r.keep(data, "crash")
		return fmt.Errorf("%s: our reader is gone: %w", what, err)
	}
	r.traces++
	v, why := differs, ""
	// Where Go's reader leaves it to the order of a map which thread it names, it is asked again.
	for try := 0; try < 20 && v == differs; try++ {
		v, why = judge(readTheirs(data), parse(answer))
	}
	r.counts[v]++
	if v == differs {
		fmt.Printf("%s: %s\n", what, why)
		r.keep(data, fmt.Sprintf("differs-%d", r.counts[v]))
	}
	return nil
}

func (r *run) keep(data []byte, name string) {
	if r.found == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(r.found, name), data, 0o666); err != nil {
		fmt.Fprintf(os.Stderr, "differ: %v\n", err)
	}
}

func main() {
	server := flag.String("server", "", "our `program`, print-many")
	mutants := flag.Int("mutants", 0, "how `many` mutants to make of the traces, besides themselves")
	seconds := flag.Int("seconds", 0, "go on making mutants for so many `seconds`")
	seed := flag.Uint64("seed", 1, "of the random `number`s that the mutants are made with")
	found := flag.String("found", "", "a `folder` to leave in what differs")
	flag.Parse()
	r := &run{found: *found, counts: make(map[verdict]int)}
	if err := all(r, *server, flag.Args(), *mutants, time.Duration(*seconds)*time.Second, *seed); err != nil {
		fmt.Fprintf(os.Stderr, "differ: %v\n", err)
		os.Exit(2)
	}
	fmt.Printf("%d traces", r.traces)
	for v := same; v < nverdicts; v++ {
		fmt.Printf(", %d %s", r.counts[v], v)
	}
	fmt.Println()
	if r.counts[differs] > 0 {
		os.Exit(1)
	}
}

func all(r *run, server string, paths []string, mutants int, length time.Duration, seed uint64) (err error) {
	if r.server, err = start(server); err != nil {
		return err
	}
	var seeds [][]byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := r.compare(data, path); err != nil {
			return err
		}
		seeds = append(seeds, data)
	}
	if len(seeds) == 0 {
		return fmt.Errorf("no traces")
	}
	end := time.Now().Add(length)
	for n := 0; n < mutants || time.Now().Before(end); n++ {
		// Each mutant has numbers of its own, so that it can be made again without the ones before.
		m := mutator{rand.New(rand.NewPCG(seed, uint64(n)))}
		at := m.IntN(len(seeds))
		if err := r.compare(m.mutate(seeds[at], seeds[m.IntN(len(seeds))]), fmt.Sprintf("mutant %d, of %s", n, paths[at])); err != nil {
			return err
		}
	}
	return nil
}
