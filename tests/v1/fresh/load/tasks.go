// +build go1.11

package main

import (
	"context"
	"runtime/trace"
)

func do(name string, f func()) {
	ctx, task := trace.NewTask(context.Background(), name)
	defer task.End()
	trace.WithRegion(ctx, name+" region", func() {
		inner, child := trace.NewTask(ctx, "child")
		trace.Log(inner, "category", "of "+name)
		trace.WithRegion(inner, "inner", f)
		child.End()
	})
}
