// picture.mjs PROGRAM DATABASE PAGE OUT: a picture of the view Flame.
import { serve, View } from "./run.mjs";

const [program, database, page, out] = process.argv.slice(2);
const server = await serve(program, [database], ["--web", page]);
const view = await View.open(server.url);
try {
  await view.page.setViewport({ width: 1280, height: 640 });
  await view.go("#/flame");
  await view.run(() => document.querySelector(".graph canvas").focus());
  await view.keys("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown");
  await view.page.screenshot({ path: out });
} finally {
  await view.close();
  await server.stop();
}
