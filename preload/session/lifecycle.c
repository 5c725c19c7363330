/*
 * The constructor starts the recording, the destructor ends it and has `thrace finish` make the trace, in a process of
 * its own, before the program's exit completes. Under `thrace record` the launcher does that instead.
 *
 * Whatever cannot be done is said in one line, and the program runs on untraced.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/options/options.h"
#include "preload/delays.h"
#include "preload/heap/heap_setup.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/say.h"
#include "preload/session/begin.h"
#include "preload/session/finisher.h"
#include "preload/session/own_threads.h"
#include "preload/session/state.h"
#include "preload/session/stop.h"
#include "preload/session/triggers.h"
#include "preload/symbols.h"
#include "preload/valgrind.h"

static struct options options;
static char **environment;

/* --- start -------------------------------------------------------------------------------------------------------- */

enum { MAX_PIECES = 5 };

/* The pieces, of which none may fill the line by itself, up to a NULL. */
static void say_pieces(const char *text, const char *const pieces[MAX_PIECES])
{
    char line[SPOOL_PATH_MAX];
    size_t n = 0;
    for (int i = 0; i < MAX_PIECES && pieces[i]; i++) {
        size_t len = strnlen(pieces[i], 512);
        memcpy(line + n, pieces[i], len);
        n += len;
    }
    line[n] = 0;
    say(text, line);
}

static void complain_of_option(const struct option_fault *fault)
{
    const char *const pieces[MAX_PIECES] = {fault->kind->variable, "=", fault->value, " makes no sense; it takes ",
                                            fault->kind->takes};
    say_pieces("nothing is recorded: ", pieces);
}

/* One is enough to make somebody look. */
static void name_misspelt_variable(char **envp)
{
    for (; envp && *envp; envp++) {
        struct piece name;
        const char *meant = option_meant(*envp, &name);
        if (!meant)
            continue;
        char given[64] = "";
        memcpy(given, name.text, name.len < sizeof given ? name.len : sizeof given - 1);
        say_pieces("no such variable: ", (const char *const[MAX_PIECES]){given, "; did you mean ", meant, "?"});
        return;
    }
}

/* A process that is not the one that `thrace record` started stays out of it. */
static bool is_launched(void) { return options.launcher == (uint64_t)sys_getpid(); }
static bool is_for_us(void) { return options.out && (!options.launcher || is_launched() || options.follow); }

/* What a program of musl's executes may be one of glibc's, which has LD_PRELOAD from it. */
static bool is_of_our_libc(void)
{
#ifdef __GLIBC__
    return true;
#else
    return !symbol_next("gnu_get_libc_version", NULL).address;
#endif
}

#ifdef __GLIBC__
__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
#else
__attribute__((constructor)) static void start(void)
{
    char **envp = environ;
#endif
    /*
     * A program that was built for other tracers may load this library, because a variable names it that a recorded
     * program has handed down without LD_PRELOAD. Then it stays a guest that does nothing.
     */
    if (!symbol_is_before_libc())
        return;
    real_resolve();
    if (!is_of_our_libc()) {
        heap_begin(false, 0, false);
        return;
    }
    environment = envp;
    struct option_fault fault;
    bool understood = options_read(&options, envp, &fault);
    if (!understood && (!options.launcher || is_launched() || options.follow))
        complain_of_option(&fault);
    if (understood && !options.launcher && !options.out)
        name_misspelt_variable(envp);
    if (!understood || !is_for_us()) {
        heap_begin(false, 0, false);
        return;
    }
    begin_with(&options);
    const char *obstacle = begin_obstacle();
    if (obstacle) {
        say(obstacle, options.out);
        heap_begin(false, 0, false);
        return;
    }
    if (!begin_process(BEGIN_WITH_PROGRAM)) {
        complain_of_start(-ENOMEM, options.out);
        heap_begin(false, 0, false);
        return;
    }
    int err = begin_sessions();
    if (!options.launcher && err != -EEXIST) /* thrace record has looked itself, and so has who records there already */
        name_misspelt_variable(envp);
    if (recording() && options.verbose)
        say("recording to ", session_spool());
}

/* --- end ---------------------------------------------------------------------------------------------------------- */

__attribute__((destructor)) static void end(void)
{
    if (!recorder.owner->alive)
        return;
    session_stop_for_good();
    say_pending();
    if (options.verbose)
        delays_say();
    if (is_under_valgrind())
        own_threads_stop(); /* what libc allocated for a thread that lives on is reported as a leak */
    if (is_launched() || !session_number())
        return;
    if (!run_finisher(environment))
        say_unfinished();
}
