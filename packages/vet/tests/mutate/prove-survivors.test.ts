import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileStore, memoryStore, type ResultStore } from '@jurist/experiment/store'
import { afterAll, describe, expect, test } from 'vitest'
import { runMutants, vetReportText } from '../../src/index.js'

const directory = mkdtempSync(join(tmpdir(), 'jurist-prove-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

type Files = Readonly<Record<string, string>>

/** A dataset of one item. */
function datasetOf(name: string, files: Files): string {
  const all: Files = {
    'dataset.json': JSON.stringify({ schemaVersion: 1, name, version: '1.0.0', items: [{ id: 'one', path: 'one' }] }),
    'one/item.json': JSON.stringify({ task: 'Adults are 18.' }),
    ...Object.fromEntries(Object.entries(files).map(([path, content]) => [`one/${path}`, content])),
  }
  for (const [path, content] of Object.entries(all)) {
    const file = join(directory, name, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return join(directory, name)
}

/** `clamp` has an equivalent mutant, `isAdult` one that is wrong; the jury notices neither. */
const javascript = {
  'before/age.js': '// Write it.\n',
  'before/tests/age.test.js': "import { clamp } from '../age.js'\nclamp(3, 2)\n",
  'reference/age.js':
    'export function clamp(value, high) {\n  return value > high ? high : value\n}\nexport const isAdult = (age) => age >= 18\n',
  'reference/tests/age.test.js': "import { isAdult } from '../age.js'\nassert(isAdult(30))\nassert(!isAdult(17))\n",
}
const python = {
  'before/age.py': '# Write it.\n',
  'before/tests/test_age.py': 'from age import clamp\nassert clamp(3, 2) == 2\n',
  'reference/age.py':
    'def clamp(value, high):\n    return high if value > high else value\n\n\ndef is_adult(age):\n    return age >= 18\n',
  'reference/tests/test_age.py': 'from age import is_adult\nassert is_adult(30)\nassert not is_adult(17)\n',
}
const go = { 'before/a.go': 'package a\n', 'reference/a.go': 'package a\n\nfunc f(a int) bool { return a > 1 }\n' }

const mutated = (name: string, files: Files, more: object = {}, store: ResultStore = memoryStore()) =>
  runMutants(
    { name, dataset: datasetOf(name, files), jury: async () => true, store },
    // The budget must not cut the comparison on a busy machine.
    { operators: ['boundary'], prove: true, proveSeconds: 300, ...more },
  )

const hasPython = spawnSync('python3', ['--version']).status === 0

describe('survivors', () => {
  test.for([
    ['javascript', javascript, 'isAdult', 'test("isAdult(18)", () => assert.deepEqual(isAdult(18), true))\n', true],
    ['python', python, 'is_adult', 'def test_is_adult_witness():\n    assert is_adult(18) == True\n', hasPython],
  ] as const)(
    'of %s are proven holes, or suspected equivalent',
    async ([name, files, called, source, isThere], { skip }) => {
      skip(!isThere, 'python3 is not installed')
      await using store = fileStore(join(directory, 'results', name))
      const report = await mutated(name, files, {}, store)
      expect(report.counts).toMatchObject({ judged: 2, survived: 2 })
      const witness = { function: called, input: [18], expected: true, got: false }
      expect(report.proven).toEqual([
        { itemId: 'one', path: expect.stringMatching(/^age\./), repetition: expect.any(Number), witness, test: source },
      ])
      const [equivalent, hole] = [...(report.items[0]?.mutants ?? [])].sort((a, b) => a.line - b.line)
      expect(equivalent?.proof).toMatchObject({ status: 'suspected-equivalent' })
      expect(hole?.proof).toEqual({ status: 'proven', witness, test: source })
      expect(report.conclusion).toBe('holes')
      // Nothing is compared again: a threshold decides on the same survivors.
      const accepted = await mutated(name, files, { survival: 1, resume: report.runId }, store)
      expect([accepted.conclusion, accepted.proven]).toEqual(['held', report.proven])
      const formats = ['console', 'markdown', 'html'] as const
      const texts = await Promise.all(formats.map((format) => vetReportText(report, { format })))
      const [text, markdown, page] = texts
      const [line = ''] = source.trimEnd().split('\n').slice(-1)
      expect(text).toContain('1 of 2 proven holes, in 1 item; 1 suspected equivalent, 0 not compared')
      expect(text).toContain('Proven different: false where the reference gives true')
      expect(text).toMatch(/Suspected equivalent: no difference for [\d,]+ inputs/)
      for (const one of [text, markdown]) expect(one).toContain(line)
      expect(page).toContain(line.replaceAll('"', '&quot;').replaceAll('>', '&gt;'))
      expect(JSON.parse(JSON.stringify(report))).toEqual(report)
    },
  )

  test.each([
    ['go', go, 'only JavaScript, TypeScript and Python'],
    [
      'untested',
      { ...javascript, 'before/tests/age.test.js': '', 'reference/tests/age.test.js': '' },
      'the tests call no exported function',
    ],
  ])('that cannot be compared (%s) are not called equivalent', async (name, files, reason) => {
    const report = await mutated(name, files)
    expect(report.proven).toEqual([])
    expect(report.conclusion).toBe('held')
    for (const { proof } of report.items[0]?.mutants ?? [])
      expect(proof).toEqual({ status: 'not-compared', reason: expect.stringContaining(reason) })
    expect(await vetReportText(report)).toContain(`Not compared: ${reason}`)
  })

  test('that are not reached leave the run open, and nothing is said until it is resumed', async () => {
    const store = memoryStore()
    const stopping = new AbortController()
    const onProof = () => stopping.abort(new Error('enough'))
    const stopped = await mutated('stopped', javascript, { signal: stopping.signal, onProof }, store)
    expect([stopped.complete, stopped.conclusion]).toEqual([false, 'nothing-said'])
    for (const { proof } of stopped.items[0]?.mutants ?? []) expect(proof).toEqual({ status: 'not-reached' })
    expect(await vetReportText(stopped)).toContain('0 mutants did not run, 2 survivors not compared')
    const resumed = await mutated('stopped', javascript, { resume: 'latest' }, store)
    expect([resumed.runId, resumed.complete, resumed.conclusion]).toEqual([stopped.runId, true, 'holes'])
  })

  test('are compared with the reference only if asked for', async () => {
    const report = await mutated('unasked', javascript, { prove: false })
    expect([report.proven, report.conclusion]).toEqual([null, 'held'])
    expect(await vetReportText(report)).not.toContain('proven')
  })
})
