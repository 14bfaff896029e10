import { abstain, error, fail, fileContent, fileExists, JuristError, jury, numerical, pass, scored } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'
import '@jurist/vitest'

/** The message of an assertion that must fail. */
async function failing(assertion: Promise<void>): Promise<string> {
  try {
    await assertion
  } catch (thrown) {
    return (thrown as Error).message
  }
  throw new Error('the assertion held')
}

const passing = () => pass('it is right')
const failed = () => fail('it is wrong')
const abstaining = () => abstain('nothing to see')
const broken = () => error('the judge broke')
const half = () => scored(numerical(0.5), { passingAt: 0.9 })

describe('toPass', () => {
  test('holds when the judge passes, and under not when it fails', async () => {
    await expect('x').toPass(passing)
    await expect('x').not.toPass(failed)
    expect(await failing(expect('x').toPass(failed))).toContain('it is wrong')
    expect(await failing(expect('It is Paris.').toPass(failed))).toContain('received: "It is Paris."')
    expect(await failing(expect('x').not.toPass(passing))).toContain('not to pass')
  })

  test.each([abstaining, broken])('fails either way when nothing was decided: %o', async (judge) => {
    expect(await failing(expect('x').toPass(judge))).toContain('nothing was decided')
    expect(await failing(expect('x').not.toPass(judge))).toContain('nothing was decided')
  })

  test('a judge that throws is an error, not a fail', async () => {
    const throwing = () => {
      throw new Error('no model')
    }
    expect(await failing(expect('x').toPass(throwing))).toContain('error: throwing threw: no model')
    expect(await failing(expect('x').not.toPass(throwing))).toContain('nothing was decided (error)')
  })

  test('a workspace may be a path, and a file URL is one', async () => {
    const here = new URL('.', import.meta.url)
    const judge = fileExists('matchers.test.ts')
    await expect(here).toPass(judge)
    await expect({ workspace: here.href }).toPass(judge)
    await expect('said').toPass(judge, { workspace: here })
    await expect(here).not.toPass(fileExists('none'))
    expect(await failing(expect({ workspace: '/none' }).toPass(judge))).toContain('is not a directory')
  })

  test('shows the tree of a jury', async () => {
    const rules = jury({ judges: { readme: fileExists('README.md'), notes: fileExists('NOTES.md') } })
    const workspace = memoryWorkspace({ 'README.md': '# x' })
    const message = await failing(expect(workspace).toPass(rules))
    expect(message).toContain('fail:')
    expect(message).toContain('notes fail: NOTES.md is missing')
    expect(message).not.toContain('received')
  })

  test('shows the file at which a check failed', async () => {
    const workspace = memoryWorkspace({ 'README.md': `# Title\n${'x'.repeat(600)}` })
    const judge = fileContent('README.md', { contains: 'Install' })
    for (const one of [judge, jury({ judges: { readme: judge } })])
      expect(await failing(expect(workspace).toPass(one))).toMatch(/received: README\.md "# Title\\nx{492}…"$/)
    const here = fileContent('matchers.test.ts', { matches: /^no/ })
    expect(await failing(expect(new URL('.', import.meta.url)).toPass(here))).toContain(
      'received: matchers.test.ts "import {',
    )
  })

  test('asks a jury by its vote, once', async () => {
    let asked = 0
    const counting = jury({
      judges: {
        one: () => {
          asked += 1
          return true
        },
      },
    })
    await expect('x').toPass(counting)
    expect(asked).toBe(1)
  })
})

describe('what expect may be given', () => {
  const seen = (context: object) => pass(JSON.stringify(Object.keys(context).sort()))
  const holding = (key: string, value: unknown) => (context: Readonly<Record<string, unknown>>) =>
    context[key] === value || fail(`${key} is ${JSON.stringify(context[key])}`)

  test('an output, a workspace, a context', async () => {
    await expect('hello').toPass(({ agentOutput }) => agentOutput?.type === 'text' && agentOutput.text === 'hello')
    await expect({ type: 'structured', data: { a: 1 } }).toPass(({ agentOutput }) => agentOutput?.type === 'structured')
    await expect(memoryWorkspace({ 'a.txt': 'a' })).toPass(fileExists('a.txt'))
    await expect({ goal: 'be kind', agentOutput: 'yes' }).toPass(({ goal }) => goal === 'be kind')
    await expect('hello').toPass(seen)
  })

  test('a context beside it is laid over it, key by key', async () => {
    const workspace = memoryWorkspace({ 'a.txt': 'a' })
    await expect('answer').toPass(({ goal, workspace }) => goal === 'say it' && workspace !== undefined, {
      goal: 'say it',
      workspace,
    })
    await expect({ goal: 'first', metadata: { a: 1 } }).toPass(
      ({ goal, metadata }) => goal === 'second' && metadata['a'] === 1,
      { goal: 'second' },
    )
    await expect('x').toPass(holding('goal', 'x') as never, { goal: 'x' })
  })

  test.each([[42], [null], [undefined], [true], [() => true]])(
    '%o is refused with the three forms',
    async (received) => {
      const message = await failing(expect(received).toPass(passing))
      expect(message).toContain('an output (a string or an AgentOutput), a workspace, or a context')
    },
  )

  test('something else than a judge is refused', async () => {
    expect(await failing(expect('x').toPass('readme' as never))).toContain('needs a judge or a jury')
  })
})

describe('toScore', () => {
  test('holds when the effective score is at least the bar', async () => {
    await expect('x').toScore(half, 0.5)
    await expect('x').not.toScore(half, 0.6)
    await expect('x').toScore(passing, 1)
    expect(await failing(expect('x').toScore(half, 0.6))).toContain('it scored 0.5')
    expect(await failing(expect('x').not.toScore(half, 0.5))).toContain('less than 0.5')
  })

  test.each([abstaining, broken])('fails either way when nothing was decided: %o', async (judge) => {
    expect(await failing(expect('x').toScore(judge, 0))).toContain('nothing was decided')
    expect(await failing(expect('x').not.toScore(judge, 1))).toContain('nothing was decided')
  })

  test.each([[-0.1], [1.1], [Number.NaN], [Number.POSITIVE_INFINITY], ['0.5']])(
    'a bar of %o is option-invalid, also under not',
    async (atLeast) => {
      await expect(async () => expect('x').toScore(half, atLeast as number)).rejects.toSatisfy((thrown) =>
        JuristError.is(thrown, 'option-invalid'),
      )
      await expect(async () => expect('x').not.toScore(half, atLeast as number)).rejects.toSatisfy((thrown) =>
        JuristError.is(thrown, 'option-invalid'),
      )
    },
  )
})

test('an assertion without its own limit stops when the signal of its context fires', async () => {
  const waiting = () => new Promise<boolean>(() => undefined)
  const message = await failing(expect('x').toPass(waiting, { signal: AbortSignal.timeout(50) }))
  expect(message).toContain('nothing was decided (error)')
})
