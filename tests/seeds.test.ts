import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportsOf, root } from './house/source.js'

/** Every name that any door exports. */
const exported = new Set(
  readdirSync(join(root, 'packages')).flatMap((directory) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8'))
    return Object.values(manifest.exports as Record<string, { default?: string }>).flatMap(({ default: file }) =>
      file === undefined
        ? []
        : [...exportsOf(join('packages', directory, file.replace('dist', 'src').replace(/\.js$/, '.ts')))],
    )
  }),
)

const [mapping = '', owedText = ''] = readFileSync(join(root, 'docs/from-the-seeds.md'), 'utf8').split('## Still owed')
const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')
const owed = new Set(namesIn(owedText))

test('every Jurist name of the mapping is exported, or is listed as still owed', () => {
  const rows = mapping.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Seeds'))
  const named = new Set(rows.flatMap((row) => namesIn(row.split(/(?<!\\)\|/).at(-2) ?? '')))
  expect(named.size).toBeGreaterThan(80)
  expect([...named].filter((name) => !exported.has(name) && !owed.has(name))).toEqual([])
})

test('nothing is listed as owed that is already there', () => {
  expect([...owed].filter((name) => exported.has(name))).toEqual([])
})
