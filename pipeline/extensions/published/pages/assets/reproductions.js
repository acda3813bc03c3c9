"use strict";
// Results open where a link leads to them; two buttons open and close all. The search leaves what has all of its words.
(() => {
  const results = () => document.querySelectorAll("details.result");
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.tagName !== "DETAILS") return;
    target.open = true;
    target.scrollIntoView();
  };
  for (const [name, open] of [["open", true], ["close", false]]) {
    document.getElementById(name)?.addEventListener("click", () => results().forEach((one) => (one.open = open)));
  }
  for (const table of document.querySelectorAll("table.ranked")) { // titles that narrow screens show beside each cell
    const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, at) => { if (at > 3) cell.dataset.title ??= titles[at]; });
    }
  }
  const search = document.getElementById("find"), texts = new Map();
  const text = (part) => texts.get(part) ?? texts.set(part, part.textContent.toLowerCase()).get(part);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const lacks = (...parts) => !words.every((word) => parts.some((part) => text(part).includes(word)));
    const boards = all(".contents li"); // in the order of the boards, of which one is open at a time
    all(".board").forEach((board, number) => (boards[number].hidden = lacks(board)));
    for (const publication of all(".publication")) {
      const about = all(":scope > h3, :scope > p", publication), own = all("details.result", publication);
      for (const result of own) {
        result.hidden = lacks(result, ...about);
        document.querySelector(`#results a[href="#${CSS.escape(result.id)}"]`).closest("tr").hidden = result.hidden;
      }
      publication.hidden = own.every((result) => result.hidden);
    }
    for (const field of all(".field")) {
      let next = field.nextElementSibling;
      while (next?.hidden) next = next.nextElementSibling;
      field.hidden = !next?.matches(".publication");
    }
    const left = (parts) => parts.filter((part) => !part.hidden).length;
    document.getElementById("found").textContent = words.length ? `${left(all("details.result"))} results, ${left(boards)} boards` : "";
  });
  window.addEventListener("hashchange", reveal);
  reveal();
})();

// A file that is dropped on the page, or chosen: its places on the boards, if it is one of their outputs. The page knows
// outputs by the checksums of their files, whatever the line ends. It scores nothing: for other outputs there is a command.
(() => {
  const place = document.getElementById("own"), MOST = 50_000_000;
  if (!place || !window.crypto?.subtle) return;
  const field = place.querySelector("input"), told = place.querySelector("[role=status]");
  const quoted = (name) => (/^[\w.+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
  const named = (board) => element("a", { href: `#${board.id}` }, board.querySelector("h3").textContent);

  async function checksum(bytes) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async function look(file) {
    for (const row of document.querySelectorAll("tr.own")) row.classList.remove("own");
    if (file.size > MOST) return told.replaceChildren(`${file.name} is too large to be an output of these boards.`);
    const bytes = await file.arrayBuffer(), text = new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n").replace(/\n$/, "");
    const known = await Promise.all([bytes, ...[text, `${text}\n`].map((one) => new TextEncoder().encode(one))].map(checksum));
    const rows = [...document.querySelectorAll("tr[data-sha256]")].filter((row) => known.includes(row.dataset.sha256));
    if (rows.length) {
      const items = rows.map((row) => {
        const board = row.closest(".board"), [rank, system, score] = [...row.cells].map((cell) => cell.textContent);
        row.classList.add("own");
        return element("li", "", named(board), `: ${system} is ${rank} of ${board.querySelectorAll("tbody .rank:not(:empty)").length}, with ${score}`);
      });
      return told.replaceChildren(`${file.name} is the text of an output here:`, element("ul", "", ...items));
    }
    const lines = text.split("\n").length, boards = [...document.querySelectorAll(".board[data-lines]")];
    const fit = boards.filter((board) => Number(board.dataset.lines) === lines);
    if (!fit.length) return told.replaceChildren(`${file.name} has ${said(lines)} lines, as no data set of these boards has.`);
    const commands = fit.map((board) => element("li", "", element("code", "", `gec-pipeline reproduce --board ${board.id.slice(6)} --add ${quoted(file.name)}`)));
    told.replaceChildren(`No output here has the text of ${file.name}. A command gives its place:`, element("ul", "", ...commands));
  }

  place.hidden = false;
  field.addEventListener("change", () => field.files.length && look(field.files[0]));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) look(event.dataTransfer.files[0]);
  });
})();
