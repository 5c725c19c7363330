/* Prints what an IFUNC resolver that allocates has found. */
#include "program.h"

int resolved(void);
extern int (*const resolved_early)(void);

int main(void)
{
    printf("ifunc %d %d\n", resolved(), resolved_early());
    return 0;
}
