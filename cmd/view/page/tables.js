// Tables of a part of the trace. Each has a title, columns, and rows of a Sums.

const ROWS = 100;

const column = {
    time: (title, value) => ({title, value, text: time}),
    count: (title, value) => ({title, value, text: count}),
    text: (title, value) => ({title, value, text: (s) => s, left: true}),
    share: (all) => ({title: "share", value: (r) => r.time / (all || 1), text: (x) => percent(x, 1)}),
};

function waitColumns(rows, name) {
    const all = rows.reduce((n, r) => n + r.time, 0);
    return [column.time("time", (r) => r.time), column.share(all), column.count("times", (r) => r.count),
        column.time("mean", (r) => r.time / r.count), column.time("longest", (r) => r.longest),
        column.text(name, (r) => r.name)];
}

const isWait = (trace, w) => trace.state(w) === WAITING;

const TABLES = {
    states: {title: "States", make(sums) {
        const {trace} = sums;
        const names = {[RUNNING]: "running", [RUNNABLE]: "runnable", [SYSCALL]: "system call", [WAITING]: "waiting"};
        const rows = sums.group((w) => names[trace.state(w)] + (trace.reason(w) ? ": " + trace.reason(w) : ""));
        return {rows, columns: waitColumns(rows, "state: reason")};
    }},
    locks: {title: "Waited for", make(sums) {
        const {trace} = sums, rows = sums.group((w) => isWait(trace, w) && trace.object(w) || undefined);
        return {rows, columns: waitColumns(rows, "object")};
    }},
    waits: {title: "Waits", make(sums) {
        const {trace} = sums;
        const rows = sums.group((w) => isWait(trace, w)
            ? [trace.reason(w), trace.object(w), trace.place(w)].filter((s) => s).join(" · ") : undefined);
        return {rows, columns: waitColumns(rows, "reason · object · place")};
    }},
    syscalls: {title: "System calls", make(sums) {
        const {trace} = sums, rows = sums.group((w) => trace.isCall(w) ? trace.place(w) : undefined);
        return {rows, columns: waitColumns(rows, "call and place")};
    }},
    functions: {title: "Functions", make(sums) {
        const rows = sums.functions(), all = sums.nsamples;
        return {rows, columns: [column.count("self", (r) => r.self),
            {title: "share", value: (r) => r.self / (all || 1), text: (x) => percent(x, 1)},
            column.count("total", (r) => r.total), column.text("function, by samples of the CPU", (r) => r.name)]};
    }},
    threads: {title: "Threads", make(sums) {
        const rows = sums.lanes.filter((r) => r.any || r.samples).map((r) => ({...r, name: laneName(r.lane)}));
        return {rows, columns: [
            ...CLASS_NAMES.map((name, c) => column.time(name, (r) => r.time[c])),
            column.count("waits", (r) => r.waits), column.count("calls", (r) => r.calls),
            column.count("samples", (r) => r.samples), column.text("thread", (r) => r.name)]};
    }},
};

function laneName(lane) {
    const tid = lane.tid !== null && lane.tid !== lane.id ? `, tid ${lane.tid}` : "";
    return lane.number < 0 ? lane.name : `${lane.name} ${lane.id}${tid}`;
}

// The table's element. choose(row) is called for a row that is clicked, or entered.
function tableElement(id, sums, sorting, choose, again) {
    const {rows, columns} = TABLES[id].make(sums), by = sorting[id] || {column: 0, up: false};
    const key = columns[by.column].value;
    const order = (a, b) => typeof a === "string" ? a.localeCompare(b) : a - b;
    rows.sort((a, b) => (by.up ? 1 : -1) * order(key(a), key(b)));
    const sort = (i) => {
        sorting[id] = {column: i, up: by.column === i ? !by.up : !!columns[i].left};
        again();
    };
    const head = columns.map((c, i) => element("th", {scope: "col", class: c.left && "left",
        "aria-sort": by.column === i ? (by.up ? "ascending" : "descending") : null},
        element("button", {type: "button", onclick: () => sort(i)}, c.title)));
    const body = rows.slice(0, ROWS).map((r) => element("tr", {tabindex: 0, onclick: () => choose(r),
        onkeydown: (ev) => {
            const next = {ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling"}[ev.key];
            if (ev.key === "Enter")
                choose(r);
            else if (next && ev.currentTarget[next])
                ev.currentTarget[next].focus();
            else
                return;
            ev.preventDefault();
            ev.stopPropagation();
        }},
        ...columns.map((c) => element("td", {class: c.left && "left", "data-value": c.value(r)}, c.text(c.value(r))))));
    const table = element("table", {id: "table-" + id},
        element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
    if (!rows.length)
        return element("p", {id: "table-" + id}, "Nothing here.");
    return element("div", {}, table, moreElement(rows));
}

// Two cells of a histogram: a bar, and how many there are.
function barCells(n, most) {
    return [element("td", {class: "left wide"},
        n ? element("span", {class: "bar", style: `width:${100 * n / most}%`}) : ""),
    element("td", {"data-value": n}, count(n))];
}

// How long the stretches of a row took: a bar for each power of two.
function histogramElement(sums, row) {
    const bins = sums.histogram(row.whats), first = bins.findIndex((n) => n), most = Math.max(...bins.filter((n) => n));
    const bars = [];
    for (let i = first; i >= 0 && i < bins.length; i++) {
        bars.push(element("tr", {}, element("th", {scope: "row"}, `${time(i ? 2 ** i : 0)} –`),
            ...barCells(bins[i] || 0, most)));
    }
    return element("table", {class: "histogram"}, element("caption", {}, `How long each took: ${row.name}`),
        element("tbody", {}, ...bars));
}

// How many rows are not shown.
function moreElement(rows) {
    return rows.length > ROWS ? element("p", {}, `… and ${count(rows.length - ROWS)} more`) : "";
}

function messageText(m) {
    return (m.category ? m.category + ": " : "") + m.text;
}

// Tasks and messages of a part of the trace. goTask and goTime lead to them.
function taskTables(trace, sums, goTask, goTime) {
    const {from, to} = sums, laneAt = (n) => n ? laneName(trace.lanes[n - 1]) : "";
    const link = (text, go) => element("button", {type: "button", onclick: go}, text);
    const table = (id, names, all, cells) => [element("table", {id}, element("thead", {}, element("tr", {},
        ...names.map((n) => element("th", {scope: "col", class: "left"}, n)))), element("tbody", {},
        ...all.slice(0, ROWS).map((it) => row(cells(it))))), moreElement(all)];
    const row = (cells) => element("tr", {}, ...cells.map((c) => element("td", {class: "left"}, c)));
    const tasks = trace.tasks.filter((t) => t.begin < to && t.begin + t.length >= from);
    tasks.sort((a, b) => b.length - a.length);
    const messages = trace.messages.filter((m) => m.at >= from && m.at < to);
    return [
        ...(tasks.length ? table("table-tasks", ["took", "task", "begun by"], tasks, (t) => [
            link(time(t.length) + (t.ended ? "" : ", not ended"), () => goTask(t)), `${t.text} ${t.id}`,
            laneAt(t.lane)]) : []),
        ...(messages.length ? table("table-messages", ["at", "message", "by"], messages, (m) => [
            link((m.at / 1e9).toFixed(6) + " s", () => goTime(m.at)), messageText(m), laneAt(m.lane)]) : []),
        tasks.length || messages.length ? "" : element("p", {}, "Nothing here."),
    ];
}
