import type { Readable, Writable } from 'node:stream'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import '../errors.js'
import type { StartedProcess, StartProcess } from './shape.js'

/** Starts a process on this machine, in a process group of its own. */
export const startLocally: StartProcess = async (command, { cwd, environment }) => {
  const { spawn } = await import('node:child_process')
  const { signalGroup } = await import('@jurist/kit/processes')
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
    const message = `${program} could not be started (${reason}). Install it, or pass its full path as "command".`
    throw new JuristError('agent-start', message, { command: program }, { cause: thrown })
  }
  return {
    input: writableOf(child.stdin),
    output: readableOf(child.stdout),
    errors: readableOf(child.stderr),
    ended,
    kill: (signal) => void (child.pid !== undefined && signalGroup(child.pid, signal)),
  }
}

/** Node's own conversion causes an unhandled rejection when a process is killed; this stream just ends. */
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
  // If the process has ended, the end of its output shows it.
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
