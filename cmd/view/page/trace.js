// The trace in memory: lanes, which are threads, and their stretches of time in arrays. A stretch ends where the next
// one begins.

const RUNNABLE = 2, RUNNING = 3, WAITING = 4, SYSCALL = 5;
// What colours tell apart; sums of the first four are kept, and what remains of the time is the last one.
const CLASS_RUNNING = 0, CLASS_RUNNABLE = 1, CLASS_SYSCALL = 2, CLASS_LOCK = 3, CLASS_WAIT = 4, CLASSES = 5;
const CLASS_NAMES = ["running", "runnable", "system call", "waiting for a lock", "waiting"];
const STEP = 16; // a sum stands for so many stretches
const LOCK = /^(mutex|rwlock|spinlock|openmp-lock)\b/; // objects; and where the trace says none, reasons
const LOCKING = /^sync$|mutex/i;

class Lane {
    constructor(number) {
        this.number = number;
        this.blocks = [];
        this.sampleBlocks = [];
        this.regions = [];
        this.n = 0; // of stretches; a row of tasks has none
        this.sampled = [];
    }

    // Makes arrays of the blocks.
    join(trace) {
        const join = (Type, blocks, key, n) => {
            const all = new Type(n);
            let at = 0;
            for (const b of blocks) {
                all.set(b[key], at);
                at += b[key].length;
            }
            return all;
        };
        const length = (blocks) => blocks.reduce((n, b) => n + b.at.length, 0);
        this.n = length(this.blocks);
        this.at = join(Float64Array, this.blocks, "at", this.n);
        this.what = join(Uint32Array, this.blocks, "what", this.n);
        this.waker = join(Uint32Array, this.blocks, "waker", this.n); // lane + 1
        this.wake = join(Uint32Array, this.blocks, "wake", this.n);   // the waker's stack
        const samples = length(this.sampleBlocks);
        this.sampled = join(Float64Array, this.sampleBlocks, "at", samples);
        this.sampleStack = join(Uint32Array, this.sampleBlocks, "stack", samples);
        this.blocks = this.sampleBlocks = null;
        this.levels = packLevels(this.regions, (r) => trace.texts[r.name]);
        this.addUp(trace.whatClass);
    }

    addUp(classes) {
        const sums = new Float64Array((Math.floor(this.n / STEP) + 1) * CLASS_WAIT);
        const now = [0, 0, 0, 0, 0];
        for (let i = 0; i < this.n; i++) {
            if (i % STEP === 0)
                for (let c = 0; c < CLASS_WAIT; c++)
                    sums[i / STEP * CLASS_WAIT + c] = now[c];
            now[classes[this.what[i]]] += this.endOf(i) - this.at[i];
        }
        if (this.n % STEP === 0)
            for (let c = 0; c < CLASS_WAIT; c++)
                sums[this.n / STEP * CLASS_WAIT + c] = now[c];
        this.sums = sums;
    }

    endOf(i) {
        return i + 1 < this.n ? this.at[i + 1] : this.end;
    }

    // The last stretch that began at t or before, from `low` on; -1: none.
    find(t, low = 0) {
        let high = this.n;
        if (!high || this.at[low] > t) {
            if (low === 0 || !high)
                return -1;
            low = 0;
            if (this.at[0] > t)
                return -1;
        }
        // Most are near.
        for (let step = 1; low + step < high; step *= 2) {
            if (this.at[low + step] > t) {
                high = low + step;
                break;
            }
            low += step;
        }
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (this.at[middle] > t)
                high = middle;
            else
                low = middle;
        }
        return low;
    }

    // Adds to `to` the time of each class from the begin of the lane to t, which is in stretch i.
    cumulate(classes, i, t, to) {
        const first = i - i % STEP;
        let all = Math.min(t, this.end) - this.at[0], known = 0;
        for (let c = 0; c < CLASS_WAIT; c++) {
            const sum = this.sums[first / STEP * CLASS_WAIT + c];
            to[c] += sum;
            known += sum;
        }
        for (let k = first; k <= i; k++) {
            const c = classes[this.what[k]];
            if (c === CLASS_WAIT)
                continue;
            const part = Math.min(t, this.endOf(k)) - this.at[k];
            to[c] += part;
            known += part;
        }
        to[CLASS_WAIT] += all - known;
    }
}

class Trace {
    constructor() {
        this.lanes = [];
        this.program = new Lane(-1); // what is of no thread: ranges of the runtime, samples outside
        this.heap = [];              // [time, bytes in use]
        this.procs = [];             // [time, how many may execute at once]
        this.profile = null;         // of the heap: where it was allocated
        this.damaged = "";           // what cannot be shown
        this.tasks = [];
        this.messages = [];
    }

    lane(number) {
        if (number === 0xffffffff)
            return this.program;
        while (this.lanes.length <= number)
            this.lanes.push(new Lane(this.lanes.length));
        return this.lanes[number];
    }

    // All blocks have been read.
    complete(tables, stat) {
        Object.assign(this, tables);
        for (const list of [this.texts, this.names])
            list.forEach((text, i) => list[i] = legible(text));
        for (const m of this.messages)
            [m.category, m.text] = [legible(m.category), legible(m.text)];
        this.stat = stat;
        this.nwhats = this.whats.length / 6;
        this.whatClass = new Uint8Array(this.nwhats);
        for (let w = 0; w < this.nwhats; w++)
            this.whatClass[w] = this.classOf(w);
        for (let i = 0; i < this.threads.length / 6; i++) {
            const lane = this.lane(i);
            [lane.id, lane.tid, lane.nameText, lane.maker, lane.begin, lane.end] = this.threads.slice(6 * i, 6 * i + 6);
            lane.name = lane.nameText ? this.texts[lane.nameText] : "a thread without name";
        }
        this.program.name = "(program)";
        this.program.end = this.duration;
        for (const lane of [...this.lanes, this.program])
            lane.join(this);
        this.taskLanes = makeTaskLanes(this);
    }

    state(w) { return this.whats[6 * w]; }
    reason(w) { return this.texts[this.whats[6 * w + 2]]; }
    isCall(w) { return this.state(w) === SYSCALL && !this.whats[6 * w + 1]; }
    object(w) { return this.state(w) === WAITING && this.whats[6 * w + 1] ? this.texts[this.whats[6 * w + 3]] : ""; }
    place(w) { return this.texts[this.whats[6 * w + 4]]; }
    stack(w) { return this.whats[6 * w + 5]; }

    classOf(w) {
        switch (this.state(w)) {
        case RUNNING: return CLASS_RUNNING;
        case RUNNABLE: return CLASS_RUNNABLE;
        case SYSCALL: return CLASS_SYSCALL;
        }
        const lock = this.object(w) ? LOCK.test(this.object(w)) : LOCKING.test(this.reason(w));
        return lock ? CLASS_LOCK : CLASS_WAIT;
    }

    // A frame of a stack: its function and where that is.
    functionOf(frame) { return this.names[this.frames[3 * frame]]; }
    fileOf(frame) { return this.names[this.frames[3 * frame + 1]].replace(/.*\//, ""); }
    placeOf(frame) { return this.functionOf(frame) + (this.fileOf(frame) ? ` (${this.fileOf(frame)})` : ""); }
    frameText(frame) {
        const line = this.frames[3 * frame + 2];
        return line ? `${this.functionOf(frame)} (${this.fileOf(frame)}:${line})` : this.placeOf(frame);
    }

    // Whose waits a lane ended between `from` and `to`: the first `most` of them.
    wokenBy(lane, from, to, most) {
        const found = [];
        for (const other of this.lanes)
            for (let k = Math.max(0, other.find(from)), n = 0; k < other.n && other.at[k] < to && n < most; k++)
                if (other.waker[k] === lane.number + 1 && other.endOf(k) >= from && other.endOf(k) < to)
                    n = found.push({lane: other, i: k, at: other.endOf(k)});
        return found.sort((a, b) => a.at - b.at).slice(0, most);
    }

    // A stretch in words: "waiting: sync, mutex cache.lock".
    describe(w) {
        const words = [CLASS_NAMES[this.whatClass[w]]];
        if (this.state(w) === SYSCALL)
            words.push(this.place(w));
        else if (this.object(w))
            words.push(this.object(w));
        else if (this.reason(w))
            words.push(this.reason(w));
        return words.join(": ");
    }

    // Who had the object that stretch i of a lane waits for, at time t: who handed it to the next that waited for it.
    holder(lane, i, t) {
        const object = this.object(lane.what[i]);
        let best = null, when = Infinity;
        if (!object)
            return null;
        for (const other of this.lanes)
            for (let k = Math.max(0, other.find(t)); k < other.n && other.at[k] < when; k++) {
                const end = other.endOf(k);
                if (end <= t || end >= when || !other.waker[k] || this.object(other.what[k]) !== object)
                    continue;
                best = this.lanes[other.waker[k] - 1];
                when = end;
            }
        return best;
    }
}
