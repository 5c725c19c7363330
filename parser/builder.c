/* The builder: its output, its generations, and the events of threads. Tables are in builder_tables.c. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/wire/batch_header.h"
#include "parser/builder.h"
#include "parser/raw_writer.h"

enum { FLUSH_SIZE = 256 << 10, DEFAULT_FREQUENCY = 1000000000, EXPERIMENT_LAST = 127 };

static struct place here(const struct gotrace_builder *b)
{
    return (struct place){.generation = b->gen, .thread = GOTRACE_NONE};
}

int builder_refuse(struct gotrace_builder *b, const char *fmt, ...)
{
    char what[sizeof b->failure.message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    fail(&b->failure, GOTRACE_EINVAL, here(b), "%s", what);
    return -1;
}

int builder_no_memory(struct gotrace_builder *b)
{
    fail(&b->failure, GOTRACE_ENOMEM, here(b), "%s", strerror(ENOMEM));
    return -1;
}

static int cannot_write(struct gotrace_builder *b, int error)
{
    fail_system(&b->failure, GOTRACE_EWRITE, here(b), error ? error : EIO, "cannot write");
    return -1;
}

static int flush_output(struct gotrace_builder *b)
{
    if (b->out.failed)
        return builder_no_memory(b);
    if (b->in_memory || !b->out.size)
        return 0;
    errno = 0;
    if (b->write(b->arg, b->out.at, b->out.size))
        return cannot_write(b, errno);
    b->out.size = 0;
    return 0;
}

int builder_write(struct gotrace_builder *b, const void *data, size_t size)
{
    raw_buffer_add(&b->out, data, size);
    return b->out.failed || b->out.size >= FLUSH_SIZE ? flush_output(b) : 0;
}

static struct gotrace_builder *new_builder(int nn)
{
    const struct wire_version *version = wire_version((uint64_t)nn);
    if (!version) {
        errno = EINVAL;
        return NULL;
    }
    struct gotrace_builder *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->version = version;
    b->frequency = DEFAULT_FREQUENCY;
    bytes_put_header(&b->out, nn);
    return b;
}

struct gotrace_builder *gotrace_builder_new_callback(int version, gotrace_write_fn *write, void *arg)
{
    struct gotrace_builder *b = new_builder(version);
    if (b) {
        b->write = write;
        b->arg = arg;
    }
    return b;
}

static int write_file(void *arg, const void *buf, size_t size) { return fwrite(buf, 1, size, arg) == size ? 0 : -1; }

static int flush_file(struct gotrace_builder *b)
{
    errno = 0;
    if (b->write == write_file && fflush(b->arg))
        return cannot_write(b, errno);
    return 0;
}

struct gotrace_builder *gotrace_builder_new_file(int version, FILE *file)
{
    return gotrace_builder_new_callback(version, write_file, file);
}

struct gotrace_builder *gotrace_builder_new_memory(int version)
{
    struct gotrace_builder *b = new_builder(version);
    if (b)
        b->in_memory = true;
    return b;
}

bool builder_ready(struct gotrace_builder *b)
{
    if (!failure_error(&b->failure) && !b->in_generation)
        builder_refuse(b, b->finished ? "the trace is finished" : "no generation has begun");
    return !failure_error(&b->failure);
}

void builder_saw(struct gotrace_builder *b, uint64_t time)
{
    if (time < b->earliest)
        b->earliest = time;
    if (time > b->latest)
        b->latest = time;
}

int builder_flush_batch(struct gotrace_builder *b, struct wire_batch *batch, uint8_t kind)
{
    if (batch->size > (kind != EV_None)) {
        uint8_t header[BATCH_HEADER_MAX];
        uint64_t now = b->earliest > b->latest ? b->sync_time : b->latest;
        uint64_t time = kind == EV_None ? batch->base : now;
        const struct batch_header h = {EV_EventBatch, 0, b->gen, batch->m, time, batch->size};
        size_t size = (size_t)(batch_header_put(header, &h) - header);
        if (builder_write(b, header, size) || builder_write(b, batch->at, batch->size))
            return -1;
    }
    wire_batch_open(batch, batch->m, batch->last, kind);
    return 0;
}

/* The batch that says how fast the clock runs and, where the version has clocks, what it showed when. */
static int write_sync(struct gotrace_builder *b)
{
    uint64_t time = b->synced ? b->sync_time : b->earliest;
    struct wire_batch *batch = &b->timed;
    wire_batch_open(batch, ID_NONE, time, b->version->clocks ? EV_Sync : EV_None);
    wire_add_integers(batch, EV_Frequency, &b->frequency, 1);
    if (b->version->clocks)
        wire_add_event(batch, time, EV_ClockSnapshot, (uint64_t[]){b->mono, b->sec, b->nsec}, 3);
    return builder_flush_batch(b, batch, EV_None);
}

static int end_generation(struct gotrace_builder *b)
{
    if (!b->in_generation)
        return 0;
    if (builder_flush_batch(b, &b->timed, EV_None))
        return -1;
    if (b->earliest > b->latest)
        builder_saw(b, b->sync_time);
    if (builder_flush_batch(b, &b->samples, EV_CPUSamples) || write_sync(b) ||
        builder_flush_batch(b, &b->stack_table, EV_Stacks) || builder_flush_batch(b, &b->string_table, EV_Strings))
        return -1;
    b->in_generation = b->in_batch = false;
    return b->version->ends ? builder_write(b, &(uint8_t){EV_EndOfGeneration}, 1) : 0;
}

int gotrace_builder_generation(struct gotrace_builder *b, uint64_t gen)
{
    if (failure_error(&b->failure))
        return -1;
    if (b->finished)
        return builder_refuse(b, "the trace is finished");
    if (gen == 0 || (b->gen && gen != b->gen + 1))
        return builder_refuse(b, "generation %" PRIu64 " cannot follow generation %" PRIu64, gen, b->gen);
    if (end_generation(b))
        return -1;
    b->gen = gen;
    b->in_generation = true;
    b->in_batch = b->synced = false;
    b->earliest = UINT64_MAX;
    b->latest = 0;
    b->mono = b->sec = b->nsec = 0;
    intern_clear(&b->strings);
    intern_clear(&b->stacks);
    wire_batch_open(&b->timed, ID_NONE, 0, EV_None);
    wire_batch_open(&b->samples, ID_NONE, 0, EV_CPUSamples);
    wire_batch_open(&b->stack_table, ID_NONE, 0, EV_Stacks);
    wire_batch_open(&b->string_table, ID_NONE, 0, EV_Strings);
    return 0;
}

int gotrace_builder_sync(struct gotrace_builder *b, uint64_t frequency, uint64_t time, uint64_t mono, uint64_t sec,
                         uint64_t nsec)
{
    if (!builder_ready(b))
        return -1;
    if (b->synced)
        return builder_refuse(b, "generation %" PRIu64 " is synced already", b->gen);
    if (!frequency)
        return builder_refuse(b, "a frequency of 0");
    b->synced = true;
    b->frequency = frequency;
    b->sync_time = time;
    b->mono = mono;
    b->sec = sec;
    b->nsec = nsec;
    return 0;
}

int gotrace_builder_batch(struct gotrace_builder *b, uint64_t m, uint64_t time)
{
    if (!builder_ready(b) || builder_flush_batch(b, &b->timed, EV_None))
        return -1;
    wire_batch_open(&b->timed, m, time, EV_None);
    b->in_batch = true;
    builder_saw(b, time);
    return 0;
}

int gotrace_builder_event(struct gotrace_builder *b, uint64_t time, unsigned id, const uint64_t *args, size_t nargs)
{
    if (!builder_ready(b))
        return -1;
    if (!b->in_batch)
        return builder_refuse(b, "an event outside any batch");
    const struct event_info *info = &event_table[id & 0xff];
    if (id > 0xff || info->cls != EVENT_TIMED || info->since > b->version->nn || id == EV_ClockSnapshot)
        return builder_refuse(b, "%u is no timed event of a Go 1.%d trace", id, b->version->nn);
    if (nargs + 1 != info->nargs)
        return builder_refuse(b, "%s has %d arguments besides dt, not %zu", info->name, info->nargs - 1, nargs);
    if (time < b->timed.last)
        return builder_refuse(b, "%s at %" PRIu64 " comes after an event at %" PRIu64, info->name, time, b->timed.last);
    builder_saw(b, time);
    if (wire_add_event(&b->timed, time, (uint8_t)id, args, nargs))
        return 0;
    if (builder_flush_batch(b, &b->timed, EV_None))
        return -1;
    wire_add_event(&b->timed, time, (uint8_t)id, args, nargs);
    return 0;
}

int gotrace_builder_cpu_sample(struct gotrace_builder *b, uint64_t time, uint64_t m, uint64_t p, uint64_t g,
                               uint64_t stack)
{
    if (!builder_ready(b))
        return -1;
    const uint64_t args[] = {time, m, p, g, stack};
    if (wire_add_integers(&b->samples, EV_CPUSample, args, 5))
        return 0;
    if (builder_flush_batch(b, &b->samples, EV_CPUSamples))
        return -1;
    wire_add_integers(&b->samples, EV_CPUSample, args, 5);
    return 0;
}

int gotrace_builder_experimental(struct gotrace_builder *b, uint64_t experiment, uint64_t m, uint64_t time,
                                 const void *data, size_t size)
{
    if (!builder_ready(b))
        return -1;
    if (!b->version->experiments)
        return builder_refuse(b, "a Go 1.%d trace has no experiments", b->version->nn);
    if (!experiment || experiment > EXPERIMENT_LAST)
        return builder_refuse(b, "%" PRIu64 " is no experiment", experiment);
    if (size > BATCH_MAX_SIZE)
        return builder_refuse(b, "%zu bytes do not fit a batch", size);
    builder_saw(b, time);
    uint8_t header[BATCH_HEADER_MAX];
    const struct batch_header h = {EV_ExperimentalBatch, (uint8_t)experiment, b->gen, m, time, size};
    return builder_write(b, header, (size_t)(batch_header_put(header, &h) - header)) || builder_write(b, data, size)
               ? -1
               : 0;
}

int gotrace_builder_copy(struct gotrace_builder *b, const void *batches, size_t size, uint64_t latest)
{
    if (!builder_ready(b))
        return -1;
    builder_saw(b, latest);
    return builder_write(b, batches, size);
}

int gotrace_builder_finish(struct gotrace_builder *b)
{
    if (failure_error(&b->failure) || end_generation(b) || flush_output(b) || flush_file(b))
        return -1;
    b->finished = true;
    return 0;
}

const void *gotrace_builder_bytes(const struct gotrace_builder *b, size_t *size)
{
    if (!b->in_memory || !b->finished)
        return NULL;
    *size = b->out.size;
    return b->out.at;
}

const struct gotrace_error *gotrace_builder_error(const struct gotrace_builder *b)
{
    return failure_error(&b->failure);
}

void gotrace_builder_free(struct gotrace_builder *b)
{
    if (!b)
        return;
    intern_free(&b->strings);
    intern_free(&b->stacks);
    raw_buffer_free(&b->out);
    free(b);
}
