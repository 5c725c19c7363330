/* The command talks to no process but the one asked for, and does not believe all that it says. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/control_client.h"
#include "cmd/finish/process_life.h"

enum { SOMEBODY = 54321 };

static struct control_reply reply;

static void assert_answer(pid_t pid, const char *wanted)
{
    const char *said = control_ask(pid, CONTROL_STATUS, &reply);
    if (!wanted && said)
        fail_msg("said \"%s\"", said);
    if (wanted && (!said || !strstr(said, wanted)))
        fail_msg("said \"%s\", not \"%s\"", said ? said : "nothing", wanted);
}

/* A socket under the name of a process. */
static int listen_as(pid_t pid)
{
    struct process_stat s;
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    assert_int_equal(process_stat(pid, &s), 0);
    size_t len = control_name(a.sun_path + 1, s.innermost, s.start);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(fd, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) ||
        listen(fd, 8))
        _exit(9);
    return fd;
}

/* A child that runs until it is ended, and says when it is ready; what it does comes first. */
static pid_t child(void (*does)(int ready), int *ready)
{
    int p[2];
    assert_int_equal(pipe(p), 0);
    pid_t pid = fork();
    if (!pid) {
        close(p[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        does(p[1]);
        for (;;)
            pause();
    }
    close(p[1]);
    char c;
    assert_int_equal(read(p[0], &c, 1), 1);
    *ready = p[0];
    return pid;
}

static void end(pid_t pid, int ready)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready);
}

static void tell(int ready) { assert_int_equal(write(ready, "x", 1), 1); }

static struct control_reply answer; /* of the child to come */
static size_t answer_size;
static int gives_up; /* so many connections */

static void answers(int ready)
{
    struct control_request q;
    int fd = listen_as(getpid());
    tell(ready);
    for (;;) {
        int c = accept(fd, NULL, NULL);
        if (gives_up-- > 0) {
            close(c);
            continue;
        }
        if (recv(c, &q, sizeof q, 0) == sizeof q && q.magic == CONTROL_MAGIC && q.version == CONTROL_VERSION &&
            q.verb == CONTROL_STATUS)
            send(c, &answer, answer_size, MSG_NOSIGNAL);
        close(c);
    }
}

static int set_up(void **state)
{
    answer = (struct control_reply){.magic = CONTROL_MAGIC, .version = CONTROL_VERSION, .session = 17};
    answer_size = sizeof answer;
    return 0;
}

static void the_process_answers(void **state)
{
    int ready;
    memset(answer.spool, 'x', sizeof answer.spool);
    pid_t pid = child(answers, &ready);
    assert_answer(pid, NULL);
    assert_int_equal(reply.session, 17);
    assert_int_equal(strlen(reply.spool), sizeof reply.spool - 1); /* it ends, though the process did not say so */
    end(pid, ready);
}

static void an_answer_of_another_kind_is_refused(void **state)
{
    int ready;
    answer.magic++;
    pid_t pid = child(answers, &ready);
    assert_answer(pid, "another version");
    end(pid, ready);
    answer.magic--;
    answer.version++;
    pid = child(answers, &ready);
    assert_answer(pid, "another version");
    end(pid, ready);
    answer.version--;
    answer_size--;
    pid = child(answers, &ready);
    assert_answer(pid, "another version");
    end(pid, ready);
    answer_size = 0;
    pid = child(answers, &ready);
    assert_answer(pid, "has not answered");
    end(pid, ready);
}

/* On a busy machine it has given up the first ones before they came to say what they want. */
static void who_was_not_listened_to_asks_again(void **state)
{
    int ready;
    answer_size = sizeof answer;
    gives_up = 2;
    pid_t pid = child(answers, &ready);
    assert_answer(pid, NULL);
    assert_int_equal(reply.session, 17);
    end(pid, ready);
    gives_up = 1000;
    pid = child(answers, &ready);
    assert_answer(pid, "does not read");
    end(pid, ready);
    gives_up = 0;
}

/* Anybody can take the name of a process before that does. An impostor gets no request, and is not believed. */
static void an_impostor_is_found_out(void **state)
{
    int ready;
    pid_t pid = child(tell, &ready);
    int fd = listen_as(pid);
    assert_answer(pid, "another process listens in its name");
    int c = accept(fd, NULL, NULL);
    assert_true(c >= 0);
    assert_int_equal(recv(c, &reply, sizeof reply, 0), 0); /* nothing was sent */
    close(c);
    close(fd);
    end(pid, ready);
}

static void who_cannot_answer_is_told_apart(void **state)
{
    int ready;
    pid_t pid = child(tell, &ready);
    assert_answer(pid, "does not listen");
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
    assert_answer(pid, "is stopped");
    siginfo_t info;
    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_answer(pid, "has ended");
    end(pid, ready);
    assert_answer(pid, "no such process");
}

/* A process has taken the pid of the one that was asked: by its start time, its name is another one. */
static void a_pid_that_was_used_again_has_another_name(void **state)
{
    char a[CONTROL_NAME_MAX], b[CONTROL_NAME_MAX];
    struct process_stat s;
    assert_int_equal(process_stat(getpid(), &s), 0);
    size_t n = control_name(a, s.innermost, s.start), m = control_name(b, s.innermost, s.start + 1);
    assert_true(n != m || memcmp(a, b, n));
}

static void listens_as_somebody(int ready)
{
    if (setresgid(SOMEBODY, SOMEBODY, SOMEBODY) || setresuid(SOMEBODY, SOMEBODY, SOMEBODY))
        _exit(9);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* that is forgotten with the user */
    answers(ready);
}

/* The command of a third user talks to root and to itself, and to nobody else. */
static void another_users_process_is_not_asked(void **state)
{
    int ready, status;
    if (geteuid())
        SKIP("optional: not root");
    reply.session = 0;
    pid_t pid = child(listens_as_somebody, &ready), asks = fork();
    if (!asks) {
        const char *said = setresuid(SOMEBODY + 1, SOMEBODY + 1, SOMEBODY + 1) ? NULL :
                           control_ask(pid, CONTROL_STATUS, &reply);
        _exit(said && strstr(said, "belongs to another user") && !reply.session ? 0 : 1);
    }
    assert_int_equal(waitpid(asks, &status, 0), asks);
    assert_int_equal(status, 0);
    assert_answer(pid, NULL); /* root may */
    end(pid, ready);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_process_answers, set_up),
        cmocka_unit_test_setup(an_answer_of_another_kind_is_refused, set_up),
        cmocka_unit_test_setup(who_was_not_listened_to_asks_again, set_up),
        cmocka_unit_test_setup(an_impostor_is_found_out, set_up),
        cmocka_unit_test_setup(who_cannot_answer_is_told_apart, set_up),
        cmocka_unit_test_setup(a_pid_that_was_used_again_has_another_name, set_up),
        cmocka_unit_test_setup(another_users_process_is_not_asked, set_up),
    };
    return cmocka_run_group_tests_name("control client", tests, NULL, NULL);
}
