// Read-trace read|validate|print FILE: the same as read-trace.c, with golang.org/x/exp/trace and the strict rules of
// tests/go.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/exp/trace"
)

// maxViolations bounds what strict.go prints.
const maxViolations = 50

func run(mode string, path string) (events int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := trace.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return 0, err
	}
	rules := newStrict()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	out := bufio.NewWriterSize(null, 64<<10)
	defer out.Flush()
	for {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			break
		}
		if err != nil {
			return events, err
		}
		events++
		switch mode {
		case "validate":
			rules.event(ev)
		case "print":
			fmt.Fprintln(out, ev.String())
		}
	}
	if rules.violations > 0 {
		err = fmt.Errorf("the trace is not valid")
	}
	return events, err
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: read-trace read|validate|print FILE")
		os.Exit(2)
	}
	start := time.Now()
	events, err := run(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "read-trace:", err)
		os.Exit(1)
	}
	seconds := time.Since(start).Seconds()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fmt.Fprintln(os.Stderr, "read-trace:", err)
		os.Exit(1)
	}
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	fmt.Printf("%d %.6f %.6f %d\n", events, seconds, cpu, usage.Maxrss)
}
