import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The directory of the installed package that a module belongs to. */
function homeOf(module) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0]
}

function licenceOf(home) {
  const { name, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const file = readdirSync(home).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no file with its licence: it cannot be part of a package.`)
  return `${name} ${version}\n\n${readFileSync(join(home, file), 'utf8')}`
}

/** Writes the licences of the installed packages that have become part of a bundle; no file when there are none. */
export function writeLicences(modules, file) {
  const homes = [...new Set(modules.map(homeOf))]
  const bundled = homes.filter((home) => home !== undefined && !home.includes('@oxc-project')).sort()
  if (bundled.length > 0) writeFileSync(file, bundled.map(licenceOf).join('\n\n----\n\n'))
}
