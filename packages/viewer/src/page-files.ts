import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** The files that the page requests, by path. `build-page.mjs` makes them. */
const requested: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { file: 'icon.svg', type: 'image/svg+xml' },
}

// Found through the name of the package, since the build decides where this module ends up.
const directory = new URL(
  'dist/page/',
  pathToFileURL(createRequire(import.meta.url).resolve('@jurist/viewer/package.json')),
)

/** A requested file and its media type; `undefined` for any other path. */
export async function requestedFile(
  path: string,
): Promise<{ readonly body: Uint8Array<ArrayBuffer>; readonly type: string } | undefined> {
  const known = Object.hasOwn(requested, path) ? requested[path] : undefined
  return known && { body: new Uint8Array(await readFile(new URL(known.file, directory))), type: known.type }
}

/** The text of a built file of the page. */
export async function pageFileText(name: 'report.js' | 'page.css'): Promise<string> {
  return readFile(new URL(name, directory), 'utf8')
}
