// Installs the packages of this clone in another project, as a registry would: `npm run pack -- ../my-project` packs all of
// them, and installs `jurist` or the packages that are named after the directory.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tarballs = 'jurist-packages'

/** The directories of the packages that are published, by name. */
const published = new Map(
  readdirSync(join(root, 'packages')).flatMap((directory) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8'))
    return manifest.private === true ? [] : [[manifest.name, directory]]
  }),
)

/**
 * Packs every published package into a directory of the project. Returns the name of each and where it is. The name of a file
 * ends with a part of its hash, since package managers do not look again into a file that they installed.
 */
function packAll(project) {
  const into = join(project, tarballs)
  rmSync(into, { recursive: true, force: true })
  mkdirSync(into, { recursive: true })
  const words = [...published.values()].flatMap((name) => ['--workspace', `packages/${name}`])
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', into, ...words], { cwd: root })
  return JSON.parse(output).map(({ name, filename }) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(into, filename)))
      .digest('hex')
    const hashed = filename.replace(/\.tgz$/, `-${hash.slice(0, 8)}.tgz`)
    renameSync(join(into, filename), join(into, hashed))
    return { name, spec: `file:./${tarballs}/${hashed}` }
  })
}

/** The named packages, and those of ours that they need. */
function withNeeded(names, packed) {
  const found = new Set(names)
  for (const name of found) {
    const directory = published.get(name)
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8'))
    for (const { name } of packed) if (dependencies[name] !== undefined) found.add(name)
  }
  return found
}

/** A manifest with some of the packed packages as development dependencies; what these need of ours comes from its file. */
function withPacked(manifest, packed, names) {
  const needed = withNeeded(names, packed)
  const specs = Object.fromEntries(packed.flatMap(({ name, spec }) => (needed.has(name) ? [[name, spec]] : [])))
  const chosen = Object.fromEntries(names.map((name) => [name, specs[name]]))
  return {
    ...manifest,
    devDependencies: { ...manifest.devDependencies, ...chosen },
    overrides: { ...manifest.overrides, ...specs },
    pnpm: { ...manifest.pnpm, overrides: { ...manifest.pnpm?.overrides, ...specs } },
  }
}

/** Packs, writes the manifest of the project (a new one if it is missing) and installs with its package manager. */
function installIn(project, names) {
  mkdirSync(project, { recursive: true })
  const file = join(project, 'package.json')
  const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { private: true, type: 'module' }
  const packed = packAll(project)
  writeFileSync(file, `${JSON.stringify(withPacked(manifest, packed, names), null, 2)}\n`)
  const manager = existsSync(join(project, 'pnpm-lock.yaml')) ? 'pnpm' : 'npm'
  execFileSync(manager, ['install'], { cwd: project, stdio: 'inherit' })
}

const [directory, ...names] = process.argv.slice(2)
const unknown = names.filter((name) => !published.has(name))
if (directory === undefined || unknown.length > 0) {
  for (const name of unknown)
    console.error(`There is no package ${name}. Packages: ${[...published.keys()].join(', ')}.`)
  console.error(
    'Name a directory, and packages if you want others than jurist: npm run pack -- ../my-project [package ...]',
  )
  process.exitCode = 2
} else installIn(resolve(directory), names.length === 0 ? ['jurist'] : names)
