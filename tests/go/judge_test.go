package main

import (
	"strings"
	"testing"

	"golang.org/x/exp/trace"
)

func transitionEvent(t *testing.T, time trace.Time, m trace.ThreadID, tr trace.StateTransition) trace.Event {
	t.Helper()
	ev, err := trace.MakeEvent(trace.EventConfig[trace.StateTransition]{
		Kind: trace.EventStateTransition, Time: time, Thread: m, Proc: trace.NoProc, Goroutine: trace.NoGoroutine,
		Details: tr,
	})
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// TestStrict: every rule about states is broken once.
func TestStrict(t *testing.T) {
	g := trace.MakeGoStateTransition
	p := trace.MakeProcStateTransition
	const (
		gUnknown, gNone, gRunnable = trace.GoUndetermined, trace.GoNotExist, trace.GoRunnable
		gRunning, gWaiting         = trace.GoRunning, trace.GoWaiting
		pUnknown, pNone            = trace.ProcUndetermined, trace.ProcNotExist
		pIdle, pRunning            = trace.ProcIdle, trace.ProcRunning
	)
	type step struct {
		m  trace.ThreadID
		tr trace.StateTransition
	}
	for name, c := range map[string]struct {
		steps      []step
		violations int
	}{
		"a life": {[]step{{1, p(0, pNone, pIdle)}, {1, p(0, pIdle, pRunning)}, {1, g(1, gNone, gRunnable)},
			{1, g(1, gRunnable, gRunning)}, {1, g(1, gRunning, gWaiting)}, {1, p(0, pRunning, pIdle)}}, 0},
		"out of nothing":     {[]step{{1, g(1, gRunnable, gRunning)}}, 1},
		"wrong old state":    {[]step{{1, g(1, gNone, gRunnable)}, {1, g(1, gWaiting, gRunnable)}}, 1},
		"two on one thread":  {[]step{{1, g(1, gUnknown, gRunning)}, {1, g(2, gUnknown, gRunning)}}, 1},
		"on no thread":       {[]step{{trace.NoThread, g(1, gUnknown, gRunning)}}, 1},
		"two procs on one":   {[]step{{1, p(0, pUnknown, pRunning)}, {1, p(1, pUnknown, pRunning)}}, 1},
		"a proc's old state": {[]step{{1, p(0, pNone, pIdle)}, {1, p(0, pRunning, pIdle)}}, 2},
	} {
		s := newStrict()
		for i, st := range c.steps {
			s.event(transitionEvent(t, trace.Time(i+1), st.m, st.tr))
		}
		if s.violations != c.violations {
			t.Errorf("%s: %d violations, want %d", name, s.violations, c.violations)
		}
	}
	s := newStrict()
	s.event(transitionEvent(t, 5, 1, g(1, gNone, gRunnable)))
	s.event(transitionEvent(t, 5, 1, g(1, gRunnable, gRunning)))
	if s.violations != 1 {
		t.Errorf("time that stands still: %d violations", s.violations)
	}
}

// waits is a history with one goroutine "a" that waited twice and one, "b", that never did.
func waits() *history {
	h := &history{gs: make(map[trace.GoID]*goroutine)}
	a, b := h.goroutine(1), h.goroutine(2)
	a.name, a.thread, b.name = "a", 7, "b"
	stk := stack{{"pthread_mutex_lock", "/lib.c", 1}, {"inner", "/src/x.c", 12}, {"outer(int)", "/src/x.c", 30}}
	h.blocks = []*block{
		{g: a, begin: 1, end: 2, reason: "sync", stack: stk, waker: 2},
		{g: a, begin: 3, end: 4, reason: "chan receive", stack: stk, waker: trace.NoGoroutine, wakerM: 7},
	}
	return h
}

func TestExpect(t *testing.T) {
	const first = "block a sync b pthread_mutex_lock<inner@x.c:12\n"
	const second = "block a chan_receive self pthread_mutex_lock<outer\n"
	for text, ok := range map[string]bool{
		first + second + "quiet b\ngoroutines 2\ngoroutine a 1": true,
		first:                               false, // the second wait was not expected
		first + second + "block b sync * f": false,
		first + second + second:             false,
		"quiet a":                           false,
		"goroutines 3":                      false,
		"goroutine a 2":                     false,
		"block a sync * pthread_mutex_lock\nblock a chan_receive * inner": false, // not the leaf
		"block a sync b pthread_mutex_lock<inner@x.c:13\n" + second:       false,
		"block a sync self pthread_mutex_lock\n" + second:                 false,
		"block a * b pthread_mutex_lock":                                  false,
		"block * sync * pthread_mutex_lock any":                           true,
	} {
		var out strings.Builder
		status, err := waits().expect(&out, strings.NewReader(text))
		if err != nil || (status == 0) != ok {
			t.Errorf("%q: status %d, %v:\n%s", text, status, err, &out)
		}
	}
	if _, err := waits().expect(&strings.Builder{}, strings.NewReader("who knows")); err == nil {
		t.Error("nonsense is taken for an expectation")
	}
}
