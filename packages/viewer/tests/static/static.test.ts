import { createHash } from 'node:crypto'
import { figuresOf } from '@jurist/experiment/internal/results'
import { anItem, aResult } from '@jurist/experiment/testing'
import { expect, test } from 'vitest'
import { documentAddress, partName, type ReportIndex, reportedRun } from '../../src/answers/report-data.js'
import { staticReport } from '../../src/static/static-report.js'
import { partsOf } from '../report-parts.js'

const hostile = ['</script><script>alert(1)</script>', '<!--<script>', '\u2028\u2029', '</SCRIPT >', ']]>', '\\u003c']

test('hostile text is data, and nothing else is in the file than its own script', async () => {
  const result = aResult({ items: [anItem({ task: hostile.join(' ') })] })
  const html = await staticReport([result])
  for (const text of hostile.slice(0, 2)) expect(html).not.toContain(text)
  expect(partsOf(html)[partName.trials(0, 0)]).toEqual(result.items)
  const hash = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? []
  expect(html).toContain(`script-src '${hash(script)}'`)
  expect(html).toContain(`style-src '${hash(style)}'`)
  expect(html.match(/<script/g)).toHaveLength(3)
})

test('the trials of a run are read from their parts, in the order asked for', async () => {
  const items = Array.from({ length: 4_203 }, (_, at) => anItem({ itemId: `item-${at}` }))
  const result = aResult({ items })
  const html = await staticReport([result])
  const parts = partsOf(html)
  const [{ runs }] = parts[partName.index] as readonly [ReportIndex]
  const reads: string[] = []
  const [index] = runs
  if (index === undefined) throw new Error('The report has no run.')
  expect(index.trials).toEqual(items.map(figuresOf))
  const run = reportedRun(index, 0, async (name) => {
    reads.push(name)
    return parts[name] ?? []
  })
  expect(await run.readItems()).toEqual(items)
  expect(reads).toHaveLength(3)
  reads.length = 0
  const wanted = [4_202, 3, 4_001].map((at) => ({ itemId: `item-${at}`, repetition: 1 }))
  expect((await run.readItems(wanted)).map(({ itemId }) => itemId)).toEqual(['item-4202', 'item-3', 'item-4001'])
  expect(reads.toSorted()).toEqual([partName.trials(0, 0), partName.trials(0, 2)])
  expect(await run.readItems([{ itemId: 'unknown', repetition: 1 }])).toEqual([])
})

test('is at most 2 MB beyond its data, which is compressed', async () => {
  const items = Array.from({ length: 720 }, (_, at) =>
    anItem({ itemId: `item-${at}`, task: 'Repair it. '.repeat(200) }),
  )
  expect(JSON.stringify(items).length).toBeGreaterThan(2_000_000)
  expect(Buffer.byteLength(await staticReport([aResult({ items })]))).toBeLessThan(600_000)
})

test('an address does not depend on the order of its query', () => {
  const first = documentAddress(['runs', 'a/b'], new URLSearchParams('b=1&a=2'))
  expect(first).toBe(documentAddress(['runs', 'a/b'], new URLSearchParams('a=2&b=1')))
  expect(first).toBe('runs/a%2Fb?a=2&b=1')
})

test('of nothing, and with something unknown, is refused', async () => {
  await expect(staticReport([])).rejects.toMatchObject({ code: 'option-invalid' })
  await expect(staticReport([aResult()], { with: ['secrets' as 'journals'] })).rejects.toMatchObject({
    code: 'option-invalid',
  })
})
