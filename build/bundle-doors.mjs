// Makes the JavaScript of every package from its sources: one file a door, and shared chunks. A package of a hundred small
// modules costs 70 ms to import; a few files cost 15. The names of functions are kept: judges are called by them. What a
// package depends on stays outside. What it imports from its development dependencies becomes part of it, with the licence;
// so does what the private kit depends on. `tsc` makes the declarations, which have the comments.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { writeLicences } from './licences.mjs'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

/** Every file below `dist` that a manifest names as JavaScript: doors, commands, and what its own `imports` choose from. */
function publishedFiles({ exports, bin = {}, imports = {} }) {
  const named = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(named))
  const files = [exports, bin, imports].flatMap(named)
  const built = files.filter((file) => file.startsWith('./dist/') && file.endsWith('.js'))
  return [...new Set(built)].map((file) => file.slice('./dist/'.length))
}

const kit = JSON.parse(readFileSync(join(packages, 'kit/package.json'), 'utf8'))

/** A function that decides what is not part of a package. */
function outsideOf({ dependencies = {}, peerDependencies = {}, devDependencies = {} }) {
  const given = { ...dependencies, ...peerDependencies }
  return (id) => {
    if (/^[./]/.test(id) || id.startsWith('@oxc-project/runtime')) return false
    const [name] = /^(@[^/]+\/)?[^/]+/.exec(id) ?? [id]
    const inside = { ...kit.dependencies, ...devDependencies }
    return inside[name] === undefined || given[name] !== undefined
  }
}

/**
 * Modules that are together in one file, since a program that opens a door to one of them needs nearly all: each file takes as
 * long to find as 30 KB to read. By directories of `src`, or by the doors that need them, which then open no other. What
 * fits several is in the first.
 */
const together = {
  core: { core: { doors: ['index.ts', 'internal.ts', 'answers/index.ts'] } },
  experiment: {
    // What commands that read results need, and doors that open without Node as well.
    config: {
      doors: [
        'internal-config.ts',
        'store/memory-store.ts',
        'run/events.ts',
        'dataset/item-fields.ts',
        'dataset/dataset.ts',
        '../../kit/src/command-line.ts',
      ],
    },
    steps: { doors: ['internal-journal.ts'] },
    // The doors of these three open without Node too.
    result: { doors: ['result/index.ts', 'compare/index.ts', 'internal-results.ts'] },
    report: { doors: ['calibrate/index.ts', 'report/index.ts'] },
    scan: { doors: ['scan/index.ts'] },
    // Commands that read results start without what runs agents.
    store: { doors: ['store/index.ts', 'plugin/index.ts'] },
    journal: { doors: ['journal/index.ts'] },
    run: { doors: ['index.ts'] },
    internal: { doors: ['internal.ts', 'rejudge/index.ts'] },
  },
  workspace: { workspace: { doors: ['index.ts', 'internal.ts', 'commands/index.ts', 'files/index.ts'] } },
  jurist: {
    config: { doors: ['config/load-config.ts', 'config/described-judges.ts', '../../kit/src/json.ts'] },
    // What nearly every command needs. `jurist run` starts without what only other commands share, and a hook without both.
    command: {
      doors: [
        'command/program',
        'command-kit/results-store',
        'command-kit/key-reader',
        'command-kit/find-run',
        'terminal/cells',
      ].map((name) => `${name}.ts`),
    },
    run: { doors: ['commands/run/run.ts'] },
    hook: { doors: ['commands/hook/hook.ts'] },
    // Four commands need what opens `@jurist/vet`; the others start without it.
    commands: { directories: 'command|command-kit|commands(?!/vet/)|terminal' },
  },
}

function groupsOf(directory) {
  const source = join(packages, directory, 'src')
  return Object.entries(together[directory] ?? {}).map(([name, { directories, doors }], index) => {
    const reached = doors && new Set(doors.flatMap((door) => [...modulesBehind(join(source, door))]))
    const test = reached === undefined ? new RegExp(`^${source}/(${directories})(/|\\.ts$)`) : (id) => reached.has(id)
    return { name, test, priority: 100 - index, minShareCount: 2 }
  })
}

/** The modules of the same package and of the kit that a module needs, and those that these need. */
function modulesBehind(path, found = new Set()) {
  if (found.has(path)) return found
  found.add(path)
  const imports = readFileSync(path, 'utf8').matchAll(
    /^(?:import|export) (?!type\b)[^'"]*?from '(?:(\.[^']+)\.js|@jurist\/kit\/([^']+))'/gm,
  )
  for (const [, own, shared] of imports) {
    const source = own === undefined ? join(packages, 'kit/src', shared) : join(dirname(path), own)
    modulesBehind(`${source}.ts`, found)
  }
  return found
}

async function bundle(directory) {
  const home = join(packages, directory)
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const files = publishedFiles(manifest)
  const entries = files.map((file) => [file.replace(/\.js$/, ''), join(home, 'src', file.replace(/\.js$/, '.ts'))])
  rmSync(join(home, 'dist/chunks'), { recursive: true, force: true })
  const { output } = await build({
    input: Object.fromEntries(entries),
    external: outsideOf(manifest),
    platform: 'neutral',
    transform: { target: 'node20.19' },
    output: {
      dir: join(home, 'dist'),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      hashCharacters: 'hex',
      comments: { jsdoc: false },
      codeSplitting: { groups: groupsOf(directory) },
    },
    // A module may be loaded late by one that seldom needs it, although another one loads it first.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  })
  writeLicences(
    output.flatMap(({ moduleIds = [] }) => moduleIds),
    join(home, 'dist/LICENCES.txt'),
  )
}

/** Packages that are private have no doors: others bundle what they use of their sources. */
const isPublished = (directory) =>
  JSON.parse(readFileSync(join(packages, directory, 'package.json'), 'utf8')).private !== true

await Promise.all(readdirSync(packages).filter(isPublished).map(bundle))
