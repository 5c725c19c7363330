/* Sockets of the network that another process has: names of AF_UNIX that begin with a NUL are of one network each. */
#ifndef THRACE_CMD_NETWORK_H
#define THRACE_CMD_NETWORK_H

#include <sys/types.h>

/*
 * As socket(), in the network namespace of the process. It takes root, or whoever made the user namespace of a rootless
 * container. This process stays in its own. -1 with errno.
 */
int network_socket(pid_t pid, int family, int type);

#endif
