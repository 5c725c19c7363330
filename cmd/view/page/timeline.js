// The timeline: which part of the trace is shown, chosen and selected, and what hands do with it.

const LEAST = 200; // ns: a view is not shorter

class Timeline {
    // changed(what): "view", "selection" or "chosen" is another one.
    constructor(trace, changed) {
        Object.assign(this, {trace, changed, view: {from: 0, to: Math.max(LEAST, trace.duration)}, selection: null, chosen: null,
            hovered: null, matches: null, colors: readColors(), pointers: new Map()});
        this.rows = trace.program.regions.length ? [trace.program, ...trace.lanes] : trace.lanes;
        this.tops = [0];
        for (const lane of this.rows)
            this.tops.push(this.tops[this.tops.length - 1] + LANE + Math.min(lane.depth, REGION_LEVELS) * REGION);
        this.rowOf = new Map(this.rows.map((lane, k) => [lane, k]));
        this.scroller = $("lanes");
        this.chart = $("chart");
        $("space").style.height = Math.max(this.tops[this.rows.length], 1) + "px";
        this.whole = {view: {...this.view}, ...this.count(this.view)};
        this.counted = this.whole;
        this.listen();
        new ResizeObserver(() => this.paint()).observe(this.scroller);
    }

    // ---- what is shown

    count(view) {
        const counts = countClasses(this.trace, view, Math.max(200, Math.min(1600, $("counts").clientWidth)));
        let most = 1;
        for (let x = 0; x < counts[0].length; x++)
            most = Math.max(most, counts[CLASS_RUNNING][x] + counts[CLASS_RUNNABLE][x]);
        return {counts, most};
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
        this.selection = from === null || from === to ? null
            : {from: Math.round(Math.max(0, Math.min(from, to))), to: Math.round(Math.min(this.trace.duration, Math.max(from, to)))};
        this.changed("selection");
        this.paint();
    }

    choose(lane, i) {
        this.chosen = lane ? {lane, i} : null;
        this.changed("chosen");
        this.paint();
    }

    // Chooses it, and shows where it is.
    go(lane, i) {
        const begin = lane.at[i], end = lane.endOf(i), {from, to} = this.view, k = this.rowOf.get(lane);
        if (end - begin < (to - from) / 400)
            this.show(begin - (end - begin + LEAST) * 20, end + (end - begin + LEAST) * 20);
        else if (begin < from || end > to)
            this.show(begin - Math.max((to - from) / 2, (end - begin) / 4), begin + Math.max((to - from) / 2, (end - begin) * 1.25));
        const top = this.tops[k], {scrollTop, clientHeight} = this.scroller;
        if (top < scrollTop || top + LANE > scrollTop + clientHeight)
            this.scroller.scrollTop = top - clientHeight / 2;
        this.choose(lane, i);
    }

    // The next stretch of the lane that is chosen, or the same time in the next lane.
    step(along, across) {
        const {lane, i} = this.chosen || {lane: this.rows[0], i: -1};
        if (!lane)
            return;
        if (across) {
            const t = this.chosen ? Math.max(this.view.from, lane.at[i]) : this.view.from;
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
        this.paintStrip($("minimap"), this.whole, this.whole.view, true);
        this.paintStrip($("counts"), this.counted, view, false);
        const ruler = $("ruler"), context = fitCanvas(ruler);
        context.clearRect(0, 0, ruler.clientWidth, ruler.clientHeight);
        paintRuler(context, view, colors, ruler.clientWidth, ruler.clientHeight);
        this.paintLanes();
    }

    paintStrip(canvas, counted, view, marked) {
        const context = fitCanvas(canvas), w = canvas.clientWidth, h = canvas.clientHeight;
        context.clearRect(0, 0, w, h);
        paintCounts(context, counted, view, this.colors, w, h);
        if (this.trace.heap.length)
            paintHeap(context, this.trace.heap, view, this.colors, w, h);
        const mark = (part, color, alpha) => {
            const x = (t) => (t - view.from) / (view.to - view.from) * w;
            context.globalAlpha = alpha;
            context.fillStyle = color;
            context.fillRect(x(part.from), 0, Math.max(2, x(part.to) - x(part.from)), h);
            context.globalAlpha = 1;
        };
        if (this.selection)
            mark(this.selection, this.colors.accent, 0.25);
        if (!marked) {
            context.fillStyle = this.colors.faint;
            context.font = "11px system-ui, sans-serif";
            context.fillText(`${counted.most.toFixed(counted.most < 10 ? 1 : 0)} running or runnable`, 3, 11);
            return;
        }
        mark({from: 0, to: this.view.from}, this.colors.back, 0.6);
        mark({from: this.view.to, to: view.to}, this.colors.back, 0.6);
    }

    paintLanes() {
        const {chart, view, colors, trace, tops} = this, context = fitCanvas(chart), scale = chart.width / chart.clientWidth || 1;
        const top = this.scroller.scrollTop, bottom = top + chart.clientHeight;
        let first = 0, last = this.rows.length;
        for (let high = last; first < high;) { // the first row that ends below the top
            const middle = (first + high) >> 1;
            if (tops[middle + 1] <= top)
                first = middle + 1;
            else
                high = middle;
        }
        for (let k = first; k < last; k++)
            if (tops[k] > bottom)
                last = k;
        if (!chart.width || !chart.height)
            return;
        if (!this.image || this.image.width !== chart.width || this.image.height !== chart.height) {
            this.image = context.createImageData(chart.width, chart.height);
            this.image.pixels = new Uint32Array(this.image.data.buffer);
        }
        this.image.pixels.fill(0);
        for (let k = first; k < last; k++)
            paintLane(this.image, colors.pixels, this.rows[k], trace.whatClass, view, Math.round((tops[k] - top + 3) * scale),
                Math.round(BAR * scale));
        context.putImageData(this.image, 0, 0);
        for (let k = first; k < last; k++)
            paintDetails(context, trace, this.rows[k], view, tops[k] - top + 3, colors, chart.clientWidth);
        this.paintMarks(context, top);
        this.paintLabels(first, last);
    }

    paintMarks(context, top) {
        const {colors, selection, chosen, hovered, chart} = this;
        if (selection) {
            context.globalAlpha = 0.16;
            context.fillStyle = colors.accent;
            context.fillRect(this.x(selection.from), 0, this.x(selection.to) - this.x(selection.from), chart.clientHeight);
            context.globalAlpha = 1;
        }
        for (const it of [hovered, chosen]) {
            if (!it || !this.rowOf.has(it.lane))
                continue;
            const y = this.tops[this.rowOf.get(it.lane)] - top + 3, from = Math.max(-3, this.x(it.lane.at[it.i]));
            context.strokeStyle = it === chosen ? colors.accent : colors.text;
            context.lineWidth = it === chosen ? 2.5 : 1;
            context.strokeRect(from, y - 1, Math.max(2, Math.min(chart.clientWidth + 3, this.x(it.lane.endOf(it.i))) - from), BAR + 2);
            this.paintWakeup(context, it, top);
        }
    }

    // Who ended the wait, or the one that led to this stretch.
    paintWakeup(context, {lane, i}, top) {
        const wait = [i, i - 1, i - 2].find((k) => k >= 0 && lane.waker[k]);
        if (wait === undefined)
            return;
        const waker = this.trace.lanes[lane.waker[wait] - 1], x = this.x(lane.endOf(wait));
        const y = (other) => this.tops[this.rowOf.get(other)] - top + 3 + BAR / 2;
        if (waker && waker !== lane)
            paintArrow(context, {x, y: y(waker)}, {x, y: y(lane)}, this.colors.text);
    }

    paintLabels(first, last) {
        const key = `${first} ${last} ${this.matches ? this.matches.version : 0} ${this.chosen ? this.chosen.lane.number : ""}`;
        if (this.labelled === key)
            return;
        this.labelled = key;
        $("labels").replaceChildren(...this.rows.slice(first, last).map((lane, k) => element("div", {
            style: `top:${this.tops[first + k]}px`, title: laneName(lane),
            class: [this.chosen && this.chosen.lane === lane && "chosen", this.matches && this.matches.lanes.has(lane) && "found"]
                .filter((s) => s).join(" ")}, laneName(lane))));
    }

    // ---- hands

    // The stretch under the pointer; null: there is none.
    under(ev) {
        const y = ev.clientY - this.chart.getBoundingClientRect().top + this.scroller.scrollTop, t = this.time(ev);
        let k = 0;
        while (k < this.rows.length && this.tops[k + 1] <= y)
            k++;
        const lane = this.rows[k], i = lane && lane.n && t <= lane.end ? lane.find(t) : -1;
        return i < 0 ? null : {lane, i};
    }

    listen() {
        const {chart, scroller} = this;
        scroller.addEventListener("scroll", () => this.paint());
        chart.addEventListener("wheel", (ev) => this.wheel(ev), {passive: false});
        chart.addEventListener("pointerdown", (ev) => this.down(ev));
        chart.addEventListener("pointermove", (ev) => this.move(ev));
        for (const end of ["pointerup", "pointercancel"])
            chart.addEventListener(end, (ev) => this.up(ev));
        chart.addEventListener("pointerleave", () => this.hover(null));
        chart.addEventListener("dblclick", (ev) => {
            const it = this.under(ev);
            if (it)
                this.show(it.lane.at[it.i] - (it.lane.endOf(it.i) - it.lane.at[it.i]) / 10,
                    it.lane.endOf(it.i) + (it.lane.endOf(it.i) - it.lane.at[it.i]) / 10);
        });
        for (const id of ["ruler", "counts"])
            this.drag($(id), (begin, end) => this.select(begin, end), () => this.view);
        this.drag($("minimap"), (begin, end) => {
            const half = (this.view.to - this.view.from) / 2;
            this.show(end - half, end + half);
        }, () => this.whole.view);
    }

    drag(canvas, f, view) {
        let begin = null;
        canvas.addEventListener("pointerdown", (ev) => {
            canvas.setPointerCapture(ev.pointerId);
            f(begin = this.time(ev, canvas, view()), begin);
        });
        canvas.addEventListener("pointermove", (ev) => begin === null || f(begin, this.time(ev, canvas, view())));
        canvas.addEventListener("pointerup", () => begin = null);
    }

    wheel(ev) {
        const sideways = ev.shiftKey ? ev.deltaX || ev.deltaY : ev.deltaX;
        if (ev.ctrlKey || ev.metaKey)
            this.zoom(Math.exp(ev.deltaY / 300), this.time(ev));
        else if (sideways)
            this.pan(sideways / 1000);
        else
            return;
        ev.preventDefault();
    }

    down(ev) {
        this.chart.setPointerCapture(ev.pointerId);
        this.pointers.set(ev.pointerId, ev);
        this.grip = {x: ev.clientX, view: {...this.view}, t: this.time(ev), moved: false, selects: ev.shiftKey, apart: this.apart()};
    }

    apart() {
        const [a, b] = [...this.pointers.values()];
        return b ? Math.max(20, Math.abs(a.clientX - b.clientX)) : 0;
    }

    move(ev) {
        const grip = this.grip;
        if (!grip || !this.pointers.has(ev.pointerId))
            return this.hover(this.under(ev));
        this.pointers.set(ev.pointerId, ev);
        grip.moved = grip.moved || Math.abs(ev.clientX - grip.x) > 3;
        const span = grip.view.to - grip.view.from;
        if (grip.apart) {
            const to = span * grip.apart / this.apart();
            this.show(grip.t - (grip.t - grip.view.from) * to / span, grip.t + (grip.view.to - grip.t) * to / span);
        } else if (grip.moved && grip.selects) {
            this.select(grip.t, this.time(ev));
        } else if (grip.moved) {
            const by = (ev.clientX - grip.x) / this.chart.clientWidth * span;
            this.show(grip.view.from - by, grip.view.to - by);
        }
    }

    up(ev) {
        this.pointers.delete(ev.pointerId);
        const it = this.grip && !this.grip.moved && ev.type === "pointerup" ? this.under(ev) : null;
        if (!this.pointers.size)
            this.grip = null;
        if (it)
            this.choose(it.lane, it.i);
    }

    hover(it) {
        this.hovered = it;
        if (it)
            $("hover").textContent = `${laneName(it.lane)}: ${this.trace.describe(it.lane.what[it.i])}, ${time(it.lane.endOf(it.i) - it.lane.at[it.i])}`;
        this.paint();
    }
}
