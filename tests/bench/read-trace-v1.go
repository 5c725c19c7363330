// Read-trace-v1 FILE: reads a trace with the parser of Go 1.21, and prints what read-trace.c does.
package main

import (
	"bufio"
	"fmt"
	"os"
	"syscall"
	"time"

	trace "bench/v1"
)

func fail(err error) {
	fmt.Fprintln(os.Stderr, "read-trace-v1:", err)
	os.Exit(1)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: read-trace-v1 FILE")
		os.Exit(2)
	}
	start := time.Now()
	file, err := os.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	parsed, err := trace.Parse(bufio.NewReaderSize(file, 1<<20), "")
	if err != nil {
		fail(err)
	}
	seconds := time.Since(start).Seconds()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	fmt.Printf("%d %.6f %.6f %d\n", len(parsed.Events), seconds, cpu, usage.Maxrss)
}
