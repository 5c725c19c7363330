/*
 * The queue of waiters (lib/waitq.c): a release looks through the places of the object's bucket, and stops once it has
 * seen as many waiters as the bucket had when it began. One thread waits for the object; others, who wait for other
 * objects of the same bucket, come and go meanwhile. Waiters stand in the lowest free place.
 *
 * Shown: the release finds the thread that was registered before it began. Who waits for something else is never taken
 * for it.
 *
 * holds: VISITS=1
 * breaks: VISITS=1 WITHOUT_SECOND_WALK   a release that found nobody believes its count
 * breaks: VISITS=1 COUNT_LATE            a waiter counts itself once it has its place
 * breaks: VISITS=1 REACH_LATE            releases look that far only when its word is there
 * breaks: VISITS=1 OBJECT_LATE           the word is stored before the object
 * breaks: VISITS=1 LEAVE_UNCOUNTED       who leaves is not counted any more while its word still stands
 */
#define PLACES 3
#ifndef VISITS
#define VISITS 1 /* of each other waiter */
#endif

#define NONE 0
#define RESERVED 1
#define WAITS 2

#define OURS 1
#define THEIRS 2

byte word[PLACES], object[PLACES];
byte came, count, reach, tickets;
byte who[PLACES]; /* really waits there */
bool registered, ended;

inline take_place(place)
{
    do
    :: atomic {
            if
            :: word[place] == NONE -> word[place] = RESERVED; taken = true
            :: else -> taken = false
            fi
        }
        if
        :: taken -> break
        :: else -> place++; assert(place < PLACES)
        fi
    od
}

inline raise_reach(place)
{
    d_step {
        if
        :: reach < place + 1 -> reach = place + 1
        :: else
        fi
    }
}

inline wait_for(what, place)
{
    place = 0;
#ifndef COUNT_LATE
    d_step { came++; count++ }
#endif
    take_place(place);
#ifndef REACH_LATE
    raise_reach(place);
#endif
    tickets++;
#ifndef OBJECT_LATE
    object[place] = what;
#endif
    d_step { who[place] = what; word[place] = WAITS + 4 * tickets }
#ifdef OBJECT_LATE
    object[place] = what;
#endif
#ifdef COUNT_LATE
    d_step { came++; count++ }
#endif
#ifdef REACH_LATE
    if
    :: what == OURS -> registered = true
    :: else
    fi;
    raise_reach(place);
#endif
    taken = false
}

inline leave(place)
{
#ifdef LEAVE_UNCOUNTED
    count--;
    word[place] = NONE;
#else
    word[place] = NONE;
    count--;
#endif
    place = 0
}

active proctype waiter()
{
    byte place;
    bool taken;
    wait_for(OURS, place);
    leave(place);
    wait_for(OURS, place);
    registered = true;
    ended
}

active [2] proctype other()
{
    byte place, visits;
    bool taken;
    do
    :: visits < VISITS && !ended -> visits++; wait_for(THEIRS, place); leave(place)
    :: break
    od
}

/* left: how many more are to be seen; ALL: it looks at all places. */
#define ALL 99
inline walk()
{
    place = 0;
    do
    :: left > 0 && place < reach ->
        seen = word[place];
        if
        :: seen == NONE
        :: else ->
            what = object[place];
            if
            :: left != ALL -> left--
            :: else
            fi;
            if
            :: seen != RESERVED && what == OURS ->
                d_step { /* the claim */
                    if
                    :: word[place] == seen -> assert(who[place] == OURS); found = true
                    :: else -> changed = true
                    fi
                }
            :: else
            fi
        fi;
        place++;
        seen = NONE
    :: else -> break
    od
}

active proctype releaser()
{
    byte left, place, seen, what, before;
    bool found, changed;
    registered;
    do
    :: changed = false;
        d_step { before = came; left = count }
        assert(left > 0); /* what the shortest way out of a release rests on */
        walk();
#ifndef WITHOUT_SECOND_WALK
        if
        :: !found && came != before -> left = ALL; walk()
        :: else
        fi;
#endif
        if
        :: found || !changed -> break
        :: else
        fi
    od;
    assert(found);
    ended = true
}
