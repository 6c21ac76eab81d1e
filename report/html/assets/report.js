// Adds to the report what paper does not have: tables that sort and search, all rows of a
// long table, charts that answer the pointer. Without it the report is complete but for the
// rows that are packed.
//
// Texts of archives reach the page in two ways only: as textContent, and as rows that the
// report's own templates made, packed in the file.
"use strict";
(() => {
  const {constructTable, plot, tableFeatures} = libraries;

  // element makes an element with properties and children.
  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  const count = (n) => n.toLocaleString("en");

  // unpack reads a part of packed rows.
  async function unpack(script) {
    const bytes = Uint8Array.from(atob(script.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  // ---- tables ----

  const pageSize = 25;
  const minRows = 10; // a shorter table needs no search
  const ranks = ["certain", "probable", "possible", "contested"];

  // Rows of a table stand alone, or, with their proof, in a tbody.
  function standingRows(table) {
    return [...table.tBodies].flatMap((body) => (body.classList.contains("finding") ? [body] : [...body.rows]));
  }

  // The value of a cell is what the row is sorted and searched by.
  function valueOf(cell) {
    return cell.dataset.number === undefined ? cell.textContent : Number(cell.dataset.number);
  }

  function valuesOf(row) {
    return row.rows ? [...[...row.rows[0].cells].map(valueOf), row.dataset.site] : [...row.cells].map(valueOf);
  }

  // packedRows returns rows that are unpacked when they are wanted.
  async function packedRows(id) {
    const parts = (part) => [...document.querySelectorAll(`script[data-table="${id}"][data-part="${part}"]`)];
    const scripts = parts("rows");
    const values = await Promise.all(parts("values").map(unpack));
    return values.flatMap((pack, i) => {
      let rows; // a promise, once a row of the pack is wanted
      return pack.map((v, j) => ({values: v, row: async () => (await (rows ??= unpack(scripts[i])))[j]}));
    });
  }

  // parseRow makes the row that a template of the report made.
  function parseRow(html) {
    const table = element("template");
    table.innerHTML = `<table>${html}</table>`;
    const body = table.content.querySelector("tbody");
    return body.classList.contains("finding") ? body : body.rows[0];
  }

  const features = tableFeatures({
    coreReactivityFeature: libraries.storeReactivityBindings(),
    rowSortingFeature: libraries.rowSortingFeature,
    columnFilteringFeature: libraries.columnFilteringFeature,
    globalFilteringFeature: libraries.globalFilteringFeature,
    rowPaginationFeature: libraries.rowPaginationFeature,
    sortedRowModel: libraries.createSortedRowModel(),
    filteredRowModel: libraries.createFilteredRowModel(),
    paginatedRowModel: libraries.createPaginatedRowModel(),
  });

  const collator = new Intl.Collator("en", {numeric: true});

  function compare(kind, a, b) {
    if (kind === "number") return a - b;
    if (kind === "certainty") return ranks.indexOf(a) - ranks.indexOf(b);
    return collator.compare(a, b);
  }

  // Every word must be somewhere in the row.
  function matches(row, words) {
    const text = row.original.text;
    return words.every((word) => text.includes(word));
  }

  // Tables of findings by their section: find searches one, reveal shows the finding of a name.
  const findings = new Map();

  async function enhance(table) {
    const standing = standingRows(table);
    const packed = await packedRows(table.classList.contains("findings") ? table.id.replace(/-list$/, "") : table.id);
    if (standing.length + packed.length < minRows) return;
    const rows = [...standing.map((row) => ({values: valuesOf(row), row: async () => row.cloneNode(true)})), ...packed];
    for (const row of rows) row.text = row.values.join("\n").toLowerCase();

    const heads = [...table.tHead.rows[0].cells];
    const columns = heads.map((head, i) => ({
      id: String(i),
      accessorFn: (row) => row.values[i],
      sortFn: (a, b) => compare(head.className, a.original.values[i], b.original.values[i]),
      sortDescFirst: head.className === "number",
      filterFn: (row, _, wanted) => row.original.values[i] === wanted,
    }));
    const model = constructTable({
      features,
      columns,
      data: rows,
      globalFilterFn: (row, _, words) => matches(row, words),
      getColumnCanGlobalFilter: (column) => column.id === "0", // the filter looks at the whole row
      enableMultiSort: false,
      autoResetPageIndex: false,
      initialState: {pagination: {pageIndex: 0, pageSize}},
    });

    const status = element("p", {className: "status"});
    status.setAttribute("role", "status");
    const previous = element("button", {type: "button", textContent: "Previous", onclick: () => move(-1)});
    const next = element("button", {type: "button", textContent: "Next", onclick: () => move(1)});
    const caption = table.caption.textContent;

    function move(by) {
      model.setPageIndex((index) => index + by);
      show();
    }

    const live = element("tbody", {className: "live"});
    let shown = 0;
    async function show() {
      const turn = ++shown;
      const page = model.getRowModel().rows;
      const made = await Promise.all(page.map((row) => row.original.row()));
      if (turn !== shown) return; // something newer is to be shown
      const nodes = made.map((row) => (typeof row === "string" ? parseRow(row) : row));
      nodes.forEach((row) => row.removeAttribute("id")); // the row that stands in the page may have it
      table.querySelectorAll("tbody.live").forEach((body) => body.remove());
      if (nodes.length > 0 && nodes[0].localName === "tbody") {
        nodes.forEach((body) => body.classList.add("live"));
        table.append(...nodes);
      } else {
        live.replaceChildren(...nodes);
        table.append(live);
      }
      const {pageIndex} = model.atoms.pagination.get();
      const found = model.getFilteredRowModel().rows.length;
      const first = pageIndex * pageSize;
      status.textContent =
        found === 0
          ? "No row matches."
          : `${count(first + 1)}–${count(first + nodes.length)} of ${count(found)}` +
            (found < rows.length ? ` that match, of ${count(rows.length)}` : "");
      previous.disabled = pageIndex === 0;
      next.disabled = first + nodes.length >= found;
      previous.hidden = next.hidden = found <= pageSize;
      heads.forEach((head, i) => head.setAttribute("aria-sort", {asc: "ascending", desc: "descending"}[model.getColumn(String(i)).getIsSorted()] ?? "none"));
    }

    const search = element("input", {type: "search", autocomplete: "off", spellcheck: false});
    function find() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      model.setGlobalFilter(words.length > 0 ? words : undefined);
      model.setPageIndex(0);
      return show();
    }
    search.addEventListener("input", find);
    const controls = element("div", {className: "controls"}, element("label", {}, element("span", {textContent: "Search"}), search));

    const certainty = heads.findIndex((head) => head.className === "certainty");
    if (certainty >= 0) {
      const present = ranks.filter((rank) => rows.some((row) => row.values[certainty] === rank));
      const choice = element("select", {}, ...["all", ...present].map((rank) => element("option", {value: rank, textContent: rank})));
      choice.addEventListener("change", () => {
        model.getColumn(String(certainty)).setFilterValue(choice.value === "all" ? undefined : choice.value);
        model.setPageIndex(0);
        show();
      });
      controls.append(element("label", {}, element("span", {textContent: "Certainty"}), choice));
    }

    heads.forEach((head, i) => {
      const sort = element("button", {type: "button", textContent: head.textContent});
      sort.addEventListener("click", () => {
        model.getColumn(String(i)).toggleSorting();
        model.setPageIndex(0);
        show();
      });
      head.replaceChildren(sort);
    });
    search.setAttribute("aria-label", `Search: ${caption}`);
    const pager = element("div", {className: "pager"}, status, previous, next);
    const frame = table.closest(".table");
    frame.prepend(controls);
    frame.querySelector(".scroll").after(pager);
    await show();
    frame.classList.add("enhanced");
    if (certainty < 0) return;

    const choice = controls.querySelector("select");
    function all(text) {
      search.value = text;
      choice.value = "all";
      model.getColumn(String(certainty)).setFilterValue(undefined);
      return find();
    }
    findings.set(table.id.replace(/-list$/, ""), {
      find: all,
      async reveal(id) {
        if (!rows.some((row) => row.values[0] === id)) return;
        await all("");
        const at = model.getPrePaginatedRowModel().rows.findIndex((row) => row.original.values[0] === id);
        model.setPageIndex(Math.floor(at / pageSize));
        await show();
        open(table.querySelectorAll("tbody.live")[at % pageSize]);
      },
    });
  }

  function open(finding) {
    finding.querySelector("details").open = true;
    finding.scrollIntoView();
    finding.querySelector("summary").focus({preventScroll: true});
  }

  // reveal opens the finding that the address names.
  async function reveal() {
    const id = location.hash.slice(1);
    if (!id.startsWith("f-")) return;
    const finding = document.getElementById(id);
    if (finding && !finding.closest(".enhanced")) open(finding);
    for (const table of findings.values()) await table.reveal(id);
  }

  // A link from a site leads to its findings.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("tbody a");
    if (link) findings.get(link.hash.slice(1))?.find(link.textContent);
  });

  // ---- the timeline ----

  function drawTimeline(figure) {
    const {what, periods, ends, tops, ticks, counts} = JSON.parse(figure.querySelector("#timeline-data").textContent);
    const series = [
      [what, "fetches"],
      ["Violations", "violations"],
      ["Unknown", "unknown"],
    ];
    const live = figure.querySelector(".live");
    const date = (text) => new Date(`${text}T00:00:00Z`);
    const domain = [date(periods[0].start), date(ends.at(-1))];
    const bars = counts.map((n) => ({...n, from: date(periods[n.period].start), to: date(ends[n.period])}));
    const changed = periods.flatMap((p, i) => (p.changes > 0 ? [{...p, at: new Date((+date(p.start) + +date(ends[i])) / 2)}] : []));

    // numbered are the periods with room for a number above their bar, the highest bars first.
    function numbered(key, width) {
      const room = (40 / width) * (domain[1] - domain[0]);
      const chosen = [];
      for (const p of periods.map((p, j) => ({...p, at: new Date((+date(p.start) + +date(ends[j])) / 2)})).sort((a, b) => b[key] - a[key])) {
        if (p[key] > 0 && chosen.every((other) => Math.abs(other.at - p.at) >= room)) chosen.push(p);
      }
      return chosen;
    }

    function panel([name, key], i, width) {
      const title = element("p", {className: "panel", textContent: name});
      const last = i === series.length - 1;
      const data = bars.filter((bar) => bar[key] > 0);
      if (data.length === 0 && !last) return [title, element("p", {className: "note", textContent: "None."})];
      const barWidth = ((bars[0].to - bars[0].from) / (domain[1] - domain[0])) * width;
      const inset = barWidth > 4 ? 0.5 : Math.min(0, (barWidth - 2) / 2); // a day of many years is to be seen
      const place = (tick) => ((date(tick.date) - domain[0]) / (domain[1] - domain[0])) * width;
      const shownTicks = ticks.filter((tick, j) => j % Math.ceil((ticks.length * 96) / width) === 0 && place(tick) < width - 80);
      const svg = plot({
        width,
        height: last ? 148 : 112,
        marginTop: 18,
        marginRight: 0,
        marginBottom: last ? 44 : 4,
        marginLeft: 0,
        className: "plot",
        x: {type: "utc", domain, axis: null},
        y: {domain: [0, tops[i]], axis: null},
        color: {type: "identity"},
        marks: [
          libraries.ruleY([tops[i]], {stroke: "var(--line)"}),
          libraries.text(numbered(key, width), {x: "at", y: key, dy: -8, text: (p) => count(p[key]), fill: "var(--soft)", stroke: "var(--paper)", strokeWidth: 4}),
          libraries.rectY(
            data,
            {x1: "from", x2: "to", y: key, fill: (bar) => `var(--claim-${Math.min(bar.claim, 5)})`, stroke: "var(--claim-0)", strokeWidth: 0.75, insetLeft: inset, insetRight: inset},
          ),
          libraries.ruleY([0], {stroke: "var(--soft)"}),
          ...(last
            ? [
                libraries.text(shownTicks, {x: (tick) => date(tick.date), frameAnchor: "bottom", textAnchor: "start", dx: 3, dy: 16, text: "text", fill: "var(--soft)"}),
                libraries.text(changed, {x: "at", frameAnchor: "bottom", dy: 34, text: () => "▲", fill: "var(--ink)"}),
              ]
            : []),
          libraries.tip(
            periods.map((p, j) => ({...p, from: date(p.start), to: date(ends[j])})),
            libraries.pointerX({
              x1: "from",
              x2: "to",
              y: 0,
              title: (p) => [p.label, `${name}: ${count(p[key])}`, p.mark].filter(Boolean).join("\n"),
              fill: "var(--paper)",
              stroke: "var(--soft)",
              textPadding: 10,
            }),
          ),
        ],
      });
      svg.querySelector("style")?.remove(); // the policy forbids it; the report's own style has its rules
      svg.querySelectorAll("[aria-label]").forEach((part) => part.removeAttribute("aria-label"));
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", `${name} over time, up to ${count(tops[i])}. The table below has the numbers.`);
      return [title, svg];
    }

    let width = 0;
    new ResizeObserver(() => {
      const now = Math.round(figure.clientWidth);
      if (now === 0 || now === width) return;
      width = now;
      live.replaceChildren(...series.flatMap((one, i) => panel(one, i, width)));
      live.hidden = false;
      figure.classList.add("enhanced");
    }).observe(figure);
  }

  // follow leads to a part of the report where that is a text in a frame of docs/app: a link would leave for the page.
  function follow(event) {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    location.hash = link.hash;
  }

  // What fails leaves the page as it is without JavaScript.
  async function start() {
    if (location.protocol === "about:") addEventListener("click", follow);
    const figure = document.querySelector("#timeline-chart");
    if (figure) drawTimeline(figure);
    await Promise.all([...document.querySelectorAll(".table table")].map(enhance));
    addEventListener("hashchange", reveal);
    await reveal();
    document.documentElement.classList.add("ready");
  }

  start().catch((error) => {
    document.documentElement.classList.add("failed");
    throw error;
  });
})();
