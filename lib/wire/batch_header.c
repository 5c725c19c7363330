#include "lib/wire/batch_header.h"

uint8_t *batch_header_put(uint8_t *p, const struct batch_header *h)
{
    *p++ = h->id;
    if (h->id == EV_ExperimentalBatch)
        *p++ = h->experiment;
    p = varint_put(p, h->generation);
    p = varint_put(p, h->thread);
    p = varint_put(p, h->time);
    return varint_put(p, h->size);
}

const uint8_t *batch_header_get(const uint8_t *p, const uint8_t *end, struct batch_header *h,
                                struct batch_header_fault *fault)
{
    static const char *const fields[] = {"generation", "thread", "timestamp", "size"};
    uint64_t *const values[] = {&h->generation, &h->thread, &h->time, &h->size};
    *h = (struct batch_header){0};
    *fault = (struct batch_header_fault){.field = "id"};
    if (p == end)
        return NULL;
    h->id = *p++;
    if (h->id == EV_ExperimentalBatch) {
        fault->field = "experiment";
        if (p == end)
            return NULL;
        h->experiment = *p++;
    }
    for (int i = 0; i < 4; i++) {
        const uint8_t *next = varint_get(p, end, values[i]);
        if (!next) {
            *fault = (struct batch_header_fault){fields[i], end - p >= VARINT_MAX};
            return NULL;
        }
        p = next;
    }
    return p;
}
