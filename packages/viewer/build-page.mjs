// Makes `dist/page/`: the page of the viewer as four files, with nothing that is fetched from elsewhere.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const from = join(here, 'page')
const to = join(here, 'dist/page')

await mkdir(to, { recursive: true })
await build({
  entryPoints: { page: join(from, 'main.tsx'), report: join(from, 'report.tsx') },
  outdir: to,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  banner: { js: '/* With preact (MIT, Jason Miller): see LICENCES.txt of @jurist/viewer. */' },
  legalComments: 'none',
  logLevel: 'error',
})
await build({ entryPoints: [join(from, 'page.css')], outdir: to, minify: true, logLevel: 'error' })
// What is bundled brings its licence along.
const preact = dirname(createRequire(import.meta.url).resolve('preact/package.json'))
const { version } = JSON.parse(await readFile(join(preact, 'package.json'), 'utf8'))
const licence = await readFile(join(preact, 'LICENSE'), 'utf8')
await writeFile(join(to, 'LICENCES.txt'), `preact ${version}\n\n${licence}`)
for (const file of ['index.html', 'icon.svg']) await copyFile(join(from, file), join(to, file))
