// The heap profile of a recording, a file of pprof's format: who allocated the memory, with its stack.

async function unzip(data) {
    const unzipped = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(unzipped).arrayBuffer());
}

// Calls f(field, value) for the fields of a message: value is a number, or the bytes of what is of a length.
function eachField(bytes, f) {
    for (const c = new Cursor(bytes, 0, bytes.length); c.at < c.end;) {
        const key = c.number(), wire = key % 8, field = (key - wire) / 8;
        if (wire === 0) {
            f(field, c.number());
        } else if (wire === 2) {
            const size = c.number();
            if (size > c.end - c.at)
                throw new Error("the heap profile of this page is damaged");
            f(field, bytes.subarray(c.at, c.at += size));
        } else {
            throw new Error("the heap profile of this page is damaged");
        }
    }
}

function fieldsOf(bytes) {
    const fields = {};
    eachField(bytes, (field, value) => (fields[field] = fields[field] || []).push(value));
    return fields;
}

// Numbers of a field that is repeated: packed, or each by itself.
function repeated(values) {
    const numbers = [];
    for (const value of values || []) {
        if (typeof value === "number") {
            numbers.push(value);
            continue;
        }
        for (const c = new Cursor(value, 0, value.length); c.at < c.end;)
            numbers.push(c.number());
    }
    return numbers;
}

// {types, sites}: what is counted, and for each stack, the innermost function first, how much of it.
function readProfile(bytes) {
    const profile = fieldsOf(bytes), functions = new Map(), places = new Map();
    const texts = profile[6].map((text) => legible(decoder.decode(text)));
    const first = (m, field) => m[field] ? m[field][0] : 0;
    for (const m of (profile[5] || []).map(fieldsOf))
        functions.set(first(m, 1), texts[first(m, 2)]);
    // Lines of a location that was inlined come innermost first, as locations do.
    for (const m of (profile[4] || []).map(fieldsOf))
        places.set(first(m, 1), (m[4] || []).map((line) => functions.get(first(fieldsOf(line), 1)) || "(unknown)"));
    return {
        types: profile[1].map((m) => texts[first(fieldsOf(m), 1)]),
        sites: (profile[2] || []).map(fieldsOf).map((m) => ({
            stack: repeated(m[1]).flatMap((id) => places.get(id) || ["(unknown)"]), amounts: repeated(m[2]),
        })),
    };
}
