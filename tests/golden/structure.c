/* Traces whose frame, tables or encoding is broken. */
#include "tests/golden/scenario.h"

/* Something of everything that has a rule of its own. */
static void whole(struct trace *t)
{
    generation(t, 1);
    thread(t, 1);
    running(t, 1, 0, 1);
    EV(GoLabel, text(t, "label"));
    EV(GoStop, text(t, "tired"), stack(t, 1, 2));
    sample(t, 1, 0, 1, stack(t, 2, 1));
}

static void two_generations(struct trace *t)
{
    whole(t);
    generation(t, 2);
    thread(t, 1);
    EV(ProcStatus, 0, PROC_RUNNING);
}

static void generation_zero(struct raw_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].id == EV_EventBatch)
            l->at[i].args[0] = 0;
}

static void generation_skipped(struct raw_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].id == EV_EventBatch && l->at[i].args[0] == 2)
            l->at[i].args[0] = 3;
}

static void generation_returns(struct raw_list *l)
{
    struct gotrace_raw_event *last = &l->at[l->n - 1];
    *insert_after(l, last, EV_EventBatch) = (struct gotrace_raw_event){.id = EV_EventBatch, .nargs = 4, .args = {1, 1}};
}

static void no_end_between(struct raw_list *l) { drop(l, EV_EndOfGeneration, 0); }
static void no_end(struct raw_list *l) { drop(l, EV_EndOfGeneration, 1); }
static void no_frequency(struct raw_list *l) { drop(l, EV_Frequency, 0); }
static void no_clock(struct raw_list *l) { drop(l, EV_ClockSnapshot, 0); }

static void two_frequencies(struct raw_list *l)
{
    insert_after(l, find(l, EV_Frequency, 0), EV_Frequency)->args[0] = 5;
}

static void two_clocks(struct raw_list *l) { insert_after(l, find(l, EV_ClockSnapshot, 0), EV_ClockSnapshot); }
static void stranger_in_sync(struct raw_list *l) { insert_after(l, find(l, EV_Frequency, 0), EV_ProcStop); }
static void stranger_in_strings(struct raw_list *l) { insert_after(l, find(l, EV_String, 0), EV_ProcStop); }
static void stranger_in_stacks(struct raw_list *l) { insert_after(l, find(l, EV_Stack, 0), EV_ProcStop); }
static void stranger_in_samples(struct raw_list *l) { insert_after(l, find(l, EV_CPUSample, 0), EV_ProcStop); }
static void table_among_events(struct raw_list *l) { insert_after(l, find(l, EV_ProcStatus, 0), EV_Stacks); }
static void end_among_events(struct raw_list *l) { insert_after(l, find(l, EV_ProcStatus, 0), EV_Frequency); }

static void event_outside(struct raw_list *l)
{
    struct gotrace_raw_event first = l->at[0];
    *insert_after(l, &l->at[0], EV_ProcStop) = first;
    l->at[0] = (struct gotrace_raw_event){.id = EV_ProcStop, .nargs = 1};
}

static void oversized_batch(struct raw_list *l) { find(l, EV_EventBatch, 0)->args[3] = BATCH_MAX_SIZE + 1; }
static void endless_batch(struct raw_list *l) { find(l, EV_EventBatch, 0)->args[3] = UINT64_MAX; }
static void batch_cut_off(struct raw_list *l) { find(l, EV_EventBatch, 0)->args[3] = 5000; }

/* The thread's batch goes last: a reader that believes its size finds all the others. */
static struct gotrace_raw_event *move_batch_to_end(struct raw_list *l)
{
    size_t size = 1;
    while (l->at[size].id != EV_EventBatch)
        size++;
    for (size_t i = 0; i < size; i++) {
        struct gotrace_raw_event first = l->at[0];
        for (size_t j = 1; j < l->n; j++)
            l->at[j - 1] = l->at[j];
        l->at[l->n - 1] = first;
    }
    return &l->at[l->n - size];
}

/* Its last event, of 4 bytes, is outside or without its last byte. */
static void batch_too_short(struct raw_list *l) { move_batch_to_end(l)->args[3] -= 4; }
static void event_cut_off(struct raw_list *l) { move_batch_to_end(l)->args[3] -= 1; }

static void string_too_long(struct raw_list *l)
{
    static uint8_t data[STRING_MAX_SIZE + 1];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = 'x';
    /* The last one, for what follows is read at the wrong place. */
    struct gotrace_raw_event *ev = insert_after(l, find(l, EV_String, 0), EV_String);
    ev->args[0] = 99;
    ev->data = data;
    ev->size = sizeof data;
}

static void string_twice(struct raw_list *l) { find(l, EV_String, 1)->args[0] = find(l, EV_String, 0)->args[0]; }
static void stack_twice(struct raw_list *l) { find(l, EV_Stack, 1)->args[0] = find(l, EV_Stack, 0)->args[0]; }

static void string_leaves_batch(struct raw_list *l)
{
    for (size_t i = l->n; i-- > 0;)
        if (l->at[i].id == EV_EventBatch) {
            l->at[i].args[3] -= 1;
            return;
        }
}

static struct gotrace_raw_frame *frame(struct raw_list *l) { return (void *)find(l, EV_Stack, 0)->frames; }
static void unknown_function(struct raw_list *l) { frame(l)->function = 999; }
static void unknown_file(struct raw_list *l) { frame(l)->file = 999; }

static void too_many_frames(struct raw_list *l)
{
    static struct gotrace_raw_frame frames[STACK_MAX_FRAMES + 1];
    struct gotrace_raw_event *ev = insert_after(l, find(l, EV_Stack, 0), EV_Stack);
    ev->args[0] = 99;
    ev->args[1] = STACK_MAX_FRAMES + 1;
    ev->frames = frames;
}

static void unknown_string(struct raw_list *l) { find(l, EV_GoLabel, 0)->args[1] = 999; }
static void unknown_stack(struct raw_list *l) { find(l, EV_GoStop, 0)->args[2] = 999; }
static void unknown_sample_stack(struct raw_list *l) { find(l, EV_CPUSample, 0)->args[4] = 999; }

const struct scenario structure_scenarios[] = {
    EDITED(22, "generation-zero", whole, "invalid generation number 0", generation_zero),
    EDITED(22, "generation-skipped", two_generations, "generations out of order", generation_skipped),
    EDITED(22, "generation-returns", two_generations, "generations out of order", generation_returns),
    EDITED(26, "end-missing-between", two_generations, "missing end-of-generation event", no_end_between),
    EDITED(26, "end-missing", two_generations, "incomplete generation", no_end),
    EDITED(22, "frequency-missing", whole, "no frequency event found", no_frequency),
    EDITED(25, "frequency-missing", whole, "no frequency event found", no_frequency),
    EDITED(25, "clock-missing", whole, "no clock snapshot event found", no_clock),
    EDITED(26, "clock-missing", whole, "no clock snapshot event found", no_clock),
    EDITED(22, "frequency-twice", whole, "multiple frequency events", two_frequencies),
    EDITED(26, "frequency-twice", whole, "multiple frequency events", two_frequencies),
    EDITED(25, "clock-twice", whole, "multiple clock snapshot events", two_clocks),
    EDITED(26, "stranger-in-sync", whole, "expected frequency or clock snapshot event", stranger_in_sync),
    EDITED(22, "stranger-in-strings", whole, "expected String", stranger_in_strings),
    EDITED(22, "stranger-in-stacks", whole, "expected Stack", stranger_in_stacks),
    EDITED(22, "stranger-in-samples", whole, "expected CPUSample", stranger_in_samples),
    EDITED(22, "table-among-events", whole, "without a timestamp", table_among_events),
    EDITED(22, "frequency-among-events", whole, "without a timestamp", end_among_events),
    EDITED(22, "event-outside-batch", whole, "expected a batch", event_outside),
    LIED(22, "batch-too-large", whole, "invalid batch size 65537", oversized_batch),
    LIED(22, "batch-endless", whole, "invalid batch size 18446744073709551615", endless_batch),
    LIED(22, "batch-cut-off", whole, "cut off: in the middle of a batch", batch_cut_off),
    LIED(22, "batch-too-short", whole, "expected a batch", batch_too_short),
    LIED(22, "event-cut-off", whole, "argument stack is cut off", event_cut_off),
    EDITED(22, "string-too-long", whole, "invalid string size 1025", string_too_long),
    EDITED(22, "string-id-twice", whole, "multiple strings with the same ID 1", string_twice),
    EDITED(22, "stack-id-twice", whole, "multiple stacks with the same ID 1", stack_twice),
    LIED(22, "string-leaves-batch", whole, "a string of [0-9]+ bytes exceeds its batch", string_leaves_batch),
    EDITED(22, "stack-too-deep", whole, "invalid stack size 129", too_many_frames),
    EDITED(22, "function-unknown", whole, "invalid func string ID 999", unknown_function),
    EDITED(22, "file-unknown", whole, "invalid file string ID 999", unknown_file),
    EDITED(22, "string-unknown", whole, "invalid string ID 999", unknown_string),
    EDITED(22, "stack-unknown", whole, "invalid stack ID 999", unknown_stack),
    EDITED(22, "sample-stack-unknown", whole, "invalid stack ID 999", unknown_sample_stack),
    END,
};
