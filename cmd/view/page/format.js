// Numbers as people read them. Times are nanoseconds since the begin of the trace.

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function time(ns) {
    for (const [size, unit] of UNITS)
        if (Math.abs(ns) >= size || size === 1) {
            const digits = Math.abs(ns / size) >= 100 || size === 1 ? 0 : Math.abs(ns / size) >= 10 ? 1 : 2;
            return (ns / size).toFixed(digits) + " " + unit;
        }
}

// With as many digits as tell it from a time that is `step` later, in the unit of `largest`.
function moment(ns, step, largest = ns) {
    const [size, unit] = UNITS.find(([s]) => largest >= s || s === 1);
    const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
    return (ns / size).toFixed(Math.min(digits, 9)) + " " + unit;
}

function count(n) {
    return Math.round(n).toLocaleString("en");
}

function percent(part, all) {
    return all ? (100 * part / all).toFixed(part / all < 0.0995 ? 1 : 0) + " %" : "";
}

function bytes(n) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let i = 0;
    for (; n >= 1024 && i < units.length - 1; i++)
        n /= 1024;
    return n.toFixed(i && n < 100 ? 1 : 0) + " " + units[i];
}

// A name as it can be read: what has no picture, or would turn around what follows, as U+ and its number. A name may
// have several lines.
function legible(text) {
    return text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
        (c) => "U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0"));
}

// An element with attributes and children; a string is a text, whatever is in it.
function element(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {}))
        if (key.startsWith("on"))
            e.addEventListener(key.slice(2), value);
        else if (value !== undefined && value !== null && value !== false)
            e.setAttribute(key, value);
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
}

const $ = (id) => document.getElementById(id);
