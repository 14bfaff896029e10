// Makes the program that builds the site of its sources, and runs it: `npm run docs -- --items 0 --out <directory>`.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const program = fileURLToPath(new URL('dist/main.mjs', import.meta.url))
await build({
  entryPoints: [fileURLToPath(new URL('src/main.ts', import.meta.url))],
  outfile: program,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
})
await import(program)
