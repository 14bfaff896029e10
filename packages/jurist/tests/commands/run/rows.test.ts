import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { project } from '../../project.js'

const lines = (...rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join('\n')

/** A config without code: two judges over rows. */
const config = (dataset: string) => `
experiments:
  answers:
    dataset: ${dataset}
    jury:
      judges:
        right: { type: matches-expected, by: text }
        short: { type: output-text, matches: '^.{1,40}$' }
`

/** The trials in a report of one run. */
function stored(directory: string): readonly { readonly passed: boolean }[] {
  const [run] = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'))
  return run.items
}

describe.concurrent('rows with outputs run from a config without code or an agent', () => {
  const ragas = [
    { user_input: 'Capital of France?', retrieved_contexts: ['Paris …'], response: 'Paris', reference: 'Paris' },
    { user_input: 'Capital of Italy?', retrieved_contexts: ['Rome …'], response: 'Milan', reference: ['Rome', 'Roma'] },
    { user_input: 'Capital of Spain?', retrieved_contexts: [], response: 'madrid', reference: ['Madrid', 'madrid'] },
  ]
  const older = ragas.map(({ user_input, retrieved_contexts, response, reference }) => {
    return { question: user_input, contexts: retrieved_contexts, answer: response, ground_truth: reference }
  })
  const foreign = ragas.map(({ user_input, retrieved_contexts, response, reference }) => {
    return { frage: user_input, quellen: retrieved_contexts, antwort: response, gold: reference }
  })
  const columns = 'columns: { task: frage, reference: quellen, output: antwort, expected: gold }'
  const manifest = {
    ...{ schemaVersion: 1, name: 'capitals', version: '3' },
    ...{ rows: 'rows.jsonl', columns: { task: 'frage', reference: 'quellen', output: 'antwort', expected: 'gold' } },
  }

  test.each<[string, string, Readonly<Record<string, string>>, string]>([
    [
      'as RAGAS names them',
      'rows.jsonl',
      { 'rows.jsonl': lines(...ragas) },
      'user_input → task, retrieved_contexts → reference data, response → output, reference → expected',
    ],
    [
      'as RAGAS named them',
      'rows.json',
      { 'rows.json': JSON.stringify(older) },
      'question → task, contexts → reference data, answer → output, ground_truth → expected',
    ],
    [
      'in another language, named in the config',
      `{ path: rows.jsonl, ${columns} }`,
      { 'rows.jsonl': lines(...foreign) },
      'frage → task, quellen → reference data, antwort → output, gold → expected',
    ],
    [
      'in another language, named in a manifest',
      'capitals',
      { 'capitals/rows.jsonl': lines(...foreign), 'capitals/dataset.json': JSON.stringify(manifest) },
      'frage → task, quellen → reference data, antwort → output, gold → expected',
    ],
  ])('%s', async (_, dataset, files, read) => {
    using made = project({ 'jurist.config.yaml': config(dataset), ...files })
    const validated = await made.jurist('validate', '--strict')
    expect([validated.code, validated.stdout]).toEqual([
      0,
      expect.stringContaining(`answers: columns read as ${read}\n`),
    ])
    const ran = await made.jurist('run', '-o', 'report.json')
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/Passed +2 of 3 decided/)])
    const items = stored(made.directory)
    expect(items.map(({ passed }) => passed)).toEqual([true, false, true])
    expect(items[1]).toMatchObject({
      task: 'Capital of Italy?',
      expectedOutput: { type: 'structured', data: ['Rome', 'Roma'] },
      expectedAnyOf: true,
      costUsd: 0,
      detail: { invocation: { output: { type: 'text', text: 'Milan' } } },
      metadata: { referenceData: ['Rome …'] },
    })
  })

  test('CSV: a list in a cell is written as JSON', async () => {
    const rows = 'question,contexts,answer,ground_truth\nCapital of France?,"[""Paris …"", ""Lyon …""]",Paris,Paris\n'
    using made = project({ 'jurist.config.yaml': config('rows.csv'), 'rows.csv': rows })
    expect((await made.jurist('run', '-o', 'report.json')).code).toBe(0)
    expect(stored(made.directory)).toMatchObject([{ metadata: { referenceData: ['Paris …', 'Lyon …'] } }])
  })
})

describe.concurrent('rows that cannot be judged so are refused before anything runs', () => {
  const refused = async (dataset: string, files: Readonly<Record<string, string>>) => {
    using made = project({ 'jurist.config.yaml': config(dataset), ...files })
    const [validated, ran] = [await made.jurist('validate'), await made.jurist('run')]
    expect([validated.code, ran.code, existsSync(join(made.directory, 'results'))]).toEqual([1, 2, false])
    return { validated: validated.stdout, ran: ran.stderr }
  }

  test('some have no output', async () => {
    const rows = lines({ id: 'a', task: 'x', output: 'y' }, { id: 'b', task: 'x' })
    const said = await refused('rows.jsonl', { 'rows.jsonl': rows })
    expect(said.ran).toContain('b has no output. Add it, or leave the item out with a filter.')
    expect(said.validated).toContain('b has no output.')
  })

  test('none has one', async () => {
    const said = await refused('rows.jsonl', { 'rows.jsonl': lines({ task: 'x' }, { task: 'y' }) })
    const problem = 'has no outputs, and the experiment has no agent.'
    expect(said.ran).toContain(`rows: ${problem} Give the experiment an agent, or the rows a column "output"`)
    expect(said.validated).toContain(problem)
  })

  test.each([
    ['{ path: rows.jsonl, columns: { outptu: answer } }', 'outptu'],
    ['{ path: rows.jsonl, columns: { output: said } }', 'no row has "said", which columns.output names.'],
    ['{ path: nothing.jsonl }', 'does not exist.'],
    ['{ path: rows.jsonl, colums: { output: x } }', 'colums'],
    ['{ path: 3 }', 'must be a path, a path with columns'],
  ])('%s', async (dataset, problem) => {
    const said = await refused(dataset, { 'rows.jsonl': lines({ task: 'x', answer: 'y' }) })
    expect(said.validated).toContain(problem)
    expect(said.ran).toContain(problem)
  })
})

test('calibrations name columns too', async () => {
  const calibrations = `
calibrations:
  short:
    candidate: { type: output-text, matches: '^.{1,5}$' }
    items: { path: rated.csv, columns: { label: rater } }
`
  using made = project({
    'jurist.config.yaml': calibrations,
    'rated.csv': 'task,output,rater\na,yes,pass\nb,yes indeed,fail\n',
  })
  expect((await made.jurist('validate')).stdout).toContain(
    'short: columns read as task → task, output → output, rater → label\n',
  )
  const { code, stdout } = await made.jurist('calibrate')
  expect([code, stdout]).toEqual([0, expect.stringContaining('100.0 %')])
})
