// The bar between the timeline and the tables, which mouse and arrow keys move.

const SPLIT_STEP = 5; // % of the height that both have

function listenSplit(bar, above) {
    const move = (part) => {
        const least = Number(bar.getAttribute("aria-valuemin")), most = Number(bar.getAttribute("aria-valuemax"));
        const percent = Math.max(least, Math.min(most, part));
        above.style.height = percent + "%";
        bar.setAttribute("aria-valuenow", Math.round(percent));
    };
    const now = () => 100 * above.clientHeight / above.parentElement.clientHeight;
    bar.setAttribute("aria-valuenow", Math.round(now()));
    bar.addEventListener("pointerdown", (ev) => bar.setPointerCapture(ev.pointerId));
    bar.addEventListener("pointermove", (ev) => {
        const box = above.parentElement.getBoundingClientRect();
        if (bar.hasPointerCapture(ev.pointerId))
            move(100 * (ev.clientY - box.top) / box.height);
    });
    bar.addEventListener("keydown", (ev) => {
        const step = {ArrowUp: -SPLIT_STEP, ArrowDown: SPLIT_STEP}[ev.key];
        if (!step)
            return;
        move(now() + step);
        ev.preventDefault();
        ev.stopPropagation();
    });
}
