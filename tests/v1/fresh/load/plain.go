// +build !go1.11

package main

func do(name string, f func()) { f() }
