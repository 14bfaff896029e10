import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import './seeds/bridges.js'
import './seeds/commands.js'
import './seeds/experiments.js'
import './seeds/judges.js'
import './seeds/juries.js'
import './seeds/measuring.js'
import './seeds/models.js'
import { rows } from './seeds/row.js'
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

/** The rows of the page: the first cell as a program names it, what the page says, and the exported names. */
const table = mapping.split('\n').flatMap((line) => {
  const [, seeds = '', says = '', names = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  return !line.startsWith('| ') || seeds === 'Seeds' ? [] : [{ seeds: seeds.replaceAll('\\|', '|'), says, names }]
})

/** The text of each program, with the imports of its file. */
const programs = new Map(
  readdirSync(join(root, 'tests/seeds')).flatMap((file) => {
    const [head = '', ...parts] = readFileSync(join(root, 'tests/seeds', file), 'utf8').split(/^row\(/m)
    return parts.map((text) => [/^\s*'(.*)',/m.exec(text)?.[1] ?? '', { text, head }] as const)
  }),
)

/** What a program must use for a row to be true: the exported names, the options in braces, and the quoted values. */
function usedBy({ says, names }: (typeof table)[number]): readonly string[] {
  const code = [...says.matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '')
  const options = code.flatMap((text) => [...text.matchAll(/\{([^{}]*)\}/g)].map(([, inside]) => inside ?? ''))
  const words = options.flatMap((text) => [...text.matchAll(/(?<![.'\w])(\w{2,})(?=\s*(?:[:,]|$))/g)])
  const keys = code.flatMap((text) => [...text.matchAll(/(\w{2,}): /g)])
  const values = code.flatMap((text) => [...text.matchAll(/'([\w-]+)'/g)])
  return [...new Set([...namesIn(names), ...[...words, ...keys, ...values].map(([, word]) => word ?? '')])]
}

test('every row of the mapping has a program, and every program a row', () => {
  expect(table.length).toBeGreaterThan(110)
  expect([...rows.keys()].toSorted()).toEqual(table.map(({ seeds }) => seeds).toSorted())
  expect([...programs.keys()].toSorted()).toEqual([...rows.keys()].toSorted())
})

test('a program uses every name, option and value of its row', () => {
  const unused = table.flatMap((row) => {
    const text = programs.get(row.seeds)?.text ?? ''
    return usedBy(row).flatMap((word) => (new RegExp(`\\b${word}\\b`).test(text) ? [] : [`${row.seeds}: ${word}`]))
  })
  expect(unused).toEqual([])
})

test('a program imports what its row says from the door that its row says', () => {
  const wrong = table.flatMap(({ seeds, says, names }) => {
    const [, door] = /in `(@jurist\/[\w/-]+)`/.exec(says) ?? []
    if (door === undefined) return []
    const { head = '' } = programs.get(seeds) ?? {}
    const imported = new RegExp(`import \\{([^}]*)\\} from '${door}'`).exec(head)?.[1] ?? ''
    const claimed = namesIn(names).filter((name) => doors.get(door)?.has(name))
    return claimed
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(imported))
      .map((name) => `${seeds}: ${name} of ${door}`)
  })
  expect(wrong).toEqual([])
})

test.each([...rows])('%s', async (_, program) => {
  await program()
})
