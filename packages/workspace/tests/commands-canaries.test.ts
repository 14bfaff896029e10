import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

const hidden = `import test from 'node:test'
import assert from 'node:assert'
import { sum } from '../src/sum.mjs'
test('adds', () => assert.equal(sum(1, 2), 3))
test('adds wrongly', () => assert.equal(sum(1, 2), 4))
`
const mustFail = ['adds wrongly']

async function judged(code: string, options: TestOptions = { mustFail }) {
  await using workspace = await temporaryWorkspace({ 'src/sum.mjs': code })
  await using reference = await temporaryWorkspace({ 'tests/a.test.mjs': hidden })
  const command = [process.execPath, '--test', 'tests/a.test.mjs']
  const judge = testsPass.command(command, { overlay: { paths: ['tests'] }, ...options })
  return await runJudge(judge, aContext({ workspace, reference }))
}

describe('a test that must fail', () => {
  const right = 'export const sum = (a, b) => a + b\n'
  test('beside the right ones lets a right answer pass', async () => {
    expect(await judged(right)).toMatchObject({
      status: 'pass',
      score: { value: 1 },
      reasoning: '1 of 1 tests passed',
      metadata: { passed: 1, failed: 0, total: 1 },
      checks: expect.arrayContaining([{ name: 'adds wrongly', passed: true, message: 'failed, as it must' }]),
    })
    expect(await judged(right, { mustFail, mustPass: ['adds'] })).toMatchObject({
      status: 'pass',
      metadata: { otherFailures: [] },
    })
    expect(await judged('export const sum = (a, b) => a - b\n')).toMatchObject({ status: 'fail' })
  })
  test.each([
    [
      'assertions are replaced',
      `import assert from 'node:assert'
import { syncBuiltinESMExports } from 'node:module'
assert.equal = () => {}
syncBuiltinESMExports()
export const sum = () => 0\n`,
    ],
    ['the answer is equal to everything', 'export const sum = () => ({ valueOf: () => globalThis.wanted?.shift() })\n'],
    [
      'the tests are read when they run',
      `import { readFileSync } from 'node:fs'
const wanted = [...readFileSync('tests/a.test.mjs', 'utf8').matchAll(/, (\\d)\\)\\)/g)].map(([, digit]) => Number(digit))
export const sum = () => wanted.shift()\n`,
    ],
    ['the process ends', 'process.exit(0)\nexport const sum = 1\n'],
  ])('tells when %s', async (_, code) => {
    for (const options of [{ mustFail }, { mustFail, mustPass: ['adds'] }])
      expect(await judged(code, options)).toMatchObject({ status: 'fail' })
  })
  test('names what is wrong with it', async () => {
    const reason = async (id: string) => (await judged(right, { mustFail: [id], mustPass: ['adds'] })).reasoning
    expect(await reason('adds')).toBe('adds must be reported as failed, but was reported as passed')
    expect(await reason('unknown')).toBe('unknown must be reported as failed, but was not reported')
    const silent = testsPass.command('true', { mustFail: ['a'], minTests: 0 })
    await using workspace = await temporaryWorkspace()
    expect(await runJudge(silent, { workspace })).toMatchObject({ status: 'fail' })
    expect(() => testsPass.command('true', { mustFail: 'a' as never })).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
})
