#include "tests/bench/chain.h"

CHAIN(chain_with_frame_pointers)
