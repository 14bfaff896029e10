import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const between = '\n\n----\n\n'
const bundler = createRequire(createRequire(import.meta.url).resolve('rolldown'))

/** The directory of the installed package that a module belongs to. What the bundler adds belongs to it, or to Oxc. */
function homeOf(module) {
  if (module.includes('@oxc-project+runtime')) return dirname(bundler.resolve('@oxc-project/types/package.json'))
  if (module.startsWith('\0rolldown/')) return dirname(bundler.resolve('rolldown/package.json'))
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0]
}

function licenceOf(home) {
  const { name, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const file = readdirSync(home).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no file with its licence: it cannot be part of a package.`)
  return `${name} ${version}\n\n${readFileSync(join(home, file), 'utf8').trim()}`
}

/** Writes the licences of the installed packages that have become part of a bundle. */
export function writeLicences(modules, file) {
  const homes = [...new Set(modules.map(homeOf))].filter((home) => home !== undefined)
  writeFileSync(file, homes.map(licenceOf).join(between))
}

/** Makes one file of the licences that the steps of the build have written for a package; an empty package has none. */
export function gatherLicences(directory) {
  const parts = ['dist', 'dist/page', 'parsers'].map((part) => join(directory, part, 'LICENCES.txt')).filter(existsSync)
  const texts = parts.flatMap((part) => readFileSync(part, 'utf8').split(between)).filter((text) => text !== '')
  if (texts.length === 0) return
  const head = 'Parts of these packages are in this one. Their licences:'
  writeFileSync(join(directory, 'THIRD-PARTY-LICENSES.txt'), `${[head, ...[...new Set(texts)].sort()].join(between)}\n`)
}
