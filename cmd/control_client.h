/* Talking to a recorded process: lib/control.h from the command's side. */
#ifndef THRACE_CMD_CONTROL_CLIENT_H
#define THRACE_CMD_CONTROL_CLIENT_H

#include <sys/types.h>

#include "lib/control.h"

/* What control_ask returns where nobody listens. */
extern const char control_not_listening[];

/* What control_ask() says where the process is in a network that we may not come to. */
extern const char control_other_network[];

/* Asks the process, and waits for the answer. NULL, or one line that says why there is none. */
const char *control_ask(pid_t pid, enum control_verb verb, struct control_reply *reply);

/* Why it did not do what it was asked, by the errno of its reply: one line. */
const char *control_refusal(int err);

/* As control_ask, and of what the library has to say the line behind that number. */
const char *control_ask_after(pid_t pid, enum control_verb verb, uint32_t said_number, struct control_reply *reply);

#endif
