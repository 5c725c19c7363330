// Zooms and searches in a flame graph. A frame is a group with a rectangle and a text; data-x and data-w are where it
// begins and how wide it is, in parts of the whole.
(function () {
    "use strict";
    const script = document.currentScript;
    const svg = (script && script.closest("svg")) || document.documentElement;
    const frames = Array.from(svg.querySelectorAll("g.frame"));
    const details = svg.querySelector("#details"), found = svg.querySelector("#found");
    const WIDTH = 1180, MARGIN = 10, COLUMN = 7.2, LEAST = 0.1;
    const place = frames.map((g) => ({
        g, rect: g.querySelector("rect"), text: g.querySelector("text"), name: g.dataset.name,
        x: Number(g.dataset.x), w: Number(g.dataset.w), depth: Number(g.dataset.depth),
    }));
    let zoomed = place[0];

    function fit(name, px) {
        const columns = Math.floor((px - 6) / COLUMN);
        return columns < 3 ? "" : name.length <= columns ? name : name.slice(0, columns - 1) + "…";
    }

    // The frame and what it called, with the whole width; those that led to it stay.
    function zoom(to) {
        zoomed = to;
        for (const f of place) {
            const inside = f.x >= to.x - 1e-9 && f.x + f.w <= to.x + to.w + 1e-9;
            const above = f.depth < to.depth && f.x <= to.x + 1e-9 && f.x + f.w >= to.x + to.w - 1e-9;
            const x = above ? 0 : (f.x - to.x) / to.w, w = above ? 1 : f.w / to.w;
            const shown = (above || (inside && f.depth >= to.depth)) && w * WIDTH >= LEAST;
            f.g.style.display = shown ? "" : "none";
            f.g.style.opacity = above ? 0.5 : 1;
            if (!shown) continue;
            f.rect.setAttribute("x", MARGIN + x * WIDTH);
            f.rect.setAttribute("width", Math.max(w * WIDTH - 0.5, LEAST));
            f.text.setAttribute("x", MARGIN + x * WIDTH + 3);
            f.text.textContent = fit(f.name, w * WIDTH);
        }
    }

    // Marks what matches, and says what part of the whole that is; a frame within another one counts once.
    function search(words) {
        let sum = 0, end = -1;
        let pattern = null;
        try {
            pattern = words ? new RegExp(words, "i") : null;
        } catch (e) {
            found.textContent = "no regular expression: " + words;
            return;
        }
        const matching = place.filter((f) => f.g.classList.toggle("match", !!pattern && pattern.test(f.name)));
        for (const f of matching.sort((a, b) => a.x - b.x || b.w - a.w)) {
            if (f.x < end - 1e-9) continue;
            sum += f.w;
            end = f.x + f.w;
        }
        found.textContent = pattern ? words + ": " + (100 * sum).toFixed(1) + " %" : "";
    }

    function ask() {
        const words = prompt("Search for a function (regular expression):", "");
        if (words !== null) search(words);
    }

    for (const f of place) {
        const say = () => { details.textContent = f.g.querySelector("title").textContent; };
        f.g.addEventListener("click", () => zoom(f));
        f.g.addEventListener("mouseover", say);
        f.g.addEventListener("focus", say);
    }
    svg.querySelector("#reset").addEventListener("click", () => zoom(place[0]));
    svg.querySelector("#search").addEventListener("click", ask);
    svg.addEventListener("keydown", (e) => {
        const target = document.activeElement;
        if (e.key === "Escape") zoom(place[0]);
        else if (e.key === "/" || (e.key === "f" && (e.ctrlKey || e.metaKey))) ask();
        else if ((e.key === "Enter" || e.key === " ") && target)
            target.dispatchEvent(new MouseEvent("click", {bubbles: true}));
        else return;
        e.preventDefault();
    });
    window.thraceFlame = {zoom: (name) => zoom(place.find((f) => f.name === name) || place[0]), search};
    zoom(zoomed);
})();
