// The same with libc in the program; a library of C has Work.
package main

import "C"

//export Work
func Work() { work() }
