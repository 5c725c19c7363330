/*
 * Any text as a trace: its events go to the reader in batches of the right sizes, so that mutations get past the frame
 * and meet the rules on what may happen when.
 */
#include "config.h"

#include <stdlib.h>

#include "gotrace/raw.h"
#include "lib/wire/events.h"
#include "lib/wire/varint.h"
#include "parser/raw_buffer.h"
#include "parser/raw_writer.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"text", NULL};

/* The batch that is open: its header, and the events of it so far. */
struct batch_in_work {
    struct gotrace_raw_event header;
    struct raw_buffer events;
};

static void flush(struct raw_buffer *trace, struct batch_in_work *b)
{
    if (b->header.id) {
        b->header.args[3] = b->events.size;
        bytes_put_event(trace, &b->header);
    }
    raw_buffer_add(trace, b->events.at, b->events.size);
    b->events.size = 0;
    b->header.id = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_TEXT, data, size);
    struct raw_buffer trace = {0};
    struct batch_in_work batch = {0};
    struct gotrace_raw_event ev;
    int version = gotrace_raw_reader_version(r);
    if (version > 0) {
        bytes_put_header(&trace, version);
        while (gotrace_raw_reader_next(r, &ev) > 0) {
            if (event_table[ev.id].cls == EVENT_BATCH && ev.nargs)
                flush(&trace, &batch);
            if (ev.id == EV_EndOfGeneration)
                flush(&trace, &batch);
            if (ev.id == EV_EventBatch)
                batch.header = ev;
            else
                bytes_put_event(ev.id == EV_ExperimentalBatch || ev.id == EV_EndOfGeneration ? &trace : &batch.events,
                                &ev);
        }
        flush(&trace, &batch);
        if (!trace.failed && !batch.events.failed)
            fuzz_read_trace(trace.at, trace.size);
    }
    raw_buffer_free(&trace);
    raw_buffer_free(&batch.events);
    gotrace_raw_reader_free(r);
    return 0;
}
