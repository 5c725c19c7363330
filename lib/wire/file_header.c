#include "lib/wire/file_header.h"

#include <string.h>

#include "lib/wire/version.h"

static const uint8_t usual[TRACE_HEADER_SIZE] = "go 1.00 trace";

enum { TENS = 5, ONES = 6 };

void file_header_put(uint8_t p[TRACE_HEADER_SIZE], unsigned version)
{
    memcpy(p, usual, TRACE_HEADER_SIZE);
    p[TENS] = (uint8_t)('0' + version / 10 % 10);
    p[ONES] = (uint8_t)('0' + version % 10);
}

/* Bytes that are not digits differ from what is written for them. */
int file_header_get(const uint8_t p[TRACE_HEADER_SIZE])
{
    uint8_t same[TRACE_HEADER_SIZE];
    int version = 10 * (p[TENS] - '0') + p[ONES] - '0';
    file_header_put(same, (unsigned)version);
    return memcmp(p, same, sizeof same) ? -1 : version;
}

/* --- byte by byte ------------------------------------------------------------------------------------------------- */

/* What Go's scanner takes for a space; a newline is none here. */
static bool is_blank(uint32_t rune)
{
    switch (rune) {
    case '\t':
    case '\v':
    case '\f':
    case '\r':
    case ' ':
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
        return true;
    default:
        return rune >= 0x2000 && rune <= 0x200a;
    }
}

enum kind { TEXT, BLANKS, NUMBER };

static const struct part {
    enum kind kind;
    uint8_t least; /* so much of it there must be; of a text, its size */
    char text[9];
} parts[] = {
    {TEXT, 2, "go"}, {BLANKS, 1, ""}, {TEXT, 2, "1."}, {BLANKS, 0, ""}, {NUMBER, 1, ""}, {BLANKS, 1, ""},
    {TEXT, 8, "trace\0\0"}, /* and the literal's own NUL */
};

enum { AFTER_GO = 1, LAST = sizeof parts / sizeof parts[0] - 1 };

enum taken { TAKEN, NEXT_PART, BROKEN };

static void count(struct file_header *h)
{
    if (h->at < UINT8_MAX)
        h->at++;
}

static enum taken take_text(struct file_header *h, uint8_t byte)
{
    return byte == (uint8_t)parts[h->part].text[h->at++] ? TAKEN : BROKEN;
}

/* A blank of several bytes is UTF-8. Beyond ASCII only blanks may come, so whatever begins like one has to be one. */
static enum taken take_blank(struct file_header *h, uint8_t byte)
{
    if (h->rune_left) {
        h->rune = h->rune << 6 | (byte & 0x3f);
        if ((byte & 0xc0) != 0x80)
            return BROKEN;
        if (--h->rune_left)
            return TAKEN;
        count(h);
        return is_blank(h->rune) ? TAKEN : BROKEN;
    }
    if (byte < 0x80) {
        if (!is_blank(byte))
            return NEXT_PART;
        count(h);
        return TAKEN;
    }
    if (byte < 0xc2 || byte > 0xef || byte == 0xe0) /* not a first byte, or of an overlong form or no blank */
        return BROKEN;
    h->rune_left = byte < 0xe0 ? 1 : 2;
    h->rune = byte < 0xe0 ? byte & 0x1f : byte & 0xf;
    return TAKEN;
}

static enum taken take_digit(struct file_header *h, uint8_t byte)
{
    if (byte < '0' || byte > '9')
        return NEXT_PART;
    uint64_t n = UINT64_C(10) * h->version + byte - '0';
    if (n > UINT32_MAX)
        return BROKEN;
    h->version = (uint32_t)n;
    count(h);
    return TAKEN;
}

/* "gotrace" and one NUL. */
static void see_first_tracers(struct file_header *h, uint8_t byte)
{
    if (h->part != AFTER_GO || h->at || h->rune_left || byte != 't')
        return;
    h->is_first = true;
    h->version = WIRE_FIRST_TRACER;
    h->part = LAST;
}

enum file_header_step file_header_take(struct file_header *h, uint8_t byte)
{
    see_first_tracers(h, byte);
    for (;;) {
        const struct part *part = &parts[h->part];
        enum taken taken = part->kind == TEXT     ? take_text(h, byte)
                           : part->kind == BLANKS ? take_blank(h, byte)
                                                  : take_digit(h, byte);
        bool full = part->kind == TEXT && h->at == (h->is_first ? WIRE_FIRST_HEADER_SIZE - 2 : part->least);
        if (taken == BROKEN || (taken == NEXT_PART && h->at < part->least))
            return FILE_HEADER_NONE;
        if (taken == NEXT_PART || full) {
            h->part++;
            h->at = 0;
        }
        if (taken == TAKEN)
            return h->part > LAST ? FILE_HEADER_DONE : FILE_HEADER_MORE;
    }
}
