import type { Judge, Judgment, Workspace } from '@jurist/core'
import {
  allOf,
  anyOf,
  blamed,
  cascade,
  consensus,
  error,
  fileContent,
  fileExists,
  JuristError,
  jury,
  juryOf,
  not,
  outputText,
  runJudge,
  supersetOf,
  unjudgeable,
} from '@jurist/core'
import { emptyWorkspace } from '@jurist/core/internal'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const reading: Judge = async ({ workspace }) => (await workspace.read('answer.txt')) === 'right'
const told = ({ status, checks }: Judgment) => [
  status,
  ...checks.map(({ name, passed }) => `${passed ? '+' : '-'}${name}`),
]
const holding = (files: { readonly [path: string]: string | Uint8Array }, links = {}) =>
  memoryWorkspace(files, { links })

/** A workspace whose every method throws. */
const throwing = (thrown: unknown): Workspace => {
  const fails = async () => {
    throw thrown
  }
  return {
    ...emptyWorkspace(),
    exists: fails,
    isFile: fails,
    read: fails,
    readBytes: fails,
    run: fails,
    list: async function* () {
      yield* []
      throw thrown
    },
  }
}
const ofSystem = (code: string) => Object.assign(new Error(`${code}: it went wrong`), { code })

const leftovers: readonly (readonly [string, Workspace])[] = [
  ['path-escape', holding({}, { 'answer.txt': '../secret' })],
  ['not-found', holding({})],
  ['not-a-file', holding({ 'answer.txt/x': '' })],
  ['not-text', holding({ 'answer.txt': 'x\0' })],
  ['not-text', holding({ 'answer.txt': Uint8Array.of(0xc3) })],
  ['too-large', holding({ 'answer.txt': 'x'.repeat(10_485_761) })],
  ...['ENAMETOOLONG', 'ELOOP', 'EACCES', 'ENOTDIR', 'ENOENT'].map((code) => [code, throwing(ofSystem(code))] as const),
]

describe('what the agent left that cannot be judged fails', () => {
  test.each(leftovers)("%s, in a judge of one's own", async (code, workspace) => {
    const judgment = await runJudge(reading, { workspace })
    expect(told(judgment)).toEqual(['fail', `-${code}`])
    expect(judgment.metadata).toEqual({ unjudgeable: code })
    expect(told(await runJudge(reading, { workspace }, { timeoutMs: 60_000 }))).toEqual(['fail', `-${code}`])
  })
  test.each(leftovers)('%s, wrapped, answered as an error, in juries and cascades', async (code, workspace) => {
    const wrapping: Judge = async ({ workspace }) => {
      try {
        return (await workspace.read('answer.txt')) === 'right'
      } catch (cause) {
        throw new Error('the answer cannot be read', { cause })
      }
    }
    const answering: Judge = ({ workspace }) =>
      workspace.read('answer.txt').then(
        () => true,
        (thrown) => error('the answer cannot be read', thrown, { checks: [{ name: 'a', passed: true, message: '' }] }),
      )
    expect(told(await runJudge(wrapping, { workspace }))).toEqual(['fail', `-${code}`])
    expect(told(await runJudge(answering, { workspace }))).toEqual(['fail', '+a', `-${code}`])
    const seats = jury({ judges: { reading, wrapping, answering }, vote: consensus({ onError: 'abstain' }) })
    const verdict = await seats.vote({ workspace })
    expect(Object.values(verdict.individual).map(({ status }) => status)).toEqual(['fail', 'fail', 'fail'])
    for (const policy of ['reject-on-any-fail', 'accept-on-all-pass'] as const) {
      const gates = cascade([
        { name: 'gate', jury: reading, policy, ...(policy === 'reject-on-any-fail' && { onError: 'escalate' }) },
        { name: 'end', jury: reading, policy: 'final' },
      ] as never)
      expect((await gates.vote({ workspace })).aggregated.status).toBe('fail')
    }
  })
  test.each(leftovers)('%s, in the judges of files', async (_code, workspace) => {
    const reference = memoryWorkspace({ 'answer.txt': 'right' })
    for (const judge of [fileContent('answer.txt', { contains: '' }), supersetOf()]) {
      const { status, checks } = await runJudge(judge, { workspace, reference })
      expect([status, checks.some(({ passed }) => !passed)]).toEqual(['fail', true])
    }
  })
  test('also where not, anyOf or a jury turns a fail around', async () => {
    const context = { workspace: holding({ 'answer.txt': 'TODO\0' }) }
    const noTodo = fileContent('answer.txt', { contains: 'TODO' })
    const ways: readonly Judge[] = [
      not(noTodo),
      not(reading),
      not(allOf(noTodo)),
      not(anyOf(fileExists('none'), noTodo)),
      not(juryOf(consensus(), noTodo, fileExists('answer.txt'))),
      not(jury({ judges: { inner: jury({ judges: { noTodo } }) } })),
      not(outputText({ contains: 'sorry' })),
    ]
    for (const way of ways) expect((await runJudge(way, context)).status).toBe('fail')
    expect((await runJudge(not(fileExists('none')), context)).status).toBe('pass')
  })
  test('also a name that only a listing can give, and a directory to run in that is gone', async () => {
    const workspace: Workspace = {
      ...holding({}),
      list: async function* () {
        yield { path: 'a\\b', type: 'file', sizeBytes: 1 } as const
      },
    }
    const readAll: Judge = async ({ workspace }) => {
      for await (const { path } of workspace.list()) await workspace.read(path)
      return true
    }
    expect(told(await runJudge(readAll, { workspace }))).toEqual(['fail', '-path-invalid'])
    const running: Judge = async ({ workspace }) => (await workspace.run('make', { cwd: 'build' })).status === 'exited'
    expect(told(await runJudge(running, { workspace: holding({}) }))).toEqual(['fail', '-not-found'])
  })
})

describe('everything else stays an error', () => {
  const workspace = holding({ 'answer.txt': 'x\0' })
  const codeOf = (judgment: Judgment) => (judgment.status === 'error' ? (judgment.failure.code ?? '') : judgment.status)
  test.each(['ENOSPC', 'EMFILE', 'ENFILE', 'EIO', 'ENOMEM'])('%s of the machine', async (code) => {
    expect(codeOf(await runJudge(reading, { workspace: throwing(ofSystem(code)) }))).toBe(code)
  })
  test('the same codes of the reference, of the initial state, and of neither', async () => {
    const ofReference: Judge = async ({ reference }) => (await reference?.read('answer.txt')) === 'right'
    const ofBefore: Judge = async ({ before }) => (await before?.read('answer.txt')) === 'right'
    const ofNobody: Judge = () => {
      throw new JuristError('not-text', 'made up', { path: 'answer.txt' })
    }
    for (const judge of [ofReference, ofBefore, ofNobody, supersetOf({ reference: throwing(ofSystem('EACCES')) })])
      expect((await runJudge(judge, { workspace: holding({}), reference: workspace, before: workspace })).status).toBe(
        'error',
      )
  })
  test('a path that the judge made up, and its bugs while it handles an error', async () => {
    const escaping: Judge = async ({ workspace }) => workspace.exists('../x')
    const blank: Judge = async ({ workspace }) => workspace.isFile('answer.txt/')
    const clumsy: Judge = async ({ workspace }) => {
      try {
        return (await workspace.read('answer.txt')) === ''
      } catch (thrown) {
        return (thrown as { readonly none: { readonly such: boolean } }).none.such
      }
    }
    expect(codeOf(await runJudge(escaping, { workspace }))).toBe('path-escape')
    expect(codeOf(await runJudge(blank, { workspace }))).toBe('path-invalid')
    expect((await runJudge(clumsy, { workspace })).status).toBe('error')
  })
})

test('a judged workspace is the same but for its errors', async () => {
  const workspace = Object.freeze({ ...memoryWorkspace({ a: 'x' }, { root: '/nowhere' }), note: 7 })
  let seen: Workspace = workspace
  const look: Judge = async ({ workspace }) => {
    seen = workspace
    return (await workspace.read('a')) === 'x' && (await workspace.exists('a')) && (await workspace.isFile('a'))
  }
  expect((await runJudge(look, { workspace })).status).toBe('pass')
  expect(Object.keys({ ...seen })).toEqual(Object.keys(workspace))
  expect(seen).toMatchObject({ root: '/nowhere', note: 7 })
  expect('write' in seen).toBe(true)
  await (seen as typeof workspace).write('b', 'y')
  expect(await workspace.read('b')).toBe('y')
})

test('a reader of the directory itself marks what it throws', async () => {
  const parsing: Judge = ({ workspace }) => {
    throw blamed(workspace, new JuristError('too-large', 'far too large', { path: 'a', maxBytes: 1 }))
  }
  expect(told(await runJudge(parsing, {}))).toEqual(['fail', '-too-large'])
  const own: Judge = () => unjudgeable('a.json is not JSON', { code: 'json-invalid', path: 'a.json' })
  expect(await runJudge(own, aContext())).toMatchObject({
    status: 'fail',
    checks: [{ name: 'json-invalid', passed: false, location: { path: 'a.json' } }],
    metadata: { unjudgeable: 'json-invalid' },
  })
})
