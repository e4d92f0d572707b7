// The page of the agent. All that comes from the network is put into the document as text, never as
// markup; the server forbids the browser anything else as well.
"use strict";

const $ = (id) => document.getElementById(id);

// el makes an element with a class, and children that are elements or texts.
function el(tag, cls, ...children) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  for (const c of children) e.append(c instanceof Node ? c : String(c));
  return e;
}

// visible shows what has no look of its own, so that a name cannot pretend to be another one.
function visible(s) {
  return String(s).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function duration(s) {
  if (s === null) return "for ever";
  s = Math.round(s);
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + String(s % 60).padStart(2, "0") + " s";
  if (s < 86400) return Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";
  return Math.floor(s / 86400) + " d " + Math.floor(s % 86400 / 3600) + " h";
}

function count(n) {
  return Number(n).toLocaleString("en");
}

function rate(n) {
  return n >= 10 || n === 0 ? count(Math.round(n)) : n.toFixed(1);
}

const local = 0xfffffffe; // the number of the bridge's own port

// port is the name with the number; another node has none.
function port(number, name) {
  const shown = number === local ? "LOCAL" : String(number);
  if (!name) return shown;
  return number ? visible(name) + " (" + shown + ")" : visible(name);
}

// ago is how long before the state's own moment a time was: the clocks here and there may differ.
function ago(state, t) {
  return t ? duration(Math.max(0, (Date.parse(state.at) - Date.parse(t)) / 1000)) + " ago" : "never";
}

// table fills a table. A column is [label, class, row => text or nodes].
function table(id, columns, rows, empty) {
  const head = el("tr");
  for (const [label, cls] of columns) {
    const th = el("th", cls, label);
    th.scope = "col";
    head.append(th);
  }
  const body = el("tbody");
  for (const row of rows) {
    const tr = el("tr");
    for (const [label, cls, cell] of columns) {
      const span = el("span");
      span.append(...[cell(row)].flat());
      const td = el("td", cls, span);
      td.dataset.label = label;
      tr.append(td);
    }
    body.append(tr);
  }
  if (!rows.length) {
    const td = el("td", "empty", empty);
    td.colSpan = columns.length;
    body.append(el("tr", "", td));
  }
  $(id).replaceChildren(el("thead", "", head), body);
}

function filterText(m) {
  const list = m.sources.filter((s) => m.mode === "INCLUDE" || s.left === 0).map((s) => s.addr);
  if (m.mode === "EXCLUDE") return list.length ? "all but " + list.join(", ") : "all sources";
  return list.length ? "only " + list.join(", ") : "nothing";
}

function memberLine(m) {
  const line = el("div", "", port(m.port, m.name), el("span", "soft", filterText(m)),
    el("span", "soft", "for " + duration(m.age) + ", " + (m.left === null ? "no timer" : duration(m.left) + " left")));
  if (m.igmp < 3) line.append(el("span", "soft", "IGMPv" + m.igmp));
  if (m.owner) line.append(el("span", "soft", visible(m.owner)));
  if (m.leaving) line.append(el("span", "bad", "leaving"));
  if (m.unconfirmed) line.append(el("span", "bad", "unconfirmed"));
  return line;
}

function rowLine(r) {
  return el("div", "", (r.source ? "from " + r.source + ": " : "") + rate(r.packets_per_second) + "/s",
    el("span", "soft", "group " + r.openflow_group));
}

function matches(g, words) {
  const text = JSON.stringify(g).toLowerCase();
  return words.every((w) => text.includes(w));
}

function showGroups(s) {
  const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = s.groups.filter((g) => matches(g, words));
  $("groups-count").textContent = count(s.totals.groups) +
    (s.groups_omitted ? ", the first " + count(s.groups.length) + " listed" : "") +
    (words.length ? ", " + count(rows.length) + " found" : "");
  table("groups", [
    ["Group", "a", (g) => g.group + (g.vlan ? " in VLAN " + g.vlan : "")],
    ["Packets", "a", (g) => g.rows.length ? g.rows.map(rowLine) : "–"],
    ["Members", "", (g) => [...g.members.map(memberLine),
      ...(g.members_omitted ? [el("div", "soft", "and " + count(g.members_omitted) + " more")] : [])]],
  ], rows, words.length ? "Nothing found." : "Nobody is a member of any group.");
}

function hostsText(p) {
  if (!p.hosts.length) return "–";
  return p.hosts.map((h) => el("div", "", h.addr + " ", el("span", "soft", h.mac + " IGMPv" + h.igmp)));
}

function portRole(p) {
  const out = [p.role + (p.vlans ? ", VLANs " + visible(p.vlans) : "")];
  if (p.down) out.push(el("div", "bad", "down"));
  if (p.drained) out.push(el("div", "bad", "drained"));
  return out;
}

function compat(p) {
  const out = [p.igmp ? "v" + p.igmp : "–"];
  if (p.v1_left > 0) out.push(el("div", "soft", "v1 host for " + duration(p.v1_left)));
  if (p.v2_left > 0) out.push(el("div", "soft", "v2 host for " + duration(p.v2_left)));
  return out;
}

function showPorts(s) {
  $("ports-count").textContent = count(s.ports.length + s.ports_omitted) +
    (s.ports_omitted ? ", the first " + count(s.ports.length) + " listed" : "");
  table("ports", [
    ["Port", "", (p) => port(p.number, p.name)],
    ["Role", "", portRole],
    ["Groups", "n", (p) => count(p.groups)],
    ["IGMP", "a", compat],
    ["Hosts heard", "", hostsText],
    ["Asked", "n", (p) => ago(s, p.last_query)],
    ["Answered", "n", (p) => ago(s, p.last_answer)],
    ["Denied", "n", (p) => count(p.denied)],
    ["Dropped", "n", (p) => count(p.dropped)],
  ], s.ports, "The switch has no ports, or is away.");
}

function showRoutes(s) {
  $("routes-count").textContent = count(s.routes.length + s.routes_omitted);
  table("routes", [
    ["Source", "a", (r) => r.source],
    ["Group", "a", (r) => r.group],
    ["From", "", (r) => visible(r.in)],
    ["To", "", (r) => r.out.length ? r.out.map(visible).join(", ") : el("span", "soft", "nobody")],
    ["Packets/s", "n", (r) => rate(r.packets_per_second)],
    ["Packets", "n", (r) => count(r.packets)],
    ["Wrong way", "n", (r) => count(r.wrong_interface)],
    ["Idle", "n", (r) => duration(r.idle) + (r.pending ? ", refused" : "")],
  ], s.routes, "No stream passes the kernel.");
}

function showSinks(s) {
  table("sinks", [
    ["Sink", "", (k) => visible(k.name)],
    ["To do", "n", (k) => count(k.pending)],
    ["Refused", "n", (k) => count(k.failing)],
    ["Calls", "n", (k) => count(k.syncs)],
    ["Errors", "n", (k) => count(k.errors)],
    ["Retries", "n", (k) => count(k.retries)],
    ["Longest", "n", (k) => (k.longest * 1000).toFixed(1) + " ms"],
    ["Last error", "", (k) => k.last_error ? visible(k.last_error) + ", " + ago(s, k.last_error_at) : "–"],
  ], s.sinks, "Nothing is pushed anywhere yet.");
}

function showTotals(s) {
  const t = s.totals;
  const all = [["groups", t.groups], ["members", t.members], ["reports", t.reports], ["joins", t.joins],
    ["leaves", t.leaves], ["expired", t.expiries], ["denied", t.denied],
    ["refused", t.refused_invalid + t.refused_limit + t.refused_removed]];
  $("totals").replaceChildren(...all.map(([label, n]) => el("div", "", el("b", "", count(n)), label)));
}

// line is the path of one series; the newest point is at the right edge.
function line(rates, of, top) {
  let path = "";
  rates.forEach((r, i) => {
    const x = 600 - (rates.length - 1 - i) * 2;
    path += (i ? "L" : "M") + x + " " + (116 - 112 * of(r) / top).toFixed(1);
  });
  return path;
}

function showChart(s) {
  const top = Math.max(1, ...s.rates.map((r) => Math.max(r.changes, r.group_mods)));
  const paths = [["changes", (r) => r.changes], ["mods", (r) => r.group_mods]].map(([cls, of]) => {
    const p = document.createElementNS("http://www.w3.org/2000/svg", "path");
    p.setAttribute("class", cls);
    p.setAttribute("d", line(s.rates, of, top));
    return p;
  });
  $("chart").replaceChildren(...paths);
  const now = s.rates[s.rates.length - 1] || { changes: 0, group_mods: 0 };
  $("changes").textContent = rate(now.changes) + "/s";
  $("mods").textContent = rate(now.group_mods) + "/s";
  $("highest").textContent = rate(s.rates.length ? top : 0) + "/s";
}

function showHead(s) {
  $("bridge").textContent = visible(s.bridge);
  document.title = visible(s.bridge) + " multicast";
  $("switch").textContent = s.switch.connected ? "switch connected" : "switch away";
  $("switch").className = "badge " + (s.switch.connected ? "good" : "bad");
  $("querier").textContent = (s.querier.self ? "We ask hosts" : "Hosts are asked by " + s.querier.elected) +
    " every " + duration(s.querier.interval) + ".";
  $("age").textContent = "Running for " + duration((Date.parse(s.at) - Date.parse(s.started)) / 1000) + ".";
  $("warnings").hidden = !s.warnings.length;
  $("warnings").replaceChildren(...s.warnings.map((w) => el("li", "", el("b", "", w.kind), " " + visible(w.text))));
}

function show(s) {
  showHead(s);
  showTotals(s);
  showChart(s);
  showGroups(s);
  showPorts(s);
  showRoutes(s);
  showSinks(s);
}

const maxEvents = 200;
let lastSeq = 0;

function showEvent(e) {
  const when = el("time", "", new Date(e.at).toLocaleTimeString());
  when.dateTime = e.at;
  const li = el("li", "", when, el("span", e.kind, e.kind), " ");
  if (e.group) li.append(visible(e.group) + (e.vlan ? " in VLAN " + e.vlan : "") + " ");
  if (e.port || e.name) li.append(port(e.port, e.name) + " ");
  if (e.text) li.append(el("span", "soft", visible(e.text)));
  if (lastSeq && e.seq > lastSeq + 1) {
    $("events").prepend(el("li", "soft", count(e.seq - lastSeq - 1) + " events were missed"));
  }
  lastSeq = e.seq;
  $("events").prepend(li);
  while ($("events").children.length > maxEvents) $("events").lastChild.remove();
}

let state = null;
let seenAt = 0;

async function refresh() {
  try {
    const answer = await fetch("/api/state", { signal: AbortSignal.timeout(8000) });
    if (!answer.ok) throw new Error(String(answer.status));
    state = await answer.json();
    seenAt = performance.now();
    show(state);
    $("stale").hidden = true;
  } catch {
    $("since").textContent = duration((performance.now() - seenAt) / 1000);
    $("stale").hidden = false;
  }
  setTimeout(refresh, document.hidden ? 10000 : 2000);
}

$("find").addEventListener("input", () => { if (state) showGroups(state); });

// listen follows the events. A browser comes back by itself to a stream that has ended, but not to one that
// was refused, as when there are too many readers.
function listen() {
  const stream = new EventSource("/events");
  let first = true;
  stream.onmessage = (m) => {
    const e = JSON.parse(m.data);
    if (first || e.seq <= lastSeq) { // all that is remembered, or another agent than before
      lastSeq = 0;
      $("events").replaceChildren();
    }
    first = false;
    showEvent(e);
  };
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 10000);
  };
}

listen();
refresh();
