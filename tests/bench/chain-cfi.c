#include "tests/bench/chain.h"

CHAIN(chain_without_frame_pointers)
