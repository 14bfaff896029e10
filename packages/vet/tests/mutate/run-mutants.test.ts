import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { abstain, type Judge } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import { memoryStore } from '@jurist/experiment/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runMutants, strykerReport, vetReportText } from '../../src/index.js'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-mutate-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const right = `export function isAdult(age) {
  if (age < 0) throw new RangeError('age')
  return age >= 18
}
export const other = 1
`
const before = right.replace('>= 18', '> 21')

/** A dataset of items with the same reference; further files by paths below the dataset. */
function datasetOf(name: string, ids: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const root = join(directory, name)
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const items = ids.map((id) => ({ id, slug: id, path: id, bucket: 'a', taskType: 'fix', status: 'active' }))
  write('dataset.json', JSON.stringify({ schemaVersion: 1, name, version: '1.0.0', items }))
  for (const id of ids) {
    write(`${id}/item.json`, JSON.stringify({ task: 'Adults are 18.' }))
    write(`${id}/before/age.js`, before)
    write(`${id}/reference/age.js`, right)
  }
  for (const [path, content] of Object.entries(more)) write(path, content)
  return root
}

/** A judge that asks for some ages; what an age must give is known. */
function ages(asked: Readonly<Record<number, boolean>>): Judge {
  return async function ages({ workspace }) {
    const source = (await workspace?.read('age.js')) ?? ''
    const isAdult = new Function(`${source.replaceAll('export ', '')}; return isAdult`)() as (age: number) => unknown
    return Object.entries(asked).every(([age, expected]) => {
      try {
        return isAdult(Number(age)) === expected
      } catch {
        return false
      }
    })
  }
}

const experimentOf = (dataset: string, jury: ExperimentOptions['jury']): ExperimentOptions => ({
  ...{ name: 'ages', dataset, store: memoryStore() },
  ...(jury === undefined ? {} : { jury }),
})
const weak = ages({ 30: true, 3: false })
const strict = ages({ 30: true, 18: true, 17: false, 0: false })

describe('runMutants', () => {
  test('counts what a jury lets through, and shows it', async () => {
    const dataset = datasetOf('counts', ['one', 'two'])
    const options = { where: 'changed', operators: ['boundary', 'number', 'relation'] } as const
    const loose = await runMutants(experimentOf(dataset, weak), options)
    expect(loose.counts).toMatchObject({ made: 8, chosen: 8, judged: 8, killed: 2, survived: 6, notRun: 0 })
    expect(loose.survival.byItem).toMatchObject({ judged: 8, survived: 6, mean: 0.75, interval: null })
    expect(loose.survival.byOperator).toMatchObject({ boundary: { mean: 1 }, relation: { mean: 0 } })
    expect(loose.killers).toEqual({ ages: 2 })
    expect(loose.conclusion).toBe('held')
    const text = await vetReportText(loose)
    expect(text).toContain('6 of 8 mutants survived')
    expect(text).toContain('one: age.js:3 (boundary)\n    - return age >= 18\n    + return age > 18')
    const page = await vetReportText(loose, { format: 'html' })
    expect(page).toContain('S boundary: return age &gt; 18')
    const tight = await runMutants(experimentOf(dataset, strict), options)
    expect(tight.counts).toMatchObject({ judged: 8, killed: 8, survived: 0 })
  })

  test.each([
    ['changed', [3]],
    ['function', [2, 3]],
    ['all', [2, 3, 5]],
  ] as const)('where: %s', async (where, lines) => {
    const report = await runMutants(experimentOf(datasetOf(`where-${where}`, ['one']), weak), { where, perItem: 50 })
    const found = report.items.flatMap(({ mutants }) => mutants.map(({ line }) => line))
    expect([...new Set(found)].sort()).toEqual(lines)
  })

  test('a seed chooses, changed lines first', async () => {
    const dataset = datasetOf('seeds', ['one'])
    const chosen = async (seed: number) => {
      const { items } = await runMutants(experimentOf(dataset, weak), { seed, perItem: 3 })
      return items[0]?.mutants.map(({ operator, line, text }) => `${line} ${operator} ${text}`)
    }
    const first = await chosen(1)
    expect(await chosen(1)).toEqual(first)
    expect(first?.every((one) => one.startsWith('3 '))).toBe(true)
    const others = await Promise.all([2, 3, 4, 5].map(chosen))
    expect(others.some((one) => JSON.stringify(one) !== JSON.stringify(first))).toBe(true)
  })

  test('a threshold, and a wrong solution that passes, are holes', async () => {
    const dataset = datasetOf('wrong', ['one'], {
      'one/wrong/old/age.js': before,
      'one/wrong/never/age.js': 'export const isAdult = () => false\n',
    })
    const report = await runMutants(experimentOf(dataset, weak), { operators: ['relation'], where: 'changed' })
    expect(report.items[0]?.solutions.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['never', 'killed'],
      ['old', 'survived'],
    ])
    expect(report.conclusion).toBe('holes')
    expect(await vetReportText(report)).toContain('Wrong solutions of people that pass: 1 of 2: old of one')
    const plain = experimentOf(datasetOf('threshold', ['one']), weak)
    const options = { where: 'changed' } as const
    expect((await runMutants(plain, { ...options, survival: 0.1 })).conclusion).toBe('holes')
    const expecting = { ...plain, vet: { survival: 0.1 } }
    expect((await runMutants(expecting, options)).conclusion).toBe('holes')
    expect((await runMutants(expecting, { ...options, survival: 1 })).conclusion).toBe('held')
  })

  test('marks of people leave mutants out, wherever their lines are', async () => {
    const mark = {
      path: 'age.js',
      before: 'return age >= 18',
      after: 'return age > 18',
      reason: 'Ages are whole years from 19.',
    }
    const dataset = datasetOf('marks', ['one'], { 'one/mutants.lock.json': JSON.stringify({ equivalent: [mark] }) })
    const options = { operators: ['boundary'], where: 'changed' } as const
    const all = await runMutants(experimentOf(datasetOf('unmarked', ['one']), weak), options)
    expect(all.items[0]?.mutants[0]?.mark).toEqual({ path: mark.path, before: mark.before, after: mark.after })
    const report = await runMutants(experimentOf(dataset, weak), { ...options, operators: ['boundary', 'relation'] })
    expect(report.counts).toMatchObject({ made: 2, accepted: 1, chosen: 1, survived: 0 })
    const broken = datasetOf('broken-marks', ['one'], { 'one/mutants.lock.json': '{"equivalent": [{"path": "a"}]}' })
    await expect(runMutants(experimentOf(broken, weak), options)).rejects.toThrow('mutants.lock.json')
  })

  test('an item whose reference does not pass counts nowhere, and the run is inconclusive', async () => {
    const dataset = datasetOf('unsound', ['one', 'two'], { 'two/reference/age.js': `${before}\n` })
    const report = await runMutants(experimentOf(dataset, strict), { where: 'all', operators: ['relation'] })
    expect(report.items.map(({ itemId, referencePasses }) => [itemId, referencePasses])).toEqual([
      ['one', true],
      ['two', false],
    ])
    expect(report.survival.byItem.judged).toBe(report.counts.judged)
    expect(report.conclusion).toBe('nothing-said')
    expect(await vetReportText(report)).toContain('The reference of two does not pass')
  })

  test('a jury that does not decide killed nothing', async () => {
    const undecided: Judge = async ({ workspace }) =>
      (await workspace?.read('age.js')) === right ? true : abstain('unsure')
    const dataset = datasetOf('undecided', ['one'])
    const report = await runMutants(experimentOf(dataset, undecided), { operators: ['relation'], where: 'changed' })
    expect(report.counts).toMatchObject({ judged: 0, notJudged: 1 })
    expect(report.conclusion).toBe('nothing-said')
  })

  test('a run that was stopped is resumed with the same mutants: none lost, none doubled', async () => {
    const dataset = datasetOf('resumed', ['one', 'two'])
    const experiment = experimentOf(dataset, weak)
    const stopping = new AbortController()
    const options = { where: 'all', perItem: 6 } as const
    const cut = await runMutants(experiment, {
      ...options,
      signal: stopping.signal,
      onEvent: ({ type, ...event }) => {
        if (type === 'item-end' && 'done' in event && event.done === 5) stopping.abort()
      },
    })
    expect(cut.complete).toBe(false)
    expect(cut.conclusion).toBe('nothing-said')
    const ended: string[] = []
    const whole = await runMutants(experiment, {
      ...options,
      resume: 'latest',
      onEvent: (event) => {
        if (event.type === 'item-end') ended.push(`${event.itemId} ${event.repetition}`)
      },
    })
    expect(whole.runId).toBe(cut.runId)
    expect(whole.complete).toBe(true)
    expect(whole.counts).toMatchObject({ chosen: 12, judged: 12, notRun: 0 })
    expect(ended.length).toBe(new Set(ended).size)
    expect(ended.length).toBe(14 - (12 - cut.counts.notRun + cut.items.filter((item) => item.referencePasses).length))
    const anew = await runMutants(experimentOf(dataset, weak), options)
    expect(whole.counts).toEqual(anew.counts)
  })

  test('the schema of Stryker', async () => {
    const report = await runMutants(experimentOf(datasetOf('stryker', ['one']), weak), {
      ...{ operators: ['boundary'], where: 'changed' },
    })
    expect(strykerReport(report)).toEqual({
      schemaVersion: '2',
      thresholds: { high: 95, low: 85 },
      files: {
        'one/age.js': {
          language: 'javascript',
          source: right,
          mutants: [
            {
              id: 'one/2',
              mutatorName: 'boundary',
              replacement: '>',
              status: 'Survived',
              location: { start: { line: 3, column: 14 }, end: { line: 3, column: 16 } },
            },
          ],
        },
      },
    })
  })

  test.each([
    [{ operators: ['bondary'] }, 'Did you mean "boundary"?'],
    [{ perItem: 0 }, 'perItem'],
    [{ untilKilled: true }, 'budget'],
  ])('%j is refused', async (options, message) => {
    const experiment = experimentOf(datasetOf('options', ['one']), weak)
    await expect(runMutants(experiment, options)).rejects.toThrow(message)
  })

  test('a dataset whose references change no source is refused with the reason', async () => {
    const dataset = datasetOf('same', ['one'], { 'one/before/age.js': right })
    await expect(runMutants(experimentOf(dataset, weak))).rejects.toThrow('no selected item that can be mutated')
  })
})
