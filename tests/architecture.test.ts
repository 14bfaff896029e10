import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PackagePlan } from './structure/package-plan.js'
import { plan } from './structure/plan.js'
import type { Source } from './structure/source.js'
import { filesBelow, readSource, root } from './structure/source.js'

const noPlan: PackagePlan = { below: [], doors: [], layers: [], dependencies: [] }
const directories = readdirSync(join(root, 'packages'))
const packages = directories.map((directory) => {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8'))
  const name = manifest.name as string
  const sources = sourcesBelow(`packages/${directory}/src`)
  const page = sourcesBelow(`packages/${directory}/page`)
  return { directory, manifest, name, plan: plan[name] ?? noPlan, sources, page, all: [...sources, ...page] }
})

/** The directories with sources, each with its layers. */
const trees = packages.flatMap(({ name, directory, plan: { layers, page: pagePlan }, sources, page }) => [
  { name, at: `packages/${directory}/src`, layers, sources },
  ...(page.length === 0
    ? []
    : [
        {
          name: `the page of ${name}`,
          at: `packages/${directory}/page`,
          layers: pagePlan?.layers ?? [],
          sources: page,
        },
      ]),
])

function sourcesBelow(directory: string, name = /\.tsx?$/): readonly Source[] {
  return existsSync(join(root, directory)) ? filesBelow(directory, name).map(readSource) : []
}

/** The path of a relative import from the root. */
function target(source: Source, specifier: string): string {
  const path = posix.normalize(posix.join(posix.dirname(source.path), specifier)).replace(/\.js$/, '.ts')
  return existsSync(join(root, path)) ? path : path.replace(/\.ts$/, '.tsx')
}

function relativeImports(source: Source) {
  return source.imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map((one) => ({ ...one, path: target(source, one.specifier) }))
}

/** The file or directory of `tree` that a path belongs to, without its ending. */
function partOf(path: string, tree: string): string {
  const [first = ''] = path
    .slice(tree.length + 1)
    .replace(/\.tsx?$/, '')
    .split('/')
  return first
}

describe('the plan', () => {
  test('has the packages that exist', () => {
    expect(packages.map(({ name }) => name).sort()).toEqual(Object.keys(plan).sort())
  })

  test.each(packages)(
    'has the doors of $name, each with a source',
    ({ plan: { doors: planned }, manifest, directory }) => {
      const doors = Object.entries(manifest.exports as Record<string, { default?: string }>)
      const published = doors.flatMap(([door, { default: file }]) => (file === undefined ? [] : [door]))
      expect(published.sort()).toEqual([...planned].sort())
      const sources = doors.flatMap(
        ([, { default: file }]) => file?.replace('dist', 'src').replace(/\.js$/, '.ts') ?? [],
      )
      expect(sources.filter((file) => !existsSync(join(root, 'packages', directory, file)))).toEqual([])
    },
  )

  test.each(packages)(
    'has the dependencies of $name',
    ({ plan: { below, dependencies, bundled, peers, effects }, manifest }) => {
      const declared = Object.keys(manifest.dependencies ?? {})
      const ours = packages.map(({ name }) => name)
      expect(declared.filter((name) => !ours.includes(name)).sort()).toEqual([...dependencies].sort())
      const development = Object.keys(manifest.devDependencies ?? {})
      expect(below.filter((name) => !declared.includes(name) && !development.includes(name))).toEqual([])
      expect(declared.filter((name) => ours.includes(name) && !below.includes(name))).toEqual([])
      expect((bundled ?? []).filter((name) => !development.includes(name))).toEqual([])
      expect(Object.keys(manifest.peerDependencies ?? {})).toEqual(peers ?? [])
      expect(manifest.sideEffects || []).toEqual(effects ?? [])
      expect(manifest.license).toBe('MIT')
    },
  )

  test.each(packages)('uses the parts of $name that are bundled', ({ plan: { bundled = [] }, all }) => {
    const imported = all.flatMap(({ imports }) => imports.map(({ specifier }) => specifier))
    const isImported = (name: string) => imported.some((one) => one === name || one.startsWith(`${name}/`))
    expect(bundled.filter((name) => !isImported(name))).toEqual([])
  })

  test.each(trees)('lists only files and directories that exist in $name, once each', ({ at, layers }) => {
    const listed = layers.flat()
    const exists = (part: string) => ['', '.ts', '.tsx'].some((ending) => existsSync(join(root, at, part + ending)))
    expect(listed.filter((part) => !exists(part))).toEqual([])
    expect(listed.filter((part, index) => listed.indexOf(part) !== index)).toEqual([])
  })

  test.each(packages)(
    'names directories of $name that load node: modules',
    ({ plan: { nodeWithin = [] }, sources, directory }) => {
      const loads = (part: string) =>
        sources.some(
          ({ path, imports }) =>
            partOf(path, `packages/${directory}/src`) === part &&
            imports.some(({ specifier, erased }) => specifier.startsWith('node:') && !erased),
        )
      expect(nodeWithin.filter((part) => !loads(part))).toEqual([])
    },
  )

  test('has every file of the kit as a door', () => {
    const kit = packages.find(({ name }) => name === '@jurist/kit')
    const files = kit?.sources.map(({ path }) => `./${partOf(path, 'packages/kit/src')}`)
    expect(files).not.toEqual([])
    expect(files).toEqual([...(kit?.plan.doors ?? [])].sort())
  })
})

describe('imports', () => {
  const foreign = packages.flatMap(({ all, ...one }) =>
    all.flatMap((source) =>
      source.imports
        .filter(({ specifier }) => !specifier.startsWith('.'))
        .map((found) => ({ ...found, ...one, path: source.path })),
    ),
  )
  const arrows = (wrong: readonly { readonly path: string; readonly specifier: string }[]) =>
    wrong.map(({ path, specifier }) => `${path} -> ${specifier}`)

  test('lead only to packages that the plan lists, through their doors', () => {
    const wrong = foreign.filter(({ specifier, plan: { below } }) => {
      const [, other, door] = /^(@jurist\/[^/]+|jurist)(\/.+)?$/.exec(specifier) ?? []
      if (other === undefined) return false
      return !below.includes(other) || !plan[other]?.doors.includes(`.${door ?? ''}`)
    })
    expect(arrows(wrong)).toEqual([])
  })

  test('lead only to declared dependencies and to node:', () => {
    const wrong = foreign.filter(({ specifier, manifest, plan: { peers = [], bundled = [] } }) => {
      const [bare = ''] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? []
      // `#name` is a file that the build makes, within the package.
      const own = specifier.startsWith('#') && manifest.imports?.[specifier] !== undefined
      const ours = packages.some((one) => one.name === bare && one.manifest.private === true)
      const given = ours || [...peers, ...bundled].includes(bare)
      return !own && !given && !specifier.startsWith('node:') && manifest.dependencies?.[bare] === undefined
    })
    expect(arrows(wrong)).toEqual([])
  })

  test('do not lead from core, or from a page, to node:', () => {
    const wrong = foreign.filter(
      ({ name, path, specifier, erased }) =>
        specifier.startsWith('node:') && (name === '@jurist/core' || (path.includes('/page/') && !erased)),
    )
    expect(arrows(wrong)).toEqual([])
  })

  test('start git in one file, which lets no repository name a program', () => {
    // The probe is the agent: what it runs, runs where the agent does.
    const allowed = ['packages/workspace/src/git.ts', 'packages/vet/src/probe/probes/leak.ts']
    const starts = /(?:\b(?:spawn|exec|execFile|run|said|fork)\w*\(\s*\[?\s*|\bfile: |command: \[?)['"`]git\b/
    const found = packages
      .flatMap(({ sources }) => sources.map(({ path }) => path))
      .filter((path) => {
        return starts.test(readFileSync(join(root, path), 'utf8'))
      })
    expect(found.sort()).toEqual(allowed.sort())
  })

  test('lead to node: only where the plan allows it, inside a function', () => {
    const wrong = foreign.filter(({ plan: { nodeWithin }, path, specifier, dynamic, erased }) => {
      if (nodeWithin === undefined || erased || !specifier.startsWith('node:')) return false
      return !dynamic || !nodeWithin.some((directory) => path.includes(`/src/${directory}/`))
    })
    expect(arrows(wrong)).toEqual([])
  })

  test('lead to internal doors only from our packages and their tests', () => {
    const files = ['examples', 'bench', 'docs', 'README.md', ...directories.map((name) => `packages/${name}/README.md`)]
      .filter((path) => existsSync(join(root, path)))
      .flatMap((path) => (path.endsWith('.md') ? [path] : filesBelow(path, /\.(?:ts|mjs|md|ya?ml)$/)))
      .filter((path) => !path.startsWith('docs/decisions/') && !path.endsWith('.test.ts'))
    expect(files.length).toBeGreaterThan(50)
    const internal = /@jurist\/[a-z]+\/internal/
    expect(files.filter((path) => internal.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  test('never lead to the barrel of the own package', () => {
    const wrong = packages.flatMap(({ directory, all }) =>
      all.filter((source) => relativeImports(source).some(({ path }) => path === `packages/${directory}/src/index.ts`)),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('lead from src never to a page, and from a page only to the parts of src that run in a browser', () => {
    const wrong = packages.flatMap(({ directory, plan: { page: pagePlan }, all }) =>
      all.flatMap((source) =>
        relativeImports(source).filter(({ path, erased }) => {
          const [from, to] = [source.path, path].map((one) => one.startsWith(`packages/${directory}/page/`))
          if (from === to) return false
          const part = partOf(path, `packages/${directory}/src`)
          return to || !(erased || pagePlan?.fromSource.includes(part))
        }),
      ),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test.each(trees)('in $name stay within a layer or lead to a lower one', ({ at, layers, sources }) => {
    const layerOf = (path: string) => {
      const layer = layers.findIndex((parts) => parts.includes(partOf(path, at)))
      return layer < 0 ? layers.length : layer
    }
    const wrong = sources.flatMap((source) =>
      relativeImports(source)
        .filter(({ path }) => path.startsWith(`${at}/`) && layerOf(path) > layerOf(source.path))
        .map(({ path }) => `${source.path} -> ${path}`),
    )
    expect(wrong).toEqual([])
  })

  test.each(packages)('in $name make no circle', ({ all }) => {
    expect(
      circleIn(new Map(all.map((source) => [source.path, relativeImports(source).map(({ path }) => path)]))),
    ).toEqual([])
  })
})

/** The first circle as a list of files; empty without one. */
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

describe('names and tests', () => {
  test('every name says something', () => {
    const vague = /(^|\/)(utils?|helpers?|common|shared|types|misc)(\.[a-z-]+)*(\/|$)/
    const files = ['packages', 'examples', 'bench', 'tests'].flatMap((directory) =>
      existsSync(join(root, directory)) ? filesBelow(directory, /./) : [],
    )
    expect(files.filter((path) => vague.test(path))).toEqual([])
  })

  test('no test has its own time limit: a slow machine is only slow', () => {
    const limit = /\b(?:test|it|describe)[^\n]*\{\s*timeout(?=:)|^\s*\{ timeout(?=:): [\d_]+ \},$|^ *\}, [\d_]{4,}\)/m
    const tests = ['packages', 'examples', 'tests', 'site'].flatMap((directory) =>
      filesBelow(directory, /\.test\.tsx?$/),
    )
    expect(tests.length).toBeGreaterThan(300)
    expect(tests.filter((path) => limit.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })
})

describe('documents', () => {
  const documents = [
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    ...['docs', 'examples', 'bench', 'packages'].flatMap((directory) =>
      existsSync(join(root, directory)) ? filesBelow(directory, /\.md$/) : [],
    ),
  ].filter(
    (path) => !path.includes('/dataset/') && !path.endsWith('CHANGELOG.md') && !path.startsWith('docs/reference/'),
  )

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
