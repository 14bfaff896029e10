import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** A command line, and where it runs. */
interface CommandLine {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string
}

/** What a command printed, and how it ended. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const file = fileURLToPath(new URL('resident-command.mjs', import.meta.url))

/** Processes that wait for a command. Most tests need one; `describe.concurrent` runs up to five tests side by side. */
const waiting: ChildProcess[] = []
const mostWaiting = 5

/**
 * Runs the built command in a process that has loaded it for an earlier command line. The signal ends that process.
 */
export async function runResident(command: CommandLine, signal: AbortSignal): Promise<Ran> {
  const child = waiting.pop() ?? (await start())
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  const mark = randomUUID()
  const texts = Promise.all([child.stdout, child.stderr].map((stream) => textBefore(mark, stream)))
  const report = reportOf(child)
  child.send({ ...command, mark })
  const { code, ends } = await report
  const [stdout = '', stderr = ''] = await texts
  signal.removeEventListener('abort', kill)
  if (!ends && waiting.length < mostWaiting) waiting.push(child)
  else if (child.connected) child.disconnect()
  return { code, stdout, stderr }
}

async function start(): Promise<ChildProcess> {
  const child = fork(file, { silent: true, execArgv: [], env: {} })
  await once(child, 'message')
  // One that waits does not keep the tests alive.
  child.unref()
  child.channel?.unref()
  return child
}

interface Report {
  readonly code: number | null
  /** Whether the process ends with this command. */
  readonly ends: boolean
}

function reportOf(child: ChildProcess): Promise<Report> {
  return new Promise((resolve) => {
    const ended = (code: number | null) => reported({ code, ends: true })
    const reported = (report: Report) => {
      child.off('message', reported).off('exit', ended)
      resolve(report)
    }
    child.on('message', reported).on('exit', ended)
  })
}

/** What a stream says until the mark, or until its end. */
function textBefore(mark: string, stream: Readable | null): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const heard = (more: string) => {
      text += more
      if (text.endsWith(mark)) finish()
    }
    const finish = () => {
      stream?.off('data', heard).off('end', finish)
      resolve(text.replace(mark, ''))
    }
    stream?.setEncoding('utf8').on('data', heard).on('end', finish)
  })
}
