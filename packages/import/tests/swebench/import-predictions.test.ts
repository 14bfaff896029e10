import { cpSync, existsSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../jurist/tests/project.js'
import { onPostgres, projectResults, testOnce } from '../../../jurist/tests/project-results.js'
import { applyPatch } from '../../src/swebench/import-predictions.js'
import { fixedSum, twoInstances } from './swebench-instances.js'

const { signal } = new AbortController()
const patchOf = (path: string, was: string, is: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${was}\n+${is}\n`
const added = (path: string, mode: string, text: string) =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n\\ No newline at end of file\n`

describe('a recorded patch', () => {
  testOnce('is applied by git, without a line end too', async () => {
    await using workspace = await temporaryWorkspace({ 'a.txt': 'one\n' })
    expect(await applyPatch(workspace, patchOf('a.txt', 'one', 'two').trimEnd(), signal)).toEqual({ by: 'git' })
    expect(await workspace.read('a.txt')).toBe('two\n')
  })

  testOnce('is applied by patch where its context has changed', async () => {
    await using workspace = await temporaryWorkspace({ 'a.txt': 'new\none\nend\n' })
    const text = `--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n old\n-one\n+two\n end\n`
    expect(await applyPatch(workspace, text, signal)).toEqual({ by: 'patch' })
    expect(await workspace.read('a.txt')).toBe('new\ntwo\nend\n')
    expect(await workspace.exists('.jurist-recorded.patch')).toBe(false)
  })

  testOnce.each([
    ['', 'The patch is empty.'],
    ['nonsense', /^The patch does not apply: No valid patches/],
    [patchOf('a.txt', 'three', 'two'), /^The patch does not apply: patch failed: a\.txt:1/],
    [added('../outside.txt', '100644', 'x'), /^The patch does not apply: invalid path '\.\.\/outside\.txt'/],
    [added('.git/hooks/post-commit', '100755', 'x'), /^The patch does not apply: invalid path '\.git/],
    [patchOf('.git/config', 'x', 'y').replaceAll('a/.git', 'a/b/../.git'), /^The patch does not apply: /],
    [`${added('.git/x', '100644', 'x')}garbage\n@@ -1 +1 @@\n-one\n+two\n`, /^The patch does not apply: /],
    [added('out', '120000', '/etc'), 'The patch does not apply: the link out leads out of the workspace'],
    [added('out', '120000', '..'), 'The patch does not apply: the link out leads out of the workspace'],
    [added('out', '120000', '/tmp') + added('out/x', '100644', 'x'), /beyond a symbolic link/],
  ])('is refused, and leaves nothing: %j', async (patch, reason) => {
    await using workspace = await temporaryWorkspace({ 'a.txt': 'one\n' })
    const applied = await applyPatch(workspace, patch, signal)
    expect(applied).toEqual({ refused: typeof reason === 'string' ? reason : expect.stringMatching(reason) })
    const left: string[] = []
    for await (const { path } of workspace.list()) left.push(path)
    expect(left).toEqual(['a.txt'])
    expect(await workspace.read('a.txt')).toBe('one\n')
  })

  testOnce('may make a link inside, and is not led away by a repository above', async () => {
    await using workspace = await temporaryWorkspace({ '.git/config': '[core]\nworktree = /tmp\n', 'a.txt': 'one\n' })
    const patch = added('b', '120000', 'a.txt') + patchOf('a.txt', 'one', 'two')
    expect(await applyPatch(workspace, patch, signal)).toEqual({ by: 'git' })
    expect(readlinkSync(join(workspace.root, 'b'))).toBe('a.txt')
  })
})

const prediction = (id: string, model: string, patch: string | null) =>
  JSON.stringify({ instance_id: id, model_name_or_path: model, model_patch: patch })

let instances: ReturnType<typeof twoInstances>
let original: Project
beforeAll(async () => {
  original = project()
  instances = twoInstances(original)
  const { code } = await original.jurist('import', 'swebench', 'instances.jsonl', '--repositories', 'clones')
  expect(code).toBe(0)
  return () => original[Symbol.dispose]()
})

/** Fills a project with the two imported instances, and an agent that does what a shell line says. */
function imported(made: Project, line = 'true') {
  cpSync(join(original.directory, 'evals'), join(made.directory, 'evals'), { recursive: true })
  const { sum, top, patch } = instances
  const config = readFileSync(join(made.directory, 'evals/jurist.config.yaml'), 'utf8')
  const agent = `agent: { command: [sh, -c, ${JSON.stringify(line)}] }`
  made.write({ 'evals/jurist.config.yaml': config.replace(/agent: .*/, () => agent) })
  return { sum: sum.instance_id, top: top.instance_id, patch }
}

describe('jurist import predictions', () => {
  test('judges recorded patches, one run a model, once', async () => {
    using made = project()
    const { sum, top, patch } = imported(made)
    const fixed = patch({ 'src/sum.js': fixedSum })
    const lines = [
      prediction(sum, 'right/model', fixed),
      prediction(top, 'right/model', patch({ 'src/top.js': 'export const top = (all) => Math.max(...all)\n' })),
      prediction(sum, 'wrong', patch({ 'src/sum.js': 'export const sum = (a, b) => b + a\n' })),
      prediction(top, 'wrong', fixed.replaceAll('a + b', 'a * b')),
      prediction(sum, 'silent', null),
      prediction('acme__sums-9', 'silent', fixed),
    ]
    made.write({ 'evals/preds.jsonl': lines.join('\n') })
    const { code, stdout, stderr } = await made.jurist('-C', 'evals', 'import', 'predictions', 'preds.jsonl', '--json')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')])
    const { runs, notes } = JSON.parse(stdout)
    expect(runs).toMatchObject([
      { model: 'right/model', isNew: true, resolved: 2, unresolved: 0, undecided: 0 },
      { model: 'wrong', isNew: true, resolved: 0, unresolved: 2, undecided: 0 },
      { model: 'silent', isNew: true, resolved: 0, unresolved: 1, undecided: 0 },
    ])
    expect(notes).toEqual([
      'silent: acme__sums-9: no active item of the dataset',
      'silent: acme__sums-2: no prediction, and so not judged',
    ])
    const shown = await made.jurist('-C', 'evals', 'show', runs[1].runId, '--json')
    const trials = JSON.parse(shown.stdout).items
    expect(trials).toMatchObject([
      { itemId: sum, judged: 'fail', passed: false, failure: null },
      { itemId: top, judged: 'not-judged', passed: false, failure: { code: 'patch-refused', infrastructure: false } },
    ])
    expect(trials[1].failure.message).toMatch(/^The patch does not apply: patch failed: src\/sum\.js:1/)
    const again = await made.jurist('-C', 'evals', 'import', 'predictions', 'preds.jsonl', '--json')
    const ids = (all: readonly { readonly runId: string }[]) => all.map(({ runId }) => runId)
    expect(ids(JSON.parse(again.stdout).runs)).toEqual(ids(runs))
    const exported = await made.jurist('-C', 'evals', 'export', ...ids(runs), '--format', 'predictions')
    const parsed = (text: string) =>
      text
        .trim()
        .split('\n')
        .sort()
        .map((line) => JSON.parse(line))
    const known = lines.slice(0, 5).map((line) => line.replace('null', '""'))
    expect(parsed(exported.stdout)).toEqual(parsed(known.join('\n')))
  })

  testOnce('takes what a run of an agent exported', async () => {
    using made = project()
    const line = `printf '${fixedSum.trim()}\\n' > src/sum.js; rm src/top.js; printf '\\0' > new.bin; ln -s new.bin link`
    const { sum } = imported(made, line)
    const ran = await made.jurist('-C', 'evals', 'run', '--item', sum, '--json')
    expect(ran.code).toBe(0)
    const exported = await made.jurist('-C', 'evals', 'export', 'latest', '--format', 'predictions', '-o', 'own.jsonl')
    expect([exported.code, exported.stderr]).toEqual([0, 'wrote own.jsonl\n'])
    const [row] = readFileSync(join(made.directory, 'evals/own.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one))
    expect([row.instance_id, row.model_name_or_path]).toEqual([sum, 'instances'])
    for (const change of ['+++ b/src/sum.js', 'deleted file mode 100644', 'GIT binary patch', 'new file mode 120000'])
      expect(row.model_patch).toContain(change)
    const back = await made.jurist('-C', 'evals', 'import', 'predictions', 'own.jsonl', '--json')
    expect(JSON.parse(back.stdout).runs).toMatchObject([{ model: 'instances', resolved: 1, unresolved: 0 }])
  })

  testOnce('an agent that does nothing resolves nothing', async () => {
    using made = project()
    imported(made)
    const ran = await made.jurist('-C', 'evals', 'run', '--json')
    expect(JSON.parse(ran.stdout).results).toMatchObject([{ passCount: 0, failCount: 2 }])
    const exported = await made.jurist('-C', 'evals', 'export', 'latest', '--format', 'predictions')
    const patches = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).model_patch)
    expect(patches).toEqual(['', ''])
  })

  test('continues when it was stopped', async () => {
    using made = project()
    const { sum, top, patch } = imported(made)
    const go = join(made.directory, 'go')
    // Its test waits for a file, but not for ever.
    const waiting = `import { existsSync } from 'node:fs'
const pause = new Int32Array(new SharedArrayBuffer(4))
for (let left = 3_000; left > 0 && !existsSync(${JSON.stringify(go)}); left -= 1) Atomics.wait(pause, 0, 0, 20)
export const top = (all) => Math.max(...all)
`
    const lines = [
      prediction(sum, 'right', patch({ 'src/sum.js': fixedSum })),
      prediction(top, 'right', patch({ 'src/top.js': waiting })),
    ]
    made.write({ 'evals/preds.jsonl': lines.join('\n') })
    const { child, ended } = made.start('-C', 'evals', 'import', 'predictions', 'preds.jsonl')
    const results = onPostgres ? made.results : projectResults(join(made.directory, 'evals'))
    const run = async () => (await results.runs('instances').catch(() => []))[0] ?? ''
    const judged = async () => (await results.trials('instances', await run())).length
    while ((await judged().catch(() => 0)) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGKILL')
    await ended
    made.write({ go: '' })
    const { code, stdout } = await made.jurist('-C', 'evals', 'import', 'predictions', 'preds.jsonl', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout).runs).toMatchObject([{ runId: await run(), resolved: 2, unresolved: 0 }])
    expect(await results.runs('instances')).toHaveLength(1)
  })

  testOnce('refuses a file with every problem in it', async () => {
    using made = project()
    made.write({
      'preds.json': JSON.stringify([
        { instance_id: 'a', model_name_or_path: 'm', model_patch: 'x' },
        { instance_id: 'a', model_name_or_path: 'm', model_patch: 'y' },
        { instance_id: 7, model_name_or_path: '', model_patch: [] },
        'text',
      ]),
    })
    const { code, stderr } = await made.jurist('import', 'predictions', 'preds.json')
    expect(code).toBe(2)
    for (const problem of [
      '[1]: a occurs more than once for m',
      '[2]: instance_id must be a string of 1 to 200 characters (got 7)',
      '[2]: model_name_or_path must be a string',
      '[2]: model_patch must be a patch',
      '[3]: it must be an object (got "text")',
    ])
      expect(stderr).toContain(problem)
    expect(existsSync(join(made.directory, 'results'))).toBe(false)
  })
})
