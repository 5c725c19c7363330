/*
 * The records of a v1 trace as they stand, in bytes and as text, sense or not. Nothing is lost either way: where a
 * record is not as Go writes it, its text says so.
 */
#ifndef THRACE_PARSER_V1_RAW_H
#define THRACE_PARSER_V1_RAW_H

#include "parser/raw_reader.h"
#include "parser/v1/events.h"

/* Of one record, so that its text fits a line that can be read again. Its data has GOTRACE_RAW_MAX_DATA. */
enum { V1_RAW_MAX_INTEGERS = 1 << 18 };

struct v1_integer {
    uint64_t v;
    uint8_t width; /* bytes that it takes */
};

struct v1_raw_record {
    uint8_t id;
    uint8_t upper;      /* of a String: what the upper two bits of the first byte have, which say nothing there */
    uint8_t size_width; /* bytes of the size in front of the integers; 0: the first byte says how many there are */
    uint8_t data_width; /* bytes of the size in front of data */
    const struct v1_integer *integers;
    size_t n;
    const uint8_t *data; /* of a String and of a UserLog */
    size_t size;
};

/* A reader whose version is one of v1, which it shall take (takes_v1). */
struct v1_raw {
    struct gotrace_raw_reader *r;
    struct v1_form form;
    int nn;
};

struct v1_raw v1_raw_of(struct gotrace_raw_reader *r);

/* Appends the header of the trace in the format. */
void v1_raw_header(const struct v1_raw *raw, enum gotrace_raw_format to, struct raw_buffer *out);

/*
 * Reads the next record, and appends it to out in the format: 1, 0 at the end of the trace, or -1 and the reader says
 * why. A failure of out is the caller's to see.
 */
int v1_raw_next(struct v1_raw *raw, enum gotrace_raw_format to, struct raw_buffer *out);

/* The format's own functions. Records live until the next one is read. */
int v1_bytes_read(struct v1_raw *raw, struct v1_raw_record *rec);
int v1_text_read(struct v1_raw *raw, struct v1_raw_record *rec);
void v1_bytes_put(struct raw_buffer *out, const struct v1_form *form, const struct v1_raw_record *rec);
void v1_text_put(struct raw_buffer *out, const struct v1_form *form, const struct v1_raw_record *rec);

/* Integers of a record that are not counted in its first byte but by those beyond: 0, 1 or 2 more may follow. */
static inline unsigned v1_least_integers(const struct v1_form *form) { return form->sequences ? 2 : 1; }

static inline bool v1_has_data(const struct v1_form *form, unsigned id)
{
    return form->shapes[id].cls == V1_IS_STRING || (id == V1_UserLog && form->shapes[id].cls != V1_IS_NONE);
}

/* Whether the first byte can say that there are n integers. */
static inline bool v1_is_short(const struct v1_form *form, size_t n)
{
    return n >= v1_least_integers(form) && n - v1_least_integers(form) < 3;
}

/* How many bytes the integers take. */
size_t v1_integers_size(const struct v1_raw_record *rec);

/* The size_width that Go gives a record with such integers. */
uint8_t v1_usual_size_width(const struct v1_form *form, const struct v1_raw_record *rec);

/* Whether it is a Stack with as many integers as its frames have. */
bool v1_is_whole_stack(const struct v1_form *form, const struct v1_raw_record *rec);

/* Appends an integer of the record being read to those before. False: memory is short, or there are too many. */
bool v1_raw_add(struct v1_raw *raw, struct v1_raw_record *rec, struct v1_integer i);

#endif
