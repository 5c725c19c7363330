package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/exp/trace"
)

// self stands for a goroutine that was woken by its own thread, with nobody else in the event's context.
const self = "self"

type frame struct {
	function, file string
	line           uint64
}

func (f frame) String() string {
	return fmt.Sprintf("%s@%s:%d", f.function, filepath.Base(f.file), f.line)
}

type stack []frame // the leaf first

func (s stack) String() string {
	names := make([]string, len(s))
	for i, f := range s {
		names[i] = f.String()
	}
	return strings.Join(names, " < ")
}

func framesOf(stk trace.Stack) stack {
	var s stack
	for f := range stk.Frames() {
		s = append(s, frame{f.Func, f.File, f.Line})
	}
	return s
}

type goroutine struct {
	id      trace.GoID
	name    string // as Go's tools name it: the outermost frame of the first stack it is seen with
	creator trace.GoID
	start   frame
	labels  []string
	state   trace.GoState
	thread  trace.ThreadID
	open    *block
	inside  *syscall

	annotations          []string // tasks named by their types
	annotationsByDescent []string
	regions              []userRegion // that are open
	adoptions            []string     // of tasks
}

// block is one wait: from running to waiting, until somebody made it runnable.
type block struct {
	g          *goroutine
	begin, end trace.Time // end 0: it lasted to the end of the trace
	reason     string
	stack      stack
	waker      trace.GoID
	wakerM     trace.ThreadID
}

// syscall is one system call that was shown as one.
type syscall struct {
	g     *goroutine
	stack stack
	ended bool
}

type transition struct {
	time     trace.Time
	thread   trace.ThreadID
	g        *goroutine
	from, to trace.GoState
	reason   string
	actor    trace.GoID
	stack    stack
}

// sample is where a CPU sample found a goroutine; g is nil when it found none.
type sample struct {
	g     *goroutine
	stack stack
}

// history is what happened to every goroutine.
type history struct {
	header      string
	events      int
	generations int
	first, last trace.Time
	gs          map[trace.GoID]*goroutine
	order       []*goroutine
	blocks      []*block
	syscalls    []*syscall
	transitions []transition
	samples     []sample
	tasks       map[trace.TaskID]*userTask

	regionsAcross map[string]bool // types of those that ended in a later generation
	threads       map[trace.ThreadID]bool
	procs         map[trace.ProcID]trace.ProcState
	running       int // procs that run now
	maxRunning    int
}

func readHistory(path string, transitions bool) (*history, error) {
	h := &history{
		gs:      make(map[trace.GoID]*goroutine),
		tasks:   make(map[trace.TaskID]*userTask),
		threads: make(map[trace.ThreadID]bool),
		procs:   make(map[trace.ProcID]trace.ProcState),

		regionsAcross: make(map[string]bool),
	}
	var err error
	if h.header, err = headerOf(path); err != nil {
		return nil, err
	}
	err = forEach(path, func(ev trace.Event) { h.event(ev, transitions) })
	if err != nil {
		return nil, fmt.Errorf("after %d events: %w", h.events, err)
	}
	return h, nil
}

func headerOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var header [16]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return "", err
	}
	return strings.TrimRight(string(header[:]), "\x00"), nil
}

func (h *history) event(ev trace.Event, transitions bool) {
	h.events++
	if h.first == 0 {
		h.first = ev.Time()
	}
	h.last = ev.Time()
	if m := ev.Thread(); m != trace.NoThread {
		h.threads[m] = true
	}
	switch ev.Kind() {
	case trace.EventSync:
		// One stands at the start of every generation and one at the end of the trace.
		h.generations = ev.Sync().N - 1
	case trace.EventStackSample:
		h.samples = append(h.samples, sample{h.gs[ev.Goroutine()], framesOf(ev.Stack())})
	case trace.EventLabel:
		if l := ev.Label(); l.Resource.Kind == trace.ResourceGoroutine {
			g := h.goroutine(l.Resource.Goroutine())
			g.labels = append(g.labels, l.Label)
		}
		h.annotate(ev)
	case trace.EventTaskBegin, trace.EventTaskEnd, trace.EventRegionBegin, trace.EventRegionEnd, trace.EventLog:
		h.annotate(ev)
	case trace.EventStateTransition:
		tr := ev.StateTransition()
		switch tr.Resource.Kind {
		case trace.ResourceGoroutine:
			h.step(ev, tr, transitions)
		case trace.ResourceProc:
			h.procStep(tr)
		}
	}
}

func (h *history) procStep(tr trace.StateTransition) {
	id := tr.Resource.Proc()
	from, to := tr.Proc()
	if from.Executing() && h.procs[id].Executing() {
		h.running--
	}
	if to.Executing() {
		h.running++
		h.maxRunning = max(h.maxRunning, h.running)
	}
	h.procs[id] = to
}

func (h *history) goroutine(id trace.GoID) *goroutine {
	g, ok := h.gs[id]
	if !ok {
		g = &goroutine{id: id, creator: trace.NoGoroutine}
		h.gs[id] = g
		h.order = append(h.order, g)
	}
	return g
}

func (h *history) step(ev trace.Event, tr trace.StateTransition, transitions bool) {
	g := h.goroutine(tr.Resource.Goroutine())
	from, to := tr.Goroutine()
	stk := framesOf(tr.Stack)
	if g.name == "" && len(stk) > 0 {
		g.start = stk[len(stk)-1]
		g.name = g.start.function
	}
	if from == trace.GoNotExist {
		g.creator = ev.Goroutine()
	}
	if to.Executing() {
		g.thread = ev.Thread()
	}
	g.state = to
	if to == trace.GoWaiting && from.Executing() {
		g.open = &block{g: g, begin: ev.Time(), reason: tr.Reason, stack: stk}
		h.blocks = append(h.blocks, g.open)
	}
	if to == trace.GoSyscall && from == trace.GoRunning {
		g.inside = &syscall{g: g, stack: stk}
		h.syscalls = append(h.syscalls, g.inside)
	}
	if from == trace.GoSyscall && to != trace.GoSyscall && g.inside != nil {
		g.inside.ended, g.inside = true, nil
	}
	if from == trace.GoWaiting && g.open != nil && to != trace.GoWaiting {
		g.open.end, g.open.waker, g.open.wakerM = ev.Time(), ev.Goroutine(), ev.Thread()
		g.open = nil
	}
	if transitions {
		h.transitions = append(h.transitions,
			transition{ev.Time(), ev.Thread(), g, from, to, tr.Reason, ev.Goroutine(), stk})
	}
}

// nameOf is how expectations and listings call a goroutine.
func (h *history) nameOf(id trace.GoID) string {
	if id == trace.NoGoroutine {
		return "-"
	}
	if g, ok := h.gs[id]; ok && g.name != "" {
		return g.name
	}
	return fmt.Sprintf("goroutine %d", id)
}

func (h *history) wakerOf(b *block) string {
	switch {
	case b.end == 0:
		return "nobody"
	case b.waker == trace.NoGoroutine && b.wakerM == b.g.thread:
		return self
	}
	return h.nameOf(b.waker)
}

func (h *history) since(t trace.Time) int64 { return int64(t.Sub(h.first)) }

func (h *history) printFacts(w io.Writer) {
	ids := make([]trace.GoID, 0, len(h.gs))
	alive := 0
	for id, g := range h.gs {
		ids = append(ids, id)
		if g.state != trace.GoNotExist {
			alive++
		}
	}
	slices.Sort(ids)
	maxProc := trace.NoProc
	for id := range h.procs {
		maxProc = max(maxProc, id)
	}
	fmt.Fprintf(w, "header\t%s\n", h.header)
	fmt.Fprintf(w, "events\t%d\n", h.events)
	fmt.Fprintf(w, "generations\t%d\n", h.generations)
	fmt.Fprintf(w, "duration-ns\t%d\n", h.since(h.last))
	fmt.Fprintf(w, "goroutines\t%d\n", len(h.gs))
	if len(ids) > 0 {
		fmt.Fprintf(w, "min-goroutine\t%d\n", ids[0])
		fmt.Fprintf(w, "max-goroutine\t%d\n", ids[len(ids)-1])
	}
	fmt.Fprintf(w, "alive-at-end\t%d\n", alive)
	fmt.Fprintf(w, "procs\t%d\n", len(h.procs))
	fmt.Fprintf(w, "max-proc\t%d\n", maxProc)
	fmt.Fprintf(w, "max-running-procs\t%d\n", h.maxRunning)
	fmt.Fprintf(w, "threads\t%d\n", len(h.threads))
	fmt.Fprintf(w, "blocks\t%d\n", len(h.blocks))
}

func (h *history) printGoroutines(w io.Writer) {
	for _, g := range h.order {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", g.id, g.name, h.nameOf(g.creator), g.start, strings.Join(g.labels, ","))
	}
}

func (h *history) printTransitions(w io.Writer) {
	for _, t := range h.transitions {
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", h.since(t.time), t.thread, t.g.id, t.g.name, t.from, t.to,
			t.reason, h.nameOf(t.actor), t.stack)
	}
}

func (h *history) printBlocks(w io.Writer) {
	for _, b := range h.blocks {
		end := int64(-1)
		if b.end != 0 {
			end = h.since(b.end)
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%s\t%s\t%s\n", h.since(b.begin), end, b.g.id, b.g.name, b.reason, h.wakerOf(b),
			b.stack)
	}
}
