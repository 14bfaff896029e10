import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** The media types of the files that `build-page.mjs` makes for the page. */
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The files that the page requests beside `/`. The build names its chunks. */
const requested = /^(?:page\.(?:js|css)|chunk-[A-Z0-9]+\.js|icon\.svg)$/

// Found through the name of the package, since the build decides where this module ends up.
const directory = new URL(
  'dist/page/',
  pathToFileURL(createRequire(import.meta.url).resolve('@jurist/viewer/package.json')),
)

/** A requested file and its media type; `undefined` for any other path. */
export async function requestedFile(
  path: string,
): Promise<{ readonly body: Uint8Array<ArrayBuffer>; readonly type: string } | undefined> {
  const name = path === '/' ? 'index.html' : path.slice(1)
  const type = types[name.slice(name.lastIndexOf('.') + 1)]
  if ((path !== '/' && !requested.test(name)) || type === undefined) return undefined
  const body = await readFile(new URL(name, directory)).catch(() => undefined)
  return body && { body: new Uint8Array(body), type }
}

/** The text of a built file of the page. */
export async function pageFileText(name: 'report.js' | 'page.css'): Promise<string> {
  return readFile(new URL(name, directory), 'utf8')
}
