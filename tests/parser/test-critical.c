/* The critical paths of small traces, every nanosecond. */
#include "tests/parser/path-report.h"

/*
 * 1 waits for 2 to end, from 100 to 500. 2 waits for a lock from 200 to 400, and is woken by 3, which was in a system
 * call from 150 to 350.
 */
static struct made chain(void)
{
    struct made m = begin(3);
    block(&m, 1, 100, "sync", stack(&m, "thread worker 2", "pthread_join", "finish", 5, "main"));
    EVENT(&m, 3, 150, GoSyscallBegin, 1, stack(&m, NULL, "fdatasync", "flush", 6, "flusher"));
    block(&m, 2, 200, "sync", stack(&m, "mutex m", "pthread_mutex_lock", "take", 7, "worker"));
    EVENT(&m, 3, 350, GoSyscallEnd);
    wake(&m, 3, 2, 400, stack(&m, NULL, "pthread_mutex_unlock", "done", 8, "flusher"));
    start(&m, 2, 410);
    wake(&m, 2, 1, 500, 0);
    EVENT(&m, 2, 505, GoDestroy);
    start(&m, 1, 510);
    EVENT(&m, 1, 600, GoSyscallBegin, 1, stack(&m, NULL, "write", "report", 9, "main"));
    return m;
}

static const char chain_report[] =
    "The critical path to the end of main (1): 600 ns\n"
    "\n"
    "What it consists of\n"
    "    time  share   saves  state\n"
    "  379 ns  63.2%  379 ns  running\n"
    "  201 ns  33.5%  201 ns  system call\n"
    "   20 ns   3.3%   20 ns  runnable\n"
    "\n"
    "Running, by function\n"
    "    time  share   saves  times  function\n"
    "  149 ns  24.8%  149 ns      1  until flush (a.c)\n"
    "   90 ns  15.0%   90 ns      1  until (no stack)\n"
    "   90 ns  15.0%   90 ns      1  until report (a.c)\n"
    "   50 ns   8.3%   50 ns      1  until done (a.c)\n"
    "\n"
    "System calls\n"
    "    time  share   saves  times  call\n"
    "  200 ns  33.3%  200 ns      1  fdatasync (a.c:6 flush)\n"
    "    1 ns   0.2%    1 ns      1  write (a.c:9 report)\n"
    "\n"
    "What was waited for\n"
    "    time  share   saves  object\n"
    "  210 ns  35.0%  210 ns  mutex m\n"
    "  200 ns  33.3%  410 ns  thread worker 2\n"
    "  190 ns  31.7%       -  (nobody waited)\n"
    "\n"
    "Threads\n"
    "    time  share   saves  threads  name\n"
    "  399 ns  66.5%  200 ns        1  flusher\n"
    "  101 ns  16.8%   91 ns        1  main\n"
    "  100 ns  16.7%   90 ns        1  worker\n"
    "\n"
    "The longest stretches, in the order of time\n"
    "      at    time  share  id  thread   state: reason      where\n"
    "    0 ns  149 ns  24.8%   3  flusher  running            until flush (a.c)\n"
    "  149 ns  200 ns  33.3%   3  flusher  system call        fdatasync (a.c:6 flush)\n"
    "  349 ns   50 ns   8.3%   3  flusher  running            until done (a.c)\n"
    "      wakes worker (2) from mutex m\n"
    "  399 ns   10 ns   1.7%   2  worker   runnable: (woken)  \n"
    "  409 ns   90 ns  15.0%   2  worker   running            until (no stack)\n"
    "      wakes main (1) from thread worker 2\n"
    "  499 ns   10 ns   1.7%   1  main     runnable: (woken)  \n"
    "  509 ns   90 ns  15.0%   1  main     running            until report (a.c)\n"
    "  599 ns    1 ns   0.2%   1  main     system call        write (a.c:9 report)\n";

static void follows_who_ended_waits(void **state)
{
    struct made m = chain();
    expect(&m, chain_report);
}

/* At 300 thread 2 waits, and nobody has ended that. At 450 main waits, and 3 was the last to do something, at 400. */
static void of_a_thread_and_a_time(void **state)
{
    struct made m = chain();
    expect_of(&m, (struct asked){.to = 300, .from = 50, .name = "worker"},
              "The longest stretches, in the order of time\n"
              "      at    time  share  id  thread  state: reason  where\n"
              "    0 ns  150 ns  60.0%   2  worker  running        until take (a.c)\n"
              "  150 ns  100 ns  40.0%   2  worker  waiting        mutex m\n");
    m = chain();
    expect_of(&m, (struct asked){.to = 450, .from = 50},
              "The longest stretches, in the order of time\n"
              "      at    time  share  id  thread   state: reason  where\n"
              "    0 ns  100 ns  25.0%   3  flusher  running        until flush (a.c)\n"
              "  100 ns  200 ns  50.0%   3  flusher  system call    fdatasync (a.c:6 flush)\n"
              "  300 ns   50 ns  12.5%   3  flusher  running        until done (a.c)\n"
              "  350 ns   50 ns  12.5%   3  flusher  running        until (not known)\n");
    m = chain();
    expect_of(&m, (struct asked){.name = "worker"},
              "The longest stretches, in the order of time\n"
              "      at    time  share  id  thread   state: reason      where\n"
              "    0 ns  149 ns  29.6%   3  flusher  running            until flush (a.c)\n"
              "  149 ns  200 ns  39.7%   3  flusher  system call        fdatasync (a.c:6 flush)\n"
              "  349 ns   50 ns   9.9%   3  flusher  running            until done (a.c)\n"
              "      wakes worker (2) from mutex m\n"
              "  399 ns   10 ns   2.0%   2  worker   runnable: (woken)  \n"
              "  409 ns   95 ns  18.8%   2  worker   running            until (no stack)\n");
}

/* The same when nearly all records are in the file. */
static void records_may_be_in_a_file(void **state)
{
    struct made m = chain();
    expect_of(&m, (struct asked){.memory = 2}, chain_report);
}

/*
 * 2 waits for the network from 50 on, and gets something at 300. 1 waits for what 2 then does, from 200 on. What comes
 * from outside may have come because of what 1 did; what comes at its time, from a sleep, has not.
 */
static struct made answer(const char *reason, const char *object)
{
    struct made m = begin(2);
    block(&m, 2, 50, reason, stack(&m, object, "recv", "serve", 5, "receiver"));
    EVENT(&m, 1, 80, GoSyscallBegin, 1, stack(&m, NULL, "send", "ask", 6, "main"));
    EVENT(&m, 1, 180, GoSyscallEnd);
    block(&m, 1, 200, "sync.(*Cond).Wait", stack(&m, "condition answered", "pthread_cond_wait", "await", 7, "main"));
    wake(&m, 2, 2, 300, 0);
    start(&m, 2, 310);
    wake(&m, 2, 1, 350, stack(&m, NULL, "pthread_cond_signal", "serve", 8, "receiver"));
    start(&m, 1, 360);
    EVENT(&m, 1, 400, GoSyscallBegin, 2, stack(&m, NULL, "write", "report", 9, "main"));
    return m;
}

static void what_comes_from_outside_was_waited_for(void **state)
{
    struct made m = answer("network", "socket :80");
    expect(&m, "Waits that no thread of the trace ended\n"
              "    time  share   saves  times  reason   where\n"
              "  100 ns  25.0%  100 ns      1  network  socket :80 in recv (a.c:5 serve)\n"
              "\n"
              "What was waited for\n"
              "    time  share   saves  object\n"
              "  240 ns  60.0%       -  (nobody waited)\n"
              "  160 ns  40.0%  160 ns  condition answered\n"
              "\n"
              "Threads\n"
              "    time  share   saves  threads  name\n"
              "  250 ns  62.5%  240 ns        1  main\n"
              "  150 ns  37.5%  140 ns        1  receiver\n"
              "\n"
              "The longest stretches, in the order of time\n"
              "      at    time  share  id  thread    state: reason      where\n"
              "    0 ns   79 ns  19.8%   1  main      running            until ask (a.c)\n"
              "   79 ns  100 ns  25.0%   1  main      system call        send (a.c:6 ask)\n"
              "  179 ns   20 ns   5.0%   1  main      running            until await (a.c)\n"
              "  199 ns  100 ns  25.0%   2  receiver  waiting: network   socket :80 in recv (a.c:5 serve)\n"
              "  299 ns   10 ns   2.5%   2  receiver  runnable: (woken)  \n"
              "  309 ns   40 ns  10.0%   2  receiver  running            until serve (a.c)\n"
              "      wakes main (1) from condition answered\n"
              "  349 ns   10 ns   2.5%   1  main      runnable: (woken)  \n"
              "  359 ns   40 ns  10.0%   1  main      running            until report (a.c)\n"
              "  399 ns    1 ns   0.2%   1  main      system call        write (a.c:9 report)\n");
    m = answer("sleep", NULL);
    expect(&m, "Threads\n"
              "    time  share   saves  threads  name\n"
              "  349 ns  87.2%  150 ns        1  receiver\n"
              "   51 ns  12.8%   41 ns        1  main\n"
              "\n"
              "The longest stretches, in the order of time\n"
              "      at    time  share  id  thread    state: reason      where\n"
              "    0 ns   49 ns  12.2%   2  receiver  running            until serve (a.c)\n"
              "   49 ns  250 ns  62.5%   2  receiver  waiting: sleep     recv (a.c:5 serve)\n"
              "  299 ns   10 ns   2.5%   2  receiver  runnable: (woken)  \n"
              "  309 ns   40 ns  10.0%   2  receiver  running            until serve (a.c)\n"
              "      wakes main (1) from condition answered\n"
              "  349 ns   10 ns   2.5%   1  main      runnable: (woken)  \n"
              "  359 ns   40 ns  10.0%   1  main      running            until report (a.c)\n"
              "  399 ns    1 ns   0.2%   1  main      system call        write (a.c:9 report)\n");
}

/* 1 waits already when 2 begins to wait for the network: it has asked for nothing since, and 2 was late itself. */
static void who_waits_all_along_has_no_part(void **state)
{
    struct made m = begin(2);
    block(&m, 1, 40, "sync.(*Cond).Wait", stack(&m, "condition answered", "pthread_cond_wait", "await", 7, "main"));
    block(&m, 2, 100, "network", stack(&m, "socket :80", "recv", "serve", 5, "receiver"));
    wake(&m, 2, 2, 300, 0);
    start(&m, 2, 310);
    wake(&m, 2, 1, 350, stack(&m, NULL, "pthread_cond_signal", "serve", 8, "receiver"));
    start(&m, 1, 360);
    EVENT(&m, 1, 400, GoSyscallBegin, 1, stack(&m, NULL, "write", "report", 9, "main"));
    expect(&m, "The longest stretches, in the order of time\n"
               "      at    time  share  id  thread    state: reason      where\n"
               "    0 ns   99 ns  24.8%   2  receiver  running            until serve (a.c)\n"
               "   99 ns  200 ns  50.0%   2  receiver  waiting: network   socket :80 in recv (a.c:5 serve)\n"
               "  299 ns   10 ns   2.5%   2  receiver  runnable: (woken)  \n"
               "  309 ns   40 ns  10.0%   2  receiver  running            until serve (a.c)\n"
               "      wakes main (1) from condition answered\n"
               "  349 ns   10 ns   2.5%   1  main      runnable: (woken)  \n"
               "  359 ns   40 ns  10.0%   1  main      running            until report (a.c)\n"
               "  399 ns    1 ns   0.2%   1  main      system call        write (a.c:9 report)\n");
}

/* 2 wakes 3 for what has come, which wakes 1. 3 waits since 100 for that, 1 since 200: before that it has decided. */
static void the_last_to_wait_is_who_it_was_for(void **state)
{
    struct made m = begin(3);
    block(&m, 2, 50, "network", stack(&m, "socket :80", "recv", "serve", 5, "receiver"));
    block(&m, 3, 100, "sync.(*Cond).Wait", stack(&m, "condition come", "pthread_cond_wait", "relay", 6, "relay"));
    block(&m, 1, 200, "sync.(*Cond).Wait", stack(&m, "condition answered", "pthread_cond_wait", "await", 7, "main"));
    wake(&m, 2, 2, 300, 0);
    start(&m, 2, 310);
    wake(&m, 2, 3, 320, stack(&m, NULL, "pthread_cond_signal", "serve", 8, "receiver"));
    start(&m, 3, 330);
    wake(&m, 3, 1, 350, stack(&m, NULL, "pthread_cond_signal", "relay", 9, "relay"));
    start(&m, 1, 360);
    EVENT(&m, 1, 400, GoSyscallBegin, 1, stack(&m, NULL, "write", "report", 9, "main"));
    expect(&m, "What was waited for\n"
               "    time  share   saves  object\n"
               "  240 ns  60.0%       -  (nobody waited)\n"
               "  130 ns  32.5%  150 ns  condition come\n"
               "   30 ns   7.5%  160 ns  condition answered\n"
               "\n"
               "Threads\n"
               "    time  share   saves  threads  name\n"
               "  250 ns  62.5%  240 ns        1  main\n"
               "  120 ns  30.0%  110 ns        1  receiver\n"
               "   30 ns   7.5%   20 ns        1  relay\n"
               "\n"
               "The longest stretches, in the order of time\n"
               "      at    time  share  id  thread    state: reason      where\n"
               "    0 ns  199 ns  49.8%   1  main      running            until await (a.c)\n"
               "  199 ns  100 ns  25.0%   2  receiver  waiting: network   socket :80 in recv (a.c:5 serve)\n"
               "  299 ns   10 ns   2.5%   2  receiver  runnable: (woken)  \n"
               "  309 ns   10 ns   2.5%   2  receiver  running            until serve (a.c)\n"
               "      wakes relay (3) from condition come\n"
               "  319 ns   10 ns   2.5%   3  relay     runnable: (woken)  \n"
               "  329 ns   20 ns   5.0%   3  relay     running            until relay (a.c)\n"
               "      wakes main (1) from condition answered\n"
               "  349 ns   10 ns   2.5%   1  main      runnable: (woken)  \n"
               "  359 ns   40 ns  10.0%   1  main      running            until report (a.c)\n"
               "  399 ns    1 ns   0.2%   1  main      system call        write (a.c:9 report)\n");
}

/* Waits for one thing that give up, at 150 and 250, and are tried again, are one: from 100 on 1 waits for 2. */
static void trying_again_is_waiting(void **state)
{
    struct made m = begin(2);
    uint64_t waits = stack(&m, "condition c", "pthread_cond_timedwait", "await", 7, "main");
    block(&m, 1, 100, "sync.(*Cond).Wait", waits);
    wake(&m, 1, 1, 150, 0);
    start(&m, 1, 151);
    block(&m, 1, 160, "sync.(*Cond).Wait", waits);
    wake(&m, 1, 1, 250, 0);
    start(&m, 1, 251);
    block(&m, 1, 260, "sync.(*Cond).Wait", waits);
    wake(&m, 2, 1, 300, stack(&m, NULL, "pthread_cond_signal", "work", 8, "worker"));
    start(&m, 1, 310);
    EVENT(&m, 1, 400, GoSyscallBegin, 1, stack(&m, NULL, "write", "report", 9, "main"));
    expect(&m, "What was waited for\n"
              "    time  share   saves  object\n"
              "  210 ns  52.5%  210 ns  condition c\n"
              "  190 ns  47.5%       -  (nobody waited)\n"
              "\n"
              "Threads\n"
              "    time  share   saves  threads  name\n"
              "  299 ns  74.8%  200 ns        1  worker\n"
              "  101 ns  25.2%   91 ns        1  main\n"
              "\n"
              "The longest stretches, in the order of time\n"
              "      at    time  share  id  thread  state: reason      where\n"
              "    0 ns  299 ns  74.8%   2  worker  running            until work (a.c)\n"
              "      wakes main (1) from condition c\n"
              "  299 ns   10 ns   2.5%   1  main    runnable: (woken)  \n"
              "  309 ns   90 ns  22.5%   1  main    running            until report (a.c)\n"
              "  399 ns    1 ns   0.2%   1  main    system call        write (a.c:9 report)\n");
}

/* 2 is made at 200 and begins at 240; samples find it at 250, 260 and 300. It is the last, for 1 waits for a pipe. */
static void begins_with_its_maker(void **state)
{
    struct made m = begin(1);
    uint64_t copies = stack(&m, NULL, "memcpy", "compress", 140, "zip");
    EVENT(&m, 1, 200, GoCreate, 2, stack(&m, NULL, NULL, NULL, 0, "zip"), stack(&m, NULL, NULL, "begin", 4, "main"));
    block(&m, 1, 210, "chan receive", stack(&m, "pipe 7", "read", "idle", 5, "main"));
    EVENT(&m, 2, 220, ProcStatus, 2, 1);
    start(&m, 2, 240);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 250, 2, 2, 2, copies), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 260, 2, 2, 2, copies), 0);
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 300, 2, 2, 2, stack(&m, NULL, NULL, "check", 150, "zip")), 0);
    EVENT(&m, 2, 360, GoSyscallBegin, 1, stack(&m, NULL, "write", "put", 6, "zip"));
    EVENT(&m, 2, 380, GoSyscallEnd);
    EVENT(&m, 2, 400, GoDestroy);
    expect(&m, "What was waited for\n"
              "    time   share  saves  object\n"
              "  400 ns  100.0%      -  (nobody waited)\n"
              "\n"
              "Threads\n"
              "    time  share   saves  threads  name\n"
              "  201 ns  50.2%  160 ns        1  zip\n"
              "  199 ns  49.8%  199 ns        1  main\n"
              "\n"
              "The longest stretches, in the order of time\n"
              "      at    time  share  id  thread  state: reason        where\n"
              "    0 ns  199 ns  49.8%   1  main    running              until begin (a.c)\n"
              "      makes zip (2)\n"
              "  199 ns   40 ns  10.0%   2  zip     runnable: (created)  \n"
              "  239 ns   20 ns   5.0%   2  zip     running              compress (a.c)\n"
              "  259 ns  100 ns  25.0%   2  zip     running              check (a.c)\n"
              "  359 ns   20 ns   5.0%   2  zip     system call          write (a.c:6 put)\n"
              "  379 ns   20 ns   5.0%   2  zip     running              until (no stack)\n"
              "  399 ns    1 ns   0.2%   2  zip     not known            (after its end)\n");
}

/*
 * 1 waits for 2, which has a call of 180, and then wakes 3, for which it waits. 3 comes to its wait for 1 at
 * 270, so 2 could save 40, from 310 on, by whatever it does.
 */
static void what_else_is_on_its_way_limits_what_is_saved(void **state)
{
    struct made m = begin(3);
    block(&m, 1, 90, "sync", stack(&m, "thread two", "pthread_join", "finish", 5, "main"));
    EVENT(&m, 2, 100, GoSyscallBegin, 1, stack(&m, NULL, "fsync", "store", 6, "two"));
    EVENT(&m, 3, 110, GoSyscallBegin, 1, stack(&m, NULL, "read", "load", 6, "three"));
    EVENT(&m, 3, 260, GoSyscallEnd);
    block(&m, 3, 270, "sync", stack(&m, "semaphore s", "sem_wait", "load", 7, "three"));
    EVENT(&m, 2, 280, GoSyscallEnd);
    wake(&m, 2, 1, 300, 0);
    EVENT(&m, 2, 301, GoDestroy);
    start(&m, 1, 302);
    wake(&m, 1, 3, 310, stack(&m, NULL, "sem_post", "finish", 8, "main"));
    block(&m, 1, 320, "sync", stack(&m, "thread three", "pthread_join", "finish", 5, "main"));
    start(&m, 3, 330);
    wake(&m, 3, 1, 400, 0);
    EVENT(&m, 3, 401, GoDestroy);
    start(&m, 1, 410);
    EVENT(&m, 1, 500, GoSyscallBegin, 1, stack(&m, NULL, "write", "report", 9, "main"));
    expect(&m, "Running, by function\n"
              "   time  share  saves  times  function\n"
              "  99 ns  19.8%  40 ns      1  until store (a.c)\n"
              "  90 ns  18.0%  90 ns      2  until (no stack)\n"
              "  90 ns  18.0%  90 ns      1  until report (a.c)\n"
              "   8 ns   1.6%   8 ns      1  until finish (a.c)\n"
              "\n"
              "System calls\n"
              "    time  share  saves  times  call\n"
              "  180 ns  36.0%  40 ns      1  fsync (a.c:6 store)\n"
              "    1 ns   0.2%   1 ns      1  write (a.c:9 report)\n"
              "\n"
              "What was waited for\n"
              "    time  share  saves  object\n"
              "  212 ns  42.4%  40 ns  thread two\n"
              "  180 ns  36.0%      -  (nobody waited)\n"
              "   80 ns  16.0%  90 ns  thread three\n"
              "   28 ns   5.6%  60 ns  semaphore s\n"
              "\n"
              "Threads\n"
              "    time  share  saves  threads  name\n"
              "  299 ns  59.8%  40 ns        1  two\n"
              "  111 ns  22.2%  99 ns        1  main\n"
              "   90 ns  18.0%  70 ns        1  three\n"
              "\n"
              "The longest stretches, in the order of time\n"
              "      at    time  share  id  thread  state: reason      where\n"
              "    0 ns   99 ns  19.8%   2  two     running            until store (a.c)\n"
              "   99 ns  180 ns  36.0%   2  two     system call        fsync (a.c:6 store)\n"
              "  279 ns   20 ns   4.0%   2  two     running            until (no stack)\n"
              "      wakes main (1) from thread two\n"
              "  299 ns    2 ns   0.4%   1  main    runnable: (woken)  \n"
              "  301 ns    8 ns   1.6%   1  main    running            until finish (a.c)\n"
              "      wakes three (3) from semaphore s\n"
              "  309 ns   20 ns   4.0%   3  three   runnable: (woken)  \n"
              "  329 ns   70 ns  14.0%   3  three   running            until (no stack)\n"
              "      wakes main (1) from thread three\n"
              "  399 ns   10 ns   2.0%   1  main    runnable: (woken)  \n"
              "  409 ns   90 ns  18.0%   1  main    running            until report (a.c)\n"
              "  499 ns    1 ns   0.2%   1  main    system call        write (a.c:9 report)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_who_ended_waits),
        cmocka_unit_test(of_a_thread_and_a_time),
        cmocka_unit_test(records_may_be_in_a_file),
        cmocka_unit_test(what_comes_from_outside_was_waited_for),
        cmocka_unit_test(who_waits_all_along_has_no_part),
        cmocka_unit_test(the_last_to_wait_is_who_it_was_for),
        cmocka_unit_test(trying_again_is_waiting),
        cmocka_unit_test(begins_with_its_maker),
        cmocka_unit_test(what_else_is_on_its_way_limits_what_is_saved),
    };
    return cmocka_run_group_tests_name("critical", tests, NULL, NULL);
}
