import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { voteDescriptionOf, votes } from '@jurist/core/internal'
import { reportFormats } from '@jurist/experiment/report'
import { describe, expect, test } from 'vitest'
import { formatNames } from '../packages/jurist/src/command-kit/report-formats.js'
import { judgesByType } from '../packages/jurist/src/config/catalog.js'
import { filesBelow, root } from './structure/source.js'

// A new vote, format or judge touches one source file, its test and its guide. What follows from a catalogue is tested where
// it is: here is that each entry is declared in one file, has a test, and that no other file lists the catalogue again.

/** The code of every source file, without comments. */
const sources = filesBelow('packages', /\.tsx?$/)
  .filter((path) => /^packages\/[^/]+\/(src|page)\//.test(path))
  .map((path) => [path, withoutComments(readFileSync(join(root, path), 'utf8'))] as const)
const tests = filesBelow('packages', /\.test\.ts$/).map((path) => readFileSync(join(root, path), 'utf8'))

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

function filesDeclaring(name: string): readonly string[] {
  const declaration = new RegExp(`^export (?:const|function|async function) [^=(]*\\b${name}\\b`, 'm')
  return sources.filter(([, code]) => declaration.test(code)).map(([path]) => path)
}

/** What each file has as a string or as the key of an object or a function. */
const spelt = sources.map(([path, code]) => {
  const found = [...code.matchAll(/'([\w-]+)'|(?:^|[{,])\s*([\w-]+): [{(]/gm)]
  return [path, new Set(found.map(([, text, key]) => text ?? key))] as const
})

/** The files with at least `least` of the names: those that spell a catalogue out. */
function filesListing(names: readonly string[], least: number): readonly string[] {
  return spelt.filter(([, words]) => names.filter((name) => words.has(name)).length >= least).map(([path]) => path)
}

const camelCase = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

describe('votes', () => {
  const names = Object.keys(votes)

  test.each(names)('%s is declared in one file, under its own name or as another name of a vote', (name) => {
    const declared = votes[name] && voteDescriptionOf(votes[name])
    expect(names).toContain(declared?.name)
    expect(filesDeclaring(name)).toHaveLength(1)
  })

  test('are spelt out where they are declared', () => {
    expect(filesListing(names, 3)).toEqual([...new Set(names.flatMap(filesDeclaring))])
  })
})

describe('report formats', () => {
  test('are spelt out in one file; only that of the page is beside them', () => {
    expect(formatNames.filter((name) => !Object.hasOwn(reportFormats, name))).toEqual(['html'])
    expect(filesListing(Object.keys(reportFormats), 3)).toEqual(['packages/experiment/src/report/formats.ts'])
  })
})

/** What assertions of another tool, and those of a skill, become. */
const translations = ['packages/import/src/promptfoo/assertions.ts', 'packages/jurist/src/commands/lift/asked.ts']

describe('judges of a config', async () => {
  const types = [...(await judgesByType()).keys()]
  const describing = sources.filter(([, code]) => /\bdescribe(?:Model|Talk)?Judge\b/.test(code)).map(([path]) => path)

  test.each(types)('%s is declared in one file, and has a test', (type) => {
    const name = camelCase(type)
    expect(filesDeclaring(name).filter((path) => describing.includes(path))).toHaveLength(1)
    expect(tests.some((text) => text.includes(name) || text.includes(type))).toBe(true)
  })

  test('are spelt out nowhere', () => {
    expect(filesListing(types, 5)).toEqual(translations)
  })
})
