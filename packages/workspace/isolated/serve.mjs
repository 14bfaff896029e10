// Runs next to the code under test. For every process of tests that connects, it starts a separate process that loads
// the code.
//
//   node serve.mjs <parent, or 0> <milliseconds it may run> <socket>
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./code.mjs', import.meta.url))

function serve(socketPath) {
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {})
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit', socket] })
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

const [parent, mostMs, socketPath] = process.argv.slice(2)
endWith(Number(parent) || process.ppid, Number(mostMs))
serve(socketPath)
