#include "preload/annotate/defined.h"

#include "lib/meta.h"

void define_string(struct thread *t, uint64_t id, const char *text, size_t len)
{
    uint8_t buf[STRING_RECORD_HEAD + STRING_MAX_SIZE];
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_STRING);
    meta_int(&r, id);
    meta_text(&r, text, len);
    chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
}

SLOW void define_again(struct thread *t, struct name *n)
{
    define_string(t, name_id(n), n->text, n->len);
    __atomic_store_n(&n->generation, recorder.sched.generation, __ATOMIC_RELAXED);
}
