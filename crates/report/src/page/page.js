"use strict";
// Reference, backends, algorithms and order of tables can be set, and are kept in the fragment of the address:
// #growth&ref=openssl&hide=ring,dalek&off=rsa&sort=3.2d
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const reference = document.getElementById("reference");
  const opened = reference.value;
  const toggles = all("[data-toggle]");
  const tables = all("table.sortable");
  const sheet = new CSSStyleSheet();
  const padding = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet, padding];
  document.documentElement.classList.add("js");

  const state = { at: "", ref: opened, hide: new Set(), off: new Set(), sort: new Map() };

  // The address.
  const list = (text) => (text ? text.split(",").map(decodeURIComponent) : []);
  function read() {
    const parts = location.hash.slice(1).split("&");
    state.at = parts[0].includes("=") ? "" : parts.shift();
    const set = new Map(parts.filter((it) => it.includes("=")).map((it) => [it.slice(0, it.indexOf("=")), it.slice(it.indexOf("=") + 1)]));
    Object.assign(state, { ref: opened, hide: new Set(), off: new Set(), sort: new Map() });
    try {
      const known = (name) => toggles.filter((it) => it.dataset.toggle === name).map((it) => it.value);
      const asked = set.has("ref") ? decodeURIComponent(set.get("ref")) : opened;
      const ref = data.backends.includes(asked) || asked === "" ? asked : opened;
      const hide = new Set(list(set.get("hide")).filter((it) => known("b").includes(it)));
      const off = new Set(list(set.get("off")).filter((it) => known("a").includes(it)));
      const sort = new Map(list(set.get("sort")).map((it) => /^(\d+)\.(\d+)([ad])$/.exec(it)).filter(Boolean)
        .filter(([, table, column]) => tables[table]?.tHead?.rows[0].cells[column])
        .map(([, table, column, way]) => [Number(table), [Number(column), way]]));
      Object.assign(state, { ref, hide, off, sort });
    } catch { /* an address that is not one of ours: everything is shown */ }
  }
  function write() {
    const parts = [state.at];
    const names = (set) => [...set].map(encodeURIComponent).join(",");
    if (state.ref !== opened) parts.push("ref=" + encodeURIComponent(state.ref));
    if (state.hide.size) parts.push("hide=" + names(state.hide));
    if (state.off.size) parts.push("off=" + names(state.off));
    if (state.sort.size) parts.push("sort=" + [...state.sort].map(([table, [column, way]]) => `${table}.${column}${way}`).join(","));
    const hash = parts.length > 1 || parts[0] ? "#" + parts.join("&") : location.pathname + location.search;
    try { history.replaceState(null, "", hash); } catch { location.hash = parts.join("&"); }
  }

  // Ratios. Each contest's sides are in order, the fastest first; a pair is the later one's time over the earlier one's.
  const contests = data.runs.map((run) => new Map(run.contests.map((it) => [it.id, it])));
  const place = (first, second, sides) => first * sides - first * (first + 1) / 2 + (second - first - 1);
  function ratio(contest, of, over) {
    if (of === over) return { log: 0, interval: null, p: null };
    const [low, high] = of < over ? [of, over] : [over, of];
    const [log, interval, p] = contest.pairs[place(low, high, contest.sides.length)];
    // p is against the later one not being slower.
    if (of > over) return { log, interval, p };
    return { log: -log, interval: interval && [-interval[1], -interval[0]], p: p === null ? null : 1 - p };
  }
  // Those that are shown, the fastest first: by the mean of the logarithms of a side's time over each one's.
  function shown(contest) {
    const sides = contest.sides.map((_, side) => side).filter((side) => !state.hide.has(data.backends[contest.sides[side]]));
    const position = new Map(sides.map((of) => [of, Math.round(sides.reduce((sum, over) => sum + ratio(contest, of, over).log, 0) / sides.length * 1e9)]));
    return sides.sort((one, other) => position.get(one) - position.get(other));
  }
  function base(contest) {
    if (state.ref === "") return shown(contest)[0];
    const side = contest.sides.findIndex((it) => data.backends[it] === state.ref);
    return side < 0 ? undefined : side;
  }
  const digits = (value, steps) => value.toFixed(value >= 100 ? steps[2] : value >= 10 ? steps[1] : steps[0]);
  const bare = (log) => digits(Math.exp(log), [4, 2, 0]);
  const times = (log) => digits(Math.exp(log), [2, 1, 0]);
  const rows = new Map();
  for (const row of all("tr[data-contest]")) rows.set(row.dataset.contest, [...(rows.get(row.dataset.contest) ?? []), row]);
  function ratios() {
    for (const row of [...rows.values()].flat()) {
      const cells = all(".ratio", row);
      for (const cell of cells) {
        const contest = contests[cell.dataset.run ?? contests.length - 1].get(row.dataset.contest);
        const of = contest.sides.findIndex((it) => data.backends[it] === row.dataset.b);
        const over = base(contest);
        const known = of >= 0 && over !== undefined ? ratio(contest, of, over) : null;
        const interval = known?.interval ? `[${known.interval.map(bare).join(", ")}]` : "";
        if (cell.dataset.run === undefined) {
          cell.textContent = known ? bare(known.log) + "×" : "–";
          row.querySelector("td.interval").textContent = interval;
        } else {
          const span = document.createElement("span");
          span.className = "interval";
          span.textContent = interval;
          cell.replaceChildren(known ? bare(known.log) + "× " : "–", span);
        }
        cell.dataset.v = known ? Math.exp(known.log) : Infinity;
      }
    }
    for (const it of all("th.to button, th.to:not(:has(button))")) it.textContent = "Ratio to " + (state.ref || "the fastest");
    for (const it of all(".to-what")) it.textContent = state.ref || "the fastest";
  }

  function name(side) {
    const toggle = toggles.find((it) => it.dataset.toggle === "b" && it.value === data.backends[side]);
    return toggle.parentElement.querySelector(".b").cloneNode(true);
  }
  // The ranks among those that are shown: each pair tested both ways, adjusted by Holm within the contest. What rounds do
  // not rank has none.
  function ranks(contest, sides) {
    if (sides.length === 1 && contest.pairs.some((it) => it[2] !== null)) return new Map([[sides[0], 1]]);
    const tests = [];
    for (const of of sides) for (const over of sides) {
      const { p } = ratio(contest, of, over);
      if (p !== null) tests.push({ of, p });
    }
    tests.sort((one, other) => one.p - other.p);
    const ranks = new Map(tests.map((it) => [it.of, 1]));
    let least = 0;
    tests.forEach(({ of, p }, index) => {
      least = Math.max(least, Math.min(1, p * (tests.length - index)));
      if (least < 0.05) ranks.set(of, ranks.get(of) + 1);
    });
    return ranks;
  }
  function winners(contest, sides) {
    const ranked = ranks(contest, sides);
    const won = ranked.has(sides[0]) ? sides.filter((it) => ranked.get(it) === 1) : [];
    return won.length ? won : sides.slice(0, 1);
  }
  function places() {
    for (const [id, contest] of contests.at(-1)) {
      // Who is alone from the beginning has nobody to leave out.
      if (contest.sides.length < 2) continue;
      const ranked = ranks(contest, shown(contest));
      const rank = (label) => ranked.get(contest.sides.findIndex((it) => data.backends[it] === label));
      for (const row of rows.get(id) ?? []) {
        for (const cell of all("td[data-v][data-b]", row)) cell.classList.toggle("best", rank(cell.dataset.b) === 1);
        const cell = row.querySelector("td.rank"), own = rank(row.dataset.b);
        if (!cell || own === undefined) continue;
        cell.textContent = own + ([...ranked.values()].filter((it) => it === own).length > 1 ? "=" : "");
      }
    }
  }
  function leads() {
    for (const cell of all("td.lead")) {
      const contest = contests.at(-1).get(cell.dataset.contest);
      const sides = shown(contest);
      const who = cell.querySelector(".who"), by = cell.querySelector(".by");
      if (!sides.length) { who.replaceChildren("–"); by.textContent = ""; continue; }
      const won = winners(contest, sides);
      const next = sides.find((it) => !won.includes(it));
      who.replaceChildren(...won.flatMap((it, index) => (index ? [" = ", name(contest.sides[it])] : [name(contest.sides[it])])));
      if (next === undefined) { by.textContent = won.length > 1 ? "all tie" : "alone"; continue; }
      const known = ratio(contest, next, won[0]);
      const interval = known.interval ? ` [${known.interval.map(times).join(", ")}]` : "";
      const certain = ranks(contest, sides).has(won[0]) ? "" : ", not certain";
      by.textContent = `${times(known.log)}×${interval} over ${data.backends[contest.sides[next]]}${certain}`;
    }
  }

  // Tables.
  const original = tables.map((table) => [...table.tBodies[0].rows]);
  function sort(index) {
    const table = tables[index];
    const [column, way] = state.sort.get(index) ?? [];
    [...table.tHead.rows[0].cells].forEach((cell, it) =>
      cell.setAttribute("aria-sort", it === column ? (way === "a" ? "ascending" : "descending") : "none"));
    const rows = [...original[index]];
    if (column !== undefined) {
      const value = (row) => {
        const cell = row.cells[column];
        if (!cell || (cell.colSpan > 1 && cell.cellIndex !== column)) return Infinity;
        if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
        if (cell.classList.contains("none")) return Infinity;
        const text = cell.textContent.trim();
        const number = Number.parseFloat(text.replace(/^[[≤<]\s*/, ""));
        if (!cell.classList.contains("n")) return text;
        return Number.isNaN(number) ? Infinity : number;
      };
      const keyed = rows.map((row) => [value(row), row]);
      const order = (one, other) => (typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), "en", { numeric: true }));
      // What has no value comes last, whichever way.
      keyed.sort(([one], [other]) => (one === Infinity || other === Infinity)
        ? (one === Infinity) - (other === Infinity)
        : (way === "a" ? 1 : -1) * order(one, other));
      table.tBodies[0].append(...keyed.map((it) => it[1]));
    } else {
      table.tBodies[0].append(...rows);
    }
  }
  tables.forEach((table, index) => {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...cell.childNodes);
      cell.append(button);
      cell.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const [before, way] = state.sort.get(index) ?? [];
        if (before !== column) state.sort.set(index, [column, "a"]);
        else if (way === "a") state.sort.set(index, [column, "d"]);
        else state.sort.delete(index);
        sort(index);
        write();
      });
    });
  });

  // Everything that is set, on the page.
  function show() {
    reference.value = state.ref;
    for (const it of toggles) it.checked = !(it.dataset.toggle === "b" ? state.hide : state.off).has(it.value);
    const rules = [
      ...[...state.hide].map((it) => `[data-b="${CSS.escape(it)}"]`),
      ...[...state.off].map((it) => `[data-a="${CSS.escape(it)}"]`),
    ];
    sheet.replaceSync(rules.length ? rules.join(",") + "{display:none!important}" : "");
    ratios();
    leads();
    places();
    for (const index of state.sort.keys()) sort(index);
  }
  function go() {
    const target = state.at && document.getElementById(state.at);
    // Not behind what stays at the top, however many backends there are.
    const bar = document.querySelector(".controls");
    const stays = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
    padding.replaceSync(`html{scroll-padding-top:${stays + 8}px}`);
    if (target) target.scrollIntoView();
  }
  for (const it of toggles) it.addEventListener("change", () => {
    const set = it.dataset.toggle === "b" ? state.hide : state.off;
    if (it.checked) set.delete(it.value); else set.add(it.value);
    show();
    write();
  });
  reference.addEventListener("change", () => { state.ref = reference.value; show(); write(); });
  document.getElementById("reset").addEventListener("click", () => {
    const sorted = [...state.sort.keys()];
    Object.assign(state, { ref: opened, hide: new Set(), off: new Set(), sort: new Map() });
    sorted.forEach(sort);
    show();
    write();
  });
  for (const link of all('a[href^="#"]')) link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    state.at = link.getAttribute("href").slice(1);
    write();
    go();
    // The keyboard goes on from there, as it would without this.
    const target = document.getElementById(state.at);
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
  });
  addEventListener("hashchange", () => { const sorted = [...state.sort.keys()]; read(); sorted.forEach(sort); show(); go(); });

  // Charts: the nearest value by pointer, each by the arrow keys.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const says = document.getElementById("says");
  const points = new WeakMap();
  function values(chart) {
    if (!points.has(chart)) {
      points.set(chart, all("title", chart).map((title) => {
        const element = title.parentElement;
        const point = { element, text: title.textContent, series: element.closest("[data-b]") };
        title.remove(); // or the browser would show it as well
        return point;
      }));
    }
    return points.get(chart).filter((it) => it.element.getClientRects().length && (!it.series || getComputedStyle(it.series).display !== "none"));
  }
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  let here = null;
  function tell(point, [x, y], aloud) {
    if (here) here.classList.remove("here");
    here = point.element;
    here.classList.add("here");
    tip.textContent = point.text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 4)) + "px";
    tip.style.top = Math.max(4, y - box.height - 10) + "px";
    if (aloud) says.textContent = point.text;
  }
  function quiet() {
    if (here) here.classList.remove("here");
    here = null;
    tip.hidden = true;
  }
  for (const chart of all("svg.chart")) {
    const point = (event) => {
      let nearest = null, least = 40 * 40;
      for (const point of values(chart)) {
        const box = point.element.getBoundingClientRect();
        const dx = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
        const dy = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
        if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; nearest = point; }
      }
      if (nearest) tell(nearest, [event.clientX, event.clientY], false); else quiet();
    };
    chart.addEventListener("pointermove", point);
    chart.addEventListener("pointerdown", point);
    chart.addEventListener("pointerleave", quiet);
    chart.addEventListener("blur", quiet);
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (event.key === "Escape") quiet();
      if (!step) return;
      event.preventDefault();
      const list = values(chart);
      if (!list.length) return;
      const at = list.findIndex((it) => it.element === here);
      let next = at < 0 ? 0 : at;
      if (at >= 0 && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        // The same place in the next line, which need not have as many.
        const series = [...new Set(list.map((it) => it.series))];
        const other = series[(series.indexOf(list[at].series) + step + series.length) % series.length];
        const away = (it) => Math.abs(middle(it.element)[0] - middle(here)[0]);
        const there = list.filter((it) => it.series === other);
        next = list.indexOf(there.reduce((nearest, it) => (away(it) < away(nearest) ? it : nearest)));
      } else if (at >= 0) {
        next = (at + step + list.length) % list.length;
      }
      tell(list[next], middle(list[next].element), true);
    });
  }

  read();
  show();
  go();
})();
