#include "lib/control.h"

#include <string.h>

static char *put_number(char *p, uint64_t v)
{
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        *p++ = digits[--n];
    return p;
}

size_t control_name(char name[CONTROL_NAME_MAX], uint32_t pid, uint64_t start_time)
{
    static const char prefix[] = "thrace-";
    char *p = name + sizeof prefix - 1;
    memcpy(name, prefix, sizeof prefix - 1);
    p = put_number(p, pid);
    *p++ = '-';
    p = put_number(p, start_time);
    return (size_t)(p - name);
}
