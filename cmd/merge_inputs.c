#include "cmd/merge_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/verbs.h"
#include "parser/batch.h"
#include "parser/from_v1/from_v1.h"

enum { FIRST_V2 = 22, SPARE_FILES = 16 };

/* ---- operands --------------------------------------------------------------------------------------------------- */

/* Each is open while they are merged. Where that is not allowed, whichever cannot be opened says so. */
static void allow_files(size_t n)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= n + SPARE_FILES)
        return;
    limit.rlim_cur = limit.rlim_max < n + SPARE_FILES ? limit.rlim_max : n + SPARE_FILES; /* RLIM_INFINITY is more */
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* No name has a slash in it, so that a path with an equals sign can be told from NAME=FILE: "./a=b". */
static bool take_operand(struct merge_file *f, const char *operand)
{
    size_t name = strcspn(operand, "=/");
    *f = (struct merge_file){.operand = operand, .path = operand, .twice = {.fd = -1, .copy = -1}};
    if (operand[name] != '=')
        return true;
    f->path = operand + name + 1;
    f->given = operand;
    f->given_len = name;
    if (name && name <= ORIGIN_NAME && *f->path)
        return true;
    complain("merge", "\"%s\" is not NAME=FILE: a name has 1 to %d bytes", operand, ORIGIN_NAME);
    return false;
}

bool merge_files_take(struct merge_files *m, char **operands, size_t n)
{
    *m = (struct merge_files){.files = calloc(n, sizeof *m->files), .inputs = calloc(n, sizeof *m->inputs)};
    if (!m->files || !m->inputs) {
        complain("merge", "out of memory");
        return false;
    }
    bool is_taken = false;
    allow_files(n);
    for (size_t i = 0; i < n; i++) {
        if (!take_operand(&m->files[i], operands[i]))
            return false;
        bool is_stdin = !strcmp(m->files[i].path, "-");
        m->n++;
        m->inputs[i].path = m->files[i].path;
        if (is_stdin && is_taken) {
            complain("merge", "standard input can be only one of the traces");
            return false;
        }
        is_taken |= is_stdin;
    }
    return true;
}

void merge_files_free(struct merge_files *m)
{
    for (size_t i = 0; i < m->n; i++) {
        gotrace_reader_free(m->inputs[i].reader);
        merge_input_free(&m->inputs[i]);
        twice_close(&m->files[i].twice);
        if (m->files[i].converted)
            fclose(m->files[i].converted);
        free(m->files[i].name);
    }
    free(m->files);
    free(m->inputs);
}

struct merge_input *merge_files_find(const struct merge_files *m, const char *path, size_t len)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct merge_file *f = &m->files[i];
        if ((strlen(f->path) == len && !memcmp(f->path, path, len)) ||
            (strlen(f->operand) == len && !memcmp(f->operand, path, len)) ||
            (f->given && f->given_len == len && !memcmp(f->given, path, len)))
            return &m->inputs[i];
    }
    return NULL;
}

/* ---- traces of v1 ----------------------------------------------------------------------------------------------- */

static ssize_t read_fd(void *arg, void *buf, size_t size) { return read(*(const int *)arg, buf, size); }

static bool write_file(void *arg, const void *data, size_t size) { return fwrite(data, 1, size, arg) == size; }

static bool say_failure(const struct merge_file *f, const struct failure *failure)
{
    fputs("thrace merge: ", stderr);
    print_error(stderr, f->path, &failure->error);
    return false;
}

/* Makes one of v2 of it, in a file without a name. */
static bool convert(struct merge_file *f, int fd, struct failure *failure)
{
    const struct wire_version *to = wire_version(FIRST_V2);
    struct source s = {.read = read_fd, .arg = &fd, .tell = begin_progress("merge", f->path)};
    struct converted done;
    f->converted = tmpfile();
    bool ok = f->converted && read_any_header(&s, failure) &&
              convert_v1(&s, to, write_file, f->converted, &done, failure) && !fflush(f->converted);
    int error = errno;
    hide_progress();
    source_free(&s);
    if (!ok && !failure->error.status)
        fail_system(failure, GOTRACE_EWRITE, (struct place){.thread = GOTRACE_NONE}, error, "cannot be converted");
    return ok;
}

static bool take_v1(struct merge_file *f, struct failure *failure)
{
    int fd = f->twice.fd >= 0 ? f->twice.fd : open(f->path, O_RDONLY | O_CLOEXEC);
    if (fd == f->twice.fd)
        lseek(fd, f->twice.start, SEEK_SET);
    if (fd < 0) {
        fail_system(failure, GOTRACE_EREAD, (struct place){.thread = GOTRACE_NONE}, errno, "cannot open");
        return false;
    }
    bool ok = convert(f, fd, failure);
    if (fd != f->twice.fd)
        close(fd);
    twice_close(&f->twice);
    f->twice = (struct twice){.path = f->path, .fd = ok ? fileno(f->converted) : -1, .copy = -1};
    return ok;
}

/* ---- what they are when they begin ------------------------------------------------------------------------------ */

static struct gotrace_reader *open_v2(struct merge_file *f, int *status)
{
    struct failure failure = {0};
    *status = EXIT_USAGE;
    if (!twice_open(&f->twice, "merge", f->path))
        return NULL;
    struct gotrace_reader *r = twice_read(&f->twice, "merge");
    if (!r || !gotrace_reader_version(r) || gotrace_reader_version(r) >= FIRST_V2)
        return r;
    gotrace_reader_free(r);
    if (take_v1(f, &failure))
        return twice_read(&f->twice, "merge");
    say_failure(f, &failure);
    *status = failure.error.status == GOTRACE_EWRITE ? EXIT_USAGE : error_status(&failure.error);
    return NULL;
}

static int learn(struct merge_files *m, size_t i)
{
    struct failure failure = {0};
    int status;
    struct gotrace_reader *r = open_v2(&m->files[i], &status);
    if (!r)
        return status;
    bool ok = merge_learn(&m->inputs[i], r, &failure);
    int version = gotrace_reader_version(r);
    m->version = version > m->version ? version : m->version;
    gotrace_reader_free(r);
    if (!ok)
        say_failure(&m->files[i], &failure);
    return ok ? EXIT_OK : error_status(&failure.error);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* The program that was recorded, or the file without folders and what is usual at the end. */
static char *name_of(const struct merge_file *f, const struct merge_input *in)
{
    struct origin o;
    const char *slash = strrchr(f->path, '/');
    if (f->given)
        return strndup(f->given, f->given_len);
    if (*in->origin.name)
        return strdup(in->origin.name);
    origin_set_name(&o, slash ? slash + 1 : f->path);
    for (char *end; (end = strrchr(o.name, '.')) && (!strcmp(end, ".trace") || !strcmp(end, ".out")) && end != o.name;)
        *end = 0;
    return strdup(o.name);
}

static size_t same_names(const struct merge_files *m, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        n += !strcmp(m->files[i].name, name);
    return n;
}

/* Several of a name get their process ID behind it, or their place in the list where that is not enough. */
static bool tell_apart(struct merge_files *m)
{
    char **names = calloc(m->n, sizeof *names);
    bool ok = names;
    for (size_t i = 0; ok && i < m->n; i++) {
        const struct merge_input *in = &m->inputs[i];
        uint64_t number = in->origin.pid ? in->origin.pid : i + 1;
        if (!m->files[i].given && same_names(m, m->files[i].name) > 1)
            ok = asprintf(&names[i], "%s.%" PRIu64, m->files[i].name, number) >= 0;
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; ok && i < m->n; i++) {
            if (round == 1 && !m->files[i].given && same_names(m, m->files[i].name) > 1)
                ok = asprintf(&names[i], "%s.%zu", m->files[i].name, i + 1) >= 0;
            if (names[i]) {
                free(m->files[i].name);
                m->files[i].name = names[i];
                names[i] = NULL;
            }
        }
    free(names);
    return ok;
}

static int name_all(struct merge_files *m)
{
    bool ok = true;
    for (size_t i = 0; i < m->n; i++)
        ok &= (m->files[i].name = name_of(&m->files[i], &m->inputs[i])) != NULL;
    if (!ok || !tell_apart(m)) {
        complain("merge", "out of memory");
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < m->n; i++) {
        m->inputs[i].name = m->files[i].name;
        if (same_names(m, m->files[i].name) == 1)
            continue;
        complain("merge", "%s: another one is called \"%s\", too: NAME=FILE gives a name", m->files[i].path,
                 m->files[i].name);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

int merge_files_learn(struct merge_files *m)
{
    for (size_t i = 0; i < m->n; i++) {
        int status = learn(m, i);
        if (status != EXIT_OK)
            return status;
    }
    return name_all(m);
}

bool merge_files_read(struct merge_files *m)
{
    begin_progress_of_all("merge");
    for (size_t i = 0; i < m->n; i++) {
        if (!(m->inputs[i].reader = twice_read(&m->files[i].twice, "merge")))
            return false;
        add_to_progress(m->inputs[i].reader, &m->files[i].twice, &m->files[i].read);
    }
    return true;
}
