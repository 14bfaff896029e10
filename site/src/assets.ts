import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../../tests/structure/source.js'
import type { SearchSection } from './search-data.js'

/** Writes the style, the scripts and what the search reads. Scripts are classic ones, since modules do not load from a disk. */
export async function writeAssets(out: string, sections: readonly SearchSection[]): Promise<void> {
  const from = (name: string) => join(root, 'site/page', name)
  await build({
    entryPoints: [from('site.ts'), from('search.ts'), from('site.css')],
    outdir: join(out, 'assets'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    logLevel: 'warning',
  })
  copyFileSync(join(root, 'packages/viewer/page/icon.svg'), join(out, 'assets/icon.svg'))
  writeFileSync(join(out, 'assets/search-data.js'), `juristSections=${JSON.stringify(sections)}`)
}

/** Copies pictures of the documents. */
export function copyPictures(out: string, pictures: ReadonlyMap<string, string>): void {
  for (const [source, target] of pictures) {
    mkdirSync(dirname(join(out, target)), { recursive: true })
    copyFileSync(join(root, source), join(out, target))
  }
}
