// Loads modules of src/ for tests: TypeScript through the bundler that makes the page.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = join(dirname(fileURLToPath(import.meta.url)), "../../src");

export async function load(name) {
  const made = await build({ entryPoints: [join(source, name)], bundle: true, format: "esm", write: false, jsx: "automatic", jsxImportSource: "preact", logLevel: "error" });
  return import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString("base64")}`);
}
