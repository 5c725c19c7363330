// Gentrace writes a Go execution trace of a busy program: goroutines that pass messages, lock, sleep, call the system,
// allocate and annotate what they do.
//
// usage: gentrace FILE MILLION-EVENTS [busy|mixed]
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/trace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const goroutines = 64

// counter counts the bytes of the trace: an event takes a bit less than six.
type counter struct {
	w io.Writer
	n atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.w.Write(p)
}

var sink atomic.Pointer[[]byte]

func annotate(i int, mu *sync.Mutex) {
	ctx, task := trace.NewTask(context.Background(), fmt.Sprintf("task %d", i%7))
	trace.WithRegion(ctx, "outer", func() {
		trace.Log(ctx, "category", "message")
		mu.Lock()
		trace.WithRegion(ctx, "inner", runtime.Gosched)
		mu.Unlock()
	})
	task.End()
}

func mixed(i int, mu *sync.Mutex) {
	switch i % 1024 {
	case 1:
		annotate(i, mu)
	case 2:
		time.Sleep(time.Microsecond)
	case 3:
		b := make([]byte, 64<<10)
		sink.Store(&b)
	case 4:
		if f, err := os.Open("/dev/null"); err == nil {
			var b [16]byte
			f.Read(b[:])
			f.Close()
		}
	case 5:
		done := make(chan bool)
		go func() { close(done) }()
		<-done
	}
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: gentrace FILE MILLION-EVENTS [busy|mixed]")
		os.Exit(2)
	}
	million, err := strconv.ParseFloat(os.Args[2], 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	file, err := os.Create(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := &counter{w: file}
	every := 1024
	if len(os.Args) > 3 && os.Args[3] == "mixed" {
		every = 8
	}
	if err := trace.Start(out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	var mu sync.Mutex
	for g := 0; g < goroutines/2; g++ {
		ping, pong := make(chan int), make(chan int)
		wg.Add(2)
		go func() {
			defer wg.Done()
			defer close(ping)
			for i := 0; !stop.Load(); i++ {
				ping <- i
				<-pong
				mixed(i*1024/every%1024, &mu)
			}
		}()
		go func() {
			defer wg.Done()
			for i := range ping {
				pong <- i
			}
		}()
	}
	for float64(out.n.Load()) < million*5.5e6 {
		time.Sleep(time.Millisecond)
	}
	stop.Store(true)
	wg.Wait()
	trace.Stop()
	if err := file.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
