// The page: what is around the timeline, and how all of it hangs together.

const DELAY = 120; // ms without a change of the selection, after which all is summed up again

class Page {
    constructor(trace) {
        this.trace = trace;
        this.sorting = {};
        this.tab = "findings";
        this.tabs = ["findings", ...Object.keys(TABLES), "queue", "flame"];
        if (trace.tasks.length || trace.messages.length)
            this.tabs.push("tasks");
        this.flame = new Flame($("flame"));
        this.details = new Details($("details"), trace, (lane, i, region) => this.go(lane, i, region));
        this.sums = new Sums(trace, 0, Infinity);
        this.makeTabs();
        listenSplit($("split"), $("time"));
        this.timeline = new Timeline(trace, (what) => this.changed(what));
        this.head();
        this.listen();
        this.takeHash();
        this.showChosen();
    }

    head() {
        const {trace} = this;
        $("name").textContent = legible(trace.file.replace(/.*\//s, ""));
        $("facts").textContent = `${time(trace.duration)}, ${count(trace.lanes.length)} threads, ` +
            `${count(trace.events)} events` + (trace.samples ? `, ${count(trace.samples)} CPU samples` : "") +
            (trace.complete ? "" : ", cut off") + (trace.damaged ? `; ${trace.damaged}` : "");
        const {colors} = this.timeline;
        const entry = (name, color) => element("span", {}, element("i", {style: `background:${color}`}), name);
        $("legend").replaceChildren(...CLASS_NAMES.map((name, c) => entry(name, colors.classes[c])),
            trace.heap.length ? entry("memory", colors.accent) : "",
            trace.samples ? element("span", {}, element("i", {class: "tick"}), "CPU sample") : "");
        $("flame-kind").replaceChildren(...Object.entries(FLAMES).filter(([, f]) => !f.type || trace.profile)
            .map(([kind, f]) => element("option", {value: kind}, f.title)));
    }

    go(lane, i, region) {
        this.timeline.go(lane, i, region);
        $("what").focus({preventScroll: true});
    }

    changed(what) {
        if (what === "chosen")
            this.showChosen();
        if (what === "selection") {
            clearTimeout(this.summing);
            this.summing = setTimeout(() => this.sum(), DELAY);
        }
        clearTimeout(this.writing);
        this.writing = setTimeout(() => this.writeHash(), DELAY);
    }

    showChosen() {
        const {chosen} = this.timeline;
        $("said").textContent = "";
        if (!chosen)
            return this.details.nothing();
        const {lane, i, region} = chosen, {from, to} = extent(chosen);
        if (region)
            this.details.showRegion(lane, region);
        else
            this.details.show(lane, i, this.sums);
        $("said").textContent = `${laneName(lane)}: ${this.timeline.textOf(chosen)}, ${time(to - from)}`;
    }

    sum() {
        const {selection} = this.timeline;
        this.sums = selection ? new Sums(this.trace, selection.from, selection.to) : new Sums(this.trace, 0, Infinity);
        this.fill();
    }

    // ---- tables

    makeTabs() {
        const titles = {findings: "Findings", queue: "Run queue", flame: "Flame graph", tasks: "Tasks and messages"};
        $("tabs").replaceChildren(...this.tabs.map((id) => element("button", {
            type: "button", role: "tab", id: "tab-" + id, "aria-controls": "table",
            onclick: () => this.openTab(id), onkeydown: (ev) => {
                const step = {ArrowRight: 1, ArrowLeft: -1}[ev.key];
                if (!step)
                    return;
                this.openTab(this.tabs[(this.tabs.indexOf(id) + step + this.tabs.length) % this.tabs.length]);
                $("tab-" + this.tab).focus();
                ev.preventDefault();
                ev.stopPropagation();
            }}, titles[id] || TABLES[id].title)));
    }

    openTab(id) {
        this.tab = id;
        this.fill();
        this.changed("view");
    }

    fill() {
        const {selection} = this.timeline, {sums, tab} = this;
        for (const id of this.tabs) {
            $("tab-" + id).setAttribute("aria-selected", id === tab);
            $("tab-" + id).tabIndex = id === tab ? 0 : -1;
        }
        $("table").setAttribute("aria-labelledby", "tab-" + tab);
        const {from, to} = selection || {};
        $("part").textContent = selection ? `selected: ${time(to - from)} from ${moment(from, to - from)}`
            : "the whole trace";
        $("unselect").hidden = !selection;
        $("table").hidden = tab === "flame";
        $("flames").hidden = tab !== "flame";
        if (tab === "flame")
            this.fillFlame();
        else
            $("table").replaceChildren(...(tab === "findings" ? this.findings() : tab === "tasks" ? this.tasks()
                : tab === "queue" ? [queueElement(sums, (lane, i) => this.go(lane, i))]
                : [tableElement(tab, sums, this.sorting, (row) => this.chooseRow(row), () => this.fill())]));
    }

    fillFlame() {
        const kind = $("flame-kind").value;
        const {type} = FLAMES[kind], {matches} = this.timeline;
        $("flame-by").disabled = kind === "cpu" || !!type;
        $("flame-note").textContent = type ? this.heapText() : "";
        this.flame.show(flameTree(this.sums, kind, $("flame-by").value), kind, matches && matches.words);
    }

    // What the profile is of, and how much memory was in use in the part.
    heapText() {
        const {heap} = this.trace, {from, to} = this.sums;
        const part = this.timeline.selection ? "the part that is selected" : "the trace";
        const text = "Of the whole recording, whatever is selected, and of blocks that were sampled by chance.";
        if (!heap.length)
            return text;
        const first = lastBefore(heap, from), last = lastBefore(heap, to);
        let most = 0;
        for (let i = first; i <= last; i++)
            most = Math.max(most, heap[i][1]);
        return `${text} In use in ${part}: ${bytes(heap[first][1])} at its begin, ` +
            `${bytes(heap[last][1])} at its end, at most ${bytes(most)}.`;
    }

    findings() {
        const list = (this.trace.stat && this.trace.stat.findings) || [];
        return [element("p", {class: "note"}, "Of the whole trace, whatever is selected:"),
            list.length ? element("ul", {id: "findings"}, ...list.map((f) => element("li", {}, f.text)))
                : element("p", {id: "findings"}, "Nothing stands out.")];
    }

    tasks() {
        const goTime = (t) => this.timeline.show(t - LEAST * 20, t + LEAST * 20);
        return taskTables(this.trace, this.sums, (task) => this.details.goTask(task), goTime);
    }

    chooseRow(row) {
        if (row.lane)
            return this.go(row.lane, firstPart(row.lane, this.sums.from));
        if (!row.whats)
            return this.search(row.name);
        this.details.showRow(this.sums, row);
        $("what").focus({preventScroll: true});
    }

    // ---- search

    // What has the words in its name, object, place or stack. The next stretch after the one that is chosen is shown.
    search(words, back) {
        const {trace, timeline} = this, wanted = words.toLowerCase(), has = (s) => s.toLowerCase().includes(wanted);
        if (!wanted) {
            timeline.matches = null;
            $("found").textContent = "";
            this.fill();
            return timeline.paint();
        }
        if (!timeline.matches || timeline.matches.words !== wanted) {
            const names = trace.names.map(has), whats = new Uint8Array(trace.nwhats);
            const frames = new Uint8Array(trace.frames.length / 3);
            for (let f = 0; f < frames.length; f++)
                frames[f] = names[trace.frames[3 * f]] || names[trace.frames[3 * f + 1]] ? 1 : 0;
            const stacks = trace.stacks.map((stack) => stack.some((f) => frames[f]));
            for (let w = 0; w < trace.nwhats; w++)
                whats[w] = stacks[trace.stack(w)] || has(trace.describe(w)) || has(trace.place(w)) ? 1 : 0;
            const lanes = new Set(timeline.rows.filter((lane) => has(laneName(lane))));
            timeline.matches = {words: wanted, whats, lanes, version: words};
        }
        const {whats, lanes} = timeline.matches;
        let n = 0;
        for (let w = 0; w < trace.nwhats; w++)
            n += whats[w] ? this.sums.count[w] : 0;
        $("found").textContent = `${count(n)} stretches, ${count(lanes.size)} threads`;
        const next = this.nextMatch(whats, back), [first] = lanes;
        if (next)
            timeline.go(...next);
        else if (first && !n)
            timeline.go(first, first.n ? 0 : -1, first.n ? undefined : first.regions[0]);
        timeline.paint();
        if (this.tab === "flame")
            this.fill();
    }

    nextMatch(whats, back) {
        const {chosen, view} = this.timeline, {trace} = this, t = chosen ? chosen.lane.at[chosen.i] : view.from;
        let best = null;
        for (const lane of trace.lanes)
            for (let i = lane.find(t); i >= -1 && i < lane.n; i += back ? -1 : 1) {
                const at = i < 0 ? -1 : lane.at[i];
                if (best && (back ? at < best[0].at[best[1]] : at >= best[0].at[best[1]]))
                    break;
                if (i >= 0 && whats[lane.what[i]] && (back ? at < t : at > t)) {
                    best = [lane, i];
                    break;
                }
                if (i < 0 && back)
                    break;
            }
        return best;
    }

    // ---- keyboard and buttons

    listen() {
        const {timeline} = this, click = (id, f) => $(id).addEventListener("click", f);
        click("zoom-in", () => timeline.zoom(0.5));
        click("zoom-out", () => timeline.zoom(2));
        click("zoom-all", () => timeline.show(0, this.trace.duration));
        click("unselect", () => timeline.select(null));
        click("theme", () => this.turnTheme());
        click("help", () => $("keys").showModal());
        click("close", () => $("keys").close());
        for (const id of ["flame-kind", "flame-by"])
            $(id).addEventListener("change", () => this.fill());
        $("search").addEventListener("keydown", (ev) => {
            if (ev.key === "Enter")
                this.search(ev.target.value, ev.shiftKey);
            else if (ev.key === "Escape")
                this.search(ev.target.value = "", false), $("lanes").focus();
        });
        document.addEventListener("keydown", (ev) => this.key(ev));
        window.addEventListener("beforeprint", () => this.print(true));
        window.addEventListener("afterprint", () => this.print(false));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
        window.addEventListener("hashchange", () => this.takeHash());
    }

    key(ev) {
        const {timeline} = this, {chosen, view} = timeline;
        if (ev.ctrlKey || ev.altKey || ev.metaKey || /^(INPUT|SELECT)$/.test(ev.target.tagName) || $("keys").open)
            return;
        const step = ev.shiftKey ? 0.5 : 0.1, part = chosen ? extent(chosen) : view;
        const press = (id) => $(id) && $(id).click();
        const keys = {
            w: () => timeline.zoom(0.75), s: () => timeline.zoom(4 / 3),
            a: () => timeline.pan(-step), d: () => timeline.pan(step),
            ArrowLeft: () => timeline.step(-1, 0), ArrowRight: () => timeline.step(1, 0),
            ArrowUp: () => timeline.step(0, -1), ArrowDown: () => timeline.step(0, 1),
            0: () => timeline.show(0, this.trace.duration),
            m: () => part && timeline.select(part.from, part.to),
            v: () => timeline.select(view.from, view.to),
            f: () => chosen && timeline.show(part.from, part.to),
            g: () => press("to-waker"), h: () => press("to-holder"),
            n: () => this.search($("search").value, false), N: () => this.search($("search").value, true),
            "/": () => $("search").focus(), "?": () => $("keys").showModal(),
            Escape: () => timeline.selection ? timeline.select(null) : timeline.choose(null),
        };
        const act = keys[ev.key] || keys[ev.key.toLowerCase()];
        if (!act)
            return;
        act();
        ev.preventDefault();
    }

    turnTheme() {
        const root = document.documentElement, dark = getComputedStyle(root).colorScheme === "dark";
        root.dataset.theme = dark ? "light" : "dark";
        this.recolor();
    }

    recolor() {
        const kind = $("flame-kind").value;
        this.timeline.recolor();
        this.head();
        $("flame-kind").value = kind;
    }

    // Paper is light, and does not wait for the next frame.
    print(begins) {
        const {dataset} = document.documentElement;
        if (begins)
            this.theme = dataset.theme;
        dataset.theme = begins ? "light" : this.theme || "";
        this.recolor();
        this.timeline.paintAll();
    }

    // ---- what the address says: what is shown and selected, in ns, and the table

    writeHash() {
        const {view, selection} = this.timeline, part = (p) => `${Math.round(p.from)}-${Math.round(p.to)}`;
        const hash = `#view=${part(view)}${selection ? "&select=" + part(selection) : ""}&table=${this.tab}`;
        if (hash === location.hash || location.hash !== this.hash)
            return; // in the latter case it has just been set by somebody else, whose event is on its way
        try {
            history.replaceState(null, "", hash);
            this.hash = hash;
        } catch (e) {
            // Some browsers refuse it for files, or when it happens often. Then the address stays as it is.
        }
    }

    takeHash() {
        this.hash = location.hash;
        const said = new URLSearchParams(location.hash.slice(1));
        const part = (text) => (/^(\d+)-(\d+)$/.exec(text || "") || []).slice(1).map(Number);
        const [from, to] = part(said.get("view")), [begin, end] = part(said.get("select"));
        if (this.tabs.includes(said.get("table")))
            this.tab = said.get("table");
        if (to > from)
            this.timeline.show(from, to);
        if (end > begin) {
            this.timeline.select(begin, end);
            clearTimeout(this.summing);
            this.sum();
        } else {
            this.fill();
        }
    }
}

async function start() {
    const data = $("data");
    try {
        if (!window.DecompressionStream)
            throw new Error("this browser is too old: it cannot unpack the trace (no DecompressionStream)");
        const trace = await unpack(data, (part) => $("progress").value = part);
        data.remove();
        document.body.classList.remove("reading");
        new Page(trace);
        document.body.dataset.ready = "yes";
    } catch (e) {
        $("failure").textContent = `Cannot show this trace: ${e.message}`;
        document.body.classList.add("failed");
        throw e;
    }
}

document.addEventListener("DOMContentLoaded", start);
