// What hands do with the timeline: mouse, touch and pen.

class Hands {
    constructor(timeline) {
        const {chart, scroller} = timeline;
        Object.assign(this, {timeline, chart, scroller, pointers: new Map(), grip: null});
        this.listen();
    }

    // The stretch or region under the pointer; null: there is none.
    under(ev) {
        const {timeline, chart} = this, {view} = timeline, t = timeline.time(ev);
        const y = ev.clientY - chart.getBoundingClientRect().top + this.scroller.scrollTop;
        const k = timeline.rowAt(y), lane = timeline.rows[k];
        if (!lane)
            return null;
        const i = lane.n && t <= lane.end ? lane.find(t) : -1, below = y - timeline.tops[k] - regionsFrom(lane);
        const region = regionAt(lane, t, below, 2 * (view.to - view.from) / chart.clientWidth);
        return region ? {lane, i, region} : i >= 0 && below < 0 ? {lane, i} : null;
    }

    listen() {
        const {chart, scroller} = this;
        scroller.addEventListener("scroll", () => this.timeline.paint());
        chart.addEventListener("wheel", (ev) => this.wheel(ev), {passive: false});
        chart.addEventListener("pointerdown", (ev) => this.down(ev));
        chart.addEventListener("pointermove", (ev) => this.move(ev));
        for (const end of ["pointerup", "pointercancel"])
            chart.addEventListener(end, (ev) => this.up(ev));
        chart.addEventListener("pointerleave", () => this.hover(null));
        chart.addEventListener("dblclick", (ev) => {
            const it = this.under(ev);
            if (it)
                this.timeline.fit(it);
        });
        for (const id of ["ruler", "counts"])
            this.drag($(id), (begin, end) => this.timeline.select(begin, end), () => this.timeline.view);
        this.drag($("minimap"), (begin, end) => {
            const half = (this.timeline.view.to - this.timeline.view.from) / 2;
            this.timeline.show(end - half, end + half);
        }, () => this.timeline.whole.view);
    }

    drag(canvas, f, view) {
        const at = (ev) => this.timeline.time(ev, canvas, view());
        let begin = null;
        canvas.addEventListener("pointerdown", (ev) => {
            canvas.setPointerCapture(ev.pointerId);
            f(begin = at(ev), begin);
        });
        canvas.addEventListener("pointermove", (ev) => begin === null || f(begin, at(ev)));
        for (const end of ["pointerup", "pointercancel"])
            canvas.addEventListener(end, () => begin = null);
    }

    wheel(ev) {
        const sideways = ev.shiftKey ? ev.deltaX || ev.deltaY : ev.deltaX;
        if (ev.ctrlKey || ev.metaKey)
            this.timeline.zoom(Math.exp(ev.deltaY / 300), this.timeline.time(ev));
        else if (sideways)
            this.timeline.pan(sideways / 1000);
        else
            return;
        ev.preventDefault();
    }

    down(ev) {
        this.chart.setPointerCapture(ev.pointerId);
        this.pointers.set(ev.pointerId, ev);
        this.takeGrip(ev.shiftKey, false);
    }

    // What is under the pointer, or between two, stays there.
    takeGrip(selects, moved) {
        const {timeline, scroller} = this, at = this.middle();
        this.grip = {...at, top: scroller.scrollTop, view: timeline.view, t: timeline.time({clientX: at.x}), moved,
            selects};
    }

    middle() {
        const [a, b = a] = [...this.pointers.values()];
        const apart = a === b ? 0 : Math.max(20, Math.abs(a.clientX - b.clientX));
        return {x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2, apart};
    }

    move(ev) {
        const {grip} = this;
        if (!grip || !this.pointers.has(ev.pointerId))
            return this.hover(this.under(ev), ev);
        this.pointers.set(ev.pointerId, ev);
        const {x, y, apart} = this.middle(), box = this.chart.getBoundingClientRect();
        grip.moved = grip.moved || Math.hypot(x - grip.x, y - grip.y) > 3 || apart !== grip.apart;
        if (!grip.moved)
            return;
        this.hover(null);
        if (grip.selects)
            return this.timeline.select(grip.t, this.timeline.time(ev));
        const span = (grip.view.to - grip.view.from) * (apart ? grip.apart / apart : 1);
        const from = grip.t - (x - box.left) / box.width * span;
        if (ev.pointerType === "mouse")
            this.scroller.scrollTop = grip.top + grip.y - y;
        this.timeline.show(from, from + span);
    }

    up(ev) {
        this.pointers.delete(ev.pointerId);
        const it = this.grip && !this.grip.moved && ev.type === "pointerup" ? this.under(ev) : null;
        if (this.pointers.size)
            this.takeGrip(false, true);
        else
            this.grip = null;
        if (it)
            this.timeline.choose(it.lane, it.i, it.region);
    }

    // Says what is under the pointer, beside it.
    hover(it, ev) {
        const tip = $("tip");
        this.timeline.hovered = it;
        tip.hidden = !it;
        if (it) {
            const {from, to} = extent(it), name = this.timeline.textOf(it), {clientX, clientY} = ev;
            tip.replaceChildren(element("b", {}, name),
                element("div", {}, `${time(to - from)} · ${laneName(it.lane)}`));
            const {offsetWidth, offsetHeight} = tip, above = clientY + 22 + offsetHeight > innerHeight;
            tip.style.left = Math.max(4, Math.min(clientX + 12, innerWidth - offsetWidth - 4)) + "px";
            tip.style.top = (above ? clientY - offsetHeight - 8 : clientY + 18) + "px";
        }
        this.timeline.paint();
    }
}
