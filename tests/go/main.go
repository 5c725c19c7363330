// Judge reads an execution trace through golang.org/x/exp/trace, the reader that Go's own tools are built on, and says
// what it found there. The end-to-end tests use it as an independent opinion.
//
// All commands but check and expect print lines of tab-separated fields. Times are nanoseconds since the first event.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/exp/trace"
)

const usage = `usage: judge COMMAND TRACE [FILE]

  check        read everything, apply the strict rules; violations on stderr
  facts        counts, one "name value" a line
  goroutines   id, name, creator's name, start routine, labels
  transitions  time, thread, goroutine, its name, from, to, reason, who did it, stack
  blocks       begin, end, goroutine, its name, reason, who woke it, stack
  expect       does the trace show what FILE ("-": stdin) expects? one "ok" or "not ok" a line
`

// maxViolations bounds what check prints: a broken trace breaks a rule at nearly every event.
const maxViolations = 50

func main() {
	if len(os.Args) < 3 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	status, err := run(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "judge: %v\n", err)
		if status == 0 {
			status = 1
		}
	}
	os.Exit(status)
}

func run(command, path string, rest []string) (int, error) {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	switch command {
	case "check":
		return check(out, path)
	case "facts", "goroutines", "transitions", "blocks", "expect":
	default:
		fmt.Fprint(os.Stderr, usage)
		return 2, nil
	}
	h, err := readHistory(path, command == "transitions")
	if err != nil {
		return 1, err
	}
	switch command {
	case "facts":
		h.printFacts(out)
	case "goroutines":
		h.printGoroutines(out)
	case "transitions":
		h.printTransitions(out)
	case "blocks":
		h.printBlocks(out)
	case "expect":
		if len(rest) != 1 {
			return 2, errors.New("expect needs a file of expectations")
		}
		in := os.Stdin
		if rest[0] != "-" {
			if in, err = os.Open(rest[0]); err != nil {
				return 2, err
			}
			defer in.Close()
		}
		return h.expect(out, in)
	}
	return 0, nil
}

// forEach hands every event of the trace to f.
func forEach(path string, f func(trace.Event)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := trace.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return err
	}
	for {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f(ev)
	}
}

func check(out io.Writer, path string) (int, error) {
	s := newStrict()
	events := 0
	err := forEach(path, func(ev trace.Event) {
		events++
		s.event(ev)
	})
	if err != nil {
		return 1, fmt.Errorf("after %d events: %w", events, err)
	}
	fmt.Fprintf(out, "%d events, %d violations\n", events, s.violations)
	if s.violations > 0 {
		return 1, nil
	}
	return 0, nil
}
