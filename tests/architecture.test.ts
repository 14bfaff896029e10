import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plan } from './house/plan.js'
import type { Source } from './house/source.js'
import { filesBelow, readSource, root } from './house/source.js'

const maxFileLines = 250
const maxFunctionLines = 50
const maxIndexLines = 60

const directories = readdirSync(join(root, 'packages'))
const packages = directories.map((directory) => {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8'))
  const sources = filesBelow(`packages/${directory}/src`, /\.ts$/).map(readSource)
  return { directory, manifest, name: manifest.name as string, sources }
})

/** Where a relative import leads, as a path from the root. */
function target(source: Source, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(source.path), specifier)).replace(/\.js$/, '.ts')
}

describe('the house', () => {
  test('has the packages that the plan has', () => {
    expect(packages.map(({ name }) => name).sort()).toEqual(Object.keys(plan).sort())
  })

  test.each(packages)('$name has the doors of the plan, each with a source', ({ name, manifest, directory }) => {
    const doors = Object.entries(manifest.exports as Record<string, { default?: string }>)
    const published = doors.flatMap(([door, { default: file }]) => (file === undefined ? [] : [door]))
    expect(published.sort()).toEqual([...(plan[name]?.doors ?? [])].sort())
    for (const [, { default: file }] of doors)
      if (file !== undefined)
        expect(existsSync(join(root, 'packages', directory, file.replace('dist', 'src').replace(/\.js$/, '.ts')))).toBe(
          true,
        )
  })

  test.each(packages)('$name depends only on what the plan allows', ({ name, manifest }) => {
    const dependencies = Object.keys(manifest.dependencies ?? {})
    const allowed = [...(plan[name]?.below ?? []), ...(plan[name]?.dependencies ?? [])]
    expect(dependencies.filter((dependency) => !allowed.includes(dependency))).toEqual([])
    expect(Object.keys(manifest.peerDependencies ?? {})).toEqual(plan[name]?.peers ?? [])
    expect(manifest.sideEffects || []).toEqual(plan[name]?.effects ?? [])
    expect(manifest.license).toBe('MIT')
  })
})

describe('arrows', () => {
  const foreign = packages.flatMap(({ name, manifest, sources }) =>
    sources.flatMap((source) =>
      source.imports
        .filter(({ specifier }) => !specifier.startsWith('.'))
        .map((one) => ({ ...one, name, manifest, path: source.path })),
    ),
  )

  test('run only to packages that the plan lists, through their doors', () => {
    const wrong = foreign.filter(({ specifier, name }) => {
      const [, other, door] = /^(@jurist\/[^/]+|jurist)(\/.+)?$/.exec(specifier) ?? []
      if (other === undefined) return false
      return !plan[name]?.below.includes(other) || !plan[other]?.doors.includes(`.${door ?? ''}`)
    })
    expect(wrong.map(({ path, specifier }) => `${path} -> ${specifier}`)).toEqual([])
  })

  test('lead to an internal door only from the sources and tests of our packages', () => {
    const outside = ['examples', 'bench', 'docs'].flatMap((directory) => filesBelow(directory, /./))
    const documents = [...readdirSync(root), ...filesBelow('packages', /\.md$/)].filter((path) => path.endsWith('.md'))
    const wrong = [...outside, ...documents].filter((path) =>
      /['"`](?:@jurist\/\w+|jurist)\/internal['"`]/.test(readFileSync(join(root, path), 'utf8')),
    )
    expect(wrong).toEqual([])
  })

  test('run only to declared dependencies and to node:', () => {
    const wrong = foreign.filter(({ specifier, manifest, name }) => {
      const [bare = ''] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? []
      // `#name` is a file of the package itself, made when it is built.
      const own = specifier.startsWith('#') && manifest.imports?.[specifier] !== undefined
      const ours = packages.some((one) => one.name === bare && one.manifest.private === true)
      const given = ours || [...(plan[name]?.peers ?? []), ...(plan[name]?.bundled ?? [])].includes(bare)
      return !own && !given && !specifier.startsWith('node:') && manifest.dependencies?.[bare] === undefined
    })
    expect(wrong.map(({ path, specifier }) => `${path} -> ${specifier}`)).toEqual([])
  })

  test('do not lead from core to node:', () => {
    const wrong = foreign.filter(({ name, specifier }) => name === '@jurist/core' && specifier.startsWith('node:'))
    expect(wrong.map(({ path, specifier }) => `${path} -> ${specifier}`)).toEqual([])
  })

  test('lead to node: only where the plan says so, from within a function', () => {
    const wrong = foreign.filter(({ name, path, specifier, dynamic, erased }) => {
      const within = plan[name]?.nodeWithin
      if (within === undefined || erased || !specifier.startsWith('node:')) return false
      return !dynamic || !within.some((directory) => path.includes(`/src/${directory}/`))
    })
    expect(wrong.map(({ path, specifier }) => `${path} -> ${specifier}`)).toEqual([])
  })

  test('never reach a barrel of their own package', () => {
    const wrong = packages.flatMap(({ directory, sources }) =>
      sources.flatMap((source) =>
        source.imports
          .filter(({ specifier }) => specifier.startsWith('.'))
          .filter(({ specifier }) => target(source, specifier) === `packages/${directory}/src/index.ts`)
          .map(() => source.path),
      ),
    )
    expect(wrong).toEqual([])
  })

  test.each(packages)('in $name run within a floor or downward', ({ name, directory, sources }) => {
    const floors = plan[name]?.floors ?? []
    const floorOf = (path: string) => {
      const [first = ''] = path.slice(`packages/${directory}/src/`.length).replace(/\.ts$/, '').split('/')
      const floor = floors.findIndex((rooms) => rooms.includes(first))
      return floor < 0 ? floors.length : floor
    }
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => target(source, specifier))
        .filter((path) => floorOf(path) > floorOf(source.path))
        .map((path) => `${source.path} -> ${path}`),
    )
    expect(wrong).toEqual([])
  })

  test.each(packages)('in $name make no circle', ({ sources }) => {
    const graph = new Map(
      sources.map((source) => [
        source.path,
        source.imports
          .filter(({ specifier }) => specifier.startsWith('.'))
          .map(({ specifier }) => target(source, specifier)),
      ]),
    )
    expect(circleIn(graph)).toEqual([])
  })
})

/** The first circle, as the list of its files; empty when there is none. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>()
  const walk = (path: string, above: readonly string[]): readonly string[] => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path]
    if (done.has(path)) return []
    for (const next of graph.get(path) ?? []) {
      const circle = walk(next, [...above, path])
      if (circle.length > 0) return circle
    }
    done.add(path)
    return []
  }
  for (const path of graph.keys()) {
    const circle = walk(path, [])
    if (circle.length > 0) return circle
  }
  return []
}

describe('sizes and names', () => {
  const everything = [
    ...packages.flatMap(({ sources }) => sources),
    ...['examples', 'bench', 'tests/house'].flatMap((directory) =>
      existsSync(join(root, directory)) ? filesBelow(directory, /(?<!\.test)\.ts$/).map(readSource) : [],
    ),
  ].filter(({ path }) => !path.includes('/dataset/items/'))

  test(`no file has more than ${maxFileLines} lines`, () => {
    expect(
      everything.filter(({ lines }) => lines > maxFileLines).map(({ path, lines }) => `${path}: ${lines}`),
    ).toEqual([])
  })
  test(`no function has more than ${maxFunctionLines} lines`, () => {
    const long = everything.flatMap(({ path, functions }) =>
      functions.filter(({ lines }) => lines > maxFunctionLines).map(({ name, lines }) => `${path} ${name}: ${lines}`),
    )
    expect(long).toEqual([])
  })
  test(`a table of contents has at most ${maxIndexLines} lines`, () => {
    const long = packages.flatMap(({ directory, sources }) =>
      sources.filter(({ path, lines }) => path === `packages/${directory}/src/index.ts` && lines > maxIndexLines),
    )
    expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
  })
  test('every name says something', () => {
    const vague = /(^|\/)(utils?|helpers?|common|shared|types|misc)(\.[a-z-]+)*(\/|$)/
    const files = ['packages', 'examples', 'bench', 'tests'].flatMap((directory) =>
      existsSync(join(root, directory)) ? filesBelow(directory, /./) : [],
    )
    expect(files.filter((path) => vague.test(path))).toEqual([])
  })
})

describe('documents', () => {
  const documents = [
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    ...['docs', 'examples', 'bench', 'packages'].flatMap((directory) =>
      existsSync(join(root, directory)) ? filesBelow(directory, /\.md$/) : [],
    ),
  ].filter((path) => !path.includes('/dataset/') && !path.endsWith('CHANGELOG.md'))

  test.each(documents)('every path named in %s exists', (document) => {
    const text = readFileSync(join(root, document), 'utf8').replace(/```[\s\S]*?```/g, '')
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, path]) => path ?? '')
    const quoted = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/?)`/g)].map(([, path]) => path ?? '')
    const local = links.filter((path) => !/^[a-z]+:/.test(path)).map((path) => join(dirname(document), path))
    const named = quoted.filter(
      (path) => directories.length > 0 && /^(packages|docs|examples|bench|tests|\.ci)\//.test(path),
    )
    expect([...local, ...named].filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
