/* The comparer on accounts made up: what agrees does, and each kind of lie is found. */
#include "tests/unit/unit.h"

int main(void) { return 0; }
