/* What a descriptor of another process is: a file, a pipe, a socket with its addresses. */
#ifndef THRACE_CMD_STACKS_DESCRIPTOR_H
#define THRACE_CMD_STACKS_DESCRIPTOR_H

#include "cmd/stacks/process.h"

/* "socket 127.0.0.1:40312→:5432", "/var/log/x.log", "pipe 4711", "descriptor 7" where nothing is known. */
void descriptor_tell(const struct process *p, int fd, char *into, size_t size);

/* How many descriptors an epoll descriptor watches. */
size_t descriptor_watched(const struct process *p, int fd);

#endif
