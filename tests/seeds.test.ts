import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportsOf, root } from './structure/source.js'

/** The names that each public door exports, such as `@jurist/workspace/commands`. */
const doors = new Map<string, ReadonlySet<string>>(
  readdirSync(join(root, 'packages')).flatMap((directory) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8'))
    const entries = Object.entries(manifest.exports as Record<string, { default?: string }>)
    return entries.flatMap(([door, { default: file }]) => {
      if (file === undefined || door.startsWith('./internal')) return []
      const source = join('packages', directory, file.replace('dist', 'src').replace(/\.js$/, '.ts'))
      return [[`${manifest.name}${door.slice(1)}`, exportsOf(source)] as const]
    })
  }),
)
/** Every name that any door exports. */
const exported = new Set([...doors.values()].flatMap((names) => [...names]))

const [mapping = '', owedText = ''] = readFileSync(join(root, 'docs/from-the-seeds.md'), 'utf8').split('## Still owed')
const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')
const owed = new Set(namesIn(owedText))

test('every Jurist name of the mapping is exported, or is listed as still owed', () => {
  const rows = mapping.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Seeds'))
  const named = new Set(rows.flatMap((row) => namesIn(row.split(/(?<!\\)\|/).at(-2) ?? '')))
  expect(named.size).toBeGreaterThan(80)
  expect([...named].filter((name) => !exported.has(name) && !owed.has(name))).toEqual([])
})

test('a name that a row says is in a door is exported by that door', () => {
  const claims = mapping.split('\n').flatMap((line) => {
    const [, , claim = '', names = ''] = line.split(/(?<!\\)\|/)
    const [, door] = /in `(@jurist\/[\w/-]+)`/.exec(claim) ?? []
    const known = new Set(namesIn(names))
    // A word such as `jury` in the example of a call is no claim about the door.
    const called = [...(claim.split(' in `')[0]?.matchAll(/(?:^|`)\s*(\w+)/g) ?? [])].map(([, name]) => name ?? '')
    return door === undefined ? [] : called.filter((name) => known.has(name)).map((name) => ({ door, name }))
  })
  expect(claims.length).toBeGreaterThan(10)
  expect(claims.filter(({ door, name }) => !doors.get(door)?.has(name))).toEqual([])
})

test('nothing is listed as owed that is already there', () => {
  expect([...owed].filter((name) => exported.has(name))).toEqual([])
})
