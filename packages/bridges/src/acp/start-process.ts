import type { Readable, Writable } from 'node:stream'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import '../errors.js'
import type { StartedProcess, StartProcess } from './shape.js'

/** Starts a process on this machine: in a group of its own, with pipes. */
export const startLocally: StartProcess = async (command, { cwd, environment }) => {
  const { spawn } = await import('node:child_process')
  const [program, ...args] = command
  const child = spawn(program, args, { cwd, env: environment, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const ended = new Promise<Awaited<StartedProcess['ended']>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.once('error', () => resolve({ exitCode: null, signal: null }))
  })
  try {
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  } catch (thrown) {
    const reason = failureOf(thrown).code ?? failureOf(thrown).message
    const message = `${program} could not be started (${reason}). Install it, or give its whole path with "command".`
    throw new JuristError('agent-start', message, { command: program }, { cause: thrown })
  }
  return {
    input: writableOf(child.stdin),
    output: readableOf(child.stdout),
    errors: readableOf(child.stderr),
    ended,
    kill: (signal) => signalGroup(child.pid, signal),
  }
}

function signalGroup(leader: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, signal)
  } catch {
    // Nothing of the group is left.
  }
}

/** The platform's own conversion rejects unheard when a process dies; this one just ends. */
function readableOf(stream: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      let isOpen = true
      const close = () => {
        if (isOpen) controller.close()
        isOpen = false
      }
      stream.on('data', (chunk: Uint8Array) => {
        if (isOpen) controller.enqueue(chunk)
      })
      stream.once('end', close)
      stream.once('close', close)
      stream.once('error', close)
    },
    cancel: () => {
      stream.destroy()
    },
  })
}

function writableOf(stream: Writable): WritableStream<Uint8Array> {
  // Whoever writes to a process that has died learns of it from the end of its output.
  stream.on('error', () => {})
  return new WritableStream<Uint8Array>({
    write: (chunk) =>
      new Promise((resolve) => {
        stream.write(chunk, () => resolve())
      }),
    close: () => {
      stream.end()
    },
    abort: () => {
      stream.destroy()
    },
  })
}
