// The style sheet and the script of the results page.
#pragma once

#include <string_view>

namespace tracelift {

inline constexpr std::string_view page_style = R"css(
:root {
  color-scheme: light dark;
  --ground: #f5f6f9; --card: #ffffff; --edge: #e3e6ee; --text: #1b2130; --soft: #667085; --faint: #98a1b3;
  --track: #eceff5; --accent: #3b5bdb; --hover: #f3f5fb;
  --passed: #12a36d; --failed: #e03e4c; --expected: #8a63d2; --skipped: #a9b2c3; --unjudged: #e59b17; --fault: #111827;
  --shadow: 0 1px 2px rgba(16, 24, 40, .05), 0 4px 16px rgba(16, 24, 40, .05);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1117; --card: #161b24; --edge: #262d3a; --text: #e6e9f0; --soft: #98a2b6; --faint: #667085;
    --track: #222936; --accent: #8aa2ff; --hover: #1c2330;
    --passed: #2fbf87; --failed: #ff6370; --expected: #a98bea; --skipped: #5b6579; --unjudged: #f0b23e; --fault: #e6e9f0;
    --shadow: 0 1px 2px rgba(0, 0, 0, .4), 0 6px 20px rgba(0, 0, 0, .25);
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text); -webkit-font-smoothing: antialiased;
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
main { max-width: 1240px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 22px; line-height: 1.25; margin: 0; letter-spacing: -.01em; }
h2 { font-size: 15px; margin: 0 0 14px; letter-spacing: -.005em; }
h2 small { font-weight: 400; font-size: 12.5px; color: var(--soft); margin-left: 8px; }
code, .mono { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12px; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 14px; box-shadow: var(--shadow); padding: 20px 22px; }
header { display: flex; justify-content: space-between; align-items: flex-end; gap: 24px; flex-wrap: wrap; margin-bottom: 20px; }
header .brand { color: var(--accent); font-weight: 650; font-size: 11.5px; letter-spacing: .1em; text-transform: uppercase; margin-bottom: 4px; }
dl.facts { display: flex; flex-wrap: wrap; gap: 4px 22px; margin: 0; color: var(--soft); font-size: 12.5px; max-width: 780px; }
dl.facts div { display: flex; gap: 6px; }
dl.facts dt { color: var(--faint); } dl.facts dd { margin: 0; color: var(--text); overflow-wrap: anywhere; }
.hero { display: grid; grid-template-columns: minmax(300px, 1.05fr) 2fr; gap: 16px; margin-bottom: 16px; }
.verdict { display: flex; align-items: center; gap: 22px; }
.verdict .score { font-size: 46px; font-weight: 720; letter-spacing: -.035em; line-height: 1; font-variant-numeric: tabular-nums; }
.verdict .score span { color: var(--faint); font-weight: 560; }
.verdict.good .score b { color: var(--passed); } .verdict.bad .score b { color: var(--text); }
.verdict p { margin: 8px 0 0; color: var(--soft); }
.ring { width: 124px; height: 124px; flex: none; }
.ring circle { fill: none; stroke-width: 14; }
.ring .big { font-size: 22px; font-weight: 700; fill: var(--text); letter-spacing: -.02em; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 16px; }
.tile { padding: 14px 18px; display: flex; flex-direction: column; justify-content: center; }
.tile b { font-size: 23px; line-height: 1.2; letter-spacing: -.02em; font-variant-numeric: tabular-nums; font-weight: 660; }
.tile span { color: var(--soft); font-size: 12.5px; display: flex; align-items: center; gap: 7px; }
.tile small { color: var(--faint); font-size: 11.5px; }
.tile small:empty::before { content: "\00a0"; }
.dot { width: 9px; height: 9px; border-radius: 3px; display: inline-block; flex: none; background: var(--skipped); }
.dot.passed { background: var(--passed); } .dot.failed { background: var(--failed); } .dot.expected { background: var(--expected); }
.dot.unjudged { background: var(--unjudged); } .dot.fault { background: var(--fault); }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; margin-bottom: 16px; }
.wide { grid-column: 1 / -1; }
svg.chart { width: 100%; height: auto; display: block; overflow: visible; }
svg text { fill: var(--soft); font-size: 12px; font-family: inherit; font-variant-numeric: tabular-nums; }
svg .label { fill: var(--text); } svg .note { fill: var(--soft); }
rect.passed { fill: var(--passed); } rect.failed { fill: var(--failed); } rect.expected { fill: var(--expected); }
rect.skipped { fill: var(--skipped); } rect.unjudged { fill: var(--unjudged); } rect.fault { fill: var(--fault); }
rect.accent { fill: var(--accent); } rect.track { fill: var(--track); }
circle.passed { stroke: var(--passed); } circle.failed { stroke: var(--failed); } circle.expected { stroke: var(--expected); }
circle.skipped { stroke: var(--skipped); } circle.unjudged { stroke: var(--unjudged); } circle.fault { stroke: var(--fault); }
circle.track { stroke: var(--track); }
svg rect:not(.track):hover { opacity: .82; }
.grid { stroke: var(--edge); stroke-width: 1; stroke-dasharray: 3 4; } .axis { stroke: var(--faint); stroke-width: 1; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 16px; color: var(--soft); font-size: 12px; margin: 12px 0 0; }
.legend span { display: inline-flex; align-items: center; gap: 6px; }
.quiet { color: var(--soft); margin: 0; padding: 26px 0; text-align: center; }
details.group { border-top: 1px solid var(--edge); padding: 10px 0; }
details.group:first-of-type { border-top: 0; padding-top: 0; }
details.group summary { cursor: pointer; display: flex; gap: 12px; align-items: baseline; list-style: none; }
details.group summary::-webkit-details-marker { display: none; }
details.group .count { font-weight: 680; min-width: 40px; text-align: right; font-variant-numeric: tabular-nums; }
details.group .text { flex: 1; overflow-wrap: anywhere; }
details.group .more { margin: 10px 0 4px 52px; color: var(--soft); font-size: 13px; }
details.group pre { background: var(--ground); border: 1px solid var(--edge); border-radius: 8px; padding: 10px 12px; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--text); margin: 8px 0 0; font-size: 12px; max-height: 280px; overflow: auto; }
.badge { display: inline-block; padding: 1px 8px; border-radius: 99px; font-size: 11.5px; font-weight: 600; white-space: nowrap; color: var(--soft); background: var(--track); }
.badge.passed { color: var(--passed); background: color-mix(in srgb, var(--passed) 13%, transparent); }
.badge.failed { color: var(--failed); background: color-mix(in srgb, var(--failed) 13%, transparent); }
.badge.expected { color: var(--expected); background: color-mix(in srgb, var(--expected) 14%, transparent); }
.badge.unjudged { color: var(--unjudged); background: color-mix(in srgb, var(--unjudged) 16%, transparent); }
.badge.fault { color: var(--card); background: var(--fault); }
.tools { display: flex; gap: 10px; flex-wrap: wrap; align-items: center; margin-bottom: 14px; }
.tools h2 { margin: 0 auto 0 0; }
input[type=search] { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: 9px; padding: 7px 12px; width: 270px; }
input[type=search]:focus { outline: 2px solid var(--accent); outline-offset: -1px; }
.chips { display: flex; gap: 6px; flex-wrap: wrap; }
.chips button, .morerows { font: inherit; font-size: 12.5px; color: var(--soft); background: none; border: 1px solid var(--edge); border-radius: 99px; padding: 4px 12px; cursor: pointer; }
.chips button:hover, .morerows:hover { background: var(--hover); }
.chips button[aria-pressed=true] { color: var(--card); background: var(--text); border-color: var(--text); }
.scroll { overflow-x: auto; margin: 0 -22px -20px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 8px 12px; border-bottom: 1px solid var(--edge); vertical-align: top; }
th:first-child, td:first-child { padding-left: 22px; } th:last-child, td:last-child { padding-right: 22px; }
thead th { position: sticky; top: 0; background: var(--card); font-weight: 600; font-size: 12px; color: var(--soft); white-space: nowrap; cursor: pointer; user-select: none; }
thead th:hover { color: var(--text); } thead th[aria-sort=ascending]::after { content: " ↑"; } thead th[aria-sort=descending]::after { content: " ↓"; }
td.number, th.number { text-align: right; white-space: nowrap; }
tbody tr:hover { background: var(--hover); }
tbody tr:last-child td { border-bottom: 0; }
td.message { max-width: 380px; overflow-wrap: anywhere; color: var(--soft); } td.id { color: var(--soft); white-space: nowrap; }
.foot { padding: 14px 22px; color: var(--soft); display: flex; justify-content: space-between; align-items: center; border-top: 1px solid var(--edge); }
footer { color: var(--faint); font-size: 12px; text-align: center; margin-top: 28px; }
@media (max-width: 960px) { .hero, .charts { grid-template-columns: 1fr; } .tiles { grid-template-columns: 1fr 1fr; } }
@media print { .tools input, .chips, .morerows { display: none; } .card { box-shadow: none; break-inside: avoid; } }
)css";

// The table: rows are made as they are asked for, so that a run of a hundred thousand vectors opens at once.
inline constexpr std::string_view page_script = R"js(
"use strict";
(() => {
  const rows = JSON.parse(document.getElementById("rows").textContent);
  const body = document.querySelector("tbody"), count = document.getElementById("count");
  const search = document.getElementById("search"), more = document.querySelector(".morerows");
  const heads = [...document.querySelectorAll("thead th")], chips = [...document.querySelectorAll(".chips button")];
  const step = 200;
  let chosen = "", key = null, direction = 1, shown = step, list = rows;
  for (const row of rows) row.all = [row.operation, row.suite, row.status, row.message, row.id].join("\n").toLowerCase();
  const number = (value, digits) => value === null ? "" : Number(value).toFixed(digits);
  const cell = (tr, text, style) => {
    const td = tr.insertCell();
    td.textContent = text;
    if (style) td.className = style;
    return td;
  };
  const draw = () => {
    body.replaceChildren();
    for (const row of list.slice(0, shown)) {
      const tr = body.insertRow();
      cell(tr, row.operation, "mono");
      cell(tr, row.suite);
      const badge = document.createElement("span");
      badge.className = "badge " + row.style;
      badge.textContent = row.status;
      cell(tr, "").append(badge);
      cell(tr, number(row.pcc, 6), "number");
      cell(tr, row.ulp === null ? "" : Number(row.ulp.toPrecision(4)).toString(), "number");
      cell(tr, number(row.ms, 1), "number");
      const message = cell(tr, row.message.length > 220 ? row.message.slice(0, 220) + "…" : row.message, "message");
      if (row.message.length > 220) message.title = row.message;
      const id = cell(tr, row.id.length > 16 ? row.id.slice(0, 14) + "…" : row.id, "id mono");
      if (row.id.length > 16) id.title = row.id;
    }
    count.textContent = `${Math.min(shown, list.length)} of ${list.length} shown` + (list.length === rows.length ? "" : `, ${rows.length} in all`);
    more.hidden = shown >= list.length;
  };
  const choose = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    list = rows.filter(row => (!chosen || row.style === chosen) && words.every(word => row.all.includes(word)));
    if (key !== null) {
      // Rows without a value stay last in both directions.
      list.sort((a, b) => {
        const x = a[key], y = b[key];
        if (x === y) return 0;
        if (x === null || x === "") return 1;
        if (y === null || y === "") return -1;
        return (x < y ? -1 : 1) * direction;
      });
    }
    shown = step;
    draw();
  };
  search.addEventListener("input", choose);
  more.addEventListener("click", () => { shown += 5 * step; draw(); });
  for (const chip of chips) chip.addEventListener("click", () => {
    chosen = chip.dataset.style;
    for (const each of chips) each.setAttribute("aria-pressed", each === chip);
    choose();
  });
  for (const head of heads) head.addEventListener("click", () => {
    direction = key === head.dataset.key ? -direction : 1;
    key = head.dataset.key;
    for (const each of heads) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    choose();
  });
  choose();
})();
)js";

}  // namespace tracelift
