import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const maxBytes = 120 * 1024
const file = (name: string) => readFileSync(new URL(`../dist/page/${name}`, import.meta.url))

test.each(['page.js', 'report.js'])('%s is at most 120 KB, compressed', (name) => {
  const { length } = gzipSync(file(name))
  expect(length).toBeGreaterThan(10_000)
  expect(length).toBeLessThanOrEqual(maxBytes)
})

test.each(['page.js', 'report.js'])('%s makes no markup of text and evaluates nothing', (name) => {
  const text = file(name).toString()
  expect(text).not.toMatch(
    /dangerouslySetInnerHTML\s*:|insertAdjacentHTML|outerHTML|document\.write|\beval\(|new Function/,
  )
  expect(text).not.toMatch(/<\/script|<!--/i)
})

test('nothing of the page is fetched from elsewhere', () => {
  for (const name of ['page.js', 'page.css', 'index.html', 'report.js'])
    expect(file(name).toString().replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:\/\/(?!localhost)/)
})
