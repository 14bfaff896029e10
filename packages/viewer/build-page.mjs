// Makes `dist/page/`: the page of the viewer as four files, with nothing that is fetched from elsewhere.
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeLicences } from '../../build/licences.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const from = join(here, 'page')
const root = join(here, '../..')
const to = join(here, 'dist/page')

await mkdir(to, { recursive: true })
const {
  metafile: { inputs },
} = await build({
  entryPoints: { page: join(from, 'main.tsx'), report: join(from, 'report.tsx') },
  outdir: to,
  bundle: true,
  metafile: true,
  absWorkingDir: root,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  banner: { js: '/* With preact (MIT) and diff (BSD-3-Clause): see LICENCES.txt of @jurist/viewer. */' },
  legalComments: 'none',
  logLevel: 'error',
})
await build({ entryPoints: [join(from, 'page.css')], outdir: to, minify: true, logLevel: 'error' })
writeLicences(
  Object.keys(inputs).map((path) => join(root, path)),
  join(to, 'LICENCES.txt'),
)
for (const file of ['index.html', 'icon.svg']) await copyFile(join(from, file), join(to, file))
