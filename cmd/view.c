/* thrace view FILE: a page that shows what the threads of a trace did when, for any browser. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/binary.h"
#include "cmd/complain.h"
#include "cmd/export/heap_in_trace.h"
#include "cmd/export/memory_file.h"
#include "cmd/finish/output.h"
#include "cmd/input.h"
#include "cmd/stat.h"
#include "cmd/stat_report.h"
#include "cmd/verbs.h"
#include "cmd/view.h"
#include "cmd/view/page.h"
#include "cmd/view/serve.h"
#include "cmd/view/tables.h"

enum { ROWS = 100 }; /* of a table of the whole trace */

static const char usage[] =
    "usage: thrace view [-o FILE.html | --serve] [--binary EXE] FILE\n"
    "\n"
    "Makes a page of a Go execution trace: a timeline, tables and flame graphs of any part of it. It needs no\n"
    "network; any browser opens it. FILE may be -, standard input.\n"
    "  -o FILE, --output FILE  the page; - is standard output (default: FILE.html)\n"
    "  --serve                 show it to browsers of this machine, without a file, until Ctrl-C\n"
    "  --binary EXE            of a trace of Go 1.5 or 1.6, the program, which names functions\n"
    "Exit status: 0 done, 1 the trace is invalid from some point on: what could be read is shown,\n"
    "2 it cannot be read, or the page not be written.\n";
static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"serve", no_argument, NULL, 's'},
    {"binary", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"view", usage, ":ho:", options};

/* All are made of the same events, lanes and sums of the same stretches. */
struct view {
    struct stat stat;
    struct lanes lanes; /* on the spans of stat */
    struct heap_pieces heap;
};

static bool view_begin(void *state, const struct gotrace_reader *r)
{
    struct view *v = state;
    return stat_consumer.begin(&v->stat, r);
}

static bool view_event(void *state, const struct gotrace_event *ev)
{
    struct view *v = state;
    struct gotrace_str string;
    if (gotrace_event_kind(ev) == GOTRACE_KIND_SYNC)
        for (size_t i = 0; gotrace_event_sync_string(ev, i, &string); i++)
            heap_pieces_take(&v->heap, string.data, string.len);
    return stat_consumer.event(&v->stat, ev) && lanes_consumer.event(&v->lanes, ev);
}

static bool view_end(void *state)
{
    struct view *v = state;
    return stat_consumer.end(&v->stat) && lanes_consumer.end(&v->lanes);
}

/* What thrace stat says of the whole trace, as its document. */
static bool put_stat(const struct stat *s, const char *path, bool complete, struct pack *to)
{
    struct report report;
    struct stat_input in = {path, complete, NULL};
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_file(&text, &size);
    if (!out)
        return false;
    report_init(&report, REPORT_JSON, out, ROWS);
    bool ok = stat_report(s, 0, &in, &report);
    report_end(&report);
    ok = !ferror(out) && ok;
    ok = !fclose(out) && ok;
    if (ok)
        tables_put_text(to, 'F', text, size);
    free(text);
    return ok;
}

/* What is true of a trace when all of it has been read. */
struct outcome {
    bool nothing; /* no thread could be read */
    bool damaged; /* the heap profile, which the page is without, although the rest of the trace is fine */
};

/* NULL, or what went wrong. */
static const char *put_data(struct gotrace_reader *r, const char *path, FILE *to, bool base64, struct outcome *is)
{
    static const struct event_consumer all = {view_begin, view_event, view_end};
    const char *why;
    struct view v = {.heap = {0}};
    struct pack *pack = pack_new(to, base64, &why);
    if (!pack)
        return why;
    stat_init(&v.stat, ROWS);
    bool ok = lanes_init(&v.lanes, &v.stat.spans, pack) && consume_events(r, &all, &v);
    bool complete = !gotrace_reader_error(r), profile = heap_pieces_complete(&v.heap);
    *is = (struct outcome){.nothing = !v.lanes.threads.n, .damaged = complete && !profile};
    if (ok && profile && v.heap.of)
        tables_put_text(pack, 'G', (const char *)v.heap.data, v.heap.size);
    ok = ok && tables_put(&v.lanes, path, complete) && put_stat(&v.stat, path, complete, pack);
    ok = pack_end(pack) && ok;
    lanes_free(&v.lanes);
    stat_free(&v.stat);
    heap_pieces_free(&v.heap);
    return ok ? NULL : "out of memory";
}

static const char *title_of(const char *path)
{
    const char *name = strrchr(path, '/');
    return name ? name + 1 : path;
}

static const char *flushed(FILE *to) { return fflush(to) || ferror(to) ? strerror(errno) : NULL; }

static const char *put_page(struct gotrace_reader *r, const char *path, FILE *to, struct outcome *is)
{
    page_begin(title_of(path), NULL, to);
    const char *why = put_data(r, path, to, true, is);
    page_end(to);
    return why ? why : flushed(to);
}

/* Of what ended the reading: the exit status, and a complaint. */
static int told(const char *verb, const struct gotrace_reader *r, const char *path, const struct outcome *is)
{
    const struct gotrace_error *error = gotrace_reader_error(r);
    if (error) {
        fprintf(stderr, "thrace %s: ", verb);
        print_error(stderr, path, error);
    }
    if (is->damaged)
        complain(verb, "%s: the heap profile in the trace is damaged", path);
    return is->nothing && error ? EXIT_USAGE : is->damaged ? EXIT_INVALID : error_status(error);
}

/* Returns when it cannot go on. */
static int serve_page(struct gotrace_reader *r, const char *path)
{
    struct outcome is = {0};
    FILE *page = tmpfile(), *data = page ? tmpfile() : NULL;
    const char *why = data ? put_data(r, path, data, false, &is) : strerror(errno);
    int status = EXIT_USAGE;
    hide_progress();
    if (!why) {
        page_begin(title_of(path), SERVE_DATA, page);
        page_end(page);
        why = flushed(data) ? flushed(data) : flushed(page);
    }
    if (!why)
        status = told("view", r, path, &is);
    if (!why && status != EXIT_USAGE)
        why = serve(fileno(page), fileno(data));
    if (why)
        complain("view", "%s: %s", path, why);
    if (page)
        fclose(page);
    if (data)
        fclose(data);
    return EXIT_USAGE;
}

static int write_page(const char *verb, struct gotrace_reader *r, const char *path, const char *page, mode_t mode)
{
    const char *err;
    struct outcome is = {0};
    if (is_same_file(path, page)) {
        complain(verb, "%s: FILE and the page are the same file", path);
        return EXIT_USAGE;
    }
    struct output *out = output_open(page, mode, &err);
    if (!out) {
        complain(verb, "%s: %s", page, err);
        return EXIT_USAGE;
    }
    const char *why = put_page(r, path, output_file(out), &is);
    const struct gotrace_error *error = gotrace_reader_error(r);
    /* What could not be read may be more, another time. */
    bool keep = !why && !(is.nothing && error) && error_status(error) != EXIT_USAGE;
    hide_progress();
    err = output_close(out, keep);
    if (why || (keep && err)) {
        complain(verb, "%s: %s", page, why ? why : err);
        return EXIT_USAGE;
    }
    return told(verb, r, path, &is);
}

/* Where the page goes, if it is not served. */
struct view_to {
    const char *page;
    mode_t mode;
    bool served;
};

static int show(const char *verb, const char *path, const char *exe, const struct view_to *to)
{
    int status = EXIT_USAGE;
    struct binary *binary = exe ? binary_open(verb, exe) : NULL;
    if (exe && !binary)
        return EXIT_USAGE;
    struct gotrace_reader *r = open_input(verb, path);
    if (r) {
        binary_name_frames(binary, r);
        show_progress(r, verb, path);
        status = to->served ? serve_page(r, path) : write_page(verb, r, path, to->page, to->mode);
    }
    gotrace_reader_free(r);
    binary_free(binary);
    return status;
}

int view_file(const char *verb, const char *path, const char *exe, const char *page, mode_t mode)
{
    char *name = NULL;
    if (!page && !strcmp(path, "-"))
        page = "-";
    if (!page && asprintf(&name, "%s.html", path) < 0) {
        complain(verb, "out of memory");
        return EXIT_USAGE;
    }
    int status = show(verb, path, exe, &(struct view_to){.page = page ? page : name, .mode = mode});
    free(name);
    return status;
}

int cmd_view(int argc, char **argv)
{
    const char *page = NULL, *exe = NULL;
    bool served = false;
    int c;
    while ((c = next_option(&arguments, argc, argv)) != -1 && c != 'h' && c != '?')
        switch (c) {
        case 'o': page = optarg; break;
        case 'b': exe = optarg; break;
        case 's': served = true; break;
        }
    if (c == 'h')
        return show_usage(&arguments);
    if (c == '?' || !has_operands(&arguments, argc, 1, 1, "a FILE"))
        return EXIT_USAGE;
    if (served && page)
        return wrong_use(&arguments, "--serve makes no file: -o does not go with it");
    if (served)
        return show("view", argv[optind], exe, &(struct view_to){.served = true});
    return view_file("view", argv[optind], exe, page, 0666);
}
