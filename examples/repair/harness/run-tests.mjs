/**
 * Runs tests and prints TAP:
 *
 *     node run-tests.mjs [--once] <test file or directory>…
 *     node run-tests.mjs --load <file or directory>…      only loads the sources
 *
 * `--once` deletes the tests after they were read. The exit code is 0 when all tests passed, and there was one.
 * Nothing that the sources do can make it 0; see test-thread.mjs.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'

const limitMs = 30_000
const { values, positionals } = parseArgs({
  options: { once: { type: 'boolean', default: false }, load: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const files = positionals.flatMap((path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true })
        .filter((name) => /\.[cm]?[jt]s$/.test(name))
        .sort()
        .map((name) => resolve(join(path, name)))
    : [resolve(path)],
)
const texts = Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]))
if (values.once) for (const file of files) rmSync(file)

const token = randomUUID()
const thread = new Worker(new URL('./test-thread.mjs', import.meta.url), {
  execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  env: {},
  stdout: true,
  stderr: true,
})
thread.postMessage({ token, files, texts, areTests: !values.load })
for (const stream of [thread.stdout, thread.stderr]) stream.pipe(process.stderr)

let planned = []
let running = 'the sources'
let failed = 0
let ended = 0
let finished = false

const line = (text) => process.stdout.write(`${text}\n`)
const comment = (text) => line(text.replace(/^/gm, '# '))
function stop(problem) {
  if (finished) return
  finished = true
  comment(problem)
  line(`Bail out! ${problem.split('\n', 1)[0]}`)
  process.exitCode = 1
  void thread.terminate()
}
function report(name, problem) {
  ended++
  if (problem !== undefined) failed++
  line(`${problem === undefined ? 'ok' : 'not ok'} ${ended} - ${name.replaceAll('#', '\\#')}`)
  if (problem !== undefined) line(`  ---\n  message: ${JSON.stringify(problem)}\n  ...`)
}
function finish() {
  finished = true
  const enough = values.load || (planned.length > 0 && ended === planned.length)
  process.exitCode = failed === 0 && enough ? 0 : 1
  void thread.terminate()
}

const timer = setTimeout(() => stop(`${running}: not finished after ${limitMs} ms`), limitMs)
thread.on('message', (message) => {
  if (message?.token !== token || finished) return
  if (message.type === 'plan') {
    planned = message.names
    if (!values.load) line(`TAP version 13\n1..${planned.length}`)
  } else if (message.type === 'started') running = message.name
  else if (message.type === 'ended') report(message.name, message.problem)
  else if (message.type === 'done') finish()
  else stop(message.problem)
})
thread.on('error', (error) => stop(`${running}: ${error?.message ?? error}`))
thread.on('exit', () => {
  clearTimeout(timer)
  stop(`${running}: the thread ended before all tests were done`)
})
