// Regions and tasks: parts of time with a name, several of which may go on at once. Each is on a level of its lane
// where nothing else is at that time.

const LEVELS = 8; // more at once are only counted

// Sorts into levels, by their begin: a region that encloses others comes above them.
function packLevels(regions, nameOf) {
    const levels = [];
    levels.hidden = 0;
    regions.sort((a, b) => a.begin - b.begin || b.length - a.length);
    for (const r of regions) {
        const level = levels.findIndex((there) => there.end <= r.begin);
        r.text = nameOf(r);
        if (level < 0 && levels.length === LEVELS) {
            levels.hidden++;
            continue;
        }
        const to = level < 0 ? levels[levels.push([]) - 1] : levels[level];
        to.push(r);
        to.end = r.begin + r.length;
    }
    return levels;
}

// The place of the first of a level that ends after t.
function firstAfter(level, t) {
    let low = 0, high = level.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (level[middle].begin + level[middle].length <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Tasks have rows of their own, one for each type: a task may go from thread to thread.
function makeTaskLanes(trace) {
    const byType = new Map();
    for (const task of trace.tasks) {
        if (!byType.has(task.type))
            byType.set(task.type, []);
        byType.get(task.type).push(task);
    }
    return [...byType].map(([type, tasks]) => {
        const lane = new Lane(-2);
        lane.name = `task ${trace.texts[type] || "without name"}`;
        lane.regions = tasks;
        lane.levels = packLevels(tasks, () => trace.texts[type]);
        lane.begin = 0;
        lane.end = trace.duration;
        return lane;
    });
}
