// Goroutines that compute, on stacks of 2 KiB, as a program or, with a call of Work, as a library.
package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	goroutines = 8
	rounds     = 200
)

func work() {
	var all sync.WaitGroup
	var lock sync.Mutex
	total := 0
	for i := 0; i < goroutines; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := 0; k < rounds; k++ {
				lock.Lock()
				for j := 0; j < 100000; j++ {
					total += j & 1
				}
				lock.Unlock()
				time.Sleep(time.Millisecond)
			}
		}()
	}
	all.Wait()
	fmt.Println(total)
}

func main() { work() }
