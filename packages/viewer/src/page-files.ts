import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** The page's own files, by request path; `build-page.mjs` makes them. */
const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { file: 'icon.svg', type: 'image/svg+xml' },
}

// Found by the name of the package: where this file stands is up to the build.
const directory = new URL(
  'dist/page/',
  pathToFileURL(createRequire(import.meta.url).resolve('@jurist/viewer/package.json')),
)

/** A file of the page and its media type; `undefined` for any other path. */
export async function pageFile(
  path: string,
): Promise<{ readonly body: Uint8Array<ArrayBuffer>; readonly type: string } | undefined> {
  const known = Object.hasOwn(files, path) ? files[path] : undefined
  return known && { body: new Uint8Array(await readFile(new URL(known.file, directory))), type: known.type }
}
