/* Prints how the types of the headers are laid out, and the values of their constants, as tests/parser/gotrace.abi. */
#include <stddef.h>
#include <stdio.h>

#include <gotrace/gotrace.h>

#define TYPE(type) printf("size %s %zu\n", #type, sizeof(type))
#define FIELD(type, name) printf("field %s.%s %zu %zu\n", #type, #name, offsetof(type, name), sizeof(((type *)0)->name))
#define VALUE(name) printf("value %s %lld\n", #name, (long long)(name))

#define GOTRACE_EVENT(id, name, ...) VALUE(GOTRACE_EV_##name);

static void types(void)
{
    TYPE(struct gotrace_raw_frame);
    FIELD(struct gotrace_raw_frame, pc);
    FIELD(struct gotrace_raw_frame, function);
    FIELD(struct gotrace_raw_frame, file);
    FIELD(struct gotrace_raw_frame, line);
    TYPE(struct gotrace_raw_event);
    FIELD(struct gotrace_raw_event, id);
    FIELD(struct gotrace_raw_event, nargs);
    FIELD(struct gotrace_raw_event, size_width);
    FIELD(struct gotrace_raw_event, args);
    FIELD(struct gotrace_raw_event, frames);
    FIELD(struct gotrace_raw_event, data);
    FIELD(struct gotrace_raw_event, size);
    TYPE(struct gotrace_builder_frame);
    FIELD(struct gotrace_builder_frame, pc);
    FIELD(struct gotrace_builder_frame, function);
    FIELD(struct gotrace_builder_frame, file);
    FIELD(struct gotrace_builder_frame, line);
    TYPE(struct gotrace_str);
    FIELD(struct gotrace_str, data);
    FIELD(struct gotrace_str, len);
    TYPE(struct gotrace_error);
    FIELD(struct gotrace_error, status);
    FIELD(struct gotrace_error, sys_errno);
    FIELD(struct gotrace_error, message);
    FIELD(struct gotrace_error, generation);
    FIELD(struct gotrace_error, thread);
    FIELD(struct gotrace_error, offset);
    FIELD(struct gotrace_error, event);
    TYPE(struct gotrace_stack);
    FIELD(struct gotrace_stack, reader);
    FIELD(struct gotrace_stack, serial);
    FIELD(struct gotrace_stack, id);
    TYPE(struct gotrace_frame);
    FIELD(struct gotrace_frame, pc);
    FIELD(struct gotrace_frame, function);
    FIELD(struct gotrace_frame, file);
    FIELD(struct gotrace_frame, line);
    TYPE(struct gotrace_resource);
    FIELD(struct gotrace_resource, kind);
    FIELD(struct gotrace_resource, id);
    TYPE(struct gotrace_transition);
    FIELD(struct gotrace_transition, resource);
    FIELD(struct gotrace_transition, from);
    FIELD(struct gotrace_transition, to);
    FIELD(struct gotrace_transition, reason);
    FIELD(struct gotrace_transition, stack);
    TYPE(struct gotrace_metric);
    FIELD(struct gotrace_metric, name);
    FIELD(struct gotrace_metric, value);
    TYPE(struct gotrace_label);
    FIELD(struct gotrace_label, resource);
    FIELD(struct gotrace_label, label);
    TYPE(struct gotrace_attribute);
    FIELD(struct gotrace_attribute, name);
    FIELD(struct gotrace_attribute, value);
    TYPE(struct gotrace_range);
    FIELD(struct gotrace_range, name);
    FIELD(struct gotrace_range, detail);
    FIELD(struct gotrace_range, scope);
    FIELD(struct gotrace_range, nattributes);
    FIELD(struct gotrace_range, attributes);
    TYPE(struct gotrace_task);
    FIELD(struct gotrace_task, id);
    FIELD(struct gotrace_task, parent);
    FIELD(struct gotrace_task, type);
    TYPE(struct gotrace_region);
    FIELD(struct gotrace_region, task);
    FIELD(struct gotrace_region, type);
    TYPE(struct gotrace_log);
    FIELD(struct gotrace_log, task);
    FIELD(struct gotrace_log, category);
    FIELD(struct gotrace_log, message);
    TYPE(struct gotrace_clock_snapshot);
    FIELD(struct gotrace_clock_snapshot, trace);
    FIELD(struct gotrace_clock_snapshot, mono);
    FIELD(struct gotrace_clock_snapshot, sec);
    FIELD(struct gotrace_clock_snapshot, nsec);
    TYPE(struct gotrace_sync);
    FIELD(struct gotrace_sync, n);
    FIELD(struct gotrace_sync, has_clock);
    FIELD(struct gotrace_sync, clock);
    FIELD(struct gotrace_sync, nbatches);
    TYPE(struct gotrace_experimental_batch);
    FIELD(struct gotrace_experimental_batch, experiment);
    FIELD(struct gotrace_experimental_batch, experiment_id);
    FIELD(struct gotrace_experimental_batch, thread);
    FIELD(struct gotrace_experimental_batch, data);
    FIELD(struct gotrace_experimental_batch, size);
    TYPE(struct gotrace_experimental);
    FIELD(struct gotrace_experimental, name);
    FIELD(struct gotrace_experimental, experiment);
    FIELD(struct gotrace_experimental, nargs);
    FIELD(struct gotrace_experimental, args);
    FIELD(struct gotrace_experimental, values);
    TYPE(struct gotrace_generation);
    FIELD(struct gotrace_generation, number);
    FIELD(struct gotrace_generation, offset);
    FIELD(struct gotrace_generation, size);
    FIELD(struct gotrace_generation, time);
    FIELD(struct gotrace_generation, has_clock);
    FIELD(struct gotrace_generation, clock);
    TYPE(struct gotrace_summary);
    FIELD(struct gotrace_summary, events);
    FIELD(struct gotrace_summary, generations);
    FIELD(struct gotrace_summary, violations);
}

static void constants(void)
{
    VALUE(GOTRACE_RAW_BYTES);
    VALUE(GOTRACE_RAW_TEXT);
    VALUE(GOTRACE_OK);
    VALUE(GOTRACE_EREAD);
    VALUE(GOTRACE_EFORMAT);
    VALUE(GOTRACE_EVERSION);
    VALUE(GOTRACE_EBROKEN);
    VALUE(GOTRACE_ENOMEM);
    VALUE(GOTRACE_EWRITE);
    VALUE(GOTRACE_EINVAL);
    VALUE(GOTRACE_KIND_BAD);
    VALUE(GOTRACE_KIND_SYNC);
    VALUE(GOTRACE_KIND_METRIC);
    VALUE(GOTRACE_KIND_LABEL);
    VALUE(GOTRACE_KIND_STACK_SAMPLE);
    VALUE(GOTRACE_KIND_RANGE_BEGIN);
    VALUE(GOTRACE_KIND_RANGE_ACTIVE);
    VALUE(GOTRACE_KIND_RANGE_END);
    VALUE(GOTRACE_KIND_TASK_BEGIN);
    VALUE(GOTRACE_KIND_TASK_END);
    VALUE(GOTRACE_KIND_REGION_BEGIN);
    VALUE(GOTRACE_KIND_REGION_END);
    VALUE(GOTRACE_KIND_LOG);
    VALUE(GOTRACE_KIND_TRANSITION);
    VALUE(GOTRACE_KIND_EXPERIMENTAL);
    VALUE(GOTRACE_RESOURCE_NONE);
    VALUE(GOTRACE_RESOURCE_GOROUTINE);
    VALUE(GOTRACE_RESOURCE_PROC);
    VALUE(GOTRACE_STATE_UNDETERMINED);
    VALUE(GOTRACE_STATE_NOT_EXIST);
    VALUE(GOTRACE_STATE_RUNNABLE);
    VALUE(GOTRACE_STATE_RUNNING);
    VALUE(GOTRACE_STATE_WAITING);
    VALUE(GOTRACE_STATE_SYSCALL);
    VALUE(GOTRACE_STATE_IDLE);
    VALUE(GOTRACE_RAW_MAX_ARGS);
    VALUE(GOTRACE_RAW_MAX_DATA);
    VALUE(GOTRACE_RAW_MAX_FRAMES);
    VALUE(GOTRACE_GO_RUNNABLE);
    VALUE(GOTRACE_GO_RUNNING);
    VALUE(GOTRACE_GO_SYSCALL);
    VALUE(GOTRACE_GO_WAITING);
    VALUE(GOTRACE_PROC_RUNNING);
    VALUE(GOTRACE_PROC_IDLE);
    VALUE(GOTRACE_PROC_SYSCALL);
    VALUE(GOTRACE_PROC_SYSCALL_ABANDONED);
#include <gotrace/events.def>
}

int main(void)
{
    types();
    constants();
    return 0;
}
