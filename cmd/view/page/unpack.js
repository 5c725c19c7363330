// The data of the page: base64 of gzip of blocks, which docs/view.md describes.

const TEXT_STEP = 1 << 20; // characters; the lines are of one length, but for the last

function fromBase64(text) {
    if (Uint8Array.fromBase64)
        return Uint8Array.fromBase64(text);
    const binary = atob(text), to = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++)
        to[i] = binary.charCodeAt(i);
    return to;
}

async function feed(text, writer) {
    const line = text.indexOf("\n") + 1, step = Math.max(1, Math.floor(TEXT_STEP / line)) * line;
    for (let i = 0; i < text.length; i += step)
        await writer.write(fromBase64(text.slice(i, i + step)));
    await writer.close();
}

// Reads numbers, as the block has them.
class Cursor {
    constructor(data, at, end) {
        this.data = data;
        this.at = at;
        this.end = end;
    }
    number() {
        let n = 0, scale = 1;
        for (; ;) {
            if (this.at >= this.end)
                throw new Error("the data of this page is damaged");
            const b = this.data[this.at++];
            n += (b & 127) * scale;
            if (b < 128)
                return n;
            scale *= 128;
        }
    }
    numbers(Type, n, size) {
        const to = new Type(n), end = this.at + size;
        for (let i = 0; i < n; i++)
            to[i] = this.number();
        if (this.at !== end)
            throw new Error("the data of this page is damaged");
        return to;
    }
    text() {
        const n = this.number(), from = this.at;
        this.at += n;
        return decoder.decode(this.data.subarray(from, this.at));
    }
    rest() {
        return decoder.decode(this.data.subarray(this.at, this.end));
    }
}
const decoder = new TextDecoder();

// Lengths become times.
function addTimes(first, lengths) {
    for (let i = 0, t = first; i < lengths.length; i++) {
        const length = lengths[i];
        lengths[i] = t;
        t += length;
    }
    return lengths;
}

const BLOCKS = {
    S(trace, c) {
        const lane = trace.lane(c.number()), first = c.number(), n = c.number();
        const sizes = [c.number(), c.number(), c.number(), c.number()];
        lane.blocks.push({
            at: addTimes(first, c.numbers(Float64Array, n, sizes[0])),
            what: c.numbers(Uint32Array, n, sizes[1]),
            waker: c.numbers(Uint32Array, n, sizes[2]),
            wake: c.numbers(Uint32Array, n, sizes[3]),
        });
    },
    C(trace, c) {
        const lane = trace.lane(c.number()), first = c.number(), n = c.number(), sizes = [c.number(), c.number()];
        const at = c.numbers(Float64Array, n, sizes[0]);
        for (let i = 0, t = first; i < n; i++)
            at[i] = t += at[i];
        lane.sampleBlocks.push({at, stack: c.numbers(Uint32Array, n, sizes[1])});
    },
    R(trace, c) {
        const number = c.number(), lane = number ? trace.lane(number - 1) : trace.program;
        const region = {begin: c.number(), length: c.number(), name: c.number(), depth: c.number(), task: c.number()};
        lane.regions.push(region);
    },
    T(trace, c) {
        trace.tasks.push({id: c.number(), parent: c.number(), begin: c.number(), length: c.number(), type: c.number(),
            lane: c.number(), ended: c.number()});
    },
    M(trace, c) {
        trace.messages.push({lane: c.number(), at: c.number(), task: c.number(), category: c.text(), text: c.text()});
    },
    H(trace, c) {
        trace.heap.push([c.number(), c.number()]);
    },
    P(trace, c) {
        trace.procs.push([c.number(), c.number()]);
    },
    G(trace, c) {
        trace.packedProfile = c.data.slice(c.at, c.end);
    },
    J(trace, c) {
        trace.tables = JSON.parse(c.rest());
    },
    F(trace, c) {
        trace.report = JSON.parse(c.rest());
    },
};

// Takes the whole blocks at the begin of the data. Returns how many bytes they have.
function takeBlocks(trace, data) {
    let done = 0;
    while (done + 1 < data.length) {
        let size = 0, scale = 1, at = done + 1, b = 128;
        for (; at < data.length && b >= 128; scale *= 128) {
            b = data[at++];
            size += (b & 127) * scale;
        }
        if (b >= 128 || at + size > data.length)
            break;
        BLOCKS[String.fromCharCode(data[done])](trace, new Cursor(data, at, at + size));
        done = at + size;
    }
    return done;
}

// Writes what the answer has, as it comes.
async function fetchInto(address, writer) {
    const answer = await fetch(address);
    if (!answer.ok)
        throw new Error(`who made this page does not send the trace any more (${answer.status})`);
    for (const reader = answer.body.getReader(); ;) {
        const {done, value} = await reader.read();
        if (done)
            return writer.close();
        await writer.write(value, Number(answer.headers.get("Content-Length")));
    }
}

// The trace that is in the element, or where that says; tell(part) from time to time.
async function unpack(element, tell) {
    const trace = new Trace(), gzip = new DecompressionStream("gzip");
    const {address} = element.dataset, text = element.textContent;
    let left = new Uint8Array(0), read = 0;
    const to = {
        writer: gzip.writable.getWriter(),
        async write(data, size = text.length * 3 / 4) {
            await this.writer.write(data);
            tell((read += data.length) / size);
        },
        close() { return this.writer.close(); },
    };
    const fed = address ? fetchInto(address, to) : feed(text, to);
    fed.catch((e) => to.writer.abort(e)); // which ends the other side, too
    for (const reader = gzip.readable.getReader(); ;) {
        const {done, value} = await reader.read();
        if (done)
            break;
        const data = left.length ? new Uint8Array(left.length + value.length) : value;
        if (left.length) {
            data.set(left);
            data.set(value, left.length);
        }
        left = data.slice(takeBlocks(trace, data));
    }
    await fed;
    if (left.length || !trace.tables)
        throw new Error("the data of this page is cut off");
    if (trace.packedProfile)
        trace.profile = await unzip(trace.packedProfile).then(readProfile).catch(() => {
            trace.damaged = "the heap profile in the trace is damaged";
            return null;
        });
    trace.complete(trace.tables, trace.report);
    trace.tables = trace.report = trace.packedProfile = null;
    return trace;
}
