import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** Each judgment leaves a mark and demands the tests of a lock; the process dies, in a way that nothing can catch, with the judgment that KILL counts. */
const config = `import { defineConfig, fail, pass } from 'jurist'
import { appendFileSync, readFileSync } from 'node:fs'
const files = (sign) => ({ type: 'files', files: {
  'src/age.mjs': 'export const isAdult = (age) => age ' + sign + ' 18 && age < 150\\n',
  'tests/age.test.mjs': "import { isAdult } from '../src/age.mjs'\\nif (!isAdult(30)) throw new Error('no')\\n",
} })
export default defineConfig({
  experiments: {
    ages: {
      dataset: ['a', 'b', 'c'].map((id) => ({ id, task: 'Adults are 18.', before: files('>'), reference: files('>=') })),
      jury: async ({ workspace }) => {
        appendFileSync('calls', 'x')
        if (String(readFileSync('calls').length) === process.env.KILL) process.kill(process.pid, 'SIGKILL')
        const isRight = (await workspace.read('src/age.mjs')).includes('>= 18')
        const tests = { [isRight ? 'passed' : 'failed']: ['adults are 18'], expectsLock: true }
        return isRight ? pass('adults are 18', { metadata: { tests } }) : fail('adults are 19', { metadata: { tests } })
      },
      concurrency: 3,
    },
  },
})
`
const commands = {
  mutate: ['vet', 'mutate', '--per-item', '4'],
  probe: [
    'vet',
    'probe',
    ...['claim', 'delete-tests', 'empty-tests', 'exit-on-load'].flatMap((name) => ['--probe', name]),
  ],
} as const

/** A report without what differs between any two runs. */
function report(json: string): unknown {
  return { ...JSON.parse(json), runId: 'RUN', durationMs: 0 }
}

describe.concurrent.each([
  ['mutate', 12],
  ['probe', 2],
] as const)('kill -9 in the middle of %s', (command, killedAt) => {
  const words = [...commands[command], '--json']
  let expected: unknown
  let trials = 0
  beforeAll(async () => {
    using made = project({ 'jurist.config.ts': config })
    expected = report((await made.jurist(...words)).stdout)
    trials = readFileSync(join(made.directory, 'calls')).length
  })

  test(`at judgment ${killedAt}: --resume loses no trial and runs none twice`, async () => {
    using made = project({ 'jurist.config.ts': config })
    const { code } = await made.juristWith({ KILL: String(killedAt) }, ...words)
    expect(code).toBe(null)
    const [id = ''] = await made.results.runs('ages')
    const stored = async () => (await made.results.trials('ages', id)).map((line) => JSON.parse(line))
    const [kept, called] = [(await stored()).length, readFileSync(join(made.directory, 'calls')).length]
    const resumed = await made.jurist(...words, '--resume')
    expect(JSON.parse(resumed.stdout)).toMatchObject({ runId: id, complete: true })
    expect(report(resumed.stdout)).toEqual(expected)
    expect(new Set((await stored()).map(({ itemId, repetition }) => `${itemId} ${repetition}`)).size).toBe(trials)
    expect(await stored()).toHaveLength(trials)
    // What was stored is not judged again.
    expect(readFileSync(join(made.directory, 'calls')).length).toBe(called + trials - kept)
  })
})

test('kill -9 in the second run of a vetting, in which found tests decide: --resume continues there', async () => {
  const words = ['vet', '--quick', '--json'] as const
  const kindsIn = async (made: Project) =>
    JSON.parse((await made.jurist('list', '--json')).stdout).map(({ kind }: { kind: string }) => kind)
  using made = project({ 'jurist.config.ts': config })
  // Six judgments find the tests of the three items.
  expect((await made.juristWith({ KILL: '8' }, ...words)).code).toBe(null)
  expect(await kindsIn(made)).toEqual(['establish', 'establish'])
  const { code, stdout } = await made.jurist(...words, '--resume')
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { kind: 'card', solvable: { count: 3, of: 3 } }])
  expect(await kindsIn(made)).toEqual(['mutate', 'probe', 'establish', 'establish'])
})
