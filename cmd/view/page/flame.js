// Flame graphs of a part of the trace: the outermost frames at the top, as wide as what all below them took.

const FLAME_LEAST = 0.001; // of the width: narrower frames are left out
const FLAME_ROW = 18;

const FLAMES = {
    cpu: {title: "CPU samples", amount: (n) => count(n) + (n === 1 ? " sample" : " samples")},
    wait: {title: "Waits", classes: [CLASS_LOCK, CLASS_WAIT], amount: time},
    syscall: {title: "System calls", classes: [CLASS_SYSCALL], amount: time},
    runnable: {title: "Runnable, not running", classes: [CLASS_RUNNABLE], amount: time},
    inuse: {title: "Memory in use", type: "inuse_space", amount: bytes},
    alloc: {title: "Memory allocated", type: "alloc_space", amount: bytes},
};

const NONE = {
    cpu: "the trace has no samples of the CPU here",
    inuse: "all that was allocated was freed again, as far as the samples say",
};

function flameTree(sums, kind, by) {
    const {trace} = sums, {classes, type} = FLAMES[kind], root = {name: "all", value: 0, children: new Map()};
    // Names of functions, the innermost first.
    const add = (names, value, label) => {
        let node = root;
        node.value += value;
        const enter = (name) => {
            let child = node.children.get(name);
            if (!child)
                node.children.set(name, child = {name, value: 0, children: new Map()});
            child.value += value;
            node = child;
        };
        if (label !== undefined)
            enter(label || "(none)");
        for (let i = names.length; i-- > 0;)
            enter(names[i]);
        if (!names.length)
            enter("(no stack)");
    };
    const names = (stack) => trace.stacks[stack].map((frame) => trace.functionOf(frame));
    const label = {reason: (w) => trace.reason(w), object: (w) => trace.object(w)}[by];
    if (type) {
        const column = trace.profile.types.indexOf(type);
        for (const site of trace.profile.sites)
            if (site.amounts[column])
                add(site.stack, site.amounts[column]);
    } else if (classes) {
        for (let w = 0; w < trace.nwhats; w++)
            if (sums.time[w] && classes.includes(trace.whatClass[w]))
                add(names(trace.stack(w)), sums.time[w], label && label(w));
    } else {
        for (const [stack, n] of sums.samples)
            add(names(stack), n);
    }
    return root;
}

// The same name has the same colour: warm ones for the CPU, cold ones for time off it, green ones for memory.
function flameColor(name, kind) {
    let h = 2166136261;
    for (let i = 0; i < name.length; i++)
        h = Math.imul(h ^ name.charCodeAt(i), 16777619) >>> 0;
    const hue = kind === "cpu" ? 10 + h % 45 : FLAMES[kind].type ? 80 + h % 60 : 185 + h % 60;
    return `hsl(${hue},${62 + (h >>> 6) % 20}%,${66 + (h >>> 12) % 12}%)`;
}

class Flame {
    constructor(host) {
        this.host = host;
        this.zoomed = [];
        host.addEventListener("keydown", (ev) => this.key(ev));
    }

    // Frames that have the words in their name stand out.
    show(root, kind, words) {
        Object.assign(this, {root, kind, words});
        this.draw();
    }

    // Zooms in on the frames with these names, from the outermost on, as far as they are there.
    draw() {
        const {host, root, kind} = this, {amount} = FLAMES[kind];
        let node = root, depth = 0, deepest = 0;
        const boxes = [];
        const put = (it, x, w, path, faded) => {
            const text = `${it.name}: ${amount(it.value)}, ${percent(it.value, root.value)}`;
            deepest = Math.max(deepest, depth);
            boxes.push(element("button", {type: "button", title: text, "aria-label": text,
                class: `frame${faded ? " faded" : ""}${this.has(it.name) ? " match" : ""}`,
                tabindex: boxes.length ? -1 : 0, "data-value": it.value, onclick: () => this.zoom(path),
                style: `left:${x * 100}%;width:${w * 100}%;top:${depth * FLAME_ROW}px;` +
                    `background:${flameColor(it.name, kind)}`}, w > 0.015 ? it.name : ""));
        };
        host.replaceChildren();
        if (!root.value)
            return host.append(element("p", {}, `None: ${NONE[kind] || "nothing of that happened here"}.`));
        put(root, 0, 1, [], this.zoomed.length);
        this.zoomed.every((name, i) => {
            const child = node.children.get(name);
            if (!child)
                return false;
            node = child;
            depth++;
            put(node, 0, 1, this.zoomed.slice(0, i + 1), i + 1 < this.zoomed.length);
            return true;
        });
        const path = this.zoomed.slice(0, depth);
        const below = (parent, x, path) => {
            depth++;
            for (const child of [...parent.children.values()].sort((a, b) => b.value - a.value)) {
                const w = child.value / node.value;
                if (w < FLAME_LEAST)
                    break;
                put(child, x, w, [...path, child.name], false);
                below(child, x, [...path, child.name]);
                x += w;
            }
            depth--;
        };
        below(node, 0, path);
        host.style.height = (deepest + 1) * FLAME_ROW + "px";
        host.append(...boxes);
    }

    has(name) {
        return this.words && name.toLowerCase().includes(this.words);
    }

    zoom(path) {
        this.zoomed = path;
        this.draw();
        this.host.firstElementChild.focus();
    }

    key(ev) {
        const frames = [...this.host.querySelectorAll(".frame")], at = frames.indexOf(document.activeElement);
        const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[ev.key];
        if (step && frames[at + step])
            frames[at + step].focus();
        else if (ev.key === "Escape" && this.zoomed.length)
            this.zoom(this.zoomed.slice(0, -1));
        else
            return;
        ev.preventDefault();
        ev.stopPropagation();
    }
}
