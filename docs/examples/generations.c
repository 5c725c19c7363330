/*
 * generations FILE: where the generations of a trace are, and the event of the last one that came after the longest
 * silence. Only the last generation is gone through, however long the trace is.
 *
 *     cc generations.c $(pkg-config --cflags --libs gotrace) -o generations
 */
#include <gotrace/gotrace.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void show_longest_silence(struct gotrace_reader *r)
{
    struct gotrace_event *after = NULL;
    int64_t longest = -1, last = 0;
    const struct gotrace_event *ev;
    while ((ev = gotrace_reader_next(r))) {
        int64_t now = gotrace_event_time(ev);
        if (gotrace_event_kind(ev) != GOTRACE_KIND_SYNC && now - last > longest) {
            longest = now - last;
            gotrace_event_free(after);
            after = gotrace_event_copy(ev); /* the reader's own is gone with the next call */
        }
        last = now;
    }
    if (after) {
        printf("after %" PRId64 " ns of silence:\n", longest);
        gotrace_event_print(after, stdout);
    }
    gotrace_event_free(after);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: generations FILE\n", stderr);
        return 2;
    }
    struct gotrace_reader *r = gotrace_reader_open_path(argv[1]);
    struct gotrace_generation gen = {0};
    int more = 0;
    if (r && !gotrace_reader_error(r)) {
        while ((more = gotrace_reader_next_generation(r, &gen)) == 1)
            printf("generation %" PRIu64 " at byte %" PRIu64 ": %" PRIu64 " bytes\n", gen.number, gen.offset, gen.size);
        if (more < 0)
            perror("generations");
        if (gen.size && !gotrace_reader_seek(r, &gen))
            show_longest_silence(r);
    }
    const struct gotrace_error *err = r ? gotrace_reader_error(r) : NULL;
    if (err)
        fprintf(stderr, "generations: %s: %s\n", argv[1], err->message);
    int status = r && !err && !more ? 0 : 1;
    gotrace_reader_free(r);
    return status;
}
