#include "parser/wall_time.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Go knows zones by their files alone: to it a rule in TZ, like "CET-1CEST", is UTC, and so is what has no file. */
static bool is_utc(void)
{
    static const char *const folders[] = {"/usr/share/zoneinfo/", "/etc/zoneinfo/"};
    const char *zone = getenv("TZ");
    if (!zone)
        return false;
    zone += *zone == ':';
    if (*zone == '/')
        return access(zone, R_OK);
    for (size_t i = 0; *zone && i < sizeof folders / sizeof folders[0]; i++) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s%s", folders[i], zone);
        if (n < (int)sizeof path && !access(path, R_OK))
            return false;
    }
    return true;
}

/*
 * The C library cannot tell a year that needs more than 32 bits, and loses the rules of summer time long before that;
 * but the calendar repeats itself every 400 years, so what is far away is moved to years without surprises. As in Go,
 * seconds count from a first of March, and what would be before that is at the other end of time.
 */
static bool local_time(int64_t sec, struct tm *tm, long long *year)
{
    const int64_t first = -INT64_C(9223372028741760000), march_2000 = INT64_C(951868800), cycle = INT64_C(12622780800);
    const uint64_t since = (uint64_t)sec - (uint64_t)first;
    int64_t moved = sec, cycles = sec < 0 ? -2 : 1;
    *year = 1900;
    if (sec < march_2000 - 2 * cycle || sec > march_2000 + 2 * cycle) {
        moved = march_2000 + cycles * cycle + (int64_t)(since % (uint64_t)cycle);
        *year += -292277022400LL - 2000 + 400 * ((long long)(since / (uint64_t)cycle) - cycles);
    }
    time_t t = (time_t)moved;
    if (!(is_utc() ? gmtime_r(&t, tm) : localtime_r(&t, tm)))
        return false;
    *year += tm->tm_year;
    return true;
}

void wall_time_print(struct raw_buffer *o, const struct gotrace_clock_snapshot *c)
{
    struct tm tm = {0};
    long long year;
    char text[80];
    if (!local_time(c->sec, &tm, &year))
        return;
    int n = snprintf(text, sizeof text, "%s%04lld-%02d-%02dT%02d:%02d:%02d", year < 0 ? "-" : "", llabs(year),
                     tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (c->nsec) {
        n += snprintf(text + n, sizeof text - (size_t)n, ".%09lld", (long long)c->nsec);
        while (text[n - 1] == '0')
            n--;
    }
    raw_buffer_add(o, text, (size_t)n);
    long minutes = tm.tm_gmtoff / 60;
    if (tm.tm_gmtoff == 0) {
        raw_buffer_add_text(o, "Z");
        return;
    }
    snprintf(text, sizeof text, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', labs(minutes) / 60, labs(minutes) % 60);
    raw_buffer_add_text(o, text);
}
