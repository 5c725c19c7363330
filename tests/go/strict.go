package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/exp/trace"
)

// context is what one thread executes.
type context struct {
	p trace.ProcID
	g trace.GoID
}

// strict follows the states that a trace claims and reports every step that does not fit the one before: rules that a
// lenient reader lets pass.
type strict struct {
	violations int
	last       trace.Time
	syncs      int
	clock      *trace.ClockSnapshot
	contexts   map[trace.ThreadID]*context
	gs         map[trace.GoID]trace.GoState
	ps         map[trace.ProcID]trace.ProcState
	onThread   map[trace.ResourceID]*context // where an executing goroutine or proc is
	ranges     map[trace.ResourceID][]string
	tasks      map[trace.TaskID]string
}

func newStrict() *strict {
	return &strict{
		contexts: make(map[trace.ThreadID]*context),
		gs:       make(map[trace.GoID]trace.GoState),
		ps:       make(map[trace.ProcID]trace.ProcState),
		onThread: make(map[trace.ResourceID]*context),
		ranges:   make(map[trace.ResourceID][]string),
		tasks:    make(map[trace.TaskID]string),
	}
}

func (s *strict) report(ev trace.Event, format string, args ...any) {
	s.violations++
	if s.violations <= maxViolations {
		fmt.Fprintf(os.Stderr, "%s\n  at %s\n", fmt.Sprintf(format, args...), ev)
	}
}

func (s *strict) event(ev trace.Event) {
	if s.last != 0 && ev.Time() <= s.last {
		s.report(ev, "time does not advance: %d after %d", ev.Time(), s.last)
	} else {
		s.last = ev.Time()
	}
	s.stack(ev, ev.Stack())
	switch ev.Kind() {
	case trace.EventBad:
		s.report(ev, "bad event")
	case trace.EventSync:
		s.sync(ev)
	case trace.EventMetric:
		if m := ev.Metric(); !strings.Contains(m.Name, ":") || m.Value.Kind() == trace.ValueBad {
			s.report(ev, "metric %q without unit or value", m.Name)
		}
	case trace.EventLabel:
		s.label(ev)
	case trace.EventStateTransition:
		tr := ev.StateTransition()
		s.stack(ev, tr.Stack)
		switch tr.Resource.Kind {
		case trace.ResourceGoroutine:
			s.goroutine(ev, tr)
		case trace.ResourceProc:
			s.proc(ev, tr)
		}
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		s.rangeEvent(ev)
	case trace.EventTaskBegin:
		t := ev.Task()
		if t.ID == trace.NoTask {
			s.report(ev, "task of type %q without ID", t.Type)
		}
		s.tasks[t.ID] = t.Type
	case trace.EventTaskEnd:
		t := ev.Task()
		if begun, ok := s.tasks[t.ID]; ok && begun != t.Type {
			s.report(ev, "task %d began as %q and ends as %q", t.ID, begun, t.Type)
		}
		delete(s.tasks, t.ID)
	}
}

// sync: the reader numbers one per generation, and one more at the end, which has no clock.
func (s *strict) sync(ev trace.Event) {
	now := ev.Sync()
	if now.N != s.syncs+1 {
		s.report(ev, "synchronisation %d after %d", now.N, s.syncs)
	}
	s.syncs = now.N
	if now.ClockSnapshot == nil {
		return
	}
	if was := s.clock; was != nil && (!now.ClockSnapshot.Wall.After(was.Wall) || now.ClockSnapshot.Mono <= was.Mono ||
		now.ClockSnapshot.Trace <= was.Trace) {
		s.report(ev, "a clock does not advance: %+v after %+v", *now.ClockSnapshot, *was)
	}
	s.clock = now.ClockSnapshot
}

// stack: only the leaf may be unknown, and then wholly.
func (s *strict) stack(ev trace.Event, stk trace.Stack) {
	leaf := true
	for f := range stk.Frames() {
		complete := f.Func != "" && f.File != "" && f.PC != 0 && f.Line != 0
		if !complete && !(leaf && f == trace.StackFrame{}) {
			s.report(ev, "stack frame lacks something: %+v", f)
		}
		leaf = false
	}
}

func (s *strict) label(ev trace.Event) {
	l := ev.Label()
	if l.Label == "" {
		s.report(ev, "empty label")
	}
	known := false
	switch l.Resource.Kind {
	case trace.ResourceGoroutine:
		_, known = s.gs[l.Resource.Goroutine()]
	case trace.ResourceProc:
		_, known = s.ps[l.Resource.Proc()]
	case trace.ResourceThread:
		_, known = s.contexts[l.Resource.Thread()]
	}
	if !known {
		s.report(ev, "label %q on unknown %s", l.Label, l.Resource)
	}
}

// thread is the context of the event's thread, which has to have one.
func (s *strict) thread(ev trace.Event) *context {
	m := ev.Thread()
	if m == trace.NoThread {
		s.report(ev, "something executes on no thread")
		return nil
	}
	c, ok := s.contexts[m]
	if !ok {
		c = &context{p: trace.NoProc, g: trace.NoGoroutine}
		s.contexts[m] = c
	}
	return c
}

func (s *strict) goroutine(ev trace.Event, tr trace.StateTransition) {
	id := tr.Resource.Goroutine()
	from, to := tr.Goroutine()
	state, known := s.gs[id]
	switch {
	case to == trace.GoUndetermined:
		s.report(ev, "goroutine %d becomes undetermined", id)
	case from == trace.GoUndetermined && s.syncs > 1:
		s.report(ev, "goroutine %d appears after the first generation, as %s", id, to)
	case known && from != state:
		s.report(ev, "goroutine %d leaves %s, but it was %s", id, from, state)
	case !known && from != trace.GoUndetermined && from != trace.GoNotExist:
		s.report(ev, "unknown goroutine %d leaves %s", id, from)
	}
	if to == trace.GoNotExist && len(s.ranges[tr.Resource]) > 0 {
		s.report(ev, "goroutine %d ends inside of %v", id, s.ranges[tr.Resource])
	}
	s.gs[id] = to
	switch {
	case to.Executing():
		c := s.thread(ev)
		if c == nil {
			return
		}
		if c.g != trace.NoGoroutine && c.g != id {
			s.report(ev, "goroutine %d runs on a thread that runs goroutine %d", id, c.g)
		}
		c.g = id
		s.onThread[tr.Resource] = c
	case from.Executing():
		c := s.onThread[tr.Resource]
		if c == nil {
			s.report(ev, "goroutine %d stops, but it is on no thread", id)
			return
		}
		if c.g != id {
			s.report(ev, "goroutine %d stops on a thread that runs goroutine %d", id, c.g)
		}
		c.g = trace.NoGoroutine
		delete(s.onThread, tr.Resource)
	}
}

func (s *strict) proc(ev trace.Event, tr trace.StateTransition) {
	id := tr.Resource.Proc()
	from, to := tr.Proc()
	state, known := s.ps[id]
	switch {
	case to == trace.ProcUndetermined:
		s.report(ev, "proc %d becomes undetermined", id)
	case from == trace.ProcUndetermined && s.syncs > 1:
		s.report(ev, "proc %d appears after the first generation, as %s", id, to)
	case known && from != state:
		s.report(ev, "proc %d leaves %s, but it was %s", id, from, state)
	case !known && from != trace.ProcUndetermined && from != trace.ProcNotExist:
		s.report(ev, "unknown proc %d leaves %s", id, from)
	}
	if to == trace.ProcNotExist && len(s.ranges[tr.Resource]) > 0 {
		s.report(ev, "proc %d ends inside of %v", id, s.ranges[tr.Resource])
	}
	s.ps[id] = to
	switch {
	case to.Executing():
		c := s.thread(ev)
		if c == nil {
			return
		}
		if c.p != trace.NoProc && c.p != id {
			s.report(ev, "proc %d runs on a thread that holds proc %d", id, c.p)
		}
		c.p = id
		s.onThread[tr.Resource] = c
	case from.Executing():
		c := s.onThread[tr.Resource]
		if c == nil {
			s.report(ev, "proc %d stops, but it is on no thread", id)
			return
		}
		if c.p != id {
			s.report(ev, "proc %d stops on a thread that holds proc %d", id, c.p)
		}
		c.p = trace.NoProc
		delete(s.onThread, tr.Resource)
	}
}

func (s *strict) rangeEvent(ev trace.Event) {
	r := ev.Range()
	open := s.ranges[r.Scope]
	at := slices.Index(open, r.Name)
	switch {
	case ev.Kind() == trace.EventRangeBegin && at >= 0:
		s.report(ev, "range %q on %s begins inside of itself", r.Name, r.Scope)
	case ev.Kind() == trace.EventRangeEnd && at < 0:
		s.report(ev, "range %q on %s ends without having begun", r.Name, r.Scope)
	case ev.Kind() == trace.EventRangeEnd:
		s.ranges[r.Scope] = slices.Delete(open, at, at+1)
	case at < 0:
		s.ranges[r.Scope] = append(open, r.Name)
	}
}
