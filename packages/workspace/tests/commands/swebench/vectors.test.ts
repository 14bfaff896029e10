import { readFileSync } from 'node:fs'
import { runJudge } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { swebenchGrade } from '@jurist/workspace/commands'
import { describe, expect, test } from 'vitest'
import { logParserNames, logParsers } from '../../../src/commands/swebench/log-parsers.js'
import { readLog } from '../../../src/commands/swebench/swebench-grade.js'

interface LogVector {
  readonly name: string
  readonly parser: string
  readonly log: readonly string[]
  readonly tests: Readonly<Record<string, string>>
  readonly instanceId?: string
  readonly version?: string
}

interface GradeVector {
  readonly name: string
  readonly parser?: string
  readonly failOnly?: boolean
  readonly log: readonly string[]
  readonly failToPass: readonly string[]
  readonly passToPass: readonly string[]
  readonly status: string
  readonly says: string
}

const vectors = <Vector>(file: string): readonly Vector[] =>
  JSON.parse(readFileSync(new URL(`../../../vectors/swebench/${file}`, import.meta.url), 'utf8'))

const logs = vectors<LogVector>('logs.json')
const grades = vectors<GradeVector>('grades.json')

test('all vectors are there', () => {
  expect([logs.length, grades.length]).toEqual([70, 59])
})

describe('a log of SWE-bench', () => {
  test.each(logs.map((vector) => [vector.parser, vector.name, vector] as const))('%s: %s', (parser, _, vector) => {
    const { log, instanceId, version, tests } = vector
    const text = [...log, 'Tests: 1'].join('\n')
    const read = readLog(text, { parser, instanceId, version, needsMarkers: false })
    expect(Object.fromEntries(read.tests.map(({ id, status }) => [id, status]))).toEqual(tests)
    expect(read.problem).toBeUndefined()
  })

  const seen = new Set(logs.map(({ parser }) => logParsers[parser]))
  test.each(logParserNames)('every parser has a vector: %s', (name) => {
    expect(seen.has(logParsers[name])).toBe(true)
  })
})

describe('the grade of SWE-bench', () => {
  test.each(grades.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    const { log, failToPass, passToPass, parser = 'pytest', failOnly = false, status, says } = vector
    const workspace = memoryWorkspace({ 'logs/test_output.txt': log.join('\n') })
    const judge = swebenchGrade({ failToPass, passToPass, parser, failOnly, log: 'logs/test_output.txt' })
    const judgment = await runJudge(judge, aContext({ workspace }))
    expect(judgment.reasoning).toContain(says)
    expect(judgment.status).toBe(status)
    const resolution = status === 'pass' ? 'RESOLVED_FULL' : says.startsWith('RESOLVED') ? says : 'RESOLVED_NO'
    expect(judgment.metadata['resolution']).toBe(resolution)
  })
})

// Patterns that try again from every place would take minutes over these.
const size = 50_000
/** Processor time in seconds; reading takes a few hundredths of one. */
const mostTime = 1
const hostile: Readonly<Record<string, string>> = {
  digits: '1'.repeat(size),
  spaces: ' '.repeat(size),
  brackets: 'Chrome 1 ('.repeat(size / 20) + ') '.repeat(size / 4),
  numbers: '  1) Error '.repeat(size / 10),
  statuses: '--- PASS: a (a ('.repeat(size / 16),
  results: 'a. = . = E '.repeat(size / 11),
  marks: `  ✓ (${'1'.repeat(size)}`,
  headings: '_ a.py:b '.repeat(size / 8),
  elements: '<a><b>'.repeat(size / 20) + '</b>'.repeat(size / 20),
  lines: '\n'.repeat(size),
  commands: '-Dtest= '.repeat(size / 8),
}

describe.each(Object.entries(hostile))('a log of nothing but %s', (_, line) => {
  test.each(logParserNames)('is read by %s', (parser) => {
    const before = process.cpuUsage()
    const { tests, problem } = readLog(`${line}\n${line}FAILED\n`, { parser, needsMarkers: false })
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(mostTime)
    expect(tests.length > 0 || problem !== undefined).toBe(true)
  })
})

test('a report of doctest that is nested too deeply names no test', () => {
  const open = '<SubCase name="a">'
  const [shallow, deep] = [10, 100_000].map((depth) => {
    const log = `<doctest>${open.repeat(depth)}${'</SubCase>'.repeat(depth)}</doctest>`
    return readLog(log, { parser: 'doctest', needsMarkers: false }).tests.length
  })
  expect([shallow, deep]).toEqual([1, 0])
})
