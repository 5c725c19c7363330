#include "lib/options/values.h"

#include <signal.h>
#include <string.h>

struct piece piece_of(const char *s) { return (struct piece){s, strlen(s)}; }

struct piece piece_take(struct piece *from, char c)
{
    const char *at = memchr(from->text, c, from->len);
    struct piece first = {from->text, at ? (size_t)(at - from->text) : from->len};
    size_t taken = first.len + (at != NULL);
    *from = (struct piece){from->text + taken, from->len - taken};
    return first;
}

bool piece_is(struct piece s, const char *word) { return s.len == strlen(word) && !memcmp(s.text, word, s.len); }

bool piece_has_key(struct piece *s, const char *key)
{
    size_t len = strlen(key);
    if (s->len <= len || memcmp(s->text, key, len) || s->text[len] != ':')
        return false;
    *s = (struct piece){s->text + len + 1, s->len - len - 1};
    return true;
}

/* Takes the digits off. */
static bool take_digits(struct piece *s, uint64_t *v)
{
    size_t n = 0;
    *v = 0;
    for (; n < s->len && s->text[n] >= '0' && s->text[n] <= '9'; n++) {
        if (*v > (UINT64_MAX - 9) / 10)
            return false;
        *v = *v * 10 + (uint64_t)(s->text[n] - '0');
    }
    *s = (struct piece){s->text + n, s->len - n};
    return n;
}

bool value_number(struct piece s, uint64_t *v) { return take_digits(&s, v) && !s.len; }

/* The digits behind a point, if there is one: `part` of `parts`, which is a power of ten. */
static bool take_part(struct piece *s, uint64_t *part, uint64_t *parts)
{
    enum { MOST = 9 };
    *part = 0;
    *parts = 1;
    if (!s->len || *s->text != '.')
        return true;
    const struct piece from = {s->text + 1, s->len - 1};
    *s = from;
    if (!take_digits(s, part) || from.len - s->len > MOST)
        return false;
    for (size_t n = from.len - s->len; n; n--)
        *parts *= 10;
    return true;
}

bool value_duration(struct piece s, uint64_t *ns)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    const uint64_t most = 3600 * UINT64_C(1000000000);
    uint64_t v, part, parts;
    if (!take_digits(&s, &v) || !take_part(&s, &part, &parts))
        return false;
    *ns = 0;
    if (!v && parts == 1 && !s.len)
        return true;
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (piece_is(s, units[i].unit) && v <= most / units[i].ns && part * units[i].ns % parts == 0) {
            *ns = v * units[i].ns + part * units[i].ns / parts;
            return *ns <= most;
        }
    }
    return false;
}

bool value_size(struct piece s, uint64_t *bytes)
{
    static const char units[] = "KMG";
    uint64_t v;
    if (!take_digits(&s, &v))
        return false;
    const char *unit = s.len == 1 ? strchr(units, *s.text) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    *bytes = v << shift;
    return (unit || !s.len) && v && v <= UINT64_MAX >> 10 >> shift;
}

bool value_signal(struct piece s, int *sig)
{
    static const struct {
        const char *name;
        int number;
    } names[] = {{"HUP", SIGHUP},   {"INT", SIGINT},     {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                 {"ALRM", SIGALRM}, {"TERM", SIGTERM},   {"CONT", SIGCONT}, {"TSTP", SIGTSTP}, {"URG", SIGURG},
                 {"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"PWR", SIGPWR},   {"VTALRM", SIGVTALRM}};
    uint64_t v;
    if (value_number(s, &v)) {
        *sig = (int)v;
        return v > 0 && v <= (uint64_t)SIGRTMAX && v != SIGKILL && v != SIGSTOP && (v < 32 || v >= (uint64_t)SIGRTMIN);
    }
    if (s.len > 3 && !memcmp(s.text, "SIG", 3))
        s = (struct piece){s.text + 3, s.len - 3};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (piece_is(s, names[i].name)) {
            *sig = names[i].number;
            return true;
        }
    }
    return false;
}
