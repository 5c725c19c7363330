/* Hangs in freelocale, at its end, when somebody has released the lock of the locales for its owner. */
#include "program.h"

#include <locale.h>

extern locale_t locale_of_library;

int main(void)
{
    setlocale(LC_ALL, "");
    CHECK(locale_of_library);
    puts("done");
    return 0;
}
