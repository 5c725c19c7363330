// What is known of the stretch, region or row that is chosen, and where one can go from there.

const LISTED = 10; // of samples, messages, wakers and the like
const DEEDS = 5;   // of an owner of a lock

class Details {
    // go(lane, i, region) chooses something else.
    constructor(host, trace, go) {
        Object.assign(this, {host, trace, go});
    }

    fact(name, ...values) {
        return [element("dt", {}, name), element("dd", {}, ...values)];
    }

    list(stack) {
        const {trace} = this;
        return element("ol", {class: "stack"}, ...trace.stacks[stack].map(
            (f) => element("li", {title: trace.names[trace.frames[3 * f + 1]]}, trace.frameText(f))));
    }

    stack(title, stack) {
        return this.trace.stacks[stack].length ? this.fact(title, this.list(stack)) : [];
    }

    link(id, text, go) {
        return element("button", {type: "button", id, onclick: go}, text);
    }

    // A link to what a lane does at a time.
    linkTo(id, lane, t) {
        return this.link(id, laneName(lane), () => this.go(lane, Math.max(0, lane.find(t))));
    }

    nothing() {
        this.host.replaceChildren(element("p", {class: "note"},
            "Click on a stretch of time, or press the arrow keys: its stack, object and waker are told here. " +
            "A row of a table tells how long its waits took. Drag along the times to select a part."));
    }

    title(text) {
        return element("h2", {id: "what", tabindex: -1}, text);
    }

    show(lane, i, sums) {
        const {trace, host} = this, w = lane.what[i], begin = lane.at[i], end = lane.endOf(i);
        const waker = lane.waker[i] ? trace.lanes[lane.waker[i] - 1] : null;
        const holder = waker && trace.whatClass[w] === CLASS_LOCK ? trace.holder(lane, i, begin) : null;
        const regions = lane.levels.map((level) => level[firstAfter(level, begin)]).filter((r) => r && r.begin < end);
        const similar = {name: trace.describe(w), whats: this.similar(w)};
        host.replaceChildren(this.title(trace.describe(w)), element("dl", {},
            ...this.fact("thread", laneName(lane)),
            ...this.fact("lasted", time(end - begin), element("small", {}, ` ${count(end - begin)} ns`)),
            ...this.fact("began", `${(begin / 1e9).toFixed(9)} s`),
            ...(trace.reason(w) ? this.fact("reason", trace.reason(w)) : []),
            ...(trace.object(w) ? this.fact("object", trace.object(w)) : []),
            ...(holder ? this.fact("held by", this.linkTo("to-holder", holder, begin),
                element("small", {}, "who let go of it next")) : []),
            ...(waker ? this.fact("woken by", this.linkTo("to-waker", waker, end)) : []),
            ...this.woken(lane, begin, end),
            ...(regions.length
                ? this.fact("in", ...regions.map((r) => this.link(null, r.text, () => this.go(lane, i, r)))) : []),
            ...this.messages((m) => m.lane === lane.number + 1 && m.at >= begin && m.at < end),
            ...this.stack("stack", trace.stack(w)), ...this.stack("the waker's", lane.wake[i]),
            ...this.samples(lane, begin, end)),
            sums && trace.state(w) !== RUNNING ? histogramElement(sums, similar) : "");
    }

    woken(lane, begin, end) {
        const all = this.trace.wokenBy(lane, begin, end, LISTED + 1);
        return all.length ? this.fact("wakes", ...all.slice(0, LISTED).map((it) => this.linkTo(null, it.lane, it.at)),
            all.length > LISTED ? "and more" : "") : [];
    }

    messages(wanted) {
        const all = this.trace.messages.filter(wanted);
        const lines = all.slice(0, LISTED).map((m) => element("div", {}, messageText(m)));
        const more = all.length > LISTED ? `and ${count(all.length - LISTED)} more` : "";
        return all.length ? this.fact("says", ...lines, more) : [];
    }

    // Where the CPU was found in the meantime, the most frequent first.
    samples(lane, begin, end) {
        const {trace} = this, stacks = new Map();
        let n = 0;
        for (let i = firstSample(lane, begin); i < lane.sampled.length && lane.sampled[i] < end; i++, n++)
            stacks.set(lane.sampleStack[i], (stacks.get(lane.sampleStack[i]) || 0) + 1);
        const sorted = [...stacks].sort((a, b) => b[1] - a[1]).slice(0, LISTED);
        const name = ([frame]) => frame === undefined ? "(no stack)" : trace.functionOf(frame);
        const line = ([stack, times]) => element("details", {class: "sample"},
            element("summary", {}, `${count(times)} of ${count(n)}: ${name(trace.stacks[stack])}`), this.list(stack));
        return n ? this.fact("CPU samples", ...sorted.map(line)) : [];
    }

    // A region of a thread, or a task.
    showRegion(lane, r) {
        const {trace, host} = this, isTask = r.ended !== undefined, end = r.begin + r.length;
        const task = isTask ? r : trace.tasks.find((t) => t.id === r.task), begun = isTask && trace.lanes[r.lane - 1];
        host.replaceChildren(this.title(r.text || "without name"), element("dl", {},
            ...(begun ? this.fact("begun by", this.linkTo("to-maker", begun, r.begin))
                : lane.number >= 0 ? this.fact("thread", this.linkTo("to-maker", lane, r.begin)) : []),
            ...this.fact("lasted", time(r.length) + (r.ended === 0 ? ", until the end of the trace at least" : ""),
                element("small", {}, ` ${count(r.length)} ns`)),
            ...this.fact("began", `${(r.begin / 1e9).toFixed(9)} s`),
            ...(isTask ? this.task("part of", trace.tasks.find((t) => t.id === r.parent)) : this.task("task", task)),
            ...this.messages((m) => m.at >= r.begin && m.at <= end &&
                (task ? m.task === task.id : m.lane === lane.number + 1))));
    }

    task(name, task) {
        return task ? this.fact(name, this.link("to-task", `${task.text} ${task.id}`, () => this.goTask(task))) : [];
    }

    goTask(task) {
        this.go(this.trace.taskLanes.find((lane) => lane.regions.includes(task)), -1, task);
    }

    // Stretches of the same kind: for the same object, or at the same place.
    similar(w) {
        const {trace} = this, all = [];
        for (let k = 0; k < trace.nwhats; k++)
            if (trace.state(k) === trace.state(w) && trace.reason(k) === trace.reason(w) &&
                trace.object(k) === trace.object(w) && (trace.object(w) || trace.place(k) === trace.place(w)))
                all.push(k);
        return all;
    }

    // A row of a table: where its longest stretch is, how long all of them took, and who ended them.
    showRow(sums, row) {
        const go = row.where && this.link("to-longest", "Go to the longest", () => this.go(...row.where));
        const times = `${time(row.time)} in ${count(row.count)} ${row.count === 1 ? "time" : "times"}`;
        this.host.replaceChildren(this.title(row.name),
            element("p", {}, `${times}, the longest ${time(row.longest)}. `, go),
            histogramElement(sums, row), this.wakers(sums, row), this.owners(row.name));
    }

    wakers(sums, row) {
        const all = sums.wakers(row.whats).slice(0, LISTED);
        const line = (r) => element("tr", {}, element("th", {scope: "row", class: "left"}, r.name),
            element("td", {}, time(r.time)), element("td", {}, count(r.count)));
        return all.length ? element("table", {class: "wakers"}, element("caption", {}, "Who ended them"),
            element("tbody", {}, ...all.map(line))) : "";
    }

    // What thrace stat says of an object: who held it up, and what they did meanwhile.
    owners(object) {
        const said = this.trace.stat && (this.trace.stat.locks || []).find((l) => l.object === object);
        if (!said || !said.owners || !said.owners.length)
            return "";
        const deed = (d) => element("li", {},
            `${percent(d.share, 1)} ${[d.state, d.what].filter((s) => s).join(": ")}`);
        const owner = (o) => element("li", {},
            `${o.thread || "no thread of the trace"}: ${time(o.total_ns)}, ${percent(o.share, 1)}`,
            element("ul", {}, ...(o.deeds || []).slice(0, DEEDS).map(deed)));
        return element("section", {}, element("h3", {}, `In the whole trace ${said.role || "owned by"}`),
            element("ul", {}, ...said.owners.slice(0, LISTED).map(owner)));
    }
}
