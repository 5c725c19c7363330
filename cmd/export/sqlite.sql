PRAGMA application_id = 0x74687263;
PRAGMA user_version = 2;

CREATE TABLE meta (
    key TEXT NOT NULL PRIMARY KEY,
    value
) WITHOUT ROWID;

CREATE TABLE states (
    id INTEGER PRIMARY KEY,
    state TEXT NOT NULL
);

CREATE TABLE reasons (
    id INTEGER PRIMARY KEY,
    reason TEXT NOT NULL
);

CREATE TABLE threads (
    id INTEGER PRIMARY KEY, -- in the order in which they appear
    goroutine INTEGER NOT NULL, -- as the trace calls it
    tid INTEGER, -- the system's; NULL: several, or not known
    name TEXT, -- the function that it began with, or what the program called it
    maker INTEGER REFERENCES threads,
    begin_ns INTEGER NOT NULL, -- since the begin of the trace, as all times
    end_ns INTEGER NOT NULL
);

CREATE TABLE frames (
    id INTEGER PRIMARY KEY,
    pc INTEGER NOT NULL,
    function TEXT NOT NULL, -- "0x1234" where no name is known
    file TEXT,
    line INTEGER
);

CREATE TABLE stacks (
    id INTEGER PRIMARY KEY,
    depth INTEGER NOT NULL
);

CREATE TABLE stack_frames (
    stack INTEGER NOT NULL REFERENCES stacks,
    depth INTEGER NOT NULL, -- 0: the innermost; of a wait with an object that is the object
    frame INTEGER NOT NULL REFERENCES frames,
    PRIMARY KEY (stack, depth)
) WITHOUT ROWID;

CREATE TABLE objects (
    id INTEGER PRIMARY KEY,
    object TEXT NOT NULL, -- with the place of its definition
    name TEXT NOT NULL,
    kind TEXT NOT NULL, -- mutex, condition, pipe …
    class TEXT NOT NULL, -- lock, signal, meeting, end or data: thrace-stat(1)
    full INTEGER NOT NULL -- 1: waited for to write to it
);

CREATE TABLE turns ( -- of a thread: it runs, then is in a state, then may go on; what is NULL was not
    id INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads,
    begin_ns INTEGER NOT NULL,
    began INTEGER NOT NULL, -- 0: what comes first had begun before the trace
    running_ns INTEGER,
    state INTEGER REFERENCES states,
    duration_ns INTEGER, -- of the state, as all columns up to call
    reason INTEGER REFERENCES reasons,
    stack INTEGER REFERENCES stacks, -- with which it began
    object INTEGER REFERENCES objects, -- that it waits for
    waker INTEGER REFERENCES threads, -- who ended the wait; NULL: no thread of the trace
    waker_stack INTEGER REFERENCES stacks,
    call INTEGER, -- 1: a system call that the thread made
    runnable_ns INTEGER,
    runnable_reason INTEGER REFERENCES reasons,
    runnable_stack INTEGER REFERENCES stacks
);

CREATE TABLE samples (
    id INTEGER PRIMARY KEY,
    thread INTEGER REFERENCES threads,
    time_ns INTEGER NOT NULL,
    stack INTEGER REFERENCES stacks
);

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    thread INTEGER REFERENCES threads,
    time_ns INTEGER NOT NULL,
    kind TEXT NOT NULL, -- Metric, Label, RangeBegin, RangeActive, RangeEnd, TaskBegin, TaskEnd, RegionBegin, RegionEnd, Log
    name TEXT, -- of the metric, range, task, region; the label; the log's category
    detail TEXT, -- why the world stops; the log's message
    value, -- of the metric; the parent of the task
    task INTEGER
);

CREATE VIEW spans AS -- a row for each stretch of time
SELECT 3 * id - 2 AS id, thread, (SELECT id FROM states WHERE state = 'running') AS state, begin_ns,
    running_ns AS duration_ns, NULL AS reason, NULL AS stack, NULL AS object, NULL AS waker, NULL AS waker_stack, began,
    0 AS call
FROM turns WHERE running_ns IS NOT NULL
UNION ALL
SELECT 3 * id - 1, thread, state, begin_ns + ifnull(running_ns, 0), duration_ns, reason, stack, object, waker,
    waker_stack, began OR running_ns IS NOT NULL, call
FROM turns WHERE state IS NOT NULL
UNION ALL
SELECT 3 * id, thread, (SELECT id FROM states WHERE state = 'runnable'),
    begin_ns + ifnull(running_ns, 0) + ifnull(duration_ns, 0), runnable_ns, runnable_reason, runnable_stack, NULL, NULL,
    NULL, began OR running_ns IS NOT NULL OR state IS NOT NULL, 0
FROM turns WHERE runnable_ns IS NOT NULL;

CREATE VIEW calls_of_stacks AS -- the function of a stack, beyond the object, and who called it
SELECT s.id AS stack, w.has_object,
    (SELECT f.function FROM stack_frames sf JOIN frames f ON f.id = sf.frame
     WHERE sf.stack = s.id AND sf.depth = w.has_object) AS function,
    (SELECT f.function FROM stack_frames sf JOIN frames f ON f.id = sf.frame
     WHERE sf.stack = s.id AND sf.depth = w.has_object + 1) AS caller
FROM stacks s, (SELECT 0 AS has_object UNION ALL SELECT 1) w;

CREATE VIEW stack_texts AS -- frames in lines, the innermost first
SELECT s.id AS stack,
    (SELECT group_concat(line, char(10)) FROM
        (SELECT f.function || coalesce(' (' || f.file || coalesce(':' || f.line, '') || ')', '') AS line
         FROM stack_frames sf JOIN frames f ON f.id = sf.frame WHERE sf.stack = s.id ORDER BY sf.depth)) AS text
FROM stacks s;

CREATE VIEW waits AS
SELECT s.id, t.name AS thread, s.thread AS thread_id, s.begin_ns + ifnull(s.running_ns, 0) AS begin_ns, s.duration_ns,
    r.reason, o.object, o.kind, o.class, o.full, c.function, c.caller, s.stack, w.name AS waker, s.waker AS waker_id,
    s.waker_stack,
    CASE WHEN o.class = 'lock' THEN w.name END AS holder, -- the last one: who released it
    s.began OR s.running_ns IS NOT NULL AS began,
    s.runnable_ns -- woken, until it ran
FROM turns s
JOIN states st ON st.id = s.state AND st.state = 'waiting'
JOIN threads t ON t.id = s.thread
LEFT JOIN reasons r ON r.id = s.reason
LEFT JOIN objects o ON o.id = s.object
LEFT JOIN threads w ON w.id = s.waker
LEFT JOIN calls_of_stacks c ON c.stack = s.stack AND c.has_object = (s.object IS NOT NULL);

CREATE VIEW syscalls AS
SELECT s.id, t.name AS thread, s.thread AS thread_id, s.begin_ns + ifnull(s.running_ns, 0) AS begin_ns, s.duration_ns,
    c.function, c.caller, s.stack, s.began OR s.running_ns IS NOT NULL AS began
FROM turns s
JOIN states st ON st.id = s.state AND st.state = 'system call'
JOIN threads t ON t.id = s.thread
LEFT JOIN calls_of_stacks c ON c.stack = s.stack AND c.has_object = 0
WHERE s.call;

CREATE VIEW cpu AS -- samples, and the CPU time that one stands for
SELECT s.id, t.name AS thread, s.thread AS thread_id, s.time_ns, c.function, c.caller, s.stack,
    1e9 / (SELECT value FROM meta WHERE key = 'samples_hz') AS cpu_ns
FROM samples s
LEFT JOIN threads t ON t.id = s.thread
LEFT JOIN calls_of_stacks c ON c.stack = s.stack AND c.has_object = 0;

CREATE VIEW sums_by_state AS -- thrace stat --json: states
SELECT st.state, r.reason, count(*) AS count, sum(s.duration_ns) AS total_ns, max(s.duration_ns) AS max_ns
FROM spans s JOIN states st ON st.id = s.state LEFT JOIN reasons r ON r.id = s.reason
GROUP BY s.state, s.reason;

CREATE VIEW sums_by_object AS -- thrace stat --json: locks
SELECT o.object, o.name, o.kind, o.class, o.full, count(*) AS count, sum(s.duration_ns) AS total_ns,
    max(s.duration_ns) AS max_ns
FROM turns s JOIN objects o ON o.id = s.object
GROUP BY s.object;

CREATE VIEW sums_by_thread AS -- thrace stat --json: threads
SELECT t.id, t.name, t.goroutine, t.tid,
    sum(CASE WHEN st.state = 'running' THEN s.duration_ns ELSE 0 END) AS running_ns,
    sum(CASE WHEN st.state = 'waiting' THEN s.duration_ns ELSE 0 END) AS waiting_ns,
    sum(CASE WHEN st.state = 'runnable' THEN s.duration_ns ELSE 0 END) AS runnable_ns,
    sum(CASE WHEN st.state = 'system call' THEN s.duration_ns ELSE 0 END) AS syscall_ns,
    sum(st.state = 'waiting' AND s.began) AS blocks,
    (SELECT count(*) FROM samples x WHERE x.thread = t.id) AS samples
FROM spans s JOIN states st ON st.id = s.state JOIN threads t ON t.id = s.thread
GROUP BY s.thread;
