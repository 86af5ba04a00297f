/* arrow_cells.mjs FOLDER FILE...: what apache-arrow from npm in FOLDER reads in the Arrow streams, as FILE.cells: a line of
 * JSON for the columns, [[name, type]...], and one for each row. Integers and reals are texts; bytes are {hex}. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { argv } from 'node:process'

const [, , folder, ...files] = argv
const { tableFromIPC } = createRequire(pathToFileURL(folder + '/x.js'))('apache-arrow')
const real = new DataView(new ArrayBuffer(8))
function cell(v) {
  if (typeof v === 'number') {
    real.setFloat64(0, v, true)
    return Buffer.from(real.buffer).toString('hex')
  }
  return typeof v === 'bigint' ? String(v) : v instanceof Uint8Array ? { hex: Buffer.from(v).toString('hex') } : v
}
for (const file of files) {
  const table = tableFromIPC(readFileSync(file))
  const lines = [JSON.stringify(table.schema.fields.map(f => [f.name, String(f.type)]))]
  for (let i = 0; i < table.numRows; i++) lines.push(JSON.stringify(table.schema.fields.map((_, k) => cell(table.getChildAt(k).get(i)))))
  writeFileSync(file + '.cells', lines.join('\n'))
}
