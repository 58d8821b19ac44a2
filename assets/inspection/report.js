"use strict";
// Texts of documents are put into the page as text only (textContent), never as HTML.
(() => {
  const PART = 100;
  const PRINTED_MAX = 5000;
  const [NAME, OUTCOME, TYPE, ENGINE, PAGES, ERRORS, WARNINGS, INFOS, SECONDS, KINDS, SAME] = Array(11).keys();
  const LEVELS = ["", "info", "warning", "error"];
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id)?.textContent ?? "null");
  const rows = read("rows");
  const meanings = new Map(read("catalogue").map(([id, severity, meaning]) => [id, meaning]));
  const words = new Intl.Collator(undefined, { numeric: true });

  const level = (row) => (row[ERRORS] ? 3 : row[WARNINGS] ? 2 : row[INFOS] ? 1 : 0);
  const count = (row) => row[ERRORS] + row[WARNINGS] + row[INFOS];
  const columns = [
    { title: "" },
    { title: "Name", value: (row) => row[NAME] },
    { title: "Outcome", value: (row) => row[OUTCOME] },
    { title: "Type", value: (row) => row[TYPE] ?? "", extra: true },
    { title: "Engine", value: (row) => row[ENGINE] ?? "", extra: true },
    { title: "Pages", value: (row) => row[PAGES] ?? -1, number: true },
    { title: "Severity", value: level, first: -1 },
    { title: "Findings", value: count, first: -1 },
    { title: "Seconds", value: (row) => row[SECONDS], number: true, first: -1 },
  ];

  const state = { column: -1, direction: 1, part: 0, shown: [], chosen: -1 };

  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key in made) made[key] = value;
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  function drawing(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  const source = (data) => `data:image/webp;base64,${data}`;
  const owner = (index) => rows[index][SAME] ?? index;
  const parts = (path) => {
    const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
    return [path.slice(0, cut), path.slice(cut)];
  };

  // ---- which rows, in which order -------------------------------------------------------------------------------

  function wanted() {
    const name = byId("by-name").value.trim().toLowerCase();
    const [outcome, engine, finding] = ["by-outcome", "by-engine", "by-finding"].map((id) => byId(id).value);
    const least = Number(byId("by-severity").value || 0);
    return (row) =>
      (!name || row[NAME].toLowerCase().includes(name)) &&
      (!outcome || row[OUTCOME] === outcome) &&
      (!engine || row[ENGINE] === engine) &&
      (!finding || row[KINDS].includes(finding)) &&
      level(row) >= least;
  }

  function choose() {
    const fits = wanted();
    state.shown = [...rows.keys()].filter((index) => fits(rows[index]));
    if (state.column >= 0) {
      const { value } = columns[state.column];
      const compare = (one, other) =>
        typeof one === "string" ? words.compare(one, other) : one - other;
      // Equal ones stay in the order of the run, whichever way the others are turned.
      state.shown.sort(
        (one, other) => state.direction * compare(value(rows[one]), value(rows[other])) || one - other,
      );
    }
    state.part = 0;
    draw();
  }

  // ---- the table ------------------------------------------------------------------------------------------------

  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      const [data] = read(`t${owner(Number(entry.target.dataset.index))}`) ?? [];
      if (data) entry.target.append(element("img", { src: source(data), alt: "" }));
    }
  }, { rootMargin: "300px" });

  function tableRow(index) {
    const row = rows[index];
    const [folder, name] = parts(row[NAME]);
    const picture = element("td", { className: "picture" });
    picture.dataset.index = index;
    seen.observe(picture);
    const open = element("button", { className: "open", type: "button", textContent: name });
    const weight = LEVELS[level(row)];
    const made = element(
      "tr",
      {},
      picture,
      element("td", { className: "name" }, open, element("span", { className: "folder", textContent: folder })),
      element("td", { textContent: row[OUTCOME] }),
      element("td", { className: "extra", textContent: row[TYPE] ?? "" }),
      element("td", { className: "extra", textContent: row[ENGINE] ?? "" }),
      element("td", { className: "number", textContent: row[PAGES]?.toLocaleString() ?? "" }),
      element("td", { className: weight, textContent: weight || "clean" }),
      element("td", {}, count(row) ? count(row).toLocaleString() : "", kinds(row)),
      element("td", { className: "number", textContent: row[SECONDS] ? row[SECONDS].toFixed(2) : "" }),
    );
    made.dataset.index = index;
    made.classList.toggle("chosen", index === state.chosen);
    return made;
  }

  function kinds(row) {
    return element("span", { className: "kinds extra", textContent: row[KINDS].length ? `: ${row[KINDS].join(", ")}` : "" });
  }

  function draw(everything = false) {
    const first = everything ? 0 : state.part * PART;
    const indexes = state.shown.slice(first, first + (everything ? PRINTED_MAX : PART));
    seen.disconnect();
    byId("files").tBodies[0].replaceChildren(...indexes.map(tableRow));
    byId("count").textContent = `${state.shown.length.toLocaleString()} of ${rows.length.toLocaleString()} files`;
    for (const [number, head] of [...byId("files").tHead.rows[0].cells].entries()) {
      if (number !== state.column) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", state.direction > 0 ? "ascending" : "descending");
    }
    drawPager();
  }

  function drawPager() {
    const last = Math.ceil(state.shown.length / PART) - 1;
    const step = (text, part) =>
      element("button", {
        type: "button", textContent: text, disabled: part < 0 || part > last || part === state.part,
        onclick: () => { state.part = part; draw(); scrollTo({ top: byId("filter").offsetTop }); },
      });
    const where = element("span", { textContent: `Part ${state.part + 1} of ${last + 1}` });
    const steps = [step("First", 0), step("Previous", state.part - 1), where, step("Next", state.part + 1)];
    byId("pager").replaceChildren(...(last > 0 ? [...steps, step("Last", last)] : []));
  }

  // ---- one file -------------------------------------------------------------------------------------------------

  function show(index) {
    const pane = byId("details");
    const found = read(`f${index}`);
    state.chosen = index;
    for (const row of byId("files").tBodies[0].rows)
      row.classList.toggle("chosen", Number(row.dataset.index) === index);
    const pictures = (rows[index][SAME] === null ? found : read(`f${owner(index)}`)).pictures;
    const close = element("button", { type: "button", textContent: "Close", title: "Esc", onclick: hide });
    pane.setAttribute("aria-label", `Details of ${rows[index][NAME]}`);
    pane.replaceChildren(
      element("header", {}, element("h2", { textContent: rows[index][NAME] }), close),
      element("p", { textContent: found.message }),
      facts(found),
      ...findings(found, new Set(pictures.map(([, page]) => page))),
      ...pages(found, pictures),
      ...about(found),
    );
    pane.hidden = false;
    pane.parentElement.classList.add("split");
    pane.scrollTop = 0;
  }

  function hide() {
    byId("details").hidden = true;
    byId("details").parentElement.classList.remove("split");
    const row = byId("files").querySelector(`tr[data-index="${state.chosen}"]`);
    state.chosen = -1;
    row?.classList.remove("chosen");
    row?.querySelector("button").focus();
  }

  function list(pairs) {
    const kept = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return element("dl", {}, ...kept.flatMap(([name, value]) => [
      element("dt", { textContent: name }), element("dd", { textContent: String(value) }),
    ]));
  }

  function facts(found) {
    const times = Object.entries(found.seconds).map(([name, value]) => `${name} ${value.toFixed(2)} s`).join(", ");
    const sizes = found.page_sizes.map((size) => `${size.pages} × ${size.width} × ${size.height} pt`).join(", ");
    return list([
      ["The same as", found.duplicate_of],
      ["Engine", found.engine && `${found.engine.name} ${found.engine.version}`],
      ["Pages", found.pages], ["Sizes of pages", sizes], ["Bytes", found.bytes?.toLocaleString()],
      ["Bytes of the PDF", found.pdf_bytes?.toLocaleString()], ["BLAKE3", found.digest],
      ["Times", found.duplicate_of ? "" : times],
    ]);
  }

  function findings(found, pictured) {
    if (!found.findings.length) return [element("h3", { textContent: "No findings" })];
    const items = found.findings.map((each, number) => {
      const tag = element("span", { className: `tag ${each.severity}`, textContent: each.severity });
      tag.title = meanings.get(each.id) ?? "";
      const item = element("li", {}, tag, element("code", { textContent: each.id }), " ", each.sentence, " ");
      if (each.place) {
        const page = `page ${each.place.page}`;
        const go = () => point(each, number);
        if (!pictured.has(each.place.page)) item.append(page);
        else item.append(element("button", { type: "button", textContent: page, onclick: go }));
      }
      return item;
    });
    const left = found.findings_left ? [element("p", { textContent: `${found.findings_left} more.` })] : [];
    return [element("h3", { textContent: "Findings" }), element("ul", { className: "findings" }, ...items), ...left];
  }

  function point(each, number) {
    const pane = byId("details");
    for (const rect of pane.querySelectorAll("rect.shown")) rect.classList.remove("shown");
    const mark = pane.querySelector(`rect[data-number="${number}"]`);
    mark?.classList.add("shown");
    const target = mark?.closest("figure") ?? pane.querySelector(`figure[data-page="${each.place.page}"]`);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    target?.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
  }

  function pages(found, pictures) {
    if (!pictures.length) return found.pages ? [element("p", { textContent: "There are no pictures of its pages." })] : [];
    const made = [element("h3", { textContent: "Pages" })];
    let group = null;
    for (const [kind, page, width, height, data] of pictures) {
      const one = figure(kind, page, width, height, data, found.findings);
      if (kind === "page") { made.push(one); continue; }
      // Three of a kind stand side by side: what it was, what it is, where they differ.
      if (kind === "before" || !group) {
        const fresh = (group = element("div", { className: "compared" }));
        const larger = () => button.setAttribute("aria-pressed", fresh.classList.toggle("large"));
        const button = element("button", { type: "button", textContent: "Larger", onclick: larger, "aria-pressed": "false" });
        made.push(button, group);
      }
      group.append(one);
    }
    return made;
  }

  // Two engines have no before and after.
  function side(kind) {
    const { other, engine } = document.querySelector("main").dataset;
    return other ? `by ${kind === "before" ? other : engine}` : kind;
  }

  function figure(kind, page, width, height, data, all) {
    const overlay = drawing("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    for (const [number, each] of all.entries()) {
      if (kind !== "page" || each.place?.page !== page || !each.place.box) continue;
      const [left, top, right, bottom] = each.place.box;
      const shape = { x: left, y: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
      const mark = drawing("rect", { ...shape, class: each.severity, "data-number": number });
      mark.append(drawing("title", {}));
      mark.firstChild.textContent = each.sentence;
      overlay.append(mark);
    }
    const name = kind === "page" ? `Page ${page}` : kind === "difference" ? "Difference" : `Page ${page} ${side(kind)}`;
    const sheet = element("div", { className: "sheet" }, element("img", { src: source(data), alt: name }), overlay);
    const made = element("figure", { className: "page" }, element("figcaption", { textContent: name }), sheet);
    if (kind === "page" || kind === "after") made.dataset.page = page;
    return made;
  }

  function about(found) {
    const fonts = found.fonts.map((font) => `${font.name} (${font.kind}${font.embedded ? "" : ", not embedded"})`);
    const missing = found.missing_fonts.map((font) => `${font.requested} → ${font.used}`);
    const told = Object.entries(found.source?.metadata ?? {}).filter(([, value]) => value && value.length !== 0);
    const made = [];
    if (fonts.length || missing.length)
      made.push(element("h3", { textContent: "Fonts" }), list([["Replaced", missing.join(", ")], ["In the PDF", fonts.join(", ")]]));
    if (told.length) made.push(element("h3", { textContent: "Metadata" }), list(told));
    return made;
  }

  // ---- what people do -------------------------------------------------------------------------------------------

  function fill(id, values) {
    for (const value of [...new Set(values)].filter(Boolean).sort())
      byId(id).append(element("option", { value, textContent: value, title: meanings.get(value) ?? "" }));
  }

  function makeHead() {
    byId("files").tHead.rows[0].append(...columns.map(({ title, value, number, extra, first = 1 }, index) => {
      const head = element("th", { scope: "col", className: number ? "number" : extra ? "extra" : "" });
      if (value) {
        const sort = () => {
          state.direction = state.column === index ? -state.direction : first;
          state.column = index;
          choose();
        };
        head.append(element("button", { type: "button", textContent: title, onclick: sort }));
      } else head.setAttribute("aria-label", "First page");
      return head;
    }));
  }

  function move(event) {
    const row = event.target.closest?.("#files tbody tr");
    const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[event.key];
    if (!row || !next) return;
    event.preventDefault();
    next.querySelector("button").focus();
    if (!byId("details").hidden) show(Number(next.dataset.index));
  }

  fill("by-outcome", rows.map((row) => row[OUTCOME]));
  fill("by-engine", rows.map((row) => row[ENGINE]));
  fill("by-finding", rows.flatMap((row) => row[KINDS]));
  makeHead();
  byId("filter").addEventListener("input", choose);
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  byId("filter").addEventListener("reset", () => setTimeout(choose));
  byId("files").tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (!row || String(getSelection())) return;
    show(Number(row.dataset.index));
    row.querySelector("button").focus();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.chosen >= 0) hide();
    else if (event.key === "/" && !["INPUT", "SELECT"].includes(event.target.tagName)) {
      event.preventDefault();
      byId("by-name").focus();
    } else move(event);
  });
  addEventListener("beforeprint", () => draw(true));
  addEventListener("afterprint", () => draw());
  choose();
  if (rows.length === 1) show(0);
})();
