// Makes `dist/page/`: the page of the viewer as four files, with nothing that is fetched from elsewhere.
import { copyFile, mkdir } from 'node:fs/promises'
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
  legalComments: 'none',
  logLevel: 'error',
})
await build({ entryPoints: [join(from, 'page.css')], outdir: to, minify: true, logLevel: 'error' })
for (const file of ['index.html', 'icon.svg']) await copyFile(join(from, file), join(to, file))
