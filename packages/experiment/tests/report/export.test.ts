import { type Json, jury, pass, scored } from '@jurist/core'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { exportRows, toCsv, toJsonl } from '../../src/report/index.js'
import type { ExperimentResult } from '../../src/result/index.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { collected } from '../collected.js'
import { hostileResult } from './hostile.js'

type ExportTable = Parameters<typeof exportRows>[1]
const tables: readonly ExportTable[] = ['runs', 'items', 'judgments', 'checks', 'tools', 'phases']
const first = ['run_id', 'experiment', 'variant', 'session', 'item_id', 'repetition']

async function rowsOf(results: readonly ExperimentResult[], table: ExportTable) {
  return collected(exportRows(results, table))
}

async function judgedResult(): Promise<ExperimentResult> {
  const check = { name: 'line', passed: false, message: 'too long', location: { path: 'a.ts', line: 4 } }
  const style = jury({ judges: { naming: () => scored(0.25, { passingAt: 0.5, checks: [check] }) } })
  const verdict = await jury({ judges: { build: () => pass('built'), style: { judge: style, weight: 2 } } }).vote({})
  const item = anItem({
    verdict,
    costUsd: 0.5,
    usage: { inputTokens: 1, outputTokens: 2 },
    efficiency: { toolErrors: 1, composite: 0.5 },
    detail: {
      kind: 'agent',
      invocation: {
        status: 'completed',
        phases: [
          {
            name: 'execute',
            toolUses: [
              { id: 'x', name: 'read', input: { path: 'a' } },
              { id: 'y', name: 'run', input: {} },
            ],
            toolResults: [{ toolUseId: 'x', content: 'text', failed: true }],
          },
        ],
      },
    },
  })
  return aResult({ items: [item] })
}

test.each(tables)('%s has the same columns in every row, the place first', async (table) => {
  const rows = await rowsOf([await judgedResult(), await hostileResult()], table)
  expect(rows.length).toBeGreaterThan(1)
  const columns = Object.keys(rows[0] ?? {})
  expect(columns.slice(0, 6)).toEqual(first)
  for (const row of rows) expect(Object.keys(row)).toEqual(columns)
})

test('judgments and checks are at their place in the tree, each check once', async () => {
  const result = await judgedResult()
  expect(
    (await rowsOf([result], 'judgments')).map(({ path, kind, status, score }) => [path, kind, status, score]),
  ).toEqual([
    ['', 'verdict', 'fail', 0],
    ['/build', 'judge', 'pass', 1],
    ['/style', 'verdict', 'fail', 0],
    ['/style/naming', 'judge', 'fail', 0.25],
  ])
  expect(await rowsOf([result], 'checks')).toMatchObject([
    { path: '/style/naming', check: 'line', passed: false, message: 'too long', file: 'a.ts', line: 4 },
  ])
  expect(await rowsOf([result], 'tools')).toMatchObject([
    { index: 0, tool: 'read', failed: true, result: 'text' },
    { index: 1, tool: 'run', failed: null, result: null },
  ])
  expect(await rowsOf([result], 'phases')).toMatchObject([
    { phase: 'execute', tool_calls: 2, tool_errors: 1, cost_usd: null },
  ])
  expect(await rowsOf([result], 'items')).toMatchObject([
    { 'efficiency.composite': 0.5, 'efficiency.cost': null, tokens: 3, cost_usd: 0.5, judge_cost_usd: null },
  ])
})

test.each(tables)('%s can be read back from CSV, and no cell is a formula', async (table) => {
  const result = await hostileResult()
  const rows = await rowsOf([result], table)
  const text = (await collected(toCsv(exportRows([result], table)))).join('')
  const { data, errors, meta } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
  expect(errors).toEqual([])
  expect(meta.fields).toEqual(Object.keys(rows[0] ?? {}))
  expect(data).toHaveLength(rows.length)
  data.forEach((record, index) => {
    for (const [column, cell] of Object.entries(record)) {
      expect(cell).not.toMatch(/^\s*[=+@]|^\s*-\D/)
      expect(cell.replace(/^'(?=[\s\u0000]*[=+\-@])/, '')).toBe(cellOf(rows[index]?.[column]))
    }
  })
})

function cellOf(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

test('numbers below zero stay numbers in CSV', async () => {
  async function* rows() {
    yield { delta: -2, text: '-2' }
  }
  expect((await collected(toCsv(rows()))).join('')).toBe("delta,text\r\n-2,'-2\r\n")
})

test.each(tables)('%s as JSON lines is what the rows are', async (table) => {
  const result = await hostileResult()
  const lines = await collected(toJsonl(exportRows([result], table)))
  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(await rowsOf([result], table))))
})

test('runs are read one at a time, and only as far as rows are wanted', async () => {
  let opened = 0
  async function* results() {
    for (;;) {
      opened += 1
      yield aResult({ items: [anItem(), anItem({ itemId: 'b' })] })
    }
  }
  const taken: unknown[] = []
  for await (const row of exportRows(results(), 'items')) {
    taken.push(row)
    if (taken.length === 3) break
  }
  expect(opened).toBe(2)
})

test('an unknown table is refused immediately', () => {
  expect(() => exportRows([], 'toString' as ExportTable)).toThrowError(/there is no table "toString" \(known: runs,/)
})
