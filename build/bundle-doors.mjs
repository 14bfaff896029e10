// Makes the JavaScript of every package from its sources: one file a door, and shared chunks. A package of a hundred small
// modules costs 70 ms to import; a few files cost 15. The names of functions are kept: judges are called by them. What a
// package depends on stays outside. `tsc` makes the declarations.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

/** Every file below `dist` that a manifest names as JavaScript: doors, commands, and what its own `imports` choose from. */
function publishedFiles({ exports, bin = {}, imports = {} }) {
  const named = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(named))
  const files = [exports, bin, imports].flatMap(named)
  const built = files.filter((file) => file.startsWith('./dist/') && file.endsWith('.js'))
  return [...new Set(built)].map((file) => file.slice('./dist/'.length))
}

async function bundle(directory) {
  const home = join(packages, directory)
  const files = publishedFiles(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')))
  const entries = files.map((file) => [file.replace(/\.js$/, ''), join(home, 'src', file.replace(/\.js$/, '.ts'))])
  rmSync(join(home, 'dist/chunks'), { recursive: true, force: true })
  await build({
    input: Object.fromEntries(entries),
    external: (id) => !/^[./]/.test(id) && !id.startsWith('@oxc-project/runtime'),
    platform: 'neutral',
    treeshake: false,
    transform: { target: 'node20.19' },
    output: {
      dir: join(home, 'dist'),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      hashCharacters: 'hex',
    },
    logLevel: 'warn',
  })
}

await Promise.all(readdirSync(packages).map(bundle))
