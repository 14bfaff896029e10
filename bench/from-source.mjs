import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import { root } from './measure.mjs'

let made = 0

/** A module of a package that no door leads to, built from its source; what it imports from packages is theirs. */
export async function moduleFromSource(path) {
  const file = join(root, 'node_modules', `.jurist-bench-${process.pid}-${made++}.mjs`)
  await build({
    input: join(root, path),
    // The kit is not published: it is part of what imports it.
    external: /^@jurist\/(?!kit\/)/,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    output: { file },
    logLevel: 'warn',
  })
  try {
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(file)
  }
}
