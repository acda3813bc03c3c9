"use strict";
// Light or dark colours, or those of the system. The choice is kept for the next visit if the browser allows it.
const THEMES = ["auto", "light", "dark"];

function setTheme(name) {
  const root = document.documentElement;
  if (name === "auto") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", name);
  try {
    localStorage.setItem("gec-pipeline-theme", name);
  } catch {
    // the browser keeps nothing
  }
  const button = document.getElementById("theme");
  if (!button) return;
  button.textContent = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[name];
  button.setAttribute("aria-label", `colours: ${name === "auto" ? "as the system has them" : name}`);
}

function knownTheme() {
  try {
    const name = localStorage.getItem("gec-pipeline-theme");
    return THEMES.includes(name) ? name : "auto";
  } catch {
    return "auto";
  }
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const before = button.textContent;
  if (before === "copied") return;
  button.textContent = "copied";
  setTimeout(() => (button.textContent = before), 1200);
}

setTheme(knownTheme());
document.addEventListener("DOMContentLoaded", () => {
  let theme = knownTheme();
  setTheme(theme);
  document.getElementById("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    setTheme(theme);
  });
  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", () => copy(button.parentElement.querySelector("code").textContent, button));
  }
});
