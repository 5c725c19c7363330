package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/exp/trace"
)

// reading is the result of reading a trace: its events as text, and how it ended.
type reading struct {
	events []string
	err    string   // "": it ended well
	panics bool     // err is what Go's reader, or its printing, panicked with
	held   []string // events that Go's reader had ready when it failed, and handed out when asked once more
}

// undecodable are the errors that Go's reader finds while it reads ahead, when it has an event in hand.
var undecodable = []string{"found invalid uvarint", "found event without a timestamp", "found invalid event type"}

func readTheirs(data []byte) (r reading) {
	defer func() {
		if p := recover(); p != nil {
			r.err, r.panics = fmt.Sprint(p), true
		}
	}()
	in, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		r.err = err.Error()
		return r
	}
	for {
		ev, err := in.ReadEvent()
		if err == io.EOF {
			return r
		}
		if err != nil {
			r.err = err.Error()
			if slices.ContainsFunc(undecodable, func(s string) bool { return strings.HasPrefix(r.err, s) }) {
				r.held = hold(in)
			}
			return r
		}
		r.events = append(r.events, ev.String()+"\n")
	}
}

// hold returns up to three events that come after an error: a switch between goroutines makes so many.
func hold(in *trace.Reader) (events []string) {
	defer func() { _ = recover() }() // it is not made for going on
	for range 3 {
		ev, err := in.ReadEvent()
		if err != nil {
			break
		}
		events = append(events, ev.String()+"\n")
	}
	return events
}

// parse takes apart what print-many writes.
func parse(answer []byte) (r reading) {
	fields := bytes.Split(answer, []byte{0})
	// A string of a trace may have a NUL in it; Go quotes names, but prints functions and files as they are.
	last := string(fields[len(fields)-1])
	for _, f := range fields[:len(fields)-1] {
		r.events = append(r.events, string(f))
	}
	if last != "end" {
		r.err = strings.TrimPrefix(last, "error ")
	}
	return r
}

type verdict int

const (
	same verdict = iota
	held
	peaceful
	panicked
	differs
	nverdicts
)

func (v verdict) String() string {
	return [...]string{"the same", "with events that Go holds back", "that Go takes for the end of the trace",
		"that Go panics of", "that differ"}[v]
}

// theirsEnds are our errors where Go's reader finds the end of a batch in the middle of an entry, and takes that for
// the end of the trace; or finds nothing but tables in what the end of the trace has cut off.
var theirsEnds = []string{"is cut off or does not fit", "the trace is cut off"}

func judge(theirs, ours reading) (verdict, string) {
	// Whatever comes out, its text is the same, a NUL more or less apart.
	t, o := strings.Join(theirs.events, ""), strings.ReplaceAll(strings.Join(ours.events, "\x00"), "\n\x00", "\n")
	switch {
	case theirs.panics:
		if strings.HasPrefix(o, t) {
			return panicked, ""
		}
		return differs, fmt.Sprintf("Go panics (%s), and before that: %s", theirs.err, firstDifference(t, o))
	case len(theirs.held) > 0 && ours.err != "" && o != t:
		if more, ok := strings.CutPrefix(o, t); ok && strings.HasPrefix(strings.Join(theirs.held, ""), more) {
			return held, ""
		}
	case t == o && (theirs.err != "") == (ours.err != ""):
		return same, ""
	case t == o && theirs.err == "":
		if slices.ContainsFunc(theirsEnds, func(s string) bool { return strings.Contains(ours.err, s) }) {
			return peaceful, ""
		}
	}
	return differs, fmt.Sprintf("Go: %d events, %q; ours: %d events, %q; %s", len(theirs.events), short(theirs.err),
		len(ours.events), short(ours.err), firstDifference(t, o))
}

func short(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s[:min(len(s), 150)]
}

func firstDifference(theirs, ours string) string {
	t, o := strings.Split(theirs, "\n"), strings.Split(ours, "\n")
	for i := range min(len(t), len(o)) {
		if t[i] != o[i] {
			return fmt.Sprintf("line %d: Go %q, ours %q", i+1, t[i], o[i])
		}
	}
	return fmt.Sprintf("%d lines of Go's, %d of ours", len(t), len(o))
}
