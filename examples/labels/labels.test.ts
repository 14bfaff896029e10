import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../packages/jurist/tests/project.js'
import { root } from '../../tests/structure/source.js'
import { parcels } from './parcels.js'

const example = join(root, 'examples/labels')
const files = Object.fromEntries(
  readdirSync(example)
    .filter((name) => /\.m?[jt]s$/.test(name))
    .map((name) => [name, readFileSync(join(example, name), 'utf8')]),
)
const isRight = new Map(parcels.map(({ item, right }) => [item.id, right]))

interface Trial {
  readonly itemId: string
  readonly passed: boolean | null
  readonly judgeCostUsd: number
}

describe('examples/labels, from a run to a certified cascade', () => {
  let made: Project
  let printed: string
  beforeAll(async () => {
    made = project(files)
    const argv = [join(made.directory, 'walk.mjs'), join(root, 'packages/jurist/bin/jurist.js')]
    printed = (await promisify(execFile)(process.execPath, argv, { maxBuffer: 2 ** 24 })).stdout
    return () => made[Symbol.dispose]()
  })

  const trialsOf = async (run: string): Promise<readonly Trial[]> =>
    JSON.parse((await made.jurist('show', run, '--json')).stdout).items
  const wrong = (trials: readonly Trial[]) =>
    trials.filter(({ itemId, passed }) => passed !== null && passed !== isRight.get(itemId)).length
  const cost = (trials: readonly Trial[]) => trials.reduce((sum, { judgeCostUsd }) => sum + (judgeCostUsd ?? 0), 0)

  test('sixty labels certify a threshold', () => {
    const labels = readFileSync(join(made.directory, 'results/always', runOf('always'), 'labels.jsonl'), 'utf8')
    expect(labels.trim().split('\n')).toHaveLength(60)
    expect(certificate()).toMatchObject({ threshold: 0.66, labels: { items: 60, annotators: ['ana'], by: 'people' } })
    expect(printed).toContain('Certified: at most 15.0 % disagreement (90.0 % confidence)')
  })

  test('sixty labels estimate the true pass rate, which the verdicts alone miss', async () => {
    const { stdout } = await made.jurist('calibrate', '--run', 'always', '--json')
    const { estimate } = JSON.parse(stdout)
    const truth = [...isRight.values()].filter(Boolean).length / isRight.size
    expect(estimate.labelled).toBe(60)
    expect(estimate.rate.run.low).toBeLessThanOrEqual(truth)
    expect(estimate.rate.run.high).toBeGreaterThanOrEqual(truth)
    expect(estimate.judged).toBeGreaterThan(estimate.rate.run.high)
    expect(printed).toContain('True pass rate, by labels and verdicts')
  })

  test('the certified cascade costs less than half, keeps its bound, and decides nothing below the threshold', async () => {
    const [always, certified] = [await trialsOf('always'), await trialsOf(runOf('certified'))]
    const decided = certified.filter(({ passed }) => passed !== null)
    expect(cost(certified)).toBeLessThan(cost(always) / 2)
    expect(decided.length).toBeGreaterThan(150)
    expect(wrong(decided) / decided.length).toBeLessThan(0.15)
    expect(wrong(always) / always.length).toBeGreaterThan(0.15)
    expect([decided.length, wrong(decided), wrong(always)]).toEqual([164, 2, 36])
  })

  test('labels decide what was left to people', async () => {
    expect(printed).toContain('36 left to the final tier')
    expect(printed).toContain('\n36 labels\n')
    const judgedAgain = await trialsOf(runOf('certified', -1))
    expect([judgedAgain.length, wrong(judgedAgain)]).toEqual([200, 2])
    expect(judgedAgain.every(({ passed }) => passed !== null)).toBe(true)
  })

  test('the README says what happens', () => {
    const readme = readFileSync(join(example, 'README.md'), 'utf8')
    for (const figure of ['51 of 60', 'certified at 0.66', '164 of 200', '$0.96', '$2.00'])
      expect(readme).toContain(figure)
    for (const figure of ['51 of 60', 'threshold 0.66', '164 of 200', '$0.96 judges', '$2.00 judges'])
      expect(printed).toContain(figure)
  })

  test('another option of a judge makes the certificate stale', async () => {
    const path = join(made.directory, 'jurist.config.ts')
    writeFileSync(path, files['jurist.config.ts']?.replace('topLogprobs: 5', 'topLogprobs: 5, temperature: 0.3') ?? '')
    const { code, stderr } = await made.jurist('run', 'certified')
    expect([code, stderr]).toEqual([2, expect.stringContaining('the tier "small" has another judge, prompt, option')])
  })

  const certificate = () => JSON.parse(readFileSync(join(made.directory, 'certificates/parcels.json'), 'utf8'))
  const runOf = (experiment: string, at = 0) =>
    readdirSync(join(made.directory, 'results', experiment))
      .filter((name) => name.startsWith('2'))
      .sort()
      .at(at) ?? ''
})
