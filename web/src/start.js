// The first script: the browser shows what is in the page before it fetches and runs the others, whose names are put in when the page is made.
const load = () => {
  for (const name of NAMES) {
    import(`/assets/${name}`); // once, however often it is asked for
  }
};
const [view, params] = location.hash.split("?");
if (view === "#/timeline") {
  // The server reads all rows of the scheduler for it, which takes longer than the scripts: they ask for it again.
  fetch(`/api/lanes?kind=cpu&px=1&${new URLSearchParams({ db: new URLSearchParams(params).get("db") ?? "" })}`).catch(() => undefined);
}
if (document.hidden) {
  load(); // nothing is shown that could be waited for
} else {
  setTimeout(load, 1000);
  requestAnimationFrame(() => setTimeout(load));
}
