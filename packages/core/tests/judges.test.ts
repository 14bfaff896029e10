import type { Judge, JudgmentContext } from '@jurist/core'
import {
  abstain,
  allOf,
  anyOf,
  error,
  fail,
  infoOf,
  judgmentContext,
  named,
  not,
  pass,
  runJudge,
  withInfo,
} from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { describe, expect, test, vi } from 'vitest'

const thrower: Judge = () => {
  throw new RangeError('too far')
}

describe('runJudge', () => {
  test('takes true and false, and times what was not timed', async () => {
    expect(
      await runJudge(function tidy() {
        return true
      }, {}),
    ).toMatchObject({ status: 'pass', reasoning: 'tidy holds' })
    const judgment = await runJudge(function tidy() {
      return false
    }, {})
    expect(judgment).toMatchObject({ status: 'fail', reasoning: 'tidy does not hold' })
    expect(judgment.elapsedMs).toBeGreaterThanOrEqual(0)
    expect((await runJudge(() => pass('x', { elapsedMs: 7 }), {})).elapsedMs).toBe(7)
  })
  test('turns what is thrown into an error', async () => {
    expect(await runJudge(thrower, {})).toMatchObject({
      status: 'error',
      reasoning: 'thrower threw: too far',
      failure: { name: 'RangeError', message: 'too far' },
    })
    expect((await runJudge(() => Promise.reject('no'), {})).status).toBe('error')
  })
  test('refuses what is no judgment', async () => {
    for (const value of [undefined, 3, {}, { status: 'pass' }, { status: 'fine', reasoning: '' }])
      expect(await runJudge(() => value as never, {})).toMatchObject({
        status: 'error',
        failure: { code: 'judgment-invalid' },
      })
  })
  test('copies and freezes a plain judgment, undefined counting as not given', async () => {
    const plain = {
      status: 'pass' as const,
      score: { type: 'boolean' as const, value: true },
      reasoning: 'made by hand',
      checks: [],
      metadata: {},
      usage: undefined,
    }
    const judgment = await runJudge(() => plain as never, {})
    expect(judgment).toMatchObject({ status: 'pass', reasoning: 'made by hand' })
    expect([Object.isFrozen(judgment), 'usage' in judgment]).toEqual([true, false])
  })
  test('ends a judge that takes too long, and fires its signal', async () => {
    let fired = false
    const slow: Judge = ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          fired = true
          reject(new Error('late'))
        }),
      )
    expect(await runJudge(slow, {}, { timeoutMs: 20 })).toMatchObject({ failure: { code: 'judge-timeout' } })
    expect(fired).toBe(true)
  })
  test('does not call a judge when the signal has fired', async () => {
    let called = false
    const note: Judge = () => {
      called = true
      return true
    }
    const judgment = await runJudge(note, { signal: AbortSignal.abort(new Error('stop')) })
    expect([judgment, called]).toMatchObject([{ status: 'error', failure: { code: 'aborted' } }, false])
  })
  test('ends when the signal fires while it judges', async () => {
    const stop = new AbortController()
    const judging = runJudge(() => new Promise<boolean>(() => undefined), { signal: stop.signal })
    stop.abort(new Error('enough'))
    expect(await judging).toMatchObject({ failure: { code: 'aborted', message: expect.stringContaining('enough') } })
  })
  test('rejects only for what the caller got wrong', async () => {
    for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(runJudge(() => true, {}, { timeoutMs })).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(runJudge(() => true, { status: 'odd' as never })).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(runJudge(() => true, null as never)).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(runJudge(() => true, undefined as never)).resolves.toMatchObject({ status: 'pass' })
  })
  test('passes a complete context on unchanged', async () => {
    const context = aContext()
    let seen: JudgmentContext | undefined
    const look: Judge = (given) => {
      seen = given
      return true
    }
    await runJudge(look, context)
    expect(seen).toBe(context)
  })
})

describe('names', () => {
  test('the outermost name wins and the original stays', () => {
    const judge = function original() {
      return true
    }
    const renamed = named(named(judge, 'first', 'what it does'), 'second')
    expect(infoOf(renamed)).toMatchObject({ name: 'second', kind: 'deterministic', description: 'what it does' })
    expect(infoOf(judge).name).toBe('original')
  })
  test('a function named by its place counts as unnamed', () => {
    const judge = () => true
    expect(infoOf(judge).name).toBe('judge')
    expect(infoOf(withInfo(judge, { name: 'model judge', kind: 'model', version: '2' }))).toMatchObject({
      name: 'model judge',
      kind: 'model',
      version: '2',
    })
  })
  test('a judge shows its info; what is not given is kept, and options are added', () => {
    const judge: Judge = withInfo(() => true, { name: 'short', version: '1', options: { limit: 80, unit: 'words' } })
    const other: Judge = withInfo(judge, { name: undefined, options: { limit: 40 }, runsCommands: true })
    const options = { limit: 40, unit: 'words' }
    expect(other.info).toEqual({ name: 'short', version: '1', options, runsCommands: true })
    expect(infoOf(other)).toEqual({ ...other.info, kind: 'deterministic' })
    expect(judge.info?.options).toEqual({ limit: 80, unit: 'words' })
  })
  test('bad names are refused', () => {
    for (const name of ['', ' a', 'a ', '12', '0', '__proto__', 'a\nb', 'a\u2028b', 'x'.repeat(65)])
      expect(() => named(() => true, name)).toThrow(expect.objectContaining({ code: 'name-invalid' }))
    for (const name of ['01', '-1', '1.5', '😀'.repeat(64), 'constructor', 'a/b'])
      expect(infoOf(named(() => true, name)).name).toBe(name)
  })
})

describe('combinators', () => {
  const asked: string[] = []
  const says =
    (name: string, judgment: ReturnType<Judge>): Judge =>
    () => {
      asked.push(name)
      return judgment
    }
  const check = (name: string) => ({ checks: [{ name, passed: true, message: '' }] })
  test('allOf: the first that is not a pass decides, later ones do not run', async () => {
    asked.length = 0
    const all = allOf(says('a', pass('a', check('1'))), says('b', abstain('b', check('2'))), says('c', pass('c')))
    const judgment = await runJudge(all, {})
    expect(judgment).toMatchObject({ status: 'abstain', reasoning: 'b' })
    expect([judgment.checks.map(({ name }) => name), asked]).toEqual([
      ['1', '2'],
      ['a', 'b'],
    ])
    expect(await runJudge(allOf(says('a', true), says('b', true)), {})).toMatchObject({ reasoning: '2 of 2 passed' })
  })
  test('anyOf: the first pass decides; else error, then fail, then abstain', async () => {
    asked.length = 0
    const found = await runJudge(anyOf(says('a', false), says('b', pass('b')), says('c', true)), {})
    expect([found.status, asked]).toEqual(['pass', ['a', 'b']])
    expect((await runJudge(anyOf(says('e', false), says('f', false)), {})).status).toBe('fail')
    // It might have passed: what broke is not booked as a failure.
    expect((await runJudge(anyOf(thrower, says('f', false)), {})).status).toBe('error')
    expect((await runJudge(anyOf(says('f', false), thrower), {})).status).toBe('error')
    expect(await runJudge(anyOf(says('x', abstain('x')), thrower), {})).toMatchObject({
      status: 'error',
      failure: { name: 'RangeError' },
    })
    expect((await runJudge(anyOf(says('x', abstain('x'))), {})).status).toBe('abstain')
  })
  test('not: turns pass and fail, keeps the rest', async () => {
    expect(await runJudge(not(says('a', pass('because'))), {})).toMatchObject({
      status: 'fail',
      checks: [{ name: 'not', passed: false, message: 'because' }],
    })
    expect((await runJudge(not(says('a', false)), {})).status).toBe('pass')
    expect((await runJudge(not(says('a', abstain('x'))), {})).status).toBe('abstain')
    expect((await runJudge(not(thrower), {})).status).toBe('error')
  })
  test('costs are summed over the members that ran', async () => {
    const paid = (costUsd: number) => says('p', fail('p', { costUsd, usage: { inputTokens: 5 } }))
    const judgment = await runJudge(anyOf(paid(1), paid(2)), {})
    expect([judgment.costUsd, judgment.usage]).toEqual([3, { inputTokens: 10 }])
    expect('costUsd' in (await runJudge(allOf(says('a', true)), {}))).toBe(false)
  })
  test('their kind is what the members have in common', () => {
    const model = withInfo(() => true, { name: 'm', kind: 'model' })
    expect(infoOf(allOf(model, model)).kind).toBe('model')
    expect(infoOf(anyOf(model, () => true)).kind).toBe('hybrid')
    expect(infoOf(not(model)).kind).toBe('model')
  })
  test('nothing, and what is not a judge, is refused', () => {
    expect(() => allOf()).toThrow(expect.objectContaining({ code: 'judges-empty' }))
    expect(() => anyOf()).toThrow(expect.objectContaining({ code: 'judges-empty' }))
    expect(() => not('x' as never)).toThrow(expect.objectContaining({ code: 'judge-invalid' }))
  })
})

describe('contexts', () => {
  test('defaults', () => {
    const context = judgmentContext()
    expect([context.goal, context.status, context.metadata, context.signal.aborted]).toEqual(['', 'unknown', {}, false])
    expect(context.workspace.root).toBeUndefined()
  })
  test('a text stands for a text output, and metadata is frozen one level', () => {
    const live = { changing: 1 }
    const context = judgmentContext({ agentOutput: 'hi', metadata: { live } })
    expect(context.agentOutput).toEqual({ type: 'text', text: 'hi' })
    expect([Object.isFrozen(context.metadata), context.metadata.live]).toEqual([true, live])
  })
  test('bad parts are all named', () => {
    const bad = { status: 'odd', startedAt: 'yesterday', executionMs: -1, extra: 1 }
    expect(() => judgmentContext(bad as never)).toThrow(/"status".*"startedAt".*"executionMs".*"extra"/)
  })
  test.each([
    ['a path', '.', 'is a path ("."), and @jurist/core opens none. Pass localWorkspace(".") of "@jurist/workspace"'],
    ['a URL', new URL('file:///tmp'), 'is a path ("file:///tmp"), and @jurist/core opens none'],
    ['a number', 42, 'must be a workspace or a directory (got 42)'],
    ['an object without methods', {}, 'must be a workspace or a directory (got an object)'],
    ['null', null, 'must be a workspace or a directory (got null)'],
  ])('a workspace that is %s is refused, also in a complete context', async (_, workspace, problem) => {
    // Another test file of this process may have loaded the package that opens paths.
    vi.resetModules()
    const { judgmentContext, runJudge } = await import('@jurist/core')
    const { aContext } = await import('@jurist/core/testing')
    for (const part of ['workspace', 'reference', 'before']) {
      const refused = expect.objectContaining({ message: expect.stringContaining(`"${part}" ${problem}`) })
      expect(() => judgmentContext({ [part]: workspace })).toThrow(refused)
      await expect(runJudge(() => true, { ...aContext(), [part]: workspace } as never)).rejects.toEqual(refused)
    }
  })
  test('an error of a judge is not a fail', async () => {
    expect((await runJudge(() => error('broken'), {})).status).toBe('error')
  })
})
