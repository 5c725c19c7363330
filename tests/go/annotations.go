package main

import (
	"strconv"
	"strings"

	"golang.org/x/exp/trace"
)

// word makes one word of what a program said.
func word(s string) string {
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], " ", "_")
}

func (h *history) task(prefix string, id trace.TaskID) string {
	if id == trace.NoTask || id == trace.BackgroundTask {
		return ""
	}
	name, ok := h.tasks[id]
	if !ok {
		name = "?"
	}
	return prefix + name
}

func (h *history) annotate(ev trace.Event) {
	var text string
	switch ev.Kind() {
	case trace.EventTaskBegin:
		t := ev.Task()
		h.tasks[t.ID] = word(t.Type)
		text = h.task("task+", t.ID) + h.task("+", t.Parent)
	case trace.EventTaskEnd:
		text = h.task("task-", ev.Task().ID)
	case trace.EventRegionBegin:
		text = "region+" + word(ev.Region().Type) + h.task("@", ev.Region().Task)
	case trace.EventRegionEnd:
		text = "region-" + word(ev.Region().Type) + h.task("@", ev.Region().Task)
	case trace.EventLog:
		l := ev.Log()
		text = "log" + h.task("@", l.Task) + ":" + word(l.Category) + "=" + word(l.Message)
	case trace.EventLabel:
		text = "label:" + word(ev.Label().Label)
	}
	g := h.goroutine(ev.Goroutine())
	g.annotations = append(g.annotations, text)
}
