"use strict";
// Results open where a link leads to them; two buttons open and close all.
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
  window.addEventListener("hashchange", reveal);
  reveal();
})();
