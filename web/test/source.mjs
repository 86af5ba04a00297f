// source.mjs WEB: rules of the page's own sources: recorded strings become text nodes only, and nothing asks another origin.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const RULES = [
  [/\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|DOMParser)\b/, "markup made of text"],
  [/\bhttps?:\/\/(?!www\.w3\.org\/2000\/svg")/, "another origin"], // a name, not an address
  [/\b(eval|Function)\(/, "text that is run"],
  [/\blocalStorage\b/, "something kept in the browser", /state\.ts$|flame\.js$/],
  [/\bany\b(?!_)/, "the type any", /\.(css|html|js)$/, /:\s*any\b|<any>|as any\b/],
];

let wrong = 0;
function look(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) {
      look(path);
      continue;
    }
    readFileSync(path, "utf8").split("\n").forEach((line, i) => {
      for (const [pattern, what, except, narrower] of RULES) {
        if ((narrower ?? pattern).test(line) && !(except?.test(path) ?? false)) {
          console.log(`WRONG ${path}:${i + 1}: ${what}: ${line.trim()}`);
          wrong++;
        }
      }
    });
  }
}
for (const part of ["src", "icicle", "flame"]) {
  look(join(process.argv[2], part));
}
process.exitCode = wrong > 0 ? 1 : 0;
