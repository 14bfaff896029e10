import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plan } from './structure/plan.js'
import { type Door, declaredAt, type PublicName, publicDoors } from './structure/public-names.js'
import { root } from './structure/source.js'

// What every public door exports, with its declarations, is in `tests/api`, so that a review shows every change of it.
// `npm run fix` rewrites the reports.

const reports = join(root, 'tests/api')
const doors = publicDoors()
const manifest = JSON.parse(readFileSync(join(root, 'packages/jurist/package.json'), 'utf8'))
const fileOf = ({ door }: Door) => `${door.replace(/^@jurist\//, '').replaceAll('/', '.')}.api.txt`

describe('the API report', () => {
  test.each(doors.map((door) => [door.door, door] as const))('of %s is up to date', async (_, door) => {
    await expect(textOf(door)).toMatchFileSnapshot(join(reports, fileOf(door)))
  })

  test('has no file without a door', () => {
    expect(readdirSync(reports).filter((file) => !doors.map(fileOf).includes(file))).toEqual([])
  })

  test('is the same for a program that has only jurist: each name is behind one of its doors', () => {
    const brought = Object.keys(manifest.dependencies)
    const offered = new Set(doors.filter(({ package: of }) => of === 'jurist').flatMap(namesOf))
    const others = doors.filter(({ package: of }) => brought.includes(of))
    expect(others.length).toBeGreaterThan(20)
    expect(others.flatMap(namesOf).filter((name) => !offered.has(name))).toEqual([])
  })

  test('names every type that its declarations mention', () => {
    expect(doors.flatMap((door) => mentionedBy(door).map(({ name }) => `${name}, by ${door.door}`))).toEqual([])
  })

  test('mentions no private package', () => {
    expect(doors.filter((door) => textOf(door).includes('@jurist/kit')).map(({ door }) => door)).toEqual([])
  })

  test('needs no library that is bundled, since its types are not installed', () => {
    const bundled = [...new Set(Object.values(plan).flatMap(({ bundled = [] }) => bundled))]
    const files = [...declarationsBehind(doors.flatMap(({ names }) => [...names.values()].map(({ file }) => file)))]
    expect(files.length).toBeGreaterThan(200)
    const needs = files.flatMap((file) =>
      bundled.filter((name) => codeAt(file).includes(`from '${name}'`)).map((name) => `${file} needs ${name}`),
    )
    expect(needs).toEqual([])
  })
})

function codeAt(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Declarations, and those that they import from the same package. */
function declarationsBehind(files: readonly string[], found: Set<string> = new Set()): ReadonlySet<string> {
  for (const file of files) {
    if (found.has(file)) continue
    found.add(file)
    const imported = [...codeAt(file).matchAll(/from '(\.[^']+)\.js'/g)]
    declarationsBehind(
      imported.map(([, path = '']) => join(dirname(file), `${path}.d.ts`)),
      found,
    )
  }
  return found
}

/** The first door of its package that exports each name. */
const homes = new Map<string, Door>()
for (const door of doors)
  for (const one of door.names.values())
    if (one.package === door.package && !homes.has(key(one))) homes.set(key(one), door)

/** The names of a door in order: where the others are declared, then its own. */
function textOf(door: Door): string {
  const names = [...door.names.values()].sort(byName)
  const own = names.filter((one) => homes.get(key(one)) === door)
  const others = names.filter((one) => homes.get(key(one)) !== door)
  return [
    `${door.door}: ${names.length} names`,
    ...(others.length === 0 ? [] : [others.map((one) => `${one.name} of ${homes.get(key(one))?.door}`).join('\n')]),
    ...own.flatMap(codeOf),
  ]
    .join('\n\n')
    .concat('\n')
}

/** Types of its package that the declarations of a door mention and no door of the package exports. */
function mentionedBy(door: Door): readonly PublicName[] {
  return [...door.names.values()].flatMap(({ file, declarations }) => {
    const words = declarations.flatMap(({ code }) => code.match(/\b[A-Z]\w+\b/g) ?? [])
    return [...new Set(words)].flatMap((word) => {
      const one = declaredAt(join(root, file), word)
      return one === undefined || one.package !== door.package || homes.has(key(one)) ? [] : [one]
    })
  })
}

function namesOf({ names }: Door): readonly string[] {
  return [...names.values()].map(key)
}

function key({ file, name }: PublicName): string {
  return `${file} ${name}`
}

function byName(a: PublicName, b: PublicName): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

function codeOf({ declarations }: PublicName): readonly string[] {
  return declarations.map(({ code }) => code.replace(/^export (?:declare )?|^declare /, '').trim())
}
