#include "config.h"

#include "cmd/control_client.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd/finish/process_life.h"
#include "cmd/network.h"
#include "lib/text.h"

static const char no_answer[] = "the process does not answer";
static const char never_read[] = "the process does not read what it is told";
const char control_other_network[] = "the process has a network of its own, which takes root to come to";
static const char not_yours[] = "the process does not obey you: it belongs to another user";
const char control_not_listening[] =
    "the process does not listen: it runs without thrace, or without THRACE_CONTROL=1 (thrace record --control)";

/* Anybody may listen at any name; only the kernel says who it is. */
static const char *check_peer(int fd, pid_t pid)
{
    struct ucred who;
    socklen_t len = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) || who.pid != pid)
        return "another process listens in its name; nothing was sent";
    return geteuid() && who.uid && who.uid != geteuid() ? not_yours : NULL;
}

/* Judged by the owner of its files in /proc. */
static bool is_obeyed(pid_t pid)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    return !geteuid() || stat(path, &st) || st.st_uid == geteuid();
}

static const char *talk(int fd, pid_t pid, const struct control_request *q, struct control_reply *reply)
{
    const char *err = check_peer(fd, pid);
    if (err)
        return err;
    ssize_t n = send(fd, q, sizeof *q, MSG_NOSIGNAL) == sizeof *q ? recv(fd, reply, sizeof *reply, 0) : -1;
    if (n < 0 && errno == EAGAIN)
        return no_answer;
    if (n <= 0 && !is_obeyed(pid))
        return not_yours;
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
        return never_read;
    if (n <= 0)
        return "the process is ending; it has not answered";
    if (n != sizeof *reply || reply->magic != CONTROL_MAGIC || reply->version != CONTROL_VERSION)
        return "the process was started with another version of thrace";
    reply->spool[sizeof reply->spool - 1] = reply->said[sizeof reply->said - 1] = 0;
    text_make_printable(reply->said);
    return NULL;
}

/*
 * Whoever has the name may leave us waiting, for the connection as for the reply. A status comes at once; a command
 * may take its time in a large process.
 */
static void set_timeouts(int fd, enum control_verb verb)
{
    const struct timeval patience = {verb == CONTROL_STATUS ? 5 : 30, 0}, connecting = {5, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &connecting, sizeof connecting);
}

/* Where the process has other users than we do, root is nobody there, and its own user is obeyed. */
static int connect_as_obeyed(int fd, const struct sockaddr_un *address, socklen_t len, pid_t pid)
{
    char folder[PROCESS_FOLDER];
    struct stat owner;
    process_folder(folder, pid);
    bool foreign = !geteuid() && !process_shares(folder, "ns/user") && !stat(folder, &owner) && owner.st_uid;
    if (foreign && seteuid(owner.st_uid))
        return -1;
    int failed = connect(fd, (const struct sockaddr *)address, len);
    const int error = errno;
    if (foreign && seteuid(0))
        abort(); /* nothing that follows is meant to be done as another user */
    errno = error;
    return failed;
}

static const char *why_not_connected(void)
{
    if (errno == ECONNREFUSED)
        return control_not_listening;
    return errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR ? no_answer : strerror(errno);
}

static const char *ask_once(pid_t pid, const struct process_stat *s, const struct control_request *q,
                            struct control_reply *reply)
{
    char name[CONTROL_NAME_MAX];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = control_name(name, s->innermost ? s->innermost : (uint32_t)pid, s->start);
    memcpy(address.sun_path + 1, name, len);
    int fd = network_socket(pid, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC);
    if (fd < 0)
        return errno == EPERM    ? control_other_network
               : errno == ENOENT ? "the process has ended"
                                 : strerror(errno);
    const char *err = NULL;
    set_timeouts(fd, q->verb);
    if (connect_as_obeyed(fd, &address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len), pid))
        err = why_not_connected();
    else
        err = talk(fd, pid, q, reply);
    close(fd);
    return err;
}

/* NULL: it can answer. */
static const char *why_mute(const struct process_stat *s)
{
    switch (s->state) {
    case 'T': return "the process is stopped, and cannot answer: kill -CONT lets it go on";
    case 't': return "a debugger holds the process, and it cannot answer";
    default: return NULL;
    }
}

/* Who gets no processor for long after the connection finds that the process has given it up. */
const char *control_ask_after(pid_t pid, enum control_verb verb, uint32_t said_number, struct control_reply *reply)
{
    enum { TRIES = 3 };
    const struct control_request q = {CONTROL_MAGIC, CONTROL_VERSION, verb, said_number};
    struct process_stat s;
    const char *err = process_look(pid, &s);
    if (!err && process_has_ended(pid, &s))
        err = "the process has ended";
    if (!err)
        err = why_mute(&s);
    if (err)
        return err;
    err = never_read;
    for (int i = 0; i < TRIES && err == never_read; i++)
        err = ask_once(pid, &s, &q, reply);
    /* A signal that stops it may have been under way. */
    const char *mute = err == no_answer && !process_stat(pid, &s) ? why_mute(&s) : NULL;
    return mute ? mute : err;
}

const char *control_ask(pid_t pid, enum control_verb verb, struct control_reply *reply)
{
    return control_ask_after(pid, verb, CONTROL_SAID_LAST, reply);
}

const char *control_refusal(int err)
{
    switch (err) {
    case ESHUTDOWN: return "the process records no more: it ends, or is in a sandbox";
    case EMLINK: return "the spools of earlier programs of the process (exec) take all names";
    case EBUSY: return "a thread of the process did not give way; try again";
    case ENOBUFS: return "more is recorded there in a moment than the flight recorder has room for; a larger one helps";
    default: return strerror(err);
    }
}
