/* What a descriptor is called: asked of the kernel, once for each that is waited for. */
#ifndef THRACE_PRELOAD_DESCRIPTORS_H
#define THRACE_PRELOAD_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/objects.h"

/*
 * What the kernel calls a descriptor of that thread, 0: of the process: "pipe:[1234]", "anon_inode:[eventfd]", a path;
 * "" if it does not say. One system call, which asks no file system; no libc.
 */
void descriptor_link(uint32_t tid, uint32_t fd, char *into, size_t size);

/*
 * Writes the name of an open descriptor of that kind, at most `size` bytes without a NUL, and returns its length: "socket
 * 127.0.0.1:40312→:5432", "listener :8080", "pipe /run/x.fifo", "eventfd 7". One to three system calls, no libc.
 */
uint32_t descriptor_describe(int fd, enum object_kind kind, char *text, uint32_t size);

#endif
