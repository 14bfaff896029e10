import { join } from 'node:path'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { describeUnless } from './kit/describe-unless.js'
import { nodePackages } from './kit/node-packages.js'
import { missing } from './kit/programs.js'

type Files = { readonly [path: string]: TemporaryFile }

const platform = process.platform === 'linux' && process.arch === 'x64' ? undefined : 'only tried on Linux with x64'
const installed = missing('npm') ?? platform ?? (await nodePackages('runners'))
const reason = typeof installed === 'string' ? installed : undefined
const packages = typeof installed === 'string' ? '' : join(installed.directory, 'node_modules')

const right = 'export const sum = (a, b) => a + b\n'
const wrong = 'export const sum = (a, b) => a - b\n'
const cheats = {
  'ends at import': 'process.exit(0)\nexport const sum = 1\n',
  'ends in a call': 'export const sum = () => process.exit(0)\n',
  'ends without handlers': 'export const sum = () => process.reallyExit(0)\n',
  'prints TAP and ends':
    "import { writeSync } from 'node:fs'\nwriteSync(1, 'ok 1 - adds\\n1..1\\n')\nprocess.exit(0)\nexport const sum = 1\n",
}
const juries: readonly TestOptions[] = [{}, { minTests: 1 }]

interface Given {
  readonly code: string
  readonly test: string
  readonly script: string
  readonly options: TestOptions
  readonly path: string
}

async function judged({ code, test, script, options, path }: Given) {
  const shown: Files = { 'package.json': JSON.stringify({ type: 'module', scripts: { test: script } }) }
  await using workspace = await temporaryWorkspace({ ...shown, 'src/sum.js': code })
  await using reference = await temporaryWorkspace({ ...shown, 'tests/hidden.test.js': test })
  const env = { PATH: `${path}:${process.env.PATH}` }
  const judge = testsPass.npm('test', { ...options, env, overlay: { paths: ['tests', 'package.json'] } })
  return await runJudge(judge, aContext({ workspace, reference }))
}

describeUnless(reason, 'runners of tests, in the versions that people have', () => {
  afterAll(() => {
    if (typeof installed !== 'string') installed.remove()
  })
  describe.each(['node-20', 'node-22', 'node-24'])('%s --test', (version) => {
    const test_ = `import test from 'node:test'
import assert from 'node:assert'
import { sum } from '../src/sum.js'
test('adds', () => assert.equal(sum(1, 2), 3))
`
    const given = { test: test_, script: 'node --test tests/*.test.js', path: join(packages, version, 'bin') }
    test('tells a right answer from a wrong one', async () => {
      for (const options of [...juries, { mustPass: ['adds'] }]) {
        expect(await judged({ ...given, code: right, options })).toMatchObject({
          status: 'pass',
          metadata: { total: 1 },
        })
        expect(await judged({ ...given, code: wrong, options })).toMatchObject({ status: 'fail' })
      }
    })
    test.each(Object.entries(cheats))('cheating: %s', async (_name, code) => {
      for (const options of juries) expect(await judged({ ...given, code, options })).toMatchObject({ status: 'fail' })
    })
  })
  describe('Mocha', () => {
    const test_ = `import assert from 'node:assert'
import { sum } from '../src/sum.js'
it('adds', () => assert.equal(sum(1, 2), 3))
`
    const given = { test: test_, script: 'mocha tests', path: join(packages, '.bin') }
    test('tells a right answer from a wrong one', async () => {
      for (const options of [...juries, { mustPass: ['adds'] }]) {
        expect(await judged({ ...given, code: right, options })).toMatchObject({
          status: 'pass',
          metadata: { report: 'junit', total: 1 },
        })
        expect(await judged({ ...given, code: wrong, options })).toMatchObject({ status: 'fail' })
      }
    })
    test.each(Object.entries(cheats))('cheating: %s', async (_name, code) => {
      for (const options of juries) expect(await judged({ ...given, code, options })).toMatchObject({ status: 'fail' })
    })
  })
})
