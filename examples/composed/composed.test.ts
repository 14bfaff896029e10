import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { root } from '../../tests/structure/source.js'
import { gate } from './deploy-gate.js'
import { judgedOnce } from './judged.js'
import { plannedAndJudged } from './pipeline.js'
import { healed } from './self-healing.js'

const example = join(root, 'examples/composed')
const typescript = join(root, 'node_modules/jiti/lib/jiti-cli.mjs')
const elsewhere = mkdtempSync(join(tmpdir(), 'composed-'))

afterAll(() => rmSync(elsewhere, { recursive: true }))

test('the example, started from anywhere, prints what its README shows and leaves nothing behind', async () => {
  const node = [typescript, join(example, 'main.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: elsewhere })
  expect(readFileSync(join(example, 'README.md'), 'utf8')).toContain(`\n${stdout}\`\`\``)
  expect(readdirSync(elsewhere)).toEqual([])
})

test('judged: the verdict names the tier, the judge and the check that failed', async () => {
  const text = await judgedOnce()
  expect(text).toContain('passed false')
  expect(text).toContain('complete/changes fail')
})

test('selfHealing: the second attempt mends what the first left out', async () => {
  expect(await healed()).toBe('selfHealing: passed true after 2 attempts (fail, then pass), $0.02')
})

test('pipelineAgent: the plan is worked on, and its cost counts once', async () => {
  expect(await plannedAndJudged()).toMatch(/passed true, first phase planning, \$0\.013 of which planning \$0\.003$/)
})

test('the gate deploys what passed, and neither what failed nor what broke', async () => {
  const [good, poor, broken] = (await gate()).split('\n')
  expect(good).toBe('gate: deployed 5 lines')
  expect(poor).toContain('not deployed: fail')
  expect(broken).toContain('not deployed: error')
})
