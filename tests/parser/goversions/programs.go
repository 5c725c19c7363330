// Small programs that leave execution traces, one per argument: what Go's scheduler, collector, network poller, system
// calls and annotations look like. Each toolchain that builds this file makes the traces of its own version.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

func channels() {
	c := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 20; i++ {
		wg.Add(2)
		go func() {
			defer wg.Done()
			for j := 0; j < 50; j++ {
				c <- j
			}
		}()
		go func() {
			defer wg.Done()
			for j := 0; j < 50; j++ {
				select {
				case <-c:
				case <-time.After(time.Second):
				}
			}
		}()
	}
	wg.Wait()
}

func collector() {
	var keep [][]byte
	for i := 0; i < 2000; i++ {
		keep = append(keep, make([]byte, 10000))
		if i%500 == 0 {
			keep = nil
			runtime.GC()
		}
	}
	runtime.GOMAXPROCS(1)
	runtime.GOMAXPROCS(2)
	runtime.KeepAlive(keep)
}

func network() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				b := make([]byte, 64)
				for {
					n, err := c.Read(b)
					if err != nil {
						c.Close()
						return
					}
					c.Write(b[:n])
				}
			}()
		}
	}()
	for i := 0; i < 10; i++ {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		b := make([]byte, 64)
		for j := 0; j < 20; j++ {
			c.Write(b)
			c.Read(b)
		}
		c.Close()
	}
	l.Close()
}

func syscalls() {
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := 0; j < 100; j++ {
				f, err := os.Open("/proc/self/status")
				if err != nil {
					return
				}
				b := make([]byte, 100)
				f.Read(b)
				f.Close()
				runtime.Gosched()
			}
		}()
	}
	wg.Wait()
	pprof.StartCPUProfile(os.Stderr)
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
	}
	pprof.StopCPUProfile()
}

func annotations() {
	for i := 0; i < 20; i++ {
		ctx, task := trace.NewTask(context.Background(), fmt.Sprintf("task \"%d\"\n", i))
		trace.WithRegion(ctx, "outer", func() {
			trace.Logf(ctx, "key", "value %d ✓", i)
			trace.WithRegion(ctx, "inner", func() { time.Sleep(time.Millisecond) })
		})
		task.End()
	}
}

func main() {
	programs := map[string]func(){
		"channels": channels, "collector": collector, "network": network, "syscalls": syscalls, "annotations": annotations,
	}
	for _, name := range os.Args[1:] {
		f, err := os.Create(name + ".trace")
		if err != nil {
			panic(err)
		}
		if err := trace.Start(f); err != nil {
			panic(err)
		}
		programs[name]()
		trace.Stop()
		f.Close()
	}
}
