import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '@jurist/core'
import { resultWithItems } from '@jurist/experiment/internal/results'
import { describe, expect, it } from 'vitest'
import { completed, type ExperimentOptions, runExperiment } from '../../src/index.js'
import type { ItemResult } from '../../src/result/index.js'
import { summaryOf } from '../../src/result/summarize.js'
import { fileStore } from '../../src/store/index.js'
import { collected } from '../collected.js'
import { aborted, anExperiment, temporaryDirectory } from '../run-support.js'

/** A store of files, what it warned of, and where the trials of a run are. */
function aStore() {
  const results = temporaryDirectory()
  const warnings: string[] = []
  const open = () => fileStore(results, { onWarning: (message) => warnings.push(message) })
  const fileOf = (id: string) => join(results, 'test', id, 'items.jsonl')
  return { results, warnings, open, fileOf, store: open() }
}

const linesOf = (file: string): readonly ItemResult[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
/** Where the trial of an item is among lines, which are in the order in which trials ended. */
const placeOf = (lines: readonly ItemResult[], itemId: string) => lines.findIndex((line) => line.itemId === itemId)
const add = (file: string, ...items: readonly object[]) =>
  appendFileSync(file, items.map((item) => `${JSON.stringify(item)}\n`).join(''))
const passed = { judged: 'pass', passed: true }
const failing: Agent = async ({ prompt }) => {
  if (prompt === 'task 3') throw Object.assign(new Error('no'), { code: 'http-401' })
  return completed('bad')
}

describe('what is added to the trials of a run', () => {
  it('after its end is left out, named by its line, and cut off when the run continues', async () => {
    const { store, warnings, open, fileOf } = aStore()
    const told = await runExperiment(anExperiment(3, { store, agent: failing })).result
    expect([told.passCount, told.counts.decided, told.counts.undecided]).toEqual([0, 2, 1])
    const file = fileOf(told.id)
    const head = JSON.parse(readFileSync(join(file, '../run.json'), 'utf8'))
    const bytes = readFileSync(file)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(head.stored).toMatchObject({ lines: 3, bytes: bytes.length, sha256 })
    const items = linesOf(file)
    // A decided trial again, an undecided one, another repetition and another item.
    add(file, ...items.map((item) => ({ ...item, ...passed })))
    add(file, { ...items[0], ...passed, repetition: 2 }, { ...items[0], ...passed, itemId: 'made-up' })
    const loaded = await open().load(told.id)
    expect(loaded && summaryOf(loaded)).toEqual(summaryOf(told))
    expect(loaded?.items).toEqual(told.items)
    expect(warnings.join()).toMatch(/line 4 was added after the run had ended, line 5 .*line 8 /)
    expect(await collected(open().list())).toMatchObject([{ counts: told.counts, passRate: 0 }])
    const again = await runExperiment(anExperiment(3, { store: open(), agent: failing }), { resume: told.id }).result
    expect(summaryOf(again).counts).toEqual(told.counts)
    expect(readFileSync(file)).toEqual(bytes)
  })

  it('in a run that has no sum: what was decided first counts, and only what was planned', async () => {
    const { store, warnings, open, fileOf } = aStore()
    const told = await runExperiment(anExperiment(3, { store, agent: failing })).result
    const file = fileOf(told.id)
    const { stored: _, ...head } = JSON.parse(readFileSync(join(file, '../run.json'), 'utf8'))
    writeFileSync(join(file, '../run.json'), JSON.stringify(head))
    expect(await open().load(told.id)).toEqual(told)
    expect(warnings).toEqual([])
    const lines = linesOf(file)
    const place = placeOf(lines, 'item-1')
    const first = lines[place]
    add(file, { ...first, ...passed }, { ...first, repetition: 2 }, { ...first, itemId: 'made-up' })
    expect(await open().load(told.id)).toEqual(told)
    expect(warnings.join()).toContain(`line 4 is a second result of "item-1#1", which line ${place + 1} has decided`)
    expect(warnings.join()).toContain('line 5 is of "item-1#2", which is not in the plan of the run')
    expect(warnings.join()).toContain('line 6 is of "made-up#1", which is not in the plan of the run')
  })

  it('does not hide trials of items that say how often they run', async () => {
    const { store, warnings, open, fileOf } = aStore()
    const [often, once] = [3, 1].map((repetitions, index) => ({ id: `item-${index}`, task: 'a task', repetitions }))
    const dataset = [often, once] as NonNullable<ExperimentOptions['dataset']>
    const told = await runExperiment({ ...anExperiment(2, { store }), dataset }).result
    expect(told.items).toHaveLength(4)
    expect(await open().load(told.id)).toEqual(told)
    expect(warnings).toEqual([])
    const file = fileOf(told.id)
    const { stored: _, ...head } = JSON.parse(readFileSync(join(file, '../run.json'), 'utf8'))
    writeFileSync(join(file, '../run.json'), JSON.stringify(head))
    add(file, { ...told.items[0], repetition: 4 }, { ...told.items[3], repetition: 2 })
    expect(await open().load(told.id)).toEqual(told)
    expect(warnings.join()).toMatch(/"item-0#4", which is not .* "item-1#2", which is not/)
  })

  it('while it runs is cut off: what is reported at its end is what is read back', async () => {
    const { results, store, warnings, open, fileOf } = aStore()
    const agent: Agent = async ({ prompt }) => {
      const [id = ''] = readdirSync(join(results, 'test')).filter((name) => /^\d{8}T/.test(name))
      const items = linesOf(fileOf(id))
      // Of what is there, and of what is to come.
      for (const item of items) add(fileOf(id), { ...item, ...passed }, { ...item, ...passed, itemId: 'item-4' })
      return completed(prompt === 'task 2' ? 'fine' : 'bad')
    }
    const told = await runExperiment(anExperiment(4, { store, agent, concurrency: 1 })).result
    expect(told.items.map((item) => item.passed)).toEqual([false, true, false, false])
    expect(await open().load(told.id)).toEqual(told)
    expect(linesOf(fileOf(told.id))).toEqual(told.items)
    expect(warnings.join()).toContain('was cut off')
  })

  it('replacing a line is detected by the checksum', async () => {
    const { store, warnings, open, fileOf } = aStore()
    const told = await runExperiment(anExperiment(2, { store, agent: failing })).result
    const text = readFileSync(fileOf(told.id), 'utf8')
    writeFileSync(fileOf(told.id), text.replaceAll('"passed":false', '"passed":true '))
    await open().load(told.id)
    expect(warnings.join()).toContain('its checksum differs from that in run.json')
  })

  it('by a writer that was taken for dead and wakes up goes nowhere', async () => {
    const { store, open, fileOf, results } = aStore()
    const options = anExperiment(3, { store, concurrency: 1 })
    let calls = 0
    const cut: NonNullable<ExperimentOptions['agent']> = async (task) => {
      calls += 1
      if (calls === 1) return options.agent(task)
      run.cancel('stopped by the test')
      await aborted(task.signal)
      return completed()
    }
    Object.defineProperty(cut, 'name', { value: 'echo' })
    const run = runExperiment({ ...options, agent: cut })
    await run.result
    const { writer: asleep, items } = await store.resume(run.runId)
    utimesSync(join(results, 'test', run.runId, 'lock'), new Date(0), new Date(0))
    const { writer } = await open().resume(run.runId)
    const item = items[0]
    await writer.append({ ...item!, itemId: 'item-3', passed: false, judged: 'fail' })
    // It has looked at its lock a moment ago, and so does not look again.
    await asleep.append({ ...item!, itemId: 'item-3', passed: true }).catch(() => undefined)
    const ended = await writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    expect(ended.trials.find(({ itemId }) => itemId === 'item-3')?.passed).toBe(false)
    expect(await open().load(run.runId)).toEqual(await resultWithItems(ended))
    expect(linesOf(fileOf(run.runId)).filter(({ itemId }) => itemId === 'item-3')).toHaveLength(1)
    await asleep.release()
  })

  it('legitimately, by a trial that was cancelled and ran again, is read', async () => {
    const { store, warnings, open } = aStore()
    let isFirst = true
    const agent: Agent = async ({ signal }) => {
      if (!isFirst) return completed('fine')
      isFirst = false
      run.cancel('stopped by the test')
      await aborted(signal)
      return completed()
    }
    const options = anExperiment(2, { store, agent, concurrency: 1 })
    const run = runExperiment(options)
    expect((await run.result).counts.agent.cancelled).toBe(1)
    const told = await runExperiment(options, { resume: run.runId }).result
    expect(told.passCount).toBe(2)
    expect(await open().load(told.id)).toEqual(told)
    expect(warnings).toEqual([])
  })
})
