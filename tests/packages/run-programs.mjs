// Runs programs one after another, each in its own directory, and reports how each of them ended.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'

const [list, report] = process.argv.slice(2)
const home = process.cwd()
const ended = []
let current

const fail = (thrown) => {
  current.error ??= thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}
process.on('unhandledRejection', fail)
process.on('uncaughtException', fail)
// A program that waits for something that never happens ends the process.
process.on('exit', () => writeFileSync(report, JSON.stringify(ended)))

for (const { directory, file } of JSON.parse(readFileSync(list, 'utf8'))) {
  current = { directory, output: '', error: 'it never ended' }
  ended.push(current)
  console.log = (...values) => {
    current.output += `${format(...values)}\n`
  }
  process.chdir(join(home, directory))
  try {
    await import(pathToFileURL(join(home, directory, file.replace(/\.ts$/, '.js'))).href)
    current.error = null
  } catch (thrown) {
    current.error = null
    fail(thrown)
  }
}
process.chdir(home)
process.exit(0)
