/* Snapshots of the flight recorder. */
#ifndef THRACE_PRELOAD_SESSION_SNAPSHOT_H
#define THRACE_PRELOAD_SESSION_SNAPSHOT_H

/*
 * Writes what the flight recorder holds to a spool of its own, whose path goes to spool (SPOOL_PATH_MAX bytes). 0, or a
 * negative errno: -EOPNOTSUPP when it is none, -EALREADY when nothing is recorded. By a thread of the library's own.
 */
int session_snapshot(char *spool);

#endif
