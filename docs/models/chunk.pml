/*
 * Chunks against SIGKILL (lib/spool.c, lib/sched_txn.h; the reader is cmd/finish/spool_read.c): a thread fills chunks
 * with events and hands them in, the drainer writes them to the log and frees them, and at any moment all is over. What
 * the file says then is what these threads stored until then, each in its order. Small chunks are packed.
 *
 * Shown: the reader finds every event that was committed, once, with the generation that it is of, and no other.
 *
 * holds: LARGE
 * holds: PACKED
 * breaks: LARGE LOG_END_FIRST          log_end is stored before the bytes are written
 * breaks: LARGE FREE_FIRST             a chunk is freed before log_end says that it is in the log
 * breaks: LARGE WITHOUT_LOG_POS        the reader goes by a chunk's state alone
 * breaks: LARGE LOG_POS_LAST           the chunk is told its place in the log once it is there
 * breaks: LARGE WITHOUT_TWINS OPEN_FIRST   a chunk is opened before its length is reset; a reader that looks for twins
 *                                sees that, too
 * breaks: LARGE USED_FIRST             the length is raised before the bytes are there
 * breaks: PACKED FREE_BEFORE     a small chunk is freed before the shared one has it
 * breaks: PACKED WITHOUT_TWINS   the reader does not look whether an open chunk was packed
 * breaks: PACKED FRAME_LATE      the shared chunk's length is raised before the bytes are there
 */
#define EVENTS 5
#define FILL 2   /* events of a full chunk */
#define CHUNKS 3

#define FREE 0
#define OPEN 1
#define FULL 2

/* The file. A chunk holds FILL events of one byte each, or batches of one event if it is packed. */
byte state[CHUNKS], used[CHUNKS], chunk_generation[CHUNKS], log_pos[CHUNKS];
byte bytes[CHUNKS * FILL];
bit packed[CHUNKS];
byte log_end, log_bytes[16], log_generation[16];

/* Not in the file. */
byte committed; /* events, which are numbered from 1 */
byte generation_of[EVENTS + 1];
bool taken[CHUNKS]; /* those on no free list */
byte full_list[CHUNKS], sealed;
bool ended;

inline take(c)
{
    atomic {
        !taken[0] || !taken[1] || !taken[2]; /* else it waits for the drainer */
        c = 0;
        do
        :: taken[c] -> c++
        :: else -> break
        od;
        taken[c] = true
    }
#ifdef OPEN_FIRST
    state[c] = OPEN;
    log_pos[c] = 0;
#endif
    used[c] = 0;
    packed[c] = 0;
    log_pos[c] = 0
}

inline attach(c)
{
    chunk_generation[c] = generation;
    state[c] = OPEN
}

inline hand_in(c)
{
    state[c] = FULL;
    d_step { full_list[sealed] = c; sealed++ }
}

inline free_chunk(c)
{
    atomic { state[c] = FREE; taken[c] = false }
}

#define NONE 255
byte packing = NONE;

inline pack(c)
{
    if
    :: packing != NONE && used[packing] == FILL -> hand_in(packing); packing = NONE
    :: else
    fi;
    if
    :: packing == NONE ->
        take(to);
        packed[to] = 1;
        chunk_generation[to] = chunk_generation[c];
        state[to] = OPEN;
        packing = to
    :: else
    fi;
#ifdef FREE_BEFORE
    free_chunk(c);
#endif
#ifdef FRAME_LATE
    used[packing] = used[packing] + 1;
    bytes[packing * FILL + used[packing] - 1] = bytes[c * FILL];
#else
    bytes[packing * FILL + used[packing]] = bytes[c * FILL];
    used[packing] = used[packing] + 1;
#endif
#ifndef FREE_BEFORE
    free_chunk(c)
#endif
}

active proctype writer()
{
    byte c = NONE, to, n, generation = 1;
    do
    :: n < EVENTS ->
        if
        :: c == NONE -> take(c); attach(c)
        :: else
        fi;
        n++;
#ifdef USED_FIRST
        d_step { used[c] = used[c] + 1; committed = n; generation_of[n] = generation }
        bytes[c * FILL + used[c] - 1] = n;
#else
        bytes[c * FILL + used[c]] = n;
        d_step { used[c] = used[c] + 1; committed = n; generation_of[n] = generation }
#endif
        if
        :: used[c] == FILL -> hand_in(c); c = NONE
#ifdef PACKED
        :: used[c] < FILL -> pack(c); c = NONE
#endif
        :: used[c] < FILL
        fi
    :: c == NONE && packing == NONE && generation < 2 && n > 0 -> generation++
    :: packing != NONE -> hand_in(packing); packing = NONE
    :: n == EVENTS -> break
    od;
    ended = true
}

active proctype drainer()
{
    byte c, i, pos;
end:
    do
    :: d_step { sealed > 0 -> c = full_list[0]; i = 0; sealed--;
            do
            :: i < sealed -> full_list[i] = full_list[i + 1]; i++
            :: else -> break
            od;
            full_list[sealed] = 0;
            i = 0
        }
#ifndef LOG_POS_LAST
        log_pos[c] = log_end + 1;
#endif
        pos = log_end;
#ifdef LOG_END_FIRST
        log_end = log_end + used[c];
#endif
        do
        :: i < used[c] ->
            d_step { log_bytes[pos + i] = bytes[c * FILL + i]; log_generation[pos + i] = chunk_generation[c] }
            i++
        :: else -> break
        od;
#ifdef FREE_FIRST
        free_chunk(c);
        log_end = pos + i;
#else
        log_end = pos + i;
#ifdef LOG_POS_LAST
        log_pos[c] = pos + 1;
#endif
        free_chunk(c);
#endif
        i = 0; pos = 0; c = 0
    od
}

inline found(event, generation_said)
{
    assert(event > 0 && event <= committed);
    assert(!seen[event] && generation_said == generation_of[event]);
    seen[event] = true;
    nseen++
}

/* Packed chunks first, then the full ones, then the open ones, each of which may be packed already. */
inline read_chunks(wanted_state, wanted_packed)
{
    c = 0;
    do
    :: c < CHUNKS ->
        if
#ifdef WITHOUT_LOG_POS
        :: state[c] == wanted_state && packed[c] == wanted_packed ->
#else
        :: state[c] == wanted_state && packed[c] == wanted_packed && !(log_pos[c] && log_pos[c] <= log_end) ->
#endif
            i = 0;
            do
            :: i < used[c] ->
#ifndef WITHOUT_TWINS
                if
                :: state[c] == OPEN && !packed[c] && seen[bytes[c * FILL + i]] -> skip
                :: else -> found(bytes[c * FILL + i], chunk_generation[c])
                fi;
#else
                found(bytes[c * FILL + i], chunk_generation[c]);
#endif
                i++
            :: else -> break
            od
        :: else
        fi;
        c++
    :: else -> break
    od
}

/* The kill, and `thrace finish`. */
active proctype reader()
{
    byte i, c, nseen;
    bool seen[EVENTS + 1];
    d_step {
        i = 0;
        do
        :: i < log_end -> found(log_bytes[i], log_generation[i]); i++
        :: else -> break
        od;
        read_chunks(FULL, 1);
        read_chunks(OPEN, 1);
        read_chunks(FULL, 0);
        read_chunks(OPEN, 0);
        assert(nseen == committed)
    }
}
