// For how long threads could run and did not, in a part of the trace: what `thrace stat --run-queue` says.

const QUEUE_AT_MOST = [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9, 3e9, 1e10, Infinity];

// Whether the kernel has said who runs.
function isByKernel(trace) {
    return ((trace.stat && trace.stat.threads) || []).some((t) => t.migrations !== null);
}

// By length: how many there were, their time, and where the longest is.
function queueLengths(sums) {
    const {trace, from, to} = sums, byKernel = isByKernel(trace);
    const rows = QUEUE_AT_MOST.map((atMost) => ({atMost, count: 0, time: 0, longest: -1, where: null}));
    // Where the kernel says who runs, one that nobody was seen to wake is runnable when it has a processor already.
    const wokeItself = (lane, i) =>
        byKernel && i > 0 && trace.state(lane.what[i - 1]) === WAITING && !lane.waker[i - 1];
    eachPart(trace.lanes, from, to, (lane, i, part) => {
        if (trace.state(lane.what[i]) !== RUNNABLE || wokeItself(lane, i))
            return;
        const row = rows.find((r) => part <= r.atMost);
        row.count++;
        row.time += part;
        if (part > row.longest)
            [row.longest, row.where] = [part, [lane, i]];
    });
    return rows;
}

function queueCaption(trace) {
    if (isByKernel(trace) || trace.lanes.some((l) => l.id === 1 && l.name === "runtime.main"))
        return "For how long threads could run and had no processor";
    return "For how long threads could run, until they said that they went on: the recording does not say when they " +
        "had no processor (thrace record --switches)";
}

// A bar for each length. go(lane, i) leads to the longest of a length.
function queueElement(sums, go) {
    const all = queueLengths(sums), counts = all.map((r) => r.count), any = counts.map((c) => c > 0);
    const most = Math.max(...counts), n = counts.reduce((s, c) => s + c, 0);
    const rows = all.slice(Math.max(0, any.indexOf(true)), any.lastIndexOf(true) + 1);
    if (!n)
        return element("p", {id: "table-queue"}, "Nothing here.");
    const upTo = (r) => r.atMost === Infinity ? "more" : `– ${time(r.atMost).replace(/\.0+ /, " ")}`;
    const line = (r) => element("tr", {onclick: () => r.where && go(...r.where)},
        element("th", {scope: "row"}, r.where ? element("button", {type: "button"}, upTo(r)) : upTo(r)),
        ...barCells(r.count, most), element("td", {}, percent(r.count, n)),
        element("td", {"data-value": r.time}, time(r.time)));
    return element("table", {id: "table-queue", class: "histogram"}, element("caption", {}, queueCaption(sums.trace)),
        element("thead", {}, element("tr", {}, ...["up to", "", "times", "share", "time"].map(
            (title, i) => title ? element("th", {scope: "col"}, title) : element("td", {})))),
        element("tbody", {}, ...rows.map(line)));
}
