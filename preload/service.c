#include "preload/service.h"

#include "lib/meta.h"
#include "preload/recorder.h"

bool service_room(size_t extra, uint64_t time)
{
    if (sched_has_room(&recorder.service, extra))
        return true;
    seal_chunk(&recorder.service);
    struct chunk *c = spool_take(&recorder.spool);
    if (c)
        sched_attach_chunk(&recorder.sched, &recorder.service, c, time);
    return c;
}

void service_commit(uint8_t *end, uint64_t time)
{
    struct sched_state *s = sched_own(&recorder.service);
    s->pos = end;
    s->time = time;
    __atomic_store_n(&recorder.service.chunk->used, (uint32_t)(end - recorder.service.chunk->data), __ATOMIC_RELEASE);
}

bool service_record(const uint8_t *record, size_t len)
{
    lock_take(&recorder.advance_lock);
    bool fits = recording() && len + SCHED_TRANSITION_MAX <= CHUNK_CAPACITY && service_room(len, now());
    if (fits)
        chunk_meta_append(recorder.service.chunk, record, len);
    lock_drop(&recorder.advance_lock);
    return fits;
}
