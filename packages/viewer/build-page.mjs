// Makes `dist/page/`: the page of the viewer, with nothing that is fetched from elsewhere, the report of one file, and the page on
// which trials are labelled.
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeLicences } from '../../build/licences.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const from = join(here, 'page')
const root = join(here, '../..')
const to = join(here, 'dist/page')

/**
 * Our packages are bundled from their sources: the bundler leaves out a module that nothing uses, but of a module within a
 * bundle it keeps every call at its top.
 */
const fromSources = {
  name: 'from-sources',
  setup({ onResolve }) {
    const packages = new Map(
      readdirSync(join(root, 'packages')).map((directory) => {
        const at = join(root, 'packages', directory)
        const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
        return [manifest.name, { at, ...manifest }]
      }),
    )
    const sourceOf = (name, door) => {
      const { at, exports = {}, imports = {} } = packages.get(name)
      const { default: found } = exports[door] ?? imports[door]
      const file = typeof found === 'string' ? found : found.default
      return { path: join(at, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')), sideEffects: false }
    }
    onResolve({ filter: /^@jurist\// }, ({ path }) => {
      const name = path.split('/', 2).join('/')
      return sourceOf(name, `.${path.slice(name.length)}`)
    })
    onResolve({ filter: /^#calibration-host$/ }, ({ path }) => sourceOf('@jurist/experiment', path))
  },
}

/**
 * Of marked the page needs what reads a text, and not what makes markup of it. The package is one file with statements at its
 * end that keep all of it: they are left out.
 */
const onlyLexer = {
  name: 'only-lexer',
  setup({ onLoad }) {
    const end =
      /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse\([\s\S]*?export\{[\s\S]*?(\w+ as Lexer)[\s\S]*$/
    onLoad({ filter: /marked\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!end.test(text)) throw new Error(`${path} has another end than it had: look what is left out here.`)
      return { contents: text.replace(end, 'export{$2}') }
    })
  },
}

const options = {
  plugins: [fromSources, onlyLexer],
  outdir: to,
  bundle: true,
  metafile: true,
  absWorkingDir: root,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  banner: {
    js: '/* With preact, marked (MIT) and diff (BSD-3-Clause): see THIRD-PARTY-LICENSES.txt of @jurist/viewer. */',
  },
  legalComments: 'none',
  logLevel: 'error',
}

await rm(to, { recursive: true, force: true })
await mkdir(to, { recursive: true })
const { metafile } = await build({
  ...options,
  entryPoints: { page: join(from, 'main.tsx'), report: join(from, 'report.tsx'), review: join(from, 'review.tsx') },
})
for (const name of (await readdir(to)).filter((name) => name.endsWith('.js'))) await escapeMarkup(join(to, name))
const styles = { page: join(from, 'page.css'), review: join(from, 'labelling/review.css') }
await build({ entryPoints: styles, outdir: to, bundle: true, minify: true, logLevel: 'error' })
writeLicences(
  Object.keys(metafile.inputs).map((path) => join(root, path)),
  join(to, 'LICENCES.txt'),
)
for (const name of ['icon.svg', 'index.html', 'review.html']) await copyFile(join(from, name), join(to, name))

/** The reader of Markdown has expressions for comments and scripts. Inside an HTML file they would end the script. */
async function escapeMarkup(file) {
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/<(?=!--|\/?script)/gi, '\\x3c'))
}
