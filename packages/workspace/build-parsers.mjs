// Makes `parsers/`: the parsers of single languages, each bundled into one file with only what it uses. Installed whole
// they would weigh more than everything else together; see docs/decisions/0003-dependencies.md.
import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeLicences } from '../../build/licences.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const parsers = join(here, 'parsers')
const require = createRequire(import.meta.url)

/** What is bundled: the package, and the names that are used of it. */
const bundled = {
  '@babel/parser': ['parse'],
}

/** Files that are taken as they are. */
const copied = {
  'web-tree-sitter.wasm': 'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-java.wasm': 'tree-sitter-java/tree-sitter-java.wasm',
  'tree-sitter-python.wasm': 'tree-sitter-python/tree-sitter-python.wasm',
}

/** The directory of an installed package. */
function home(name) {
  for (const directory of require.resolve.paths(name)) {
    const path = join(directory, name, 'package.json')
    try {
      return dirname(require.resolve(path))
    } catch {
      // Not in this node_modules; the next one up may have it.
    }
  }
  throw new Error(`${name} is not installed. Run npm install first.`)
}

for (const [name, names] of Object.entries(bundled))
  await build({
    stdin: { contents: `export { ${names.join(', ')} } from '${name}'`, resolveDir: here },
    outfile: join(parsers, `${name.replace('@babel/parser', 'babel-parser')}.js`),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'error',
  })

// A parser that aborts is dead, and so is everything of its module. Made by a function, it can be discarded and made again,
// and its memory, which only grows, is given back. Its finalizers are left out: called after an abort, from the garbage
// collection of a process that did nothing wrong, they throw where nothing catches it.
await build({
  stdin: { contents: `export { Language, Parser } from 'web-tree-sitter'`, resolveDir: here },
  outfile: join(parsers, 'web-tree-sitter.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'made',
  banner: {
    js: `const place = import.meta.url
export const treeSitter = () => { const FinalizationRegistry = class { register() {} unregister() {} };`,
  },
  footer: { js: 'return made }' },
  define: { 'import.meta.url': 'place' },
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'error',
})

for (const [file, source] of Object.entries(copied)) {
  const [name, ...rest] = source.split('/')
  await copyFile(join(home(name), ...rest), join(parsers, file))
}

// What is bundled brings its licences along.
const packages = [...Object.keys(bundled), 'web-tree-sitter', 'tree-sitter-java', 'tree-sitter-python']
writeLicences(
  packages.map((name) => join(home(name), 'package.json')),
  join(parsers, 'LICENCES.txt'),
)
