// packages.mjs [FOLDER]: prints the folder of the packages that package-lock.json in FOLDER (this one) names. They are fetched once per lock file, into
// $XDG_CACHE_HOME/trace_streamer, by `npm ci` without scripts; several builds share them. Ends with 1 when they cannot be had.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = resolve(process.argv[2] ?? dirname(fileURLToPath(import.meta.url)));
const hash = createHash("sha256");
for (const name of ["package.json", "package-lock.json"]) {
  hash.update(readFileSync(join(here, name)));
}
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "trace_streamer");
const folder = join(cache, `${basename(here)}-${process.platform}-${process.arch}-${hash.digest("hex").slice(0, 16)}`);

if (!existsSync(folder)) {
  mkdirSync(cache, { recursive: true });
  // Complete or not there: fetched beside it and renamed.
  const scratch = mkdtempSync(join(cache, "fetching-"));
  try {
    for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
      cpSync(join(here, name), join(scratch, name));
    }
    execFileSync("npm", ["ci", "--ignore-scripts", "--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-timeout=30000", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], {
      cwd: scratch,
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 120000,
    });
    try {
      renameSync(scratch, folder);
    } catch (error) {
      if (!existsSync(folder)) {
        throw error;
      }
    }
  } catch (error) {
    console.error(`packages.mjs: npm ci: ${error.message}`);
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
if (process.exitCode === undefined) {
  console.log(join(folder, "node_modules"));
}
