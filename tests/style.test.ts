import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesBelow, root } from './structure/source.js'

/** Phrases and private metaphors that `docs/style.md` replaces by plain English. */
const avoided: readonly RegExp[] = [
  /what became of/i,
  /\b(?:is|are|was|were|be) told(?! apart)/i,
  /\btells? of\b/i,
  /\bwho (?:asks|reads|writes|only|makes|gives)\b/i,
  /\bwhoever\b/i,
  /\bis none\b/i,
  /\bis no (?:list|text|string|number|object|array|function|flag|vote|judge|file|directory|JSON)\b/i,
  /\bat once\b/i,
  /\bin place of\b/i,
  /\bnobody\b/i,
  /\bsurroundings\b/i,
  /\bdear\b/i,
  /\banew\b/i,
  /\bsurer\b/i,
  /\bhand(?:s|ed)? in\b/i,
  /\bput down\b/i,
  /\bstands?\b(?!-in| (?:for|alone|out)\b)/i,
  /\btak(?:es|en) away\b/i,
  /\b(?:run|session)s? goes on\b/i,
  /\b(?:lent|lends|loan|hallmark|brake|ledger(?!-store)|corridor|stranger)\b/i,
]

/** Prompts, which stay as they were measured, and words that are searched for in answers. */
const measured: readonly string[] = [
  'packages/core/src/llm/judges/prompted.ts',
  'packages/core/src/llm/judges/semantic-diff.ts',
  'packages/core/src/llm/classifiers/last-word.ts',
]

const readers = /\.(?:ts|tsx|mjs|md|css|html)$/

/** Everything that somebody reads whole: documents, and sources with their messages. */
const written = [
  ...filesBelow('docs', /\.md$/).filter((path) => path !== 'docs/style.md'),
  ...['packages', 'examples', 'site', 'bench', 'build'].flatMap((directory) => filesBelow(directory, readers)),
  ...filesBelow('.', /^(?:README|AGENTS)\.md$/).filter((path) => !path.includes('/')),
].filter((path) => !isTest(path) && !/\/(?:parsers|dataset)\/|CHANGELOG/.test(path))

/** Tests, of which only titles and comments count: what they judge may say anything. */
const tested = ['packages', 'examples', 'tests']
  .flatMap((directory) => filesBelow(directory, readers))
  .filter((path) => isTest(path) && !path.includes('/dataset/') && path !== 'tests/style.test.ts')

function isTest(path: string): boolean {
  return /^tests\/|\/(?:tests|frameworks)\/|\.test\.ts$/.test(path)
}

/** Lines with their numbers; a comment that continues on the next line is one line. */
function linesOf(text: string): readonly (readonly [number: number, text: string])[] {
  const lines: [number, string][] = []
  for (const [index, line] of text.split('\n').entries()) {
    const continued = /^\s*(?:\*|\/\/) *(?!@)(?=\S)(.*)$/.exec(line)?.[1]
    const last = lines.at(-1)
    if (continued !== undefined && last !== undefined && /^\s*(?:\/?\*|\/\/)/.test(last[1])) last[1] += ` ${continued}`
    else lines.push([index + 1, line])
  }
  return lines
}

function avoidedIn(paths: readonly string[], counts: RegExp): readonly string[] {
  return paths.flatMap((path) =>
    linesOf(readFileSync(join(root, path), 'utf8')).flatMap(([number, text]) => {
      const phrase = counts.test(text) ? avoided.find((one) => one.test(text)) : undefined
      return phrase === undefined ? [] : [`${path}:${number}: ${phrase.source}: ${text.trim()}`]
    }),
  )
}

describe('plain English', () => {
  test('finds the files', () => {
    expect(written.length).toBeGreaterThan(300)
    expect(written).toContain('README.md')
    expect(tested.length).toBeGreaterThan(300)
  })
  test('no file uses a phrase of the list', () => {
    expect(
      avoidedIn(
        written.filter((path) => !measured.includes(path)),
        /./,
      ),
    ).toEqual([])
  })
  test('no title or comment of a test does', () => {
    expect(avoidedIn(tested, /^\s*(?:\/?\*|\/\/)|\b(?:test|describe)(?:\.\w+(?:\([^)]*\))?)*\(/)).toEqual([])
  })
  test('a phrase is found across the lines of a comment, and in any case', () => {
    const [line] = linesOf(' * What became\n * of it.\n *\n * @throws nothing')
    expect(line).toEqual([1, ' * What became of it.'])
    expect(avoided.some((one) => one.test(line?.[1] ?? ''))).toBe(true)
  })
  test('what stays as it was measured exists', () => {
    expect(measured.filter((path) => !written.includes(path))).toEqual([])
  })
})
