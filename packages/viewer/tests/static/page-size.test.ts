import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const maxBytes = 125 * 1024
/** A report also contains the answers that a server computes: statistics of runs, comparisons, stops and calibrations. */
const maxReportBytes = 161 * 1024
/** The page on which trials are labelled shows one trial, and no figures of runs. */
const maxReviewBytes = 60 * 1024
const directory = new URL('../../dist/page/', import.meta.url)
const text = (name: string) => readFileSync(new URL(name, directory), 'utf8')
const size = (names: readonly string[]) => names.reduce((sum, name) => sum + gzipSync(text(name)).length, 0)

const scripts = readdirSync(directory).filter((name) => name.endsWith('.js'))

describe('compressed', () => {
  test.each([
    ['the page', maxBytes, ['page.js', 'page.css']],
    ['the report', maxReportBytes, ['report.js', 'page.css']],
    ['the page on which trials are labelled', maxReviewBytes, ['review.js', 'page.css', 'review.css']],
  ])('%s is at most %i bytes', (_, most, names) => {
    expect(size(names)).toBeGreaterThan(10_000)
    expect(size(names)).toBeLessThanOrEqual(most)
  })
})

test.each(scripts)('%s makes no markup of text and evaluates nothing', (name) => {
  expect(text(name)).not.toMatch(
    /dangerouslySetInnerHTML\s*:|insertAdjacentHTML|outerHTML|document\.write|\beval\(|new Function/,
  )
  expect(text(name)).not.toMatch(/<\/script|<!--/i)
})

test('nothing of the page is fetched from elsewhere', () => {
  /** Names of namespaces, and a hint in an error message. */
  const names = /https?:\/\/(?:www\.w3\.org\/|github\.com\/markedjs\/marked\.)/g
  for (const name of [...scripts, 'page.css', 'review.css', 'index.html', 'review.html'])
    expect(text(name).replaceAll(names, '')).not.toMatch(/https?:\/\/[a-z](?!ocalhost)/)
})
