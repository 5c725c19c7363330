package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// An expectation is one line; what is not a line of these forms is an error:
//
//	goroutines COUNT              so many goroutines in all
//	goroutine NAME COUNT          so many of that name
//	block NAME REASON WAKER STACK [COUNT | any]
//	                              a wait of that goroutine. A REASON's blanks are written "_". WAKER is a goroutine's
//	                              name, "self", "nobody" or "*". STACK is FUNCTION[@FILE:LINE] joined by "<", the leaf
//	                              first; frames between may be left out, so may outer ones. What is waited for,
//	                              "mutex:NAME", may stand in front, with ":" for the first blank and "_" for others; it
//	                              may end in "*", or in "#" for a number. Without it any object fits
//	quiet NAME                    no wait at all
//	cpu NAME STACK                CPU samples with that stack are there, and all those with its leaf and the frame
//	                              next to it are that goroutine's; skipped where a trace has hardly any
//	syscall NAME STACK [COUNT]    a system call of that goroutine, begun and ended; or COUNT of them. "none" as STACK
//	                              and no other such line: no system call at all
//	annotations NAME ANNOTATION…  those of that goroutine, exactly, in order: task+TYPE+PARENT, task-TYPE,
//	                              region+TYPE@TASK, region-TYPE@TASK, log@TASK:CATEGORY=MESSAGE, label:LABEL. Tasks are
//	                              named by their types, "?" for one that did not begin; blanks are written "_"
//	annotated NAME COUNT ANNOTATION…
//	                              so many goroutines of that name, or of all, have exactly those, in order. A task is
//	                              named with those that it is a part of, TYPE<TYPE<…; one that did not begin is #NUMBER
//	task NUMBER TASK              the task of that number is this one, named like that
//	tasks TASK BEGUN ENDED        so many tasks of that name began, and so many ended
//	across task|region TYPE       one of that type ended in a later generation than it began
//	adoptions NAME ADOPTION…      likewise, of annotations, what says for which task it works: adopted@TYPE, left@TYPE
//	alive NAME COUNT              so many of that name exist when the trace ends
//
// A FUNCTION may be a choice, "read|__read": names of one address.
//
// Once a goroutine's name stands in a block or quiet line, its waits must be exactly the expected ones, and likewise its
// system calls once it stands in a syscall line. The name "*" matches every goroutine that no other line names, but does
// not make the list exact.
type expectation struct {
	text    string
	name    string
	reason  string
	waker   string
	stack   []string
	count   int // -1: any number, also none
	matched int
}

// A kernel with too much to do samples seldom: of so few in a whole trace one stack may well be in none.
const fewSamples = 10

func (h *history) expect(out io.Writer, in io.Reader) (int, error) {
	status := 0
	say := func(ok bool, text, detail string) {
		if ok {
			fmt.Fprintf(out, "ok - %s\n", text)
			return
		}
		status = 1
		fmt.Fprintf(out, "not ok - %s\n# %s\n", text, detail)
	}
	var waits, calls []*expectation
	exact, exactCalls := make(map[string]bool), make(map[string]bool)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		number := func(i int) int {
			n, err := strconv.Atoi(fields[i])
			if err != nil {
				n = -2
			}
			return n
		}
		if known, ok, detail := h.expectAnnotations(fields, number); known {
			say(ok, strings.Join(fields[:min(3, len(fields))], " "), detail)
			continue
		}
		switch {
		case fields[0] == "goroutines" && len(fields) == 2:
			say(len(h.gs) == number(1), text, fmt.Sprintf("there are %d: %s", len(h.gs), h.census()))
		case fields[0] == "goroutine" && len(fields) == 3:
			n := h.count(func(g *goroutine) bool { return g.name == fields[1] })
			say(n == number(2), text, fmt.Sprintf("there are %d; all: %s", n, h.census()))
		case fields[0] == "alive" && len(fields) == 3:
			n := h.count(func(g *goroutine) bool { return g.name == fields[1] && g.state.String() != "NotExist" })
			say(n == number(2), text, fmt.Sprintf("there are %d", n))
		case fields[0] == "cpu" && len(fields) == 3:
			there, elsewhere := h.sampled(fields[1], strings.Split(fields[2], "<"))
			if all := len(h.samples); there == 0 && elsewhere == 0 && all > 0 && all < fewSamples {
				fmt.Fprintf(out, "ok - %s # SKIP optional: %d samples in all, the machine is busy\n", text, all)
				continue
			}
			say(there > 0 && elsewhere == 0, text,
				fmt.Sprintf("%d samples in that goroutine, %d in others, of %d", there, elsewhere, len(h.samples)))
		case fields[0] == "quiet" && len(fields) == 2:
			exact[fields[1]] = true
		case fields[0] == "syscall" && (len(fields) == 3 || len(fields) == 4):
			exactCalls[fields[1]] = true
			e := &expectation{text: text, name: fields[1], stack: strings.Split(fields[2], "<"), count: 1}
			if len(fields) == 4 {
				e.count = number(3)
			}
			if fields[2] != "none" {
				calls = append(calls, e)
			}
		case fields[0] == "block" && (len(fields) == 5 || len(fields) == 6):
			e := &expectation{text: text, name: fields[1], reason: strings.ReplaceAll(fields[2], "_", " "),
				waker: fields[3], stack: strings.Split(fields[4], "<"), count: 1}
			if len(fields) == 6 {
				if e.count = number(5); fields[5] == "any" {
					e.count = -1
				}
			}
			waits = append(waits, e)
			if e.name != "*" {
				exact[e.name] = true
			}
		default:
			return 2, fmt.Errorf("no expectation: %q", text)
		}
	}
	if err := lines.Err(); err != nil {
		return 2, err
	}
	unexpected := h.matchWaits(waits, exact)
	for _, e := range waits {
		ok := e.count == e.matched || e.count == -1
		say(ok, e.text, fmt.Sprintf("seen %d times; that goroutine's waits:%s", e.matched, h.waitsOf(e.name)))
	}
	unexpectedCalls := h.matchCalls(calls, exactCalls)
	for _, e := range calls {
		say(e.count == e.matched, e.text, fmt.Sprintf("seen %d times", e.matched))
	}
	for name := range exactCalls {
		surplus := unexpectedCalls[name]
		say(len(surplus) == 0, name+" makes no other system call", strings.Join(surplus, "\n# "))
	}
	for name := range exact {
		surplus := unexpected[name]
		say(len(surplus) == 0, name+" waits for nothing else", strings.Join(surplus, "\n# "))
	}
	return status, nil
}

// sampled counts the CPU samples with the stack, in goroutines of that name and in others.
func (h *history) sampled(name string, frames []string) (there, elsewhere int) {
	for _, s := range h.samples {
		mine := s.g != nil && s.g.name == name
		switch {
		case mine && (&expectation{stack: frames}).stackFits(s.stack):
			there++
		case !mine && (&expectation{stack: frames[:min(2, len(frames))]}).stackFits(s.stack):
			elsewhere++
		}
	}
	return there, elsewhere
}

// matchWaits gives every wait to the first expectation that wants one more of its kind; what is left over is returned.
func (h *history) matchWaits(waits []*expectation, exact map[string]bool) map[string][]string {
	unexpected := make(map[string][]string)
next:
	for _, b := range h.blocks {
		for _, e := range waits {
			if e.count != e.matched && e.fits(h, b, exact) {
				e.matched++
				continue next
			}
		}
		if exact[b.g.name] {
			unexpected[b.g.name] = append(unexpected[b.g.name], h.describe(b))
		}
	}
	return unexpected
}

// matchCalls does the same with system calls.
func (h *history) matchCalls(calls []*expectation, exact map[string]bool) map[string][]string {
	unexpected := make(map[string][]string)
	byName := make(map[string][]*expectation)
	for _, e := range calls {
		byName[e.name] = append(byName[e.name], e)
	}
next:
	for _, c := range h.syscalls {
		for _, e := range byName[c.g.name] {
			if c.ended && e.count != e.matched && e.stackFits(c.stack) {
				e.matched++
				continue next
			}
		}
		if exact[c.g.name] {
			unexpected[c.g.name] = append(unexpected[c.g.name], c.stack.String())
		}
	}
	return unexpected
}

func (e *expectation) fits(h *history, b *block, exact map[string]bool) bool {
	if e.name != b.g.name && (e.name != "*" || exact[b.g.name]) {
		return false
	}
	if e.reason != b.reason || e.waker != "*" && e.waker != h.wakerOf(b) {
		return false
	}
	return e.stackFits(b.stack)
}

// stackFits wants the leaf at the leaf, and the other frames somewhere above it, in that order.
func (e *expectation) stackFits(s stack) bool {
	at := 0
	if len(s) > 0 && len(e.stack) > 0 && isObject(s[0].function) {
		if !strings.Contains(e.stack[0], ":") {
			s = s[1:]
		} else if objectFits(e.stack[0], s[0].function) {
			return (&expectation{stack: e.stack[1:]}).stackFits(s[1:])
		}
	}
	for i, want := range e.stack {
		for at < len(s) && !frameFits(want, s[at]) {
			if i == 0 {
				return false
			}
			at++
		}
		if at == len(s) {
			return false
		}
		at++
	}
	return true
}

// The words that the names of what is waited for begin with, as lib/objects.def has them.
var objectWords = strings.Fields("mutex rwlock condition semaphore barrier once spinlock futex openmp-lock openmp-team " +
	"thread pipe socket listener eventfd timerfd signalfd mqueue epoll descriptors file")

func isObject(function string) bool {
	word, _, named := strings.Cut(function, " ")
	return named && slices.Contains(objectWords, word)
}

func objectFits(want, function string) bool {
	is := strings.ReplaceAll(strings.Replace(function, " ", ":", 1), " ", "_")
	if start, any := strings.CutSuffix(want, "*"); any {
		return strings.HasPrefix(is, start)
	}
	if start, number := strings.CutSuffix(want, "#"); number {
		rest, starts := strings.CutPrefix(is, start)
		_, err := strconv.ParseUint(rest, 10, 64)
		return starts && err == nil
	}
	return is == want
}

func frameFits(want string, f frame) bool {
	choice, place, placed := strings.Cut(want, "@")
	if choice != f.function && choice != bare(f.function) && !slices.Contains(strings.Split(choice, "|"), f.function) {
		return false
	}
	return !placed || strings.HasSuffix(f.String(), "@"+place)
}

// bare cuts the parameters off a C++ function's name, so that an expectation need not spell them.
func bare(function string) string {
	name, _, _ := strings.Cut(function, "(")
	return name
}

func (h *history) count(is func(*goroutine) bool) int {
	n := 0
	for _, g := range h.order {
		if is(g) {
			n++
		}
	}
	return n
}

func (h *history) census() string {
	seen := make(map[string]int)
	var names []string
	for _, g := range h.order {
		if seen[g.name]++; seen[g.name] == 1 {
			names = append(names, g.name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%q × %d", name, seen[name])
	}
	return strings.Join(names, ", ")
}

func (h *history) describe(b *block) string {
	return fmt.Sprintf("goroutine %d, %q, woken by %s, at %s", b.g.id, b.reason, h.wakerOf(b), b.stack)
}

func (h *history) waitsOf(name string) string {
	var s strings.Builder
	for _, b := range h.blocks {
		if b.g.name == name {
			s.WriteString("\n#   " + h.describe(b))
		}
	}
	return s.String()
}
