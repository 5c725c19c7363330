/*
 * A library whose constructor, which runs before anybody has allocated, holds a lock of libc over its malloc: newlocale
 * does that, and libp11-kit calls it. Traps 1 and 54.
 */
#include <locale.h>

extern locale_t locale_of_library;
locale_t locale_of_library;

__attribute__((constructor)) static void begin(void)
{
    locale_of_library = newlocale(LC_ALL_MASK, "POSIX", (locale_t)0);
}

__attribute__((destructor)) static void end(void)
{
    freelocale(locale_of_library);
}
