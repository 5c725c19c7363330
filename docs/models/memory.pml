/*
 * Memory as processors have it, for the models that include this. Stores of a thread wait in its buffer until they are
 * carried out; a load sees the thread's own ones first. Stores to one place keep their order. A release store is
 * carried out after all stores before it; any other may overtake. So this is weaker than x86-64, and as weak in its
 * stores as aarch64. Loads are carried out in order, as acquire loads are.
 *
 * Before it is included: PLACES of memory, THREADS with a buffer each, and ROOM for stores in each. Every process says
 * which buffer is its own: `byte me`.
 */
byte memory[PLACES];
byte waiting[THREADS];
byte to_place[THREADS * ROOM];
byte to_value[THREADS * ROOM];
bit is_release[THREADS * ROOM];

inline put(place, value, release)
{
    d_step {
        waiting[me] < ROOM; /* a full buffer: the thread waits */
        to_place[me * ROOM + waiting[me]] = place;
        to_value[me * ROOM + waiting[me]] = value;
        is_release[me * ROOM + waiting[me]] = release;
        waiting[me]++
    }
}

#define store(place, value) put(place, value, 0)
#define store_release(place, value) put(place, value, 1)

inline load(place, value)
{
    d_step {
        value = memory[place];
        k = 0;
        do
        :: k < waiting[me] ->
            if
            :: to_place[me * ROOM + k] == place -> value = to_value[me * ROOM + k]
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}

/* Carries out store number i of thread t, which nothing before it holds back. */
inline carry_out(t, i)
{
    memory[to_place[t * ROOM + i]] = to_value[t * ROOM + i];
    k = i;
    do
    :: k + 1 < waiting[t] ->
        to_place[t * ROOM + k] = to_place[t * ROOM + k + 1];
        to_value[t * ROOM + k] = to_value[t * ROOM + k + 1];
        is_release[t * ROOM + k] = is_release[t * ROOM + k + 1];
        k++
    :: else -> break
    od;
    waiting[t]--;
    to_place[t * ROOM + waiting[t]] = 0;
    to_value[t * ROOM + waiting[t]] = 0;
    is_release[t * ROOM + waiting[t]] = 0;
    k = 0
}

/* All stores of thread t, in order. */
inline carry_out_all(t)
{
    d_step {
        do
        :: waiting[t] > 0 -> carry_out(t, 0)
        :: else -> break
        od
    }
}

#define fence() carry_out_all(me)

/* At any time the first store of a buffer is carried out, or the second one, if that may overtake. */
#define processor(t)                                                                                                   \
    :: d_step { waiting[t] > 0 -> carry_out(t, 0) }                                                                    \
    :: d_step {                                                                                                        \
        waiting[t] > 1 && !is_release[t * ROOM + 1] && to_place[t * ROOM + 1] != to_place[t * ROOM] ->                 \
        carry_out(t, 1)                                                                                                \
    }

active proctype processors()
{
    byte k;
end:
    do
    processor(0)
    processor(1)
#if THREADS > 2
    processor(2)
#endif
#if THREADS > 3
    processor(3)
#endif
    od
}
