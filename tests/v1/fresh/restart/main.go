// Starts and stops tracing again and again while goroutines run, wait, sleep, are in system calls and on the network,
// and collections go on; each time leaves a trace of its own. restart FILE…
package main

import (
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

var sink [3][]byte

func spin(done chan bool, i int) {
	for {
		select {
		case <-done:
			return
		default:
		}
		sink[i] = make([]byte, 50000)
		runtime.Gosched()
	}
}

func pass(done chan bool, in, out chan int) {
	for {
		select {
		case <-done:
			return
		case n := <-in:
			time.Sleep(50 * time.Microsecond)
			select {
			case <-done:
				return
			case out <- n + 1:
			}
		}
	}
}

func echo(c net.Conn) {
	io.Copy(c, c)
	c.Close()
}

func read(r *os.File) {
	b := make([]byte, 1)
	for {
		if n, err := r.Read(b); n == 0 || err != nil {
			return
		}
	}
}

func work(i int, c net.Conn, w *os.File) {
	switch i % 5 {
	case 0: // nothing happens
	case 1:
		runtime.GC()
	case 2:
		var wg sync.WaitGroup
		for j := 0; j < 10; j++ {
			wg.Add(1)
			go func() {
				w.Write([]byte("x"))
				wg.Done()
			}()
		}
		wg.Wait()
	case 3:
		b := make([]byte, 100)
		for j := 0; j < 10; j++ {
			c.Write(b)
			io.ReadFull(c, b)
		}
	case 4:
		runtime.GOMAXPROCS(2 + i%3)
		time.Sleep(3 * time.Millisecond)
	}
}

func main() {
	runtime.GOMAXPROCS(3)
	done := make(chan bool)
	for i := range sink[:2] {
		go spin(done, i)
	}
	a, b := make(chan int), make(chan int)
	go pass(done, a, b)
	go pass(done, b, a)
	a <- 1
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		if c, err := l.Accept(); err == nil {
			echo(c)
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go read(r)
	for i, name := range os.Args[1:] {
		f, err := os.Create(name)
		if err != nil {
			panic(err)
		}
		if err := trace.Start(f); err != nil {
			panic(err)
		}
		work(i, c, w)
		trace.Stop()
		if f.Close() != nil {
			os.Exit(1)
		}
	}
	close(done)
}
