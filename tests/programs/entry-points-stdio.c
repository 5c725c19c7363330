/* Streams. */
#include "entry-points.h"

#define P(x) (long)(x)

static char line[200], *allocated;
static size_t size_allocated;
static char text[] = "twelve bytes", format[] = "%s", nothing_to_format[] = "twelve bytes", number_format[] = "%d";
static int number;
static char no_arguments[32]; /* of a list that is empty */
static char line_of_input[] = "12345678\n";

static void empty_pipe(void) { empty(PIPE_IN); }
static void feed(void) { CHECK(write(PIPE_OUT, line_of_input, 9) == 9); }
static void make_room(void) { CHECK(read(PIPE_IN, buffer, 65536) == 65536); }

static void fill_pipe(void)
{
    empty(PIPE_IN);
    fill(PIPE_OUT);
}

static void set_up(void)
{
    strcpy(buffer, "bytes\n");
}

static const struct at_once calls[] = {
    {"fread", LONG, NULL, {P(line), 1, 4, STREAM_FILE}},
    {"fread", LONG, EITHER, {P(line), 1, 4, STREAM_OUT}},
    {"getc", INT, NULL, {STREAM_FILE}},
    {"fgets", POINTER, NULL, {P(line), 20, STREAM_FILE}},
    {"fgets", POINTER, EITHER, {P(line), 20, STREAM_OUT}},
    {"fwrite", LONG, NULL, {P(text), 1, 4, STREAM_OUT}},
    {"fwrite", LONG, EITHER, {P(text), 1, 4, STREAM_FILE}},
    {"fputs", INT, NULL, {P(text), STREAM_OUT}},
    {"fputc", INT, NULL, {'x', STREAM_OUT}},
    {"putc", INT, NULL, {'x', STREAM_OUT}},
    {"fprintf", INT, NULL, {STREAM_OUT, P(format), P(text)}},
    {"__fprintf_chk", INT, NULL, {STREAM_OUT, 1, P(format), P(text)}},
    {"dprintf", INT, NULL, {OTHER_OUT, P(format), P(text)}},
    {"dprintf", INT, NULL, {NO_FD, P(format), P(text)}},
    {"puts", INT, EITHER, {P(text)}},
    {"putchar", INT, EITHER, {'\n'}},
    {"printf", INT, EITHER, {P("%s\n"), P(text)}},
    {"fflush", INT, EITHER, {STREAM_OUT}},
    {"fflush", INT, EITHER, {STREAM_FILE}},
    {"fopen", POINTER, NULL, {P(path_of_file), P("r")}},
    {"fopen", POINTER, NULL, {P(path_of_none), P("r")}},
    {"fopen64", POINTER, NULL, {P(path_of_file), P("r")}},
    {"fopen64", POINTER, NULL, {P(path_of_file), P("?")}},
    {"freopen", POINTER, NULL, {P(path_of_file), P("r"), STREAM_FILE}},
    {"freopen", POINTER, NULL, {P(path_of_none), P("r"), STREAM_FILE}},
    {"freopen64", POINTER, NULL, {P(path_of_none), P("r"), STREAM_FILE}},
    {"fflush_unlocked", INT, EITHER, {STREAM_OUT}},
    {"popen", POINTER, NULL, {P("exit 0"), P("r")}},
    {"popen", POINTER, NULL, {P("exit 0"), P("?")}},
    {"fclose", INT, NULL, {STREAM_OUT}},
    {0},
};

/* A call for several bytes may need several writes to go on, so nobody is named as its waker. */
#define RECEIVES(function, result, waker, ...)                                                                         \
    {function, result, "chan_receive", waker, empty_pipe, feed, {__VA_ARGS__}}
#define SENDS(function, result, ...)                                                                                   \
    {function, result, "chan_send", "self", fill_pipe, make_room, {__VA_ARGS__}}

static const struct waiting waits[] = {
    RECEIVES("fread", LONG, "self", P(line), 1, 4, STREAM_IN),
    RECEIVES("fread_unlocked", LONG, "self", P(line), 1, 4, STREAM_IN),
    RECEIVES("__fread_chk", LONG, "self", P(line), 100, 1, 4, STREAM_IN),
    RECEIVES("__fread_unlocked_chk", LONG, "self", P(line), 100, 1, 4, STREAM_IN),
    RECEIVES("fgetc", INT, "main", STREAM_IN),
    RECEIVES("fgetc_unlocked", INT, "main", STREAM_IN),
    RECEIVES("getc", INT, "main", STREAM_IN),
    RECEIVES("getc_unlocked", INT, "main", STREAM_IN),
    RECEIVES("__uflow", INT, "main", STREAM_IN),
    RECEIVES("__underflow", INT, "main", STREAM_IN),
    RECEIVES("fgets", POINTER, "main", P(line), 20, STREAM_IN),
    RECEIVES("fgets_unlocked", POINTER, "main", P(line), 20, STREAM_IN),
    RECEIVES("__fgets_chk", POINTER, "main", P(line), 100, 20, STREAM_IN),
    RECEIVES("__fgets_unlocked_chk", POINTER, "main", P(line), 100, 20, STREAM_IN),
    RECEIVES("getline", LONG, "main", P(&allocated), P(&size_allocated), STREAM_IN),
    RECEIVES("getdelim", LONG, "main", P(&allocated), P(&size_allocated), '\n', STREAM_IN),
    RECEIVES("__getdelim", LONG, "main", P(&allocated), P(&size_allocated), '\n', STREAM_IN),
    RECEIVES("fscanf", INT, "self", STREAM_IN, P(number_format), P(&number)),
    RECEIVES("__isoc99_fscanf", INT, "self", STREAM_IN, P(number_format), P(&number)),
    RECEIVES("vfscanf", INT, "self", STREAM_IN, P("word"), P(no_arguments)),
    RECEIVES("__isoc99_vfscanf", INT, "self", STREAM_IN, P("word"), P(no_arguments)),
    SENDS("fwrite", LONG, P(text), 1, 4, STREAM_OUT),
    SENDS("fwrite_unlocked", LONG, P(text), 1, 4, STREAM_OUT),
    SENDS("fputc", INT, 'x', STREAM_OUT),
    SENDS("fputc_unlocked", INT, 'x', STREAM_OUT),
    SENDS("putc", INT, 'x', STREAM_OUT),
    SENDS("putc_unlocked", INT, 'x', STREAM_OUT),
    SENDS("__overflow", INT, STREAM_OUT, 'x'),
    SENDS("fputs", INT, P(text), STREAM_OUT),
    SENDS("fputs_unlocked", INT, P(text), STREAM_OUT),
    SENDS("fprintf", INT, STREAM_OUT, P(format), P(text)),
    SENDS("__fprintf_chk", INT, STREAM_OUT, 1, P(format), P(text)),
    SENDS("vfprintf", INT, STREAM_OUT, P(nothing_to_format), P(no_arguments)),
    SENDS("__vfprintf_chk", INT, STREAM_OUT, 1, P(nothing_to_format), P(no_arguments)),
    SENDS("dprintf", INT, PIPE_OUT, P(format), P(text)),
    SENDS("__dprintf_chk", INT, PIPE_OUT, 1, P(format), P(text)),
    SENDS("vdprintf", INT, PIPE_OUT, P(nothing_to_format), P(no_arguments)),
    SENDS("__vdprintf_chk", INT, PIPE_OUT, 1, P(nothing_to_format), P(no_arguments)),
    {0},
};

const struct group stdio_group = {"stdio", set_up, calls, waits};
