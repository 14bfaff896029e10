import type { ContextInput, Workspace } from '@jurist/core'
import { runJudge } from '@jurist/core'
import { semanticDiff, verifyLines } from '@jurist/core/llm'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'
import { workspaceChanges } from '../../src/llm/judges/semantic-diff.js'

test('the criteria of a plan are its VERIFY lines', () => {
  const plan = [
    'VERIFY: one',
    '  - [ ] VERIFY:   two  ',
    '* [x] VERIFY: three',
    '\t- VERIFY: four: and more',
    '[X] VERIFY: five',
    'verify: not this',
    'Please VERIFY: nor this',
    '1. VERIFY: nor this',
    'VERIFY:   ',
    'VERIFY: one',
    'VERIFYING: no',
  ]
  const found = ['one', 'two', 'three', 'four: and more', 'five']
  expect(verifyLines(plan.join('\n'))).toEqual(found)
  expect(verifyLines(plan.join('\r\n'))).toEqual(found)
  expect(verifyLines('')).toEqual([])
})

describe('the changes of a workspace', () => {
  const changesOf = (before: Parameters<typeof memoryWorkspace>[0], after: Parameters<typeof memoryWorkspace>[0]) =>
    workspaceChanges(memoryWorkspace(before), memoryWorkspace(after), new AbortController().signal)

  test('are listed, and shown line by line', async () => {
    const text = await changesOf(
      { 'a.txt': 'one\ntwo\n', 'gone.txt': 'x', same: 'same' },
      { 'a.txt': 'one\n2\n', 'new.txt': 'y\nz', same: 'same' },
    )
    expect(text).toBe(
      [
        'changed a.txt\nremoved gone.txt\nadded new.txt\n',
        'changed a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
        'removed gone.txt\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n',
        'added new.txt\n@@ -0,0 +1,2 @@\n+y\n+z\n\\ No newline at end of file',
      ].join('\n'),
    )
  })
  test('leave out .git and node_modules, on both sides, at any depth', async () => {
    expect(
      await changesOf({ '.git/HEAD': 'a', 'p/node_modules/x': '1' }, { '.git/HEAD': 'b', node_modules: 'x' }),
    ).toBe('')
  })
  test('describe what is not text by its size', async () => {
    const text = await changesOf(
      { image: Uint8Array.of(0, 1), latin: Uint8Array.of(0xe9) },
      { image: Uint8Array.of(0, 2, 3), latin: 'e' },
    )
    expect(text).toContain('changed image\n(no text that can be shown: 2 bytes, then 3 bytes)')
    expect(text).toContain('changed latin\n(no text that can be shown: 1 bytes, then 1 bytes)')
  })
  test('describe what is too large to be read, without reading it', async () => {
    const sized = (size: number): Workspace => ({
      ...memoryWorkspace(),
      async *list() {
        yield { path: 'huge', type: 'file', sizeBytes: size }
      },
    })
    const changes = (before: number, after: number) =>
      workspaceChanges(sized(before), sized(after), new AbortController().signal)
    expect(await changes(11_000_000, 12_000_000)).toContain('changed huge\n(no text that can be shown: 11000000 bytes')
    expect(await changes(11_000_000, 11_000_000)).toContain('not compared huge')
  })
  test('have one line for each name, whatever it contains', async () => {
    expect((await changesOf({}, { 'a\nremoved b': '' })).split('\n')[0]).toBe('added "a\\nremoved b"')
  })
  test('are cut in the middle of a long file', async () => {
    const text = await changesOf({}, { long: `start\n${'x\n'.repeat(20_000)}end` })
    expect(text.length).toBeLessThan(20_200)
    expect(text).toMatch(/\+start\n.*characters left out.*\+end\n\\ No newline at end of file$/s)
  })
})

describe('semanticDiff', () => {
  const context = aContext({
    workspace: memoryWorkspace({ 'a.txt': 'new' }),
    before: memoryWorkspace({ 'a.txt': 'old' }),
  })
  const judged = (answers: readonly string[], options = {}, input: ContextInput = context) => {
    const model = scriptedModel(...answers.map((answer) => `Reason: so\nAnswer: ${answer}`))
    const judge = semanticDiff({ model, criteria: answers.map((_, index) => `criterion ${index}`), ...options })
    return runJudge(judge, input).then((judgment) => ({ judgment, requests: model.requests }))
  }

  test('has a check for each criterion; what cannot be read is not a pass', async () => {
    const { judgment } = await judged(['PASS', 'maybe', 'FAIL', 'PASS'], { threshold: 0.6 })
    expect(judgment).toMatchObject({
      status: 'abstain',
      metadata: { criteriaTotal: 4, criteriaRead: 3, criteriaPassed: 2 },
    })
    expect(judgment.checks).toEqual([
      { name: 'criterion 0', passed: true, message: 'so' },
      { name: 'criterion 1', passed: false, message: 'not decided' },
      { name: 'criterion 2', passed: false, message: 'so' },
      { name: 'criterion 3', passed: true, message: 'so' },
    ])
  })
  test('requires every criterion by default, and abstains when none is read', async () => {
    expect((await judged(['PASS', 'FAIL'])).judgment.status).toBe('fail')
    const { judgment } = await judged(['maybe', 'maybe'])
    expect(judgment).toMatchObject({ status: 'abstain', metadata: { criteriaRead: 0 } })
    expect(judgment.checks.map(({ message }) => message)).toEqual(['not decided', 'not decided'])
  })
  test('shows the changes and one criterion a call, in marks', async () => {
    const { requests } = await judged(['PASS', 'PASS'])
    const [first, second] = requests.map(({ messages }) => messages[1]?.content)
    expect(first).toMatch(
      /<<changes [^>]+>>\nchanged a\.txt\n.*-old\n.*\+new\n.*<<end changes.*>>\ncriterion 0\n<<end criterion/s,
    )
    expect(second).toMatch(/>>\ncriterion 1\n<<end criterion/)
  })
  test('takes criteria from its plan, else from the metadata', async () => {
    const plan = { plan: 'VERIFY: planned' }
    const own = await judged(['PASS'], { criteria: undefined, plan: 'VERIFY: mine' }, { ...context, metadata: plan })
    expect(own.judgment.checks[0]?.name).toBe('mine')
    const found = await judged(['PASS'], { criteria: undefined }, { ...context, metadata: plan })
    expect(found.judgment.checks[0]?.name).toBe('planned')
  })
  test('asks no more than it may, says what was left out, and does not pass by it', async () => {
    const criteria = ['a', 'b', 'c']
    const { judgment, requests } = await judged(['PASS', 'PASS'], { criteria, maxCriteria: 2 })
    expect(requests).toHaveLength(2)
    expect(judgment).toMatchObject({ status: 'abstain', metadata: { criteriaTotal: 2, criteriaLeftOut: 1 } })
    expect(judgment.checks[2]).toEqual({ name: 'c', passed: false, message: 'not asked' })
    expect((await judged(['PASS', 'FAIL'], { criteria, maxCriteria: 2 })).judgment.status).toBe('fail')
    expect((await judged(['PASS', 'PASS'], { criteria, maxCriteria: 2, threshold: 0.6 })).judgment.status).toBe('pass')
  })
  test('passes and fails only when the answers that could not be read change nothing', async () => {
    const statusOf = async (answers: readonly string[], threshold: number) =>
      (await judged(answers, { threshold })).judgment.status
    expect(await statusOf(['PASS', 'maybe', 'hm', '?', 'so'], 1)).toBe('abstain')
    expect(await statusOf(['PASS', 'PASS', 'maybe'], 0.6)).toBe('pass')
    expect(await statusOf(['FAIL', 'FAIL', 'maybe'], 0.6)).toBe('fail')
    expect(await statusOf(['FAIL', 'maybe', 'maybe'], 1)).toBe('fail')
  })
  test('does not pass by changes that it could not show, and fails by what it saw', async () => {
    const long = (middle: string) => `start\n${'x = 1\n'.repeat(5_000)}${middle}\n${'x = 1\n'.repeat(5_000)}end`
    const changes: readonly (readonly [Record<string, string>, object])[] = [
      [{ 'a.js': long('evil()') }, { charsLeftOut: expect.any(Number) }],
      [{ 'src/node_modules/a.js': 'evil()' }, { filesLeftOut: 1 }],
      [{ 'src/.git/a.js': 'evil()' }, { filesLeftOut: 1 }],
      [{ 'src/package.json': '{}', 'src/node_modules/a.js': 'evil()' }, { filesLeftOut: 1 }],
      [{ 'a.js': 'evil() // \0' }, { filesLeftOut: 1 }],
    ]
    for (const [files, metadata] of changes) {
      const workspace = memoryWorkspace(files)
      const { judgment } = await judged(['PASS'], {}, { ...context, workspace })
      expect(judgment).toMatchObject({ status: 'abstain', metadata })
      expect((await judged(['FAIL'], {}, { ...context, workspace })).judgment.status).toBe('fail')
    }
  })
  test('takes what a project has installed for no work of the agent, and a picture for a picture', async () => {
    const before = memoryWorkspace({ 'package.json': '{}', 'p/package.json': '{}' })
    const workspace = memoryWorkspace({
      'package.json': '{}',
      'p/package.json': '{}',
      'node_modules/a/index.js': 'installed',
      'p/node_modules/b/index.js': 'installed',
      'logo.png': Uint8Array.of(0, 1, 2),
    })
    const { judgment, requests } = await judged(['PASS'], {}, { ...context, before, workspace })
    expect(judgment).toMatchObject({ status: 'pass' })
    expect(requests[0]?.messages[1]?.content).not.toContain('installed')
  })
  test('says when the changes were more than is shown', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.txt`, 'x'.repeat(30_000)]))
    const { judgment, requests } = await judged(['PASS'], {}, { ...context, workspace: memoryWorkspace(files) })
    expect(judgment.metadata['charsLeftOut']).toBeGreaterThan(50_000)
    expect(requests[0]?.messages[1]?.content).toContain('\nadded 7.txt\n')
  })
  test('compares with the reference when there is no before, and abstains without either', async () => {
    const { before: _, ...rest } = context
    const { requests } = await judged(['PASS'], {}, { ...rest, reference: memoryWorkspace({ 'a.txt': 'new' }) })
    expect(requests[0]?.messages[1]?.content).toContain('what is known to be right to what the agent left. No file was')
    expect((await judged(['PASS'], {}, rest)).judgment).toMatchObject({ status: 'abstain', metadata: {} })
    expect((await judged([], { criteria: undefined })).judgment.status).toBe('abstain')
  })
})
