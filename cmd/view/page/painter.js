// Draws lanes, and what all threads do at a time, for a view: a part of the trace as wide as the canvas.

const LANE = 22, BAR = 16, REGION = 6; // px: of a lane, of its stretches, of each level of regions
const REGION_LEVELS = 3;

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
    const colors = {text: css("text"), faint: css("faint"), accent: css("accent"), back: css("back"), inside: css("inside")};
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

// Rows of pixels of one lane, from row `top` on: in each column as much of a colour as the thread was in that state.
function paintLane(image, pixels, lane, classes, view, top, height) {
    const {width} = image, step = (view.to - view.from) / width, share = [0, 0, 0, 0, 0];
    const from = Math.max(0, Math.floor((lane.begin - view.from) / step));
    const to = Math.min(width, Math.ceil((lane.end - view.from) / step));
    if (!lane.n || from >= to)
        return;
    let t = view.from + from * step, i = Math.max(0, lane.find(t));
    for (let x = from; x < to; x++) {
        const next = view.from + (x + 1) * step, j = Math.max(i, lane.find(next, i));
        if (i === j) {
            fill(image, x, top, height, pixels[classes[lane.what[i]]]);
        } else {
            share.fill(0);
            shares(lane, classes, i, Math.max(t, lane.begin), j, next, share);
            const all = share[0] + share[1] + share[2] + share[3] + share[4] || 1;
            let bottom = top + height;
            for (const c of STACKED) {
                const h = c === CLASS_WAIT ? bottom - top : Math.min(bottom - top, Math.round(share[c] / all * height));
                bottom -= h;
                fill(image, x, bottom, h, pixels[c]);
            }
        }
        t = next;
        i = j;
    }
}
const STACKED = [CLASS_RUNNING, CLASS_SYSCALL, CLASS_LOCK, CLASS_RUNNABLE, CLASS_WAIT]; // from below

// The time of each class between t, in stretch i, and next, in stretch j.
function shares(lane, classes, i, t, j, next, to) {
    if (j - i > 2 * STEP) {
        lane.cumulate(classes, j, next, 1, to);
        lane.cumulate(classes, i, t, -1, to);
        return;
    }
    for (let k = i; k <= j; k++) {
        const part = Math.min(next, lane.endOf(k)) - Math.max(t, lane.at[k]);
        if (part > 0)
            to[classes[lane.what[k]]] += part;
    }
}

function fill(image, x, top, height, pixel) {
    for (let y = Math.max(0, top), end = Math.min(image.height, top + height); y < end; y++)
        image.pixels[y * image.width + x] = pixel;
}

// How many threads are in each class at a time: an average for each column.
function countClasses(trace, view, width) {
    const counts = [0, 1, 2, 3, 4].map(() => new Float64Array(width)), step = (view.to - view.from) / width, share = [0, 0, 0, 0, 0];
    for (const lane of trace.lanes) {
        const from = Math.max(0, Math.floor((lane.begin - view.from) / step));
        const to = Math.min(width, Math.ceil((lane.end - view.from) / step));
        if (!lane.n || from >= to)
            continue;
        let t = view.from + from * step, i = Math.max(0, lane.find(t));
        for (let x = from; x < to; x++) {
            const next = view.from + (x + 1) * step, j = Math.max(i, lane.find(next, i));
            share.fill(0);
            shares(lane, trace.whatClass, i, Math.max(t, lane.begin), j, next, share);
            for (let c = 0; c < CLASSES; c++)
                counts[c][x] += share[c] / step;
            t = next;
            i = j;
        }
    }
    return counts;
}

// Running and runnable threads as areas, one on the other. What was counted may be of another view, which is moving.
function paintCounts(context, counted, view, colors, width, height) {
    const {counts, most} = counted, n = counts[0].length, scale = (height - 2) / most;
    const x = (i) => (counted.view.from + i * (counted.view.to - counted.view.from) / n - view.from) / (view.to - view.from) * width;
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

// Memory in use as a line; `most` is at the top.
function paintHeap(context, heap, view, colors, width, height) {
    const most = heap.reduce((n, [, bytes]) => Math.max(n, bytes), 1);
    const x = (t) => (t - view.from) / (view.to - view.from) * width, y = (n) => height - 1 - n / most * (height - 3);
    context.strokeStyle = colors.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    let last = null, column = NaN, high = 0;
    for (const [t, n] of heap) {
        if (t > view.to)
            break;
        // In one column of pixels the highest is enough.
        const at = Math.max(-1, Math.floor(x(t)));
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

// Times below a line that is divided at round ones. The labels say how much later than the first one they are.
function paintRuler(context, view, colors, width, height) {
    const span = view.to - view.from, least = span / Math.max(2, width / 110);
    const power = 10 ** Math.floor(Math.log10(least)), step = Math.max(1, power * [1, 2, 5, 10].find((m) => power * m >= least));
    context.fillStyle = colors.faint;
    context.font = "11px system-ui, sans-serif";
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
        const x = (t - view.from) / span * width;
        context.fillRect(x, height - 5, 1, 5);
        context.fillText(moment(t, step), x + 3, height - 6);
    }
}

// What belongs to a lane besides its stretches: names in those that are wide enough, samples, regions.
function paintDetails(context, trace, lane, view, y, colors, width) {
    const scale = width / (view.to - view.from), x = (t) => (t - view.from) * scale;
    context.font = "11px system-ui, sans-serif";
    if ((lane.find(view.to) - lane.find(view.from)) * 40 < width * 4) {
        for (let i = Math.max(0, lane.find(view.from)); i < lane.n && lane.at[i] < view.to; i++)
            if ((lane.endOf(i) - lane.at[i]) * scale > 40 && trace.whatClass[lane.what[i]] !== CLASS_RUNNING) {
                context.fillStyle = trace.whatClass[lane.what[i]] === CLASS_WAIT ? colors.text : colors.inside;
                fitText(context, shortName(trace, lane.what[i]), Math.max(0, x(lane.at[i])), Math.min(width, x(lane.endOf(i))), y + 12);
            }
    }
    context.fillStyle = colors.text;
    for (let i = firstSample(lane, view.from), last = -2; i < lane.sampled.length && lane.sampled[i] < view.to; i++) {
        const at = Math.round(x(lane.sampled[i]));
        if (at > last + 1)
            context.fillRect(at, y - 2, 1, 3);
        last = at;
    }
    for (const r of lane.regions) {
        const at = x(r.begin), end = x(r.begin + r.length);
        if (at > width)
            break;
        if (end < 0 || r.depth >= REGION_LEVELS)
            continue;
        context.fillStyle = flameColor(trace.texts[r.name], "wait");
        context.fillRect(Math.max(0, at), y + BAR + r.depth * REGION, Math.max(1, Math.min(width, end) - Math.max(0, at)), REGION - 1);
    }
}

function shortName(trace, w) {
    return trace.object(w) || (trace.state(w) === SYSCALL ? trace.place(w).replace(/ \(.*/s, "") : trace.reason(w));
}

function fitText(context, text, from, to, y) {
    const room = Math.floor((to - from - 6) / 6);
    if (room >= 3)
        context.fillText(text.length <= room ? text : text.slice(0, room - 1) + "…", from + 3, y);
}

// From who woke a thread to that thread.
function paintArrow(context, from, to, color) {
    const down = to.y > from.y ? 1 : -1;
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(from.x + 14, from.y, to.x - 14, to.y - 14 * down, to.x, to.y);
    context.stroke();
    context.beginPath();
    context.moveTo(to.x, to.y);
    context.lineTo(to.x - 4, to.y - 7 * down);
    context.lineTo(to.x + 3, to.y - 7 * down);
    context.fill();
}
