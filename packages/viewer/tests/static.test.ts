import { createHash } from 'node:crypto'
import { anItem, aResult } from '@jurist/experiment/testing'
import { expect, test } from 'vitest'
import { inlineJson, staticReport } from '../src/static/static-report.js'

const hostile = ['</script><script>alert(1)</script>', '<!--<script>', '\u2028\u2029', '</SCRIPT >', ']]>', '\\u003c']

test.each(hostile)('data cannot close its script: %j', (text) => {
  const json = inlineJson({ [text]: text })
  expect(json).not.toContain('<')
  expect(JSON.parse(json)).toEqual({ [text]: text })
})

test('the policy names the hashes of exactly what stands in the file', async () => {
  const html = await staticReport([aResult({ items: [anItem({ task: hostile.join(' ') })] })])
  const hash = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? []
  expect(html).toContain(`script-src '${hash(script)}'`)
  expect(html).toContain(`style-src '${hash(style)}'`)
  expect(html.match(/<script/g)).toHaveLength(2)
})

test('is at most 2 MB beyond its data', async () => {
  const results = [aResult(), aResult()]
  const beyond = Buffer.byteLength(await staticReport(results)) - Buffer.byteLength(inlineJson(results))
  expect(beyond).toBeLessThan(2 * 1024 * 1024)
})

test('of nothing is refused', async () => {
  await expect(staticReport([])).rejects.toMatchObject({ code: 'option-invalid' })
})
