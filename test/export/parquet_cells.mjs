/* parquet_cells.mjs READER FOLDER FILE.parquet...: the cells of each file as FILE.READER.cells, a row a line, as one of the
 * readers from npm in FOLDER sees them: hyparquet or duckdb. A cell is N (NULL), an integer, the bytes of a real or of a text
 * in hexadecimal digits. DuckDB reads patterns of files as well, whose * and / become _ in the name. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { argv } from 'node:process'

const [, , reader, folder, ...files] = argv
const require = createRequire(pathToFileURL(folder + '/x.js'))
const load = async name => await import(pathToFileURL(require.resolve(name)))

const real = new DataView(new ArrayBuffer(8))
function cell(v, isReal) {
  if (v === null || v === undefined) return 'N'
  if (isReal) {
    real.setFloat64(0, v, true)
    return Buffer.from(real.buffer).toString('hex')
  }
  if (typeof v === 'string') return 't' + Buffer.from(v, 'utf8').toString('hex')
  if (v instanceof Uint8Array) return 't' + Buffer.from(v).toString('hex')
  if (typeof v === 'object' && v.bytes instanceof Uint8Array) return 't' + Buffer.from(v.bytes).toString('hex')
  if (typeof v === 'boolean') return v ? '1' : '0'
  return String(v)
}

function put(out, rows, reals) {
  let text = ''
  for (const row of rows) {
    text += row.map((v, i) => cell(v, reals[i])).join('\t') + '\n'
    if (text.length > 1 << 20) {
      writeSync(out, text)
      text = ''
    }
  }
  writeSync(out, text)
}

async function hyparquet() {
  const { parquetMetadata, parquetRead } = await load('hyparquet')
  const { compressors } = await load('hyparquet-compressors')
  return async (file, out) => {
    const bytes = readFileSync(file)
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const metadata = parquetMetadata(buffer)
    const reals = metadata.schema.slice(1).map(e => e.type === 'DOUBLE')
    await parquetRead({ file: buffer, metadata, compressors, utf8: false, onComplete: rows => put(out, rows, reals) })
  }
}

async function duckdb() {
  const { DuckDBInstance } = await load('@duckdb/node-api')
  const db = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await db.connect()
  return async (file, out) => {
    const result = await connection.stream("SELECT * FROM read_parquet('" + file.replaceAll("'", "''") + "')")
    const reals = result.columnTypes().map(t => String(t) === 'DOUBLE')
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      put(out, chunk.getRows(), reals)
    }
  }
}

const read = await (reader === 'duckdb' ? duckdb : hyparquet)()
for (const file of files) {
  const name = file.includes('*') ? file.replaceAll(/[*/]/g, '_') : file
  const out = openSync(name + '.' + reader + '.cells', 'w')
  await read(file, out)
  closeSync(out)
}
