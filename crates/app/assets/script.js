// What the page does beyond showing: it stays current, listens to keys, and copies. Everything can be read without it.
"use strict";

// ---- live: told of a change, the page loads itself again and takes over the parts that differ ----

let stream = null;
let loading = false;
let again = false;

async function refresh() {
  if (loading) { again = true; return; }
  loading = true;
  try {
    const reply = await fetch(location.href, { credentials: "same-origin" });
    if (reply.ok) take(new DOMParser().parseFromString(await reply.text(), "text/html"));
  } catch { /* the next change tries again */ }
  loading = false;
  if (again) { again = false; refresh(); }
}

function take(fresh) {
  for (const old of document.querySelectorAll("[data-live]")) {
    const part = fresh.getElementById(old.id);
    if (!part || part.isEqualNode(old)) continue;
    const link = old.contains(document.activeElement) && document.activeElement.getAttribute("href");
    const open = [...old.querySelectorAll("details")].map((d) => d.open);
    const node = document.importNode(part, true);
    node.querySelectorAll("details").forEach((d, i) => { d.open = open[i] ?? d.open; });
    old.replaceWith(node);
    if (link) [...node.querySelectorAll("a")].find((a) => a.getAttribute("href") === link)?.focus();
  }
}

// A hidden page needs nothing, and browsers allow few connections to one place.
function listen() {
  if (document.hidden) { stream?.close(); stream = null; return; }
  if (stream) return;
  stream = new EventSource("/events");
  stream.addEventListener("change", refresh);
}
document.addEventListener("visibilitychange", listen);
listen();

// ---- keys ----

function step(way) {
  const rows = [...document.querySelectorAll(".row > a")];
  const around = document.querySelector(way > 0 ? ".around [rel=next]" : ".around [rel=prev]");
  if (document.querySelector(".around")) { if (around) location.assign(around.href); return; }
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement);
  const next = at < 0 ? (way > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + way, 0), rows.length - 1);
  rows[next].focus();
  rows[next].scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, select, textarea");
  if (typing) { if (event.key === "Escape") event.target.blur(); return; }
  switch (event.key) {
    case "/": {
      event.preventDefault();
      const search = document.getElementById("search");
      if (search) { search.focus(); search.select(); } else location.assign("/findings#search");
      break;
    }
    case "j": step(1); break;
    case "k": step(-1); break;
    case "c": document.querySelector("[data-copy]")?.click(); break;
  }
});
if (location.hash === "#search") document.getElementById("search")?.focus();

// ---- the copy button ----

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const done = await copy(text);
    button.textContent = done ? "Copied" : "Could not copy";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

async function copy(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* not allowed on plain http */ }
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

// Choosing is asking: no need for the button.
for (const choice of document.querySelectorAll(".filter select, .filter [type=checkbox]")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}
