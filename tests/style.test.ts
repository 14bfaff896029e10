import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesBelow, root } from './structure/source.js'

/** Phrases and private metaphors that `docs/style.md` replaces by plain English. */
const avoided: readonly RegExp[] = [
  /what became of/,
  /\b(?:is|are|was|were|be) told(?! apart)/,
  /\btells? of\b/,
  /\bwho (?:asks|reads|writes|only|makes|gives)\b/,
  /\bwhoever\b/,
  /\bis none\b/,
  /\bis no (?:list|text|string|number|object|array|function|flag|vote|judge|file|directory|JSON)\b/,
  /\bat once\b/,
  /\bin place of\b/,
  /\bnobody\b/,
  /\bsurroundings\b/,
  /\bdear\b/,
  /\bsurer\b/,
  /\bhand(?:s|ed)? in\b/,
  /\bput down\b/,
  /\bstands?\b(?! (?:for|alone|out)\b)/,
  /\btak(?:es|en) away\b/,
  /\b(?:run|session)s? goes on\b/,
  /\b(?:lent|lends|loan|hallmark|brake|ledger|corridor|stranger)\b/,
]

/** Prompts, which stay as they were measured, and words that are searched for in answers. */
const measured: readonly string[] = [
  'packages/core/src/llm/judges/prompted.ts',
  'packages/core/src/llm/judges/semantic-diff.ts',
  'packages/core/src/llm/classifiers/agreement.ts',
]

const written = [
  ...filesBelow('docs', /\.md$/).filter((path) => path !== 'docs/style.md'),
  ...filesBelow('packages', /\.(?:ts|tsx|md|css|html)$/).filter(
    (path) => !/\/(?:tests|frameworks|parsers)\//.test(path),
  ),
  ...filesBelow('.', /^(?:README|AGENTS|CONTRIBUTING)\.md$/).filter((path) => !path.includes('/')),
]

describe('plain English', () => {
  test('finds the files', () => {
    expect(written.length).toBeGreaterThan(300)
    expect(written).toContain('README.md')
  })
  test('no file uses a phrase of the list', () => {
    const found = written
      .filter((path) => !measured.includes(path))
      .flatMap((path) =>
        readFileSync(join(root, path), 'utf8')
          .split('\n')
          .flatMap((line, index) => {
            const phrase = avoided.find((one) => one.test(line))
            return phrase === undefined ? [] : [`${path}:${index + 1}: ${phrase.source}: ${line.trim()}`]
          }),
      )
    expect(found).toEqual([])
  })
  test('what stays as it was measured exists', () => {
    expect(measured.filter((path) => !written.includes(path))).toEqual([])
  })
})
