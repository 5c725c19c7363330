// What is known of the stretch that is chosen, and where one can go from there.

class Details {
    // go(lane, i) chooses another stretch.
    constructor(host, trace, go) {
        Object.assign(this, {host, trace, go});
    }

    stack(title, stack) {
        const frames = this.trace.stacks[stack];
        if (!frames.length)
            return [];
        return [element("dt", {}, title), element("dd", {}, element("ol", {class: "stack"},
            ...frames.map((f) => element("li", {title: this.trace.names[this.trace.frames[3 * f + 1]]}, this.trace.frameText(f)))))];
    }

    // A link to what a lane does at a time.
    link(id, text, lane, t) {
        return element("button", {type: "button", id, onclick: () => this.go(lane, Math.max(0, lane.find(t)))}, text);
    }

    show(lane, i, sums) {
        const {trace, host} = this, w = lane.what[i], begin = lane.at[i], end = lane.endOf(i);
        const fact = (name, ...values) => [element("dt", {}, name), element("dd", {}, ...values)];
        const waker = lane.waker[i] ? trace.lanes[lane.waker[i] - 1] : null;
        const holder = waker && trace.whatClass[w] === CLASS_LOCK ? trace.holder(lane, i, begin) : null;
        const messages = trace.messages.filter((m) => m.lane === lane.number + 1 && m.at >= begin && m.at < end).slice(0, 20);
        const regions = lane.regions.filter((r) => r.begin <= begin && r.begin + r.length >= end);
        const similar = {name: trace.describe(w), whats: this.similar(w)};
        host.replaceChildren(element("h2", {id: "what", tabindex: -1}, trace.describe(w)), element("dl", {},
            ...fact("thread", laneName(lane)),
            ...fact("lasted", time(end - begin), element("small", {}, ` ${count(end - begin)} ns`)),
            ...fact("began", `${(begin / 1e9).toFixed(9)} s`),
            ...(trace.reason(w) ? fact("reason", trace.reason(w)) : []),
            ...(trace.object(w) ? fact("object", trace.object(w)) : []),
            ...(holder ? fact("held by", this.link("to-holder", laneName(holder), holder, begin)) : []),
            ...(waker ? fact("woken by", this.link("to-waker", laneName(waker), waker, end)) : []),
            ...(regions.length ? fact("in", regions.map((r) => trace.texts[r.name]).join(" › ")) : []),
            ...(messages.length ? fact("says", ...messages.map((m) => element("div", {}, `${m.category ? m.category + ": " : ""}${m.text}`))) : []),
            ...this.stack("stack", trace.stack(w)), ...this.stack("the waker's", lane.wake[i])),
            sums && trace.state(w) !== RUNNING ? histogramElement(sums, similar) : "");
    }

    // Stretches of the same kind: for the same object, or at the same place.
    similar(w) {
        const {trace} = this, all = [];
        for (let k = 0; k < trace.nwhats; k++)
            if (trace.state(k) === trace.state(w) && trace.reason(k) === trace.reason(w) && trace.object(k) === trace.object(w) &&
                (trace.object(w) || trace.place(k) === trace.place(w)))
                all.push(k);
        return all;
    }

    // A row of a table: where its longest stretch is, and how long all of them took.
    showRow(sums, row) {
        const go = row.where && element("button", {type: "button", id: "to-longest", onclick: () => this.go(...row.where)},
            "Go to the longest");
        this.host.replaceChildren(element("h2", {id: "what", tabindex: -1}, row.name), element("p", {},
            `${time(row.time)} in ${count(row.count)} times, the longest ${time(row.longest)}. `, go),
            histogramElement(sums, row));
    }
}
