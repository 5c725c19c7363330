// Leaves a trace of much at once: collections under load, the network, timers, system calls that block, and, where the
// release has them, tasks, regions and logs. load FILE
package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type node struct {
	left, right *node
	pad         [64]byte
}

func grow(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: grow(depth - 1), right: grow(depth - 1)}
}

var kept [4]*node

func allocate(wg *sync.WaitGroup, i int) {
	defer wg.Done()
	for j := 0; j < 6; j++ {
		do("allocate", func() { kept[i] = grow(11 + (i+j)%3) })
		runtime.Gosched()
	}
}

func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			io.Copy(c, c)
			c.Close()
		}()
	}
}

func talk(wg *sync.WaitGroup, address string) {
	defer wg.Done()
	c, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer c.Close()
	b := make([]byte, 512)
	for j := 0; j < 20; j++ {
		do("talk", func() {
			c.Write(b)
			io.ReadFull(c, b)
		})
	}
}

func wait(wg *sync.WaitGroup, mu *sync.Mutex, i int) {
	defer wg.Done()
	tick := time.NewTicker(300 * time.Microsecond)
	defer tick.Stop()
	for j := 0; j < 15; j++ {
		select {
		case <-tick.C:
		case <-time.After(time.Duration(100*i) * time.Microsecond):
		}
		mu.Lock()
		do("sleep", func() { time.Sleep(time.Duration(i) * 20 * time.Microsecond) })
		mu.Unlock()
	}
}

func call(wg *sync.WaitGroup) {
	defer wg.Done()
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	go func() {
		time.Sleep(2 * time.Millisecond)
		w.Write([]byte("x"))
		w.Close()
	}()
	io.Copy(os.Stderr, io.LimitReader(r, 0))
	r.Read(make([]byte, 1))
	r.Close()
	exec.Command("/bin/true").Run()
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	runtime.GOMAXPROCS(4)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go serve(l)
	var wg sync.WaitGroup
	var mu sync.Mutex
	wg.Add(13)
	for i := 0; i < 4; i++ {
		go allocate(&wg, i)
		go talk(&wg, l.Addr().String())
		go wait(&wg, &mu, i+1)
	}
	go call(&wg)
	runtime.GOMAXPROCS(3)
	wg.Wait()
	l.Close()
	runtime.GC()
	trace.Stop()
	if f.Close() != nil {
		os.Exit(1)
	}
}
