import { error, fileContent, fileExists, type Judge, jury, outputText } from '@jurist/core'
import { correctness } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { fileStore, memoryStore } from '@jurist/experiment/store'
import { defineProbe, type Probe, runProbes, vetReportText } from '@jurist/vet'
import { expect, test } from 'vitest'

const files = { 'src/a.js': 'export const a = 0\n', 'tests/a.test.js': "test('a', () => {})\n" }
const item = {
  id: 'a',
  task: 'Write b.',
  before: { type: 'files', files },
  reference: { type: 'files', files: { 'src/a.js': 'export const a = "b"\n' } },
} as const
const answer = fileContent('src/a.js', { contains: '"b"' })
const experiment = { name: 'small', dataset: [item], jury: answer }

const writes = (name: string, text: string): Probe =>
  defineProbe({
    name,
    what: `Writes ${text}.`,
    pattern: 'process',
    remedy: 'Look closer.',
    applies: () => true,
    act: ({ workspace }) => workspace.write('src/a.js', text),
  })

test('says what got through, on which item, by which member, and what was done', async () => {
  const both = jury({ judges: { strict: answer, lax: fileExists('src/a.js') } })
  const report = await runProbes({ ...experiment, jury: both }, { probes: [writes('same', '"b" // cheat'), 'claim'] })
  expect(report).toMatchObject({
    conclusion: 'holes',
    items: 1,
    members: ['strict', 'lax'],
    reference: { applicable: 1, passed: 1, failed: [] },
    idle: { applicable: 1, passed: [] },
  })
  const [idle, same, claim] = report.probes
  expect([idle, same, claim].map((row) => [row?.name, row?.outcomes.passed, row?.members])).toEqual([
    ['idle', 0, { strict: { passed: 0, judged: 1 }, lax: { passed: 1, judged: 1 } }],
    ['same', 1, { strict: { passed: 1, judged: 1 }, lax: { passed: 1, judged: 1 } }],
    ['claim', 0, { strict: { passed: 0, judged: 1 }, lax: { passed: 1, judged: 1 } }],
  ])
  expect(same?.passed[0]).toMatchObject({
    itemId: 'a',
    members: ['strict', 'lax'],
    files: [{ path: 'src/a.js', change: 'changed', diff: '-export const a = 0\n+"b" // cheat' }],
  })
  expect(JSON.parse(JSON.stringify(report))).toEqual(report)
})

test('accepts what the experiment or the caller accepts', async () => {
  const probes = [writes('same', '"b" // cheat')]
  const accepted = { vet: { accepted: [{ probe: 'same', reason: 'It is the right answer.' }] } }
  const report = await runProbes({ ...experiment, ...accepted }, { probes })
  expect(report.conclusion).toBe('held')
  expect(await vetReportText(report)).toContain('Accepted: same, on 1 item: It is the right answer.')
  expect((await runProbes(experiment, { probes, allow: ['same'] })).conclusion).toBe('held')
})

test('says nothing where the right answer does not pass, and where nothing is judged', async () => {
  const never = await runProbes({ ...experiment, jury: fileExists('missing') }, { probes: [] })
  expect(never).toMatchObject({
    conclusion: 'nothing-said',
    reference: { passed: 0, failed: [{ itemId: 'a', outcome: 'held' }] },
  })
  const broken: Judge = () => error('no service', new Error('no service'))
  const report = await runProbes({ ...experiment, jury: broken }, { probes: [writes('same', '"b"')] })
  expect(report.conclusion).toBe('nothing-said')
  expect(report.probes.map(({ outcomes }) => outcomes['not-judged'])).toEqual([1, 1])
})

test('counts a probe that breaks as an error, not as held', async () => {
  const breaks = defineProbe({ ...writes('breaks', ''), act: () => Promise.reject(new Error('no such tool')) })
  const report = await runProbes(experiment, { probes: [breaks] })
  expect(report.probes[1]).toMatchObject({
    outcomes: { error: 1, held: 0 },
    problems: [expect.stringContaining('no such tool')],
  })
  expect(report.conclusion).toBe('nothing-said')
})

test('blames no probe where doing nothing passes already', async () => {
  const report = await runProbes(
    { ...experiment, jury: fileExists('src/a.js') },
    { probes: [writes('same', 'x'), 'claim'] },
  )
  expect(report.idle.passed).toEqual(['a'])
  expect(report.probes.map(({ outcomes }) => [outcomes.passed, outcomes.trivial])).toEqual([
    [1, 0],
    [0, 1],
    [0, 1],
  ])
})

test('leaves out items whose right answer is to change nothing', async () => {
  const quiet = { ...item, id: 'quiet', noChange: true }
  const report = await runProbes({ ...experiment, dataset: [item, quiet] }, { probes: [] })
  expect(report).toMatchObject({ items: 1, noChangeItems: 1 })
  await expect(runProbes({ ...experiment, dataset: [quiet] })).rejects.toThrow(
    'no selected item on which a probe can be tried',
  )
})

test('leaves out members that cost money when asked to', async () => {
  const model = scriptedModel(() => 'Answer: YES')
  const both = jury({ judges: { strict: answer, model: correctness({ model }) } })
  const report = await runProbes({ ...experiment, jury: both }, { probes: ['claim'], free: true })
  expect(report).toMatchObject({ skippedMembers: ['correctness'], conclusion: 'held' })
  expect(model.requests).toHaveLength(0)
})

test('skips probes that reach beyond their workspaces where there is no sandbox', async () => {
  const report = await runProbes(experiment, { probes: ['background-rewriter'] })
  expect(report.probes[1]).toMatchObject({ applicable: 0, skipped: expect.stringContaining('no sandbox') })
})

test('what a probe finds counts, whatever the jury says', async () => {
  const finds = defineProbe({ ...writes('finds', ''), act: async ({ found }) => found('a key') })
  const report = await runProbes(experiment, { probes: [finds] })
  expect(report.probes[1]?.passed).toMatchObject([{ found: ['a key'], members: [] }])
})

test('only probes that look for the answer know it', async () => {
  const seen: string[] = []
  const looking = (name: string, pattern: Probe['pattern']) =>
    defineProbe({
      ...writes(name, ''),
      pattern,
      async act({ reference }) {
        if (reference !== null) seen.push(name)
      },
    })
  await runProbes(experiment, { probes: [looking('looks', 'leak'), looking('blind', 'tests')] })
  expect(seen).toEqual(['looks'])
})

test('is a run of its kind, is resumed, and only with the same probes', async () => {
  const store = memoryStore()
  const controller = new AbortController()
  const stops = defineProbe({
    ...writes('stops', 'x'),
    async act() {
      controller.abort()
    },
  })
  const own = { ...experiment, store, concurrency: 1 }
  const first = await runProbes(own, { probes: [stops, 'claim'], signal: controller.signal })
  expect(first).toMatchObject({ complete: false, conclusion: 'nothing-said' })
  await expect(runProbes(own, { probes: ['claim'], resume: first.runId })).rejects.toThrow('probes')
  const again = await runProbes(own, { probes: [{ ...stops, act: async () => undefined }, 'claim'], resume: 'latest' })
  expect(again).toMatchObject({ runId: first.runId, complete: true, conclusion: 'held' })
  expect((await store.load(again.runId))?.kind).toBe('probe')
  expect(await store.mostRecent('small')).toBeUndefined()
})

test('does not begin where it is stopped while it looks at the items', async () => {
  const store = memoryStore()
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(runProbes({ ...experiment, store }, { probes: ['claim'], signal })).rejects.toMatchObject({
    code: 'aborted',
  })
  for await (const entry of store.list()) throw new Error(`There is a run ${entry.id}.`)
})

test('answers of items without files are probed, and their right answer is what is expected', async () => {
  const question = {
    id: 'q',
    task: 'How much is 1 + 1?',
    expectedOutput: { type: 'structured', data: ['2', 'two'] },
    expectedAnyOf: true,
  } as const
  const report = await runProbes({ name: 'q', dataset: [question], jury: outputText({ matches: /^(2|two)$|42/ }) })
  expect(report.reference).toMatchObject({ applicable: 1, passed: 1 })
  expect(report.probes.filter(({ passed }) => passed.length > 0).map(({ name }) => name)).toEqual(['dump-everything'])
})

test.each([
  ['an unknown probe', { probes: ['idel'] }, 'has no probe "idel". Did you mean "idle"?'],
  ['an unknown probe to allow', { allow: ['claims'] }, 'Did you mean "claim"?'],
  ['an unknown level', { level: 'deep' }, '"level" must be'],
])('refuses %s', async (_, options, message) => {
  await expect(runProbes(experiment, options as never)).rejects.toThrow(message)
})

test.each([
  ['without a remedy', { remedy: '' }, '"remedy" must be a sentence'],
  ['with a blank in its name', { name: 'a b' }, '"name" must be letters'],
  ['of an unknown pattern', { pattern: 'luck' }, '"pattern" must be'],
])('refuses a probe %s', (_, part, message) => {
  expect(() => defineProbe({ ...writes('good', ''), ...part } as Probe)).toThrow(message)
})

test('reports are written for a terminal, as Markdown and as a page without scripts, and nothing in them is run', async () => {
  const evil = writes('same', '"b" <script>alert(1)</script> ```\n\u001b[2J| @all')
  const report = await runProbes(experiment, { probes: [evil] })
  const html = await vetReportText(report, { format: 'html' })
  expect(html).not.toMatch(/<script|\u001b/)
  expect(html).toContain('&lt;script&gt;')
  expect(await vetReportText(report)).not.toContain('\u001b[2J')
  expect(await vetReportText(report, { format: 'markdown' })).toContain('## same got through')
})

test('what is stored of a run in files can be read back', async () => {
  const { mkdtempSync, rmSync } = await import('node:fs')
  const directory = mkdtempSync('/tmp/jurist-test-')
  await using store = fileStore(directory)
  const { runId } = await runProbes({ ...experiment, store }, { probes: ['claim'] })
  const stored = await store.load(runId)
  expect(stored?.items.map(({ repetition, passed }) => [repetition, passed])).toEqual([
    [1, true],
    [2, false],
    [3, false],
  ])
  const tried = (await store.overview(runId))?.trials.map((trial) => trial.tried)
  expect(tried).toEqual(['reference', 'idle', 'claim'])
  rmSync(directory, { recursive: true })
})
