// Draws lanes, and what all threads do at a time, for a view: a part of the trace as wide as the canvas.

const LANE = 22, BAR = 16, REGION = 15, MARGIN = 3; // px: of a lane, of its stretches, of each level of regions, above
const FONT = "11px system-ui, sans-serif";
const WIDE = 40; // px: a stretch has room for its name

// A theme's colours as the style sheet has them; pixels as the canvas takes them.
function readColors() {
    const style = getComputedStyle(document.documentElement), probe = document.createElement("canvas").getContext("2d");
    const names = ["running", "runnable", "syscall", "lock", "wait"];
    const css = (name) => style.getPropertyValue("--" + name).trim();
    const pixel = (text) => {
        probe.fillStyle = text;
        probe.fillRect(0, 0, 1, 1);
        return new Uint32Array(probe.getImageData(0, 0, 1, 1).data.buffer)[0];
    };
    const colors = {};
    for (const name of ["text", "faint", "accent", "back", "inside"])
        colors[name] = css(name);
    colors.classes = names.map(css);
    colors.pixels = names.map((name) => pixel(css(name)));
    return colors;
}

// The size of a canvas in pixels of the screen; its context counts in those of CSS.
function fitCanvas(canvas) {
    const scale = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
        canvas.width = Math.round(w * scale);
        canvas.height = Math.round(h * scale);
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    return context;
}

// Calls f(x, first, last, share) for the columns of a view, as many pixels wide, in which a lane is: the first and the
// last stretch there, and how long the lane was in each class.
function eachColumn(lane, classes, view, width, f) {
    const step = (view.to - view.from) / width, share = new Float64Array(CLASSES), before = new Float64Array(CLASSES);
    const from = Math.max(0, Math.floor((lane.begin - view.from) / step));
    const to = Math.min(width, Math.ceil((lane.end - view.from) / step));
    if (!lane.n || from >= to)
        return;
    let t = Math.max(lane.begin, view.from + from * step), i = Math.max(0, lane.find(t)), known = false;
    for (let x = from; x < to; x++) {
        const next = view.from + (x + 1) * step, j = Math.max(i, lane.find(next, i));
        share.fill(0);
        if (i === j) {
            share[classes[lane.what[i]]] = Math.max(0, Math.min(next, lane.endOf(i)) - Math.max(t, lane.at[i]));
            known = false;
        } else if (j - i > 2 * STEP) {
            // The sum up to the end of a column is that up to the begin of the next one.
            if (!known)
                lane.cumulate(classes, i, t, before.fill(0));
            lane.cumulate(classes, j, next, share);
            for (let c = 0; c < CLASSES; c++) {
                const sum = share[c];
                share[c] -= before[c];
                before[c] = sum;
            }
            known = true;
        } else {
            for (let k = i; k <= j; k++) {
                const part = Math.min(next, lane.endOf(k)) - Math.max(t, lane.at[k]);
                if (part > 0)
                    share[classes[lane.what[k]]] += part;
            }
            known = false;
        }
        f(x, i, j, share);
        t = next;
        i = j;
    }
}

// Rows of pixels of one lane, from row `top` on: in each column as much of a colour as the thread was in that state.
function paintLane(image, pixels, lane, classes, view, top, height) {
    eachColumn(lane, classes, view, image.width, (x, i, j, share) => {
        if (i === j)
            return fill(image, x, top, height, pixels[classes[lane.what[i]]]);
        const all = share[0] + share[1] + share[2] + share[3] + share[4] || 1;
        let bottom = top + height;
        for (const c of STACKED) {
            const h = c === CLASS_WAIT ? bottom - top : Math.min(bottom - top, Math.round(share[c] / all * height));
            bottom -= h;
            fill(image, x, bottom, h, pixels[c]);
        }
    });
}
const STACKED = [CLASS_RUNNING, CLASS_SYSCALL, CLASS_LOCK, CLASS_RUNNABLE, CLASS_WAIT]; // from below

function fill(image, x, top, height, pixel) {
    for (let y = Math.max(0, top), end = Math.min(image.height, top + height); y < end; y++)
        image.pixels[y * image.width + x] = pixel;
}

// How many threads are in each class at a time: an average for each column.
function countClasses(trace, view, width) {
    const counts = [0, 1, 2, 3, 4].map(() => new Float64Array(width)), step = (view.to - view.from) / width;
    for (const lane of trace.lanes)
        eachColumn(lane, trace.whatClass, view, width, (x, i, j, share) => {
            for (let c = 0; c < CLASSES; c++)
                counts[c][x] += share[c] / step;
        });
    return counts;
}

// Running and runnable threads as areas, one on the other. What was counted may be of another view, which is moving.
function paintCounts(context, counted, view, colors, width, height) {
    const {counts, most} = counted, n = counts[0].length, scale = (height - 2) / most;
    const {from, to} = counted.view;
    const x = (i) => (from + i * (to - from) / n - view.from) / (view.to - view.from) * width;
    const base = new Float64Array(n);
    for (const c of [CLASS_RUNNING, CLASS_RUNNABLE]) {
        context.fillStyle = colors.classes[c];
        context.beginPath();
        for (let i = 0; i < n; i++) {
            const y = height - (base[i] += counts[c][i]) * scale;
            context.lineTo(x(i), y);
            context.lineTo(x(i + 1), y);
        }
        for (let i = n; i-- > 0;) {
            const y = height - (base[i] - counts[c][i]) * scale;
            context.lineTo(x(i + 1), y);
            context.lineTo(x(i), y);
        }
        context.fill();
    }
}

// The place of the last of [time, …] that is not later than t; 0: none is.
function lastBefore(list, t) {
    let low = 0, high = list.length;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (list[middle][0] > t)
            high = middle;
        else
            low = middle;
    }
    return low;
}

// Memory in use as a line; `most` is at the top.
function paintHeap(context, heap, most, view, colors, width, height) {
    const x = (t) => (t - view.from) / (view.to - view.from) * width, y = (n) => height - 1 - n / most * (height - 3);
    context.strokeStyle = colors.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    let last = null, column = NaN, high = 0;
    for (let i = lastBefore(heap, view.from); i < heap.length && heap[i][0] <= view.to; i++) {
        // In one column of pixels the highest is enough.
        const [t, n] = heap[i], at = Math.max(-1, Math.floor(x(t)));
        if (at === column && n <= high)
            continue;
        if (last !== null)
            context.lineTo(at, y(last));
        context.lineTo(at, y(n));
        high = n;
        column = at;
        last = n;
    }
    if (last !== null)
        context.lineTo(width, y(last));
    context.stroke();
}

// How many threads may execute at once, as a dashed line.
function paintProcs(context, procs, most, view, colors, width, height) {
    const x = (t) => (t - view.from) / (view.to - view.from) * width, y = (n) => height - n * (height - 2) / most;
    context.strokeStyle = colors.text;
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    context.beginPath();
    for (let i = lastBefore(procs, view.from); i < procs.length && procs[i][0] <= view.to; i++) {
        context.lineTo(Math.max(0, x(procs[i][0])), y(procs[i][1]));
        context.lineTo(i + 1 < procs.length ? Math.min(width, x(procs[i + 1][0])) : width, y(procs[i][1]));
    }
    context.stroke();
    context.setLineDash([]);
}

// On whatever is there: with a rim of the background's colour.
function paintCaption(context, text, x, y, align, color, colors) {
    context.font = FONT;
    context.textAlign = align;
    context.strokeStyle = colors.back;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeText(text, x, y);
    context.fillStyle = color;
    context.fillText(text, x, y);
    context.textAlign = "left";
}

// Times below a line that is divided at round ones. The labels say how much later than the first one they are.
function paintRuler(context, view, colors, width, height) {
    const span = view.to - view.from, least = span / Math.max(2, width / 110);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, power * [1, 2, 5, 10].find((m) => power * m >= least));
    context.fillStyle = colors.faint;
    context.font = FONT;
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
        const x = (t - view.from) / span * width;
        context.fillRect(x, height - 5, 1, 5);
        const text = moment(t, step, view.to);
        if (x + 3 + context.measureText(text).width <= width)
            context.fillText(text, x + 3, height - 6);
    }
}

// What belongs to a lane besides its stretches: names in those that are wide enough, samples, regions.
function paintDetails(context, trace, lane, view, y, colors, width) {
    const scale = width / (view.to - view.from), x = (t) => (t - view.from) * scale;
    context.font = FONT;
    // One that is wide enough is at one of these places.
    for (let at = 0, i = 0, last = -1; lane.n && at < width; at += WIDE, last = i) {
        i = Math.max(0, lane.find(view.from + at / scale, Math.max(0, i)));
        const from = Math.max(0, x(lane.at[i])), to = Math.min(width, x(lane.endOf(i))), what = lane.what[i];
        if (i === last || to - from < WIDE || trace.whatClass[what] === CLASS_RUNNING)
            continue;
        context.fillStyle = trace.whatClass[what] === CLASS_WAIT ? colors.text : colors.inside;
        fitText(context, shortName(trace, what), from, to, y + 12);
    }
    context.fillStyle = colors.text;
    for (let i = firstSample(lane, view.from), last = -2; i < lane.sampled.length && lane.sampled[i] < view.to; i++) {
        const at = Math.round(x(lane.sampled[i]));
        if (at > last + 1)
            context.fillRect(at, y - 2, 1, 3);
        last = at;
    }
    paintRegions(context, lane, view, y - MARGIN + regionsFrom(lane), colors, width);
}

// Where two end in one column of pixels, the first is enough.
function paintRegions(context, lane, view, y, colors, width) {
    const pixel = (view.to - view.from) / width, x = (t) => (t - view.from) / pixel;
    lane.levels.forEach((level, depth) => {
        for (let i = firstAfter(level, view.from); i < level.length && level[i].begin < view.to;) {
            const r = level[i], from = Math.max(0, x(r.begin));
            const to = Math.min(width, Math.max(from + 1, x(r.begin + r.length)));
            context.fillStyle = flameColor(r.text, "wait");
            context.fillRect(from, y + depth * REGION, Math.max(1, to - from - 0.5), REGION - 1);
            context.fillStyle = colors.inside;
            fitText(context, r.text, from, to, y + depth * REGION + 11);
            i = to - from > 1 ? i + 1 : Math.max(i + 1, firstAfter(level, view.from + to * pixel));
        }
    });
}

// The first of regions of a lane that goes on at time t, so many pixels below its first level; undefined: none does.
function regionAt(lane, t, below, slack) {
    const level = lane.levels[Math.floor(below / REGION)];
    const r = below >= 0 && level && level[firstAfter(level, t - slack)];
    return r && r.begin <= t + slack ? r : undefined;
}

// How far below its top a lane's regions begin: below its stretches, if it has any.
function regionsFrom(lane) {
    return MARGIN + (lane.number < 0 ? 0 : BAR + 1);
}

// The height of a lane with all that belongs to it.
function heightOf(lane) {
    return (lane.number < 0 ? 2 * MARGIN : LANE) + lane.levels.length * REGION;
}

function shortName(trace, w) {
    return trace.object(w) || (trace.state(w) === SYSCALL ? trace.place(w).replace(/ \(.*/s, "") : trace.reason(w));
}

function fitText(context, text, from, to, y) {
    const room = Math.floor((to - from - 6) / 6);
    if (room >= 3)
        context.fillText(text.length <= room ? text : text.slice(0, room - 1) + "…", from + 3, y);
}

// From who woke a thread to that thread, with a rim, so that it is seen on all colours.
function paintArrow(context, from, to, colors) {
    const down = to.y > from.y ? 1 : -1;
    for (const [color, rim] of [[colors.back, 2.5], [colors.text, 0]]) {
        context.strokeStyle = context.fillStyle = color;
        context.lineWidth = 1.5 + rim;
        context.beginPath();
        context.moveTo(from.x, from.y);
        context.bezierCurveTo(from.x + 14, from.y, to.x - 14, to.y - 14 * down, to.x, to.y - 4 * down);
        context.stroke();
        context.beginPath();
        context.moveTo(to.x, to.y);
        context.lineTo(to.x - 4, to.y - 7 * down);
        context.lineTo(to.x + 4, to.y - 7 * down);
        context.closePath();
        context.fill();
        if (rim)
            context.stroke();
    }
    context.beginPath();
    context.arc(from.x, from.y, 2.5, 0, 7);
    context.fill();
}
