// The first script: the browser shows what stands in the page before it fetches and runs the others, whose names are put in when the page is made.
const load = () => {
  for (const name of NAMES) {
    import(`/assets/${name}`); // once, however often it is asked for
  }
};
if (document.hidden) {
  load(); // nothing is shown that could be waited for
} else {
  setTimeout(load, 1000);
  requestAnimationFrame(() => setTimeout(load));
}
