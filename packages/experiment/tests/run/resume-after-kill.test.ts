import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ExperimentResult } from '../../src/result/index.js'
import { fileStore } from '../../src/store/index.js'
import { newRunId } from '../../src/store/names.js'
import { temporaryDirectory } from '../run-support.js'

const program = fileURLToPath(new URL('../fixtures/kill-program.mjs', import.meta.url))
const built = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

/** A process that runs the experiment, or goes on with it, until it ends or is killed. */
interface Life {
  readonly killed: boolean
  /** Item ids that it reported as durable. */
  readonly told: readonly string[]
  /** Item ids that its agent was called for. */
  readonly called: readonly string[]
}

async function live(
  results: string,
  runId: string,
  mode: 'begin' | 'resume',
  killAfterMs: number | null,
): Promise<Life> {
  const calls = join(results, '..', `calls-${newRunId()}`)
  // Outside the project: its commit, which every run records, may change meanwhile.
  const cwd = join(results, '..')
  const child = spawn(process.execPath, [program, results, runId, mode, calls], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  clearTimeout(timer)
  const killed = child.signalCode === 'SIGKILL'
  if (!killed) expect({ code, stderr: withoutTornLine(stderr) }).toEqual({ code: 0, stderr: '' })
  return { killed, told: wholeLines(output), called: existsSync(calls) ? wholeLines(readFileSync(calls, 'utf8')) : [] }
}

/** What a process complained of but for the half line that a writer before it left behind: a kill may tear one. */
function withoutTornLine(stderr: string): string {
  return stderr.replace(/^\(node:\d+\) JuristWarning: .*items\.jsonl: the last line is torn .*\n\(Use .*\n/, '')
}

/** The lines of a text; what follows the last line break is torn, or empty. */
function wholeLines(text: string): readonly string[] {
  return text.split('\n').slice(0, -1)
}

function recorded(results: string, runId: string): readonly string[] {
  const path = join(results, 'killed', runId, 'items.jsonl')
  if (!existsSync(path)) return []
  return wholeLines(readFileSync(path, 'utf8')).map((line) => (JSON.parse(line) as { readonly itemId: string }).itemId)
}

/** A result without what differs at every run: times, and the id. */
function timeless(result: ExperimentResult): unknown {
  const { agentMs, ...rest } = result
  const times = /"(startedAt|endedAt|durationMs|setupMs|agentMs|juryMs|elapsedMs|id)":("[^"]*"|[\d.e+-]+)/g
  return JSON.parse(JSON.stringify(rest).replace(times, '"$1":0'))
}

async function loaded(results: string, runId: string): Promise<ExperimentResult> {
  await using store = fileStore(results)
  const result = await store.load(runId)
  if (result === undefined) throw new Error(`There is no run ${runId}.`)
  return result
}

/** One run through all its lives, each ended by a kill at a random moment as long as `kills.left` is above 0. Its id. */
async function runThroughKills(results: string, kills: { left: number; withinMs: number }): Promise<string> {
  let runId = newRunId()
  const told: string[] = []
  let before: readonly string[] = []
  for (;;) {
    const isThere = existsSync(join(results, 'killed', runId, 'run.json'))
    // Killed before there was a run: nothing can be resumed, another one begins.
    if (!isThere) runId = newRunId()
    const beganMs = performance.now()
    const life = await live(
      results,
      runId,
      isThere ? 'resume' : 'begin',
      kills.left > 0 ? Math.random() * kills.withinMs : null,
    )
    told.push(...life.told)
    const now = recorded(results, runId)
    expect(now.slice(0, before.length), 'nothing recorded is lost').toEqual(before)
    expect(new Set(now).size, 'nothing is recorded twice').toBe(now.length)
    expect(
      life.called.filter((id) => before.includes(id)),
      'nothing recorded is run again',
    ).toEqual([])
    expect(
      told.filter((id) => !now.includes(id)),
      'what was reported as durable is',
    ).toEqual([])
    expect(new Set(told).size, 'nothing is reported twice').toBe(told.length)
    // The machine may be less busy now: later kills would come too late.
    if (!life.killed && !isThere) kills.withinMs = Math.min(kills.withinMs, performance.now() - beganMs)
    if (!life.killed) return runId
    kills.left -= 1
    before = now
  }
}

describe('a run of 200 items that is killed again and again', () => {
  it('loses and repeats nothing that was recorded, and ends as an undisturbed one', async () => {
    expect(existsSync(built), `${built} is missing: run "npm run build" first`).toBe(true)
    const results = join(temporaryDirectory(), 'results')
    const undisturbedId = newRunId()
    const beganMs = performance.now()
    await live(results, undisturbedId, 'begin', null)
    const wholeMs = performance.now() - beganMs
    const undisturbed = timeless(await loaded(results, undisturbedId))

    const kills = { left: 10, withinMs: wholeMs }
    while (kills.left > 0) {
      const runId = await runThroughKills(results, kills)
      const result = await loaded(results, runId)
      expect(result.status).toBe('completed')
      expect(timeless(result)).toEqual(undisturbed)
    }
  })
})
