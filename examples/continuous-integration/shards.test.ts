import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../tests/structure/source.js'
import { checkoutOf, install, type Step, shell } from '../../tests/structure/workflow.js'

interface Job {
  readonly strategy?: { readonly matrix: { readonly shard: readonly number[] } }
  readonly env?: { readonly JURIST_SHARD: string }
  readonly steps: readonly Step[]
}

const file = join(root, 'examples/continuous-integration/shards.yml')
const { jobs } = parse(readFileSync(file, 'utf8')) as { jobs: { shard: Job; merge: Job } }
const shards = jobs.shard.strategy?.matrix.shard ?? []

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-shards-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs the commands of a job in its own checkout; uploads and downloads are copies. */
async function run(job: Job, checkout: string, env: Readonly<Record<string, string>>) {
  const outputs: string[] = []
  let code = 0
  for (const { run } of job.steps) {
    if (run === undefined || code !== 0) continue
    // All checkouts are alike: the one that merges installs with npm.
    if (run === 'npm ci' && job !== jobs.merge) {
      install(checkout)
      continue
    }
    const ran = await shell(run, checkout, { HOME: directory, ...env })
    outputs.push(ran.text)
    code = ran.code
    if (run === 'npm ci') install(checkout)
  }
  return { code, text: outputs.join('\n') }
}

/** The jobs of the workflow, but for the shards of some machines that are lost. */
async function workflow(name: string, greeting: string, lost: readonly number[] = []) {
  const merging = checkoutOf(directory, `${name}/merge`, greeting)
  mkdirSync(join(merging, 'shards'))
  for (const shard of shards.filter((index) => !lost.includes(index))) {
    const checkout = checkoutOf(directory, `${name}/${shard}`, greeting)
    const place = (jobs.shard.env?.JURIST_SHARD ?? '')
      .replace(/\$\{\{ matrix\.shard \}\}/, String(shard))
      .replace(/\$\{\{ strategy\.job-total \}\}/, String(shards.length))
    const ran = await run(jobs.shard, checkout, { JURIST_SHARD: place })
    expect([ran.code, ran.text]).toEqual([0, ran.text])
    cpSync(join(checkout, 'results'), join(merging, 'shards', `shard-${shard}`), { recursive: true })
  }
  return { merging, ...(await run(jobs.merge, merging, {})) }
}

describe('the workflow of shards in examples/continuous-integration', () => {
  test('makes one run and its reports of four machines', async () => {
    const { merging, code, text } = await workflow('good', 'hello')
    expect([code, text]).toEqual([0, text])
    expect(text).toContain('12 of 12 decided')
    for (const name of ['report.xml', 'report.html', 'durations.json', 'summary.md'])
      expect(existsSync(join(merging, name))).toBe(true)
  })

  test('fails when the threshold is missed by all together, and when a machine is lost', async () => {
    const worse = await workflow('worse', 'goodbye', [4])
    expect(worse.code).toBe(1)
    expect(worse.text).toContain('shard 4/4 of add-readme is missing')
    const place = join(worse.merging, '../4')
    checkoutOf(directory, 'worse/4', 'goodbye')
    await run(jobs.shard, place, { JURIST_SHARD: '4/4' })
    cpSync(join(place, 'results'), join(worse.merging, 'shards/shard-4'), { recursive: true })
    const merged = await shell(jobs.merge.steps.findLast(({ run }) => run !== undefined)?.run ?? '', worse.merging, {})
    expect(merged.code).toBe(1)
    expect(merged.text).toContain('pass rate of decided trials 25.0 %, 80.0 % wanted')
  })
})
