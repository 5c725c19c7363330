package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/trace"
)

// userTask is a task of the program's.
type userTask struct {
	kind         string
	parent       trace.TaskID
	begun, ended int // how often
	generation   int // in which it began
	across       bool
}

// userRegion is one that is open.
type userRegion struct {
	kind       string
	generation int // in which it began
}

// word makes one word of what a program said.
func word(s string) string {
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], " ", "_")
}

func (h *history) taskOf(id trace.TaskID) *userTask {
	t, ok := h.tasks[id]
	if !ok {
		t = &userTask{parent: trace.NoTask}
		h.tasks[id] = t
	}
	return t
}

func isTask(id trace.TaskID) bool { return id != trace.NoTask && id != trace.BackgroundTask }

// byType names a task, "?" when it did not begin.
func (h *history) byType(prefix string, id trace.TaskID) string {
	if !isTask(id) {
		return ""
	}
	if t, ok := h.tasks[id]; ok && t.begun > 0 {
		return prefix + t.kind
	}
	return prefix + "?"
}

// byDescent names a task with those that it is a part of; one that did not begin has its number.
func (h *history) byDescent(prefix string, id trace.TaskID) string {
	if !isTask(id) {
		return ""
	}
	if t, ok := h.tasks[id]; ok && t.begun > 0 {
		return prefix + t.kind + h.byDescent("<", t.parent)
	}
	return fmt.Sprintf("%s#%d", prefix, id)
}

func (h *history) annotate(ev trace.Event) {
	g := h.goroutine(ev.Goroutine())
	switch ev.Kind() {
	case trace.EventLog:
		switch l := ev.Log(); l.Category { // the recorder's own:
		case "[thrace]": // which task the thread works for
			g.adoptions = append(g.adoptions, word(l.Message)+h.byType("@", l.Task))
			return
		case "[thrace] errno": // that a call failed
			return
		}
	case trace.EventTaskBegin:
		t := h.taskOf(ev.Task().ID)
		t.kind, t.parent, t.generation = word(ev.Task().Type), ev.Task().Parent, h.generations
		t.begun++
	case trace.EventTaskEnd:
		t := h.taskOf(ev.Task().ID)
		t.ended++
		t.across = t.across || t.begun > 0 && h.generations > t.generation
	case trace.EventRegionBegin:
		g.regions = append(g.regions, userRegion{word(ev.Region().Type), h.generations})
	case trace.EventRegionEnd:
		if n := len(g.regions); n > 0 {
			if r := g.regions[n-1]; h.generations > r.generation {
				h.regionsAcross[r.kind] = true
			}
			g.regions = g.regions[:n-1]
		}
	}
	text := func(name func(string, trace.TaskID) string, parent string) string {
		switch ev.Kind() {
		case trace.EventTaskBegin:
			return name("task+", ev.Task().ID) + parent
		case trace.EventTaskEnd:
			return name("task-", ev.Task().ID)
		case trace.EventRegionBegin:
			return "region+" + word(ev.Region().Type) + name("@", ev.Region().Task)
		case trace.EventRegionEnd:
			return "region-" + word(ev.Region().Type) + name("@", ev.Region().Task)
		case trace.EventLog:
			l := ev.Log()
			return "log" + name("@", l.Task) + ":" + word(l.Category) + "=" + word(l.Message)
		}
		return "label:" + word(ev.Label().Label)
	}
	parent := ""
	if ev.Kind() == trace.EventTaskBegin {
		parent = h.byType("+", ev.Task().Parent)
	}
	g.annotations = append(g.annotations, text(h.byType, parent))
	g.annotationsByDescent = append(g.annotationsByDescent, text(h.byDescent, ""))
}

// expectAnnotations judges the expectations of what the program said of itself; known: fields are one of them.
func (h *history) expectAnnotations(fields []string, number func(int) int) (known, ok bool, detail string) {
	switch {
	case (fields[0] == "annotations" || fields[0] == "adoptions") && len(fields) > 1:
		var got []string
		for _, g := range h.order {
			if strings.ReplaceAll(g.name, " ", "_") != fields[1] {
				continue
			}
			if fields[0] == "adoptions" {
				got = append(got, g.adoptions...)
			} else {
				got = append(got, g.annotations...)
			}
		}
		return true, slices.Equal(got, fields[2:]), "there are: " + strings.Join(got, " ")
	case fields[0] == "annotated" && len(fields) > 2:
		n, others := 0, ""
		for _, g := range h.order {
			if fields[1] != "*" && strings.ReplaceAll(g.name, " ", "_") != fields[1] {
				continue
			}
			if slices.Equal(g.annotationsByDescent, fields[3:]) {
				n++
			} else {
				others += "\n#   " + strings.Join(g.annotationsByDescent, " ")
			}
		}
		return true, n == number(2), fmt.Sprintf("there are %d; others of that name:%s", n, others)
	case fields[0] == "task" && len(fields) == 3:
		got := h.byDescent("", trace.TaskID(number(1)))
		return true, got == fields[2], "it is " + got
	case fields[0] == "tasks" && len(fields) == 4:
		begun, ended := 0, 0
		for id, t := range h.tasks {
			if h.byDescent("", id) == fields[1] {
				begun, ended = begun+t.begun, ended+t.ended
			}
		}
		return true, begun == number(2) && ended == number(3), fmt.Sprintf("%d began and %d ended", begun, ended)
	case fields[0] == "across" && len(fields) == 3 && fields[1] == "region":
		return true, h.regionsAcross[fields[2]], "none"
	case fields[0] == "across" && len(fields) == 3 && fields[1] == "task":
		for _, t := range h.tasks {
			ok = ok || t.across && t.kind == fields[2]
		}
		return true, ok, "none"
	}
	return false, false, ""
}
