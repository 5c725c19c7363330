#include "preload/probes/operands.h"

#include <stddef.h>
#include <string.h>

#include "preload/readable.h"
#include "preload/thread.h"

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The names of a register by its size in bytes: 8, 4, 2, 1. */
static const char *const registers[8][4] = {
    {"rax", "eax", "ax", "al"}, {"rcx", "ecx", "cx", "cl"},  {"rdx", "edx", "dx", "dl"},  {"rbx", "ebx", "bx", "bl"},
    {"rsp", "esp", "sp", "spl"}, {"rbp", "ebp", "bp", "bpl"}, {"rsi", "esi", "si", "sil"}, {"rdi", "edi", "di", "dil"},
};

/* Takes a word of letters and digits off. */
static size_t word_length(const char *s)
{
    size_t n = 0;
    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= '0' && s[n] <= '9'))
        n++;
    return n;
}

static bool is(const char *s, size_t n, const char *word) { return strlen(word) == n && !memcmp(s, word, n); }

/* r8 to r15, with d, w or b behind it for a part. */
static int high_register(const char *s, size_t n)
{
    int number = 0;
    size_t i = 1;
    for (; i < n && i < 3 && s[i] >= '0' && s[i] <= '9'; i++)
        number = 10 * number + s[i] - '0';
    bool ends = i == n || (i + 1 == n && strchr("dwb", s[i]));
    return *s == 'r' && i > 1 && ends && number >= 8 && number <= 15 ? number : NO_REGISTER;
}

/* %name; *shift is 8 for the second byte. */
static int take_register(const char **s, uint8_t *shift)
{
    static const char *const second[] = {"ah", "ch", "dh", "bh"};
    if (**s != '%')
        return NO_REGISTER;
    const char *name = *s + 1;
    size_t n = word_length(name);
    *s = name + n;
    *shift = 0;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 4; k++)
            if (is(name, n, registers[i][k]))
                return i;
    for (int i = 0; i < 4; i++)
        if (is(name, n, second[i])) {
            *shift = 8;
            return i;
        }
    return n ? high_register(name, n) : NO_REGISTER;
}

static bool take_digits(const char **s, uint64_t *v)
{
    bool hex = (*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X');
    const char *p = *s + 2 * hex;
    *v = 0;
    for (;; p++) {
        unsigned digit = *p >= '0' && *p <= '9' ? (unsigned)(*p - '0') : 99;
        if (hex && ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'f'))
            digit = (unsigned)((*p | 0x20) - 'a') + 10;
        if (digit > 15)
            break;
        *v = *v * (hex ? 16 : 10) + digit;
    }
    bool any = p > *s + 2 * hex;
    *s = p;
    return any;
}

/* Numbers with signs: -24, 0x10, 8+16. */
static bool take_sum(const char **s, int64_t *sum)
{
    uint64_t total = 0, v;
    bool more = false;
    do {
        bool minus = **s == '-';
        *s += minus || (more && **s == '+');
        if (!take_digits(s, &v))
            return false;
        total += minus ? -v : v;
        more = true;
    } while (**s == '+' || **s == '-');
    *sum = (int64_t)total;
    return true;
}

static bool is_of_symbol(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$';
}

/* symbol+8(%rip) */
static bool read_symbol(const char **s, const struct operand_symbols *symbols, struct operand *o)
{
    static const char rip[] = "(%rip)";
    const char *name = *s;
    while (is_of_symbol(**s))
        ++*s;
    uintptr_t at = symbols->find(symbols, name, (size_t)(*s - name));
    if (!at || ((**s == '+' || **s == '-') && (*s += **s == '+', !take_sum(s, &o->offset))) ||
        strncmp(*s, rip, sizeof rip - 1) != 0)
        return false;
    *s += sizeof rip - 1;
    o->kind = OPERAND_MEMORY;
    o->base = o->index = NO_REGISTER;
    o->offset += (int64_t)at;
    return true;
}

/* offset(base,index,scale), of which most may be missing. */
static bool read_memory(const char **s, struct operand *o)
{
    uint8_t shift;
    if (**s != '(' && !take_sum(s, &o->offset))
        return false;
    if (*(*s)++ != '(')
        return false;
    o->base = o->index = NO_REGISTER;
    o->scale = 1;
    if (**s != ',' && (o->base = (int8_t)take_register(s, &shift)) == NO_REGISTER)
        return false;
    if (**s == ',') {
        ++*s;
        if ((o->index = (int8_t)take_register(s, &shift)) == NO_REGISTER)
            return false;
        if (**s == ',') {
            uint64_t scale;
            ++*s;
            if (!take_digits(s, &scale) || scale > 8 || !(0x116 >> scale & 1))
                return false;
            o->scale = (uint8_t)scale;
        }
    }
    o->kind = OPERAND_MEMORY;
    return *(*s)++ == ')';
}

static bool read_place(const char **s, const struct operand_symbols *symbols, struct operand *o)
{
    if (**s == '$') {
        ++*s;
        o->kind = OPERAND_CONSTANT;
        return take_sum(s, &o->offset);
    }
    if (**s == '%') {
        o->kind = OPERAND_REGISTER;
        o->base = (int8_t)take_register(s, &o->shift);
        return o->base != NO_REGISTER;
    }
    bool number = (**s >= '0' && **s <= '9') || **s == '-' || **s == '(';
    return number ? read_memory(s, o) : read_symbol(s, symbols, o);
}

/* [-]size@place, up to a blank or the end. Floating-point numbers have an f behind the size, and are not known. */
static bool read_operand(const char **s, const struct operand_symbols *symbols, struct operand *o)
{
    uint64_t size;
    o->is_signed = **s == '-';
    *s += o->is_signed;
    if (!take_digits(s, &size) || size > 8 || !(0x116 >> size & 1) || *(*s)++ != '@')
        return false;
    o->size = (uint8_t)size;
    return read_place(s, symbols, o) && (**s == ' ' || !**s);
}

unsigned operands_read(const char *s, const struct operand_symbols *symbols, struct operand *all)
{
    unsigned n = 0;
    while (*s == ' ')
        s++;
    for (; *s && n < OPERANDS_MAX; n++) {
        const char *at = s;
        all[n] = (struct operand){0};
        if (!read_operand(&at, symbols, &all[n]))
            all[n] = (struct operand){.kind = OPERAND_UNKNOWN};
        s += strcspn(s, " ");
        while (*s == ' ')
            s++;
    }
    return n;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* From our own frame to the end of the stack there is memory. */
static bool is_on_stack(uintptr_t from, unsigned long n)
{
    const struct thread *t = self;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return t && t != THREAD_OFF && here > t->stack_lo && from > here && from < t->stack_hi && t->stack_hi - from >= n;
}

unsigned long safe_read(uintptr_t from, void *to, unsigned long n)
{
    if (!is_on_stack(from, n))
        return copy_readable(to, from, n);
    memcpy(to, (const void *)from, n);
    return n;
}

static uint64_t register_value(const struct probe_regs *regs, int8_t number)
{
    return number == NO_REGISTER ? 0 : regs->r[number];
}

bool operand_value(const struct operand *o, const struct probe_regs *regs, uint64_t *value)
{
    *value = 0;
    switch (o->kind) {
    case OPERAND_CONSTANT:
        *value = (uint64_t)o->offset;
        break;
    case OPERAND_REGISTER:
        *value = regs->r[o->base] >> o->shift;
        break;
    case OPERAND_MEMORY: {
        uintptr_t at = register_value(regs, o->base) + register_value(regs, o->index) * o->scale + (uint64_t)o->offset;
        if (safe_read(at, value, o->size) != o->size)
            return false;
        break;
    }
    default:
        return false;
    }
    unsigned unused = 64 - 8u * o->size;
    *value = o->is_signed ? (uint64_t)((int64_t)(*value << unused) >> unused) : *value << unused >> unused;
    return true;
}
