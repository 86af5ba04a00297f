/* Statements for the engine as a library (libchdb): library.cjs PACKAGES FOLDER. A line of JSON comes in, {"sql"}, and one goes out: {"text"} or {"error"}. */
const { Session } = require(require('path').resolve(process.argv[2], 'chdb'))
const session = new Session(process.argv[3])
require('readline')
  .createInterface({ input: process.stdin })
  .on('line', line => {
    const { sql } = JSON.parse(line)
    let answer
    try {
      answer = { text: session.query(sql, 'TabSeparated') }
    } catch (e) {
      answer = { error: String(e.message ?? e) }
    }
    process.stdout.write(JSON.stringify(answer) + '\n')
  })
  .on('close', () => process.exit(0))
