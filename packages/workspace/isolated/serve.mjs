// Runs next to the code under test. For every process of tests that connects, it starts a separate process that loads
// the code. With `describe`, each module is loaded once, and a description of its exports is written to a file.
//
//   node serve.mjs <parent, or 0> <milliseconds it may run> <socket>
//   node serve.mjs <parent, or 0> <milliseconds it may run> describe <JSON file of modules> <JSON file to write>
//     <milliseconds a module may take>
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./code.mjs', import.meta.url))
const start = (channel) => spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit', channel] })

const mostCharacters = 16 * 1024 * 1024

/** The code can use the channel as well, and may write anything to it. */
function parsed(line) {
  try {
    return JSON.parse(line)
  } catch {
    return { garbled: 'an answer that is not JSON' }
  }
}

/** Asks a separate process for the exports of a module. */
async function described(path, timeoutMs) {
  const child = start('pipe')
  const [, , , channel] = child.stdio
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ ended: { code, signal } })))
  const late = new Promise((resolve) => setTimeout(() => resolve({ late: timeoutMs }), timeoutMs).unref())
  const answer = new Promise((resolve) => {
    let text = ''
    channel.on('data', (data) => {
      text += data
      if (text.includes('\n')) resolve(parsed(text.slice(0, text.indexOf('\n'))))
      else if (text.length > mostCharacters) resolve({ garbled: 'an answer without end' })
    })
  })
  channel.on('error', () => {})
  channel.write(`${JSON.stringify({ load: path })}\n`)
  const first = await Promise.race([answer, ended, late])
  child.kill('SIGKILL')
  return first
}

function serve(socketPath) {
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {})
    const child = start(socket)
    child.once('exit', (code, signal) => socket.end(`${JSON.stringify({ ended: { code, signal } })}\n`))
  })
  // The socket gets its name only once the server listens.
  server.listen(`${socketPath}-`, () => renameSync(`${socketPath}-`, socketPath))
}

/**
 * Ends all processes of this run. A process that the code started may have left the group of this process, but it still
 * has the mark.
 */
function endAll() {
  const mark = `JURIST_RUN=${process.env.JURIST_RUN}`
  for (const id of existsSync('/proc') ? readdirSync('/proc') : [])
    try {
      if (id === String(process.pid) || !/^\d+$/.test(id)) continue
      if (readFileSync(`/proc/${id}/environ`, 'latin1').split('\0').includes(mark)) process.kill(Number(id), 'SIGKILL')
    } catch {
      // The process has ended, or belongs to another user.
    }
  // Zero means every process in the group of this process, which leads it.
  process.kill(0, 'SIGKILL')
}

/** Ends together with the parent process, however that ended, and ends the code as well: code may loop. */
function endWith(parent, mostMs) {
  if (process.ppid !== parent) endAll()
  setInterval(() => process.ppid === parent || endAll(), 500).unref()
  // In a container, nothing shows that the parent process has gone.
  setTimeout(endAll, Math.min(mostMs, 2 ** 31 - 1)).unref()
}

const [parent, mostMs, first, ...rest] = process.argv.slice(2)
endWith(Number(parent) || process.ppid, Number(mostMs))
if (first !== 'describe') serve(first)
else {
  const [modules, target, timeoutMs] = rest
  const found = {}
  let limitMs = Number(timeoutMs)
  for (const path of JSON.parse(readFileSync(modules, 'utf8'))) {
    found[path] = await described(path, limitMs)
    // Tests wait for all modules: when one of them hangs, the others get less time.
    if (found[path]?.late !== undefined) limitMs = Math.min(limitMs, 2_000)
  }
  writeFileSync(target, JSON.stringify(found))
}
