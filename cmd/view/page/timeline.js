// The timeline: which part of the trace is shown, chosen and selected, and how it is painted.

const LEAST = 200; // ns: a view is not shorter
const ARROWS = 50; // to threads that a stretch woke

// When what is chosen goes on: a region or task, otherwise a stretch.
function extent({lane, i, region}) {
    return region ? {from: region.begin, to: region.begin + region.length} : {from: lane.at[i], to: lane.endOf(i)};
}

class Timeline {
    // changed(what): "view", "selection" or "chosen" is another one.
    constructor(trace, changed) {
        Object.assign(this, {trace, changed, view: {from: 0, to: Math.max(LEAST, trace.duration)},
            selection: null, chosen: null, hovered: null, matches: null, woken: [], colors: readColors()});
        const {program, taskLanes, lanes} = trace;
        this.rows = [...(program.regions.length ? [program] : []), ...taskLanes, ...lanes];
        this.tops = [0];
        for (const lane of this.rows)
            this.tops.push(this.tops[this.tops.length - 1] + heightOf(lane));
        this.rowOf = new Map(this.rows.map((lane, k) => [lane, k]));
        this.scroller = $("lanes");
        this.chart = $("chart");
        const height = Math.max(this.tops[this.rows.length], LANE);
        $("space").style.height = height + "px";
        $("time").style.setProperty("--rows", height + "px");
        this.mostHeap = trace.heap.reduce((most, [, n]) => Math.max(most, n), 1);
        this.whole = {view: {...this.view}, ...this.count(this.view)};
        this.counted = this.whole;
        this.hands = new Hands(this);
        new ResizeObserver(() => this.paint()).observe(this.scroller);
    }

    // ---- what is shown

    count(view) {
        const counts = countClasses(this.trace, view, Math.max(200, Math.min(1600, $("counts").clientWidth)));
        let most = 1;
        for (let x = 0; x < counts[0].length; x++)
            most = Math.max(most, counts[CLASS_RUNNING][x] + counts[CLASS_RUNNABLE][x]);
        // The line of procs is worth the room, unless the threads never come near it.
        const procs = this.trace.procs.reduce((n, [, p]) => Math.max(n, p), 0);
        return {counts, most, high: procs <= 2 * most ? Math.max(most, procs) : most, procs};
    }

    show(from, to) {
        const all = Math.max(LEAST, this.trace.duration), span = Math.min(all, Math.max(LEAST, to - from));
        from = Math.min(all - span, Math.max(0, from));
        this.view = {from, to: from + span};
        clearTimeout(this.counting);
        this.counting = setTimeout(() => {
            this.counted = {view: {...this.view}, ...this.count(this.view)};
            this.paint();
        }, 80);
        this.changed("view");
        this.paint();
    }

    pan(part) {
        const by = part * (this.view.to - this.view.from);
        this.show(this.view.from + by, this.view.to + by);
    }

    // Around a time, which stays where it is.
    zoom(factor, t = (this.view.from + this.view.to) / 2) {
        this.show(t - (t - this.view.from) * factor, t + (this.view.to - t) * factor);
    }

    select(from, to) {
        const within = (t) => Math.round(Math.max(0, Math.min(this.trace.duration, t)));
        this.selection = from === null || from === to ? null
            : {from: within(Math.min(from, to)), to: within(Math.max(from, to))};
        this.changed("selection");
        this.paint();
    }

    choose(lane, i, region) {
        this.chosen = lane ? {lane, i, region} : null;
        this.woken = [];
        if (lane && !region)
            this.woken = this.trace.wokenBy(lane, lane.at[i], lane.endOf(i), ARROWS);
        this.changed("chosen");
        this.paint();
    }

    // Chooses it, and shows where it is.
    go(lane, i, region) {
        const {from: begin, to: end} = extent({lane, i, region}), {from, to} = this.view, half = (to - from) / 2;
        const k = this.rowOf.get(lane);
        if (end - begin < (to - from) / 400)
            this.show(begin - (end - begin + LEAST) * 20, end + (end - begin + LEAST) * 20);
        else if (begin < from || end > to)
            this.show(begin - Math.max(half, (end - begin) / 4), begin + Math.max(half, (end - begin) * 1.25));
        const top = this.tops[k], {scrollTop, clientHeight} = this.scroller;
        if (top < scrollTop || this.tops[k + 1] > scrollTop + clientHeight)
            this.scroller.scrollTop = top - clientHeight / 2;
        this.choose(lane, i, region);
    }

    // As wide as what is chosen, with some room around it.
    fit(it) {
        const {from, to} = extent(it);
        this.show(from - (to - from) / 10, to + (to - from) / 10);
    }

    // The next stretch of the lane that is chosen, or the same time in the next lane.
    step(along, across) {
        const {lane, i} = this.chosen || {lane: this.trace.lanes[0], i: -1};
        if (!lane)
            return;
        if (across) {
            const t = this.chosen ? Math.max(this.view.from, extent(this.chosen).from) : this.view.from;
            for (let k = this.rowOf.get(lane) + across; this.rows[k]; k += across)
                if (this.rows[k].n)
                    return this.go(this.rows[k], Math.max(0, this.rows[k].find(t)));
        } else if (i + along >= 0 && i + along < lane.n) {
            this.go(lane, i + along);
        }
    }

    // ---- painting

    paint() {
        if (this.due)
            return;
        this.due = requestAnimationFrame(() => {
            this.due = 0;
            this.paintAll();
        });
    }

    // The theme is another one.
    recolor() {
        this.colors = readColors();
        this.mini = null;
        this.paint();
    }

    x(t) {
        return (t - this.view.from) / (this.view.to - this.view.from) * this.chart.clientWidth;
    }

    time(ev, canvas = this.chart, view = this.view) {
        const box = canvas.getBoundingClientRect();
        return view.from + (ev.clientX - box.left) / box.width * (view.to - view.from);
    }

    paintAll() {
        const {view, colors} = this;
        this.chart.style.height = this.scroller.clientHeight + "px";
        this.paintWhole($("minimap"));
        this.paintStrip($("counts"), this.counted, view);
        this.paintCaptions($("counts").getContext("2d"), $("counts").clientWidth);
        const ruler = $("ruler"), context = fitCanvas(ruler);
        context.clearRect(0, 0, ruler.clientWidth, ruler.clientHeight);
        paintRuler(context, view, colors, ruler.clientWidth, ruler.clientHeight);
        this.paintLanes();
    }

    paintStrip(canvas, counted, view) {
        const {trace, colors} = this, context = fitCanvas(canvas), w = canvas.clientWidth, h = canvas.clientHeight;
        context.clearRect(0, 0, w, h);
        paintCounts(context, counted, view, colors, w, h);
        if (trace.procs.length && counted.procs <= counted.high)
            paintProcs(context, trace.procs, counted.high, view, colors, w, h);
        if (trace.heap.length)
            paintHeap(context, trace.heap, this.mostHeap, view, colors, w, h);
        if (this.selection)
            this.mark(context, this.selection, view, colors.accent, 0.25, canvas);
    }

    mark(context, part, view, color, alpha, canvas) {
        const x = (t) => (t - view.from) / (view.to - view.from) * canvas.clientWidth;
        if (part.to <= part.from)
            return;
        context.globalAlpha = alpha;
        context.fillStyle = color;
        context.fillRect(x(part.from), 0, Math.max(2, x(part.to) - x(part.from)), canvas.clientHeight);
        context.globalAlpha = 1;
    }

    // It does not change while one moves, but for what is marked.
    paintWhole(canvas) {
        const {view, whole, colors} = this, context = fitCanvas(canvas), end = whole.view.to;
        const {width, height} = canvas, {mini} = this;
        if (!mini || mini.width !== width || mini.height !== height || mini.selection !== this.selection) {
            this.paintStrip(canvas, whole, whole.view);
            this.mini = Object.assign(element("canvas", {width, height}), {selection: this.selection});
            if (width && height)
                this.mini.getContext("2d").drawImage(canvas, 0, 0);
        } else {
            context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
            context.drawImage(this.mini, 0, 0, canvas.clientWidth, canvas.clientHeight);
        }
        this.mark(context, {from: 0, to: view.from}, whole.view, colors.back, 0.65, canvas);
        this.mark(context, {from: view.to, to: end}, whole.view, colors.back, 0.65, canvas);
        const x = (t) => t / end * canvas.clientWidth, shown = x(view.to) - x(view.from);
        context.strokeStyle = colors.accent;
        context.lineWidth = 1;
        context.strokeRect(x(view.from) + 0.5, 0.5, Math.max(2, shown - 1), canvas.clientHeight - 1);
    }

    paintCaptions(context, width) {
        const {trace, colors, counted} = this;
        const memory = trace.heap.length ? `memory: up to ${bytes(this.mostHeap)}` : "";
        const procs = counted.procs ? `, ${count(counted.procs)} ${counted.procs === 1 ? "proc" : "procs"}` : "";
        const threads = `up to ${counted.most.toFixed(counted.most < 10 ? 1 : 0)} running or runnable${procs}`;
        paintCaption(context, threads, 4, 11, "left", colors.text, colors);
        paintCaption(context, memory, width - 4, 11, "right", colors.accent, colors);
        $("counts").setAttribute("aria-label",
            `Threads at a time: ${threads}${memory && "; " + memory}. Drag to select.`);
    }

    // The row at so many pixels below the first one's top; the number of rows: it is below all.
    rowAt(y) {
        let low = 0, high = this.rows.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.tops[middle + 1] <= y)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    paintLanes() {
        const {chart, view, colors, trace, tops} = this;
        const context = fitCanvas(chart), scale = chart.width / chart.clientWidth || 1;
        const top = this.scroller.scrollTop, bottom = top + chart.clientHeight;
        const first = this.rowAt(top), last = Math.min(this.rows.length, this.rowAt(bottom) + 1);
        if (!chart.width || !chart.height)
            return;
        if (!this.image || this.image.width !== chart.width || this.image.height !== chart.height) {
            this.image = context.createImageData(chart.width, chart.height);
            this.image.pixels = new Uint32Array(this.image.data.buffer);
        }
        this.image.pixels.fill(0);
        for (let k = first; k < last; k++)
            paintLane(this.image, colors.pixels, this.rows[k], trace.whatClass, view,
                Math.round((tops[k] - top + MARGIN) * scale), Math.round(BAR * scale));
        context.putImageData(this.image, 0, 0);
        for (let k = first; k < last; k++)
            paintDetails(context, trace, this.rows[k], view, tops[k] - top + MARGIN, colors, chart.clientWidth);
        this.paintMarks(context, top);
        this.paintLabels(first, last);
    }

    paintMarks(context, top) {
        const {colors, selection, chosen, hovered, chart} = this;
        if (selection) {
            context.globalAlpha = 0.16;
            context.fillStyle = colors.accent;
            const x = this.x(selection.from);
            context.fillRect(x, 0, this.x(selection.to) - x, chart.clientHeight);
            context.globalAlpha = 1;
        }
        for (const it of [hovered, chosen]) {
            if (!it || !this.rowOf.has(it.lane))
                continue;
            const {from, to} = extent(it), {y, height} = this.place(it, top), x = Math.max(-3, this.x(from));
            context.strokeStyle = it === chosen ? colors.accent : colors.text;
            context.lineWidth = it === chosen ? 2.5 : 1;
            context.strokeRect(x, y - 1, Math.max(2, Math.min(chart.clientWidth + 3, this.x(to)) - x), height + 2);
            if (!it.region)
                this.paintWakeup(context, it, top);
        }
        for (const it of this.woken)
            this.paintWakeup(context, it, top);
    }

    // Where its box is, from above.
    place({lane, region}, top) {
        const y = this.tops[this.rowOf.get(lane)] - top;
        if (!region)
            return {y: y + MARGIN, height: BAR};
        const level = lane.levels.findIndex((there) => there.includes(region));
        return {y: y + regionsFrom(lane) + level * REGION, height: REGION - 1};
    }

    // Who ended the wait, or the one that led to this stretch.
    paintWakeup(context, {lane, i}, top) {
        const wait = [i, i - 1, i - 2].find((k) => k >= 0 && lane.waker[k]);
        if (wait === undefined)
            return;
        const waker = this.trace.lanes[lane.waker[wait] - 1], x = this.x(lane.endOf(wait));
        const y = (other) => this.tops[this.rowOf.get(other)] - top + MARGIN + BAR / 2;
        if (waker && waker !== lane && x > -20 && x < this.chart.clientWidth + 20)
            paintArrow(context, {x, y: y(waker)}, {x, y: y(lane)}, this.colors);
    }

    paintLabels(first, last) {
        const {rows, tops, matches} = this, chosen = this.chosen ? this.chosen.lane : null;
        const key = `${first} ${last} ${matches ? matches.version : ""} ${chosen ? this.rowOf.get(chosen) : ""}`;
        if (this.labelled === key)
            return;
        this.labelled = key;
        const label = (lane, k) => {
            const hidden = lane.levels.hidden ? `, and ${count(lane.levels.hidden)} more at a time` : "";
            const is = [lane === chosen && "chosen", matches && matches.lanes.has(lane) && "found"];
            return element("div", {style: `top:${tops[k]}px`, title: laneName(lane) + hidden,
                class: is.filter((s) => s).join(" ")}, element("span", {class: "name"}, lane.name),
                element("span", {class: "number"}, laneName(lane).slice(lane.name.length)));
        };
        $("labels").replaceChildren(...rows.slice(first, last).map((lane, k) => label(lane, first + k)));
    }

    // What it is called: a region, or a stretch.
    textOf({lane, i, region}) {
        return region ? region.text : this.trace.describe(lane.what[i]);
    }
}
