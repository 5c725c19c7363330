/*
 * Inside the export for Perfetto: the numbers of the format, packets, and what they refer to by number, which has to be
 * said once before its first use.
 */
#ifndef THRACE_CMD_EXPORT_PERFETTO_H
#define THRACE_CMD_EXPORT_PERFETTO_H

#include "cmd/export/protobuf.h"
#include "cmd/export/timeline.h"

/* Numbers of fields and values, as in protos/perfetto/trace/trace_packet.proto and those that it includes. */
enum { TRACE_PACKET = 1 };
enum { TIMESTAMP = 8, SEQUENCE_ID = 10, TRACK_EVENT = 11, INTERNED_DATA = 12, SEQUENCE_FLAGS = 13,
       TRACK_DESCRIPTOR = 60, PERF_SAMPLE = 66, FIRST_ON_SEQUENCE = 87 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_CATEGORY = 3, EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME_IID = 10, EVENT_TRACK = 11,
       EVENT_NAME = 23, EVENT_VALUE = 30, EVENT_FLOW = 47, EVENT_FLOW_END = 48 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { ANNOTATION_NAME_IID = 1, ANNOTATION_STRING = 6, ANNOTATION_STRING_IID = 17 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ANNOTATION = 3, INTERNED_FUNCTION = 5, INTERNED_FRAME = 6,
       INTERNED_STACK = 7, INTERNED_PATH = 17, INTERNED_SOURCE = 18, INTERNED_MAPPING = 19, INTERNED_STRING = 29 };
enum { FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PC = 4, FRAME_SOURCE = 5, FRAME_LINE = 6 };
enum { SAMPLE_CPU = 1, SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_STACK = 4, SAMPLE_MODE = 5, MODE_USER = 2 };

enum { SEQUENCE = 1, PROCESS_TRACK = 1, FIRST_COUNTER = 2, FIRST_THREAD = 64 };
#define FIRST_TASK (UINT64_C(1) << 62)
#define BESIDE (UINT64_C(1) << 61)
#define REGIONS (UINT64_C(1) << 63)

struct perfetto_bits {
    uint8_t *v;
    size_t n, cap;
};

struct perfetto {
    struct timeline t;
    struct protobuf packet; /* and those before it that are not written so far */
    VEC(char) text; /* of a stack */
    uint64_t pid;
    FILE *to;
    const char *in;
    struct perfetto_bits said_texts, said_stacks, said_frames, said_store; /* by their numbers */
    bool failed;
};

/* Begins a packet; returns what perfetto_packet_done() takes. */
size_t perfetto_packet(struct perfetto *p);
/* The same with a time of the trace. */
size_t perfetto_timed(struct perfetto *p, int64_t now);
void perfetto_packet_done(struct perfetto *p, size_t from);
/* Writes the packets that are done. */
void perfetto_flush(struct perfetto *p);

/* In a packet's interned data: a text and its number, in the space of that field. */
void perfetto_intern(struct perfetto *p, unsigned field, uint64_t iid, const char *text, size_t len);

/* Each says it in a packet of its own, unless that was done before: a text of the spans, a stack as text, a stack. */
void perfetto_need_text(struct perfetto *p, uint32_t text);
void perfetto_need_stack_text(struct perfetto *p, uint32_t number);
void perfetto_need_stack(struct perfetto *p, uint32_t number);

/* Their numbers as strings. */
static inline uint64_t perfetto_text_iid(uint32_t text) { return 2 * (uint64_t)text + 1; }
static inline uint64_t perfetto_stack_iid(uint32_t stack) { return 2 * (uint64_t)stack + 2; }

void perfetto_free(struct perfetto *p);

#endif
