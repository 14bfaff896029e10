import { widthOf } from '@jurist/kit/terminal'
import { describe, expect, test } from 'vitest'
import type { Progress } from '../../src/terminal/progress-view.js'
import { summaryLines } from '../../src/terminal/progress-view.js'
import { terminalOf } from '../../src/terminal/terminal.js'

const progress = (more: Partial<Progress>): Progress => ({
  experimentName: 'maintain-shop',
  runs: 1,
  trials: 120,
  done: 112,
  resumed: 0,
  passed: 100,
  failed: 10,
  undecided: 2,
  costUsd: 12.84,
  running: [],
  evidence: null,
  ...more,
})

describe('the progress line', () => {
  test.each([160, 100, 80, 60, 40])('fits into %i columns with counts, elapsed and remaining time', (columns) => {
    for (const unicode of [true, false]) {
      const lines = summaryLines(progress({ evidence: { items: 31, evidence: 6.21, line: 40 } }), 3_750_000, {
        progressColumns: columns,
        unicode,
      })
      for (const line of lines) expect(widthOf(line)).toBeLessThan(columns)
      const whole = lines.join(' ')
      for (const told of [
        '112/120',
        '100 passed',
        '10 failed',
        '2 undecided',
        '$12.84',
        '1h 02m',
        'about 4m 28s left',
        'evidence 6.2 of 40',
      ])
        expect(whole).toContain(told)
    }
  })

  test('the bar shrinks first, and goes before anything else is wrapped', () => {
    const linesAt = (progressColumns: number) =>
      summaryLines(progress({ trials: 10, done: 5, passed: 5, failed: 0, undecided: 0, costUsd: null }), 10_000, {
        progressColumns,
        unicode: false,
      })
    const bars = [100, 80, 75].map((columns) => /[#.]{4,}/.exec(linesAt(columns)[0] ?? '')?.[0].length ?? 0)
    expect(bars[0]).toBe(28)
    expect(bars[1]).toBeLessThan(28)
    expect(bars[2]).toBeLessThan(bars[1] ?? 0)
    expect(linesAt(70)).toEqual(['  5/10   0 running, 5 passed, 0 failed   10.0 s, about 10.0 s left'])
  })
})

describe('what a terminal can show', () => {
  const stream = { isTTY: true, columns: 90, write: () => true }
  const of = (env: Record<string, string>, more: object = {}) =>
    terminalOf({ stdout: stream, stderr: stream, env, ...more })
  const coloured = (env: Record<string, string>, more?: object) => of(env, more).style.red('x') !== 'x'

  test.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
  ])('colour with %j: %s', (env, colour) => expect(coloured(env)).toBe(colour))

  test('the flag decides against the environment', () => {
    expect(coloured({ FORCE_COLOR: '1' }, { color: false })).toBe(false)
    expect(coloured({ NO_COLOR: '1' }, { color: true })).toBe(true)
  })
  test('no live region in CI', () => {
    expect(of({}).live).toBe(true)
    expect(of({ CI: 'true' }).live).toBe(false)
  })
  test('what is no terminal has no width', () => {
    const pipe = { write: () => true }
    const columns = (stdout: object, env = {}) =>
      terminalOf({ stdout: { ...pipe, ...stdout }, stderr: stream, env }).columns
    expect(columns({ isTTY: true, columns: 90 })).toBe(90)
    expect(columns({ isTTY: true, columns: 0 })).toBe(100)
    expect(columns({})).toBeGreaterThan(1_000_000)
    expect(columns({}, { COLUMNS: '72' })).toBe(72)
    expect(terminalOf({ stdout: pipe, stderr: stream, env: {} }).progressColumns).toBe(90)
  })
  test('marks by the locale', () => {
    expect(of({ LANG: 'de_DE.UTF-8' }).unicode).toBe(true)
    expect(of({ LANG: 'de_DE.UTF-8', LC_ALL: 'C' }).unicode).toBe(false)
    expect(of({}).unicode).toBe(true)
  })
})
