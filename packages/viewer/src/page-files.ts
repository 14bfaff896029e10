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

/** The files that the page requests besides `/`. */
const requested: readonly string[] = ['page.js', 'page.css', 'icon.svg']

// The package name locates the directory, since the build decides where this module ends up.
const directory = new URL(
  'dist/page/',
  pathToFileURL(createRequire(import.meta.url).resolve('@jurist/viewer/package.json')),
)

interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
}

/** Reads a file of the page; `undefined` for any other path. */
export async function requestedFile(path: string): Promise<PageFile | undefined> {
  if (path === '/') return builtFile('index.html')
  return requested.includes(path.slice(1)) ? builtFile(path.slice(1)) : undefined
}

/** The files of the page on which trials are labelled, by their paths. */
const reviewFiles: ReadonlyMap<string, string> = new Map([
  ['/review', 'review.html'],
  ['/review.js', 'review.js'],
  ['/review.css', 'review.css'],
])

/** Reads a file of the page on which trials are labelled; `undefined` for any other path. */
export async function requestedReviewFile(path: string): Promise<PageFile | undefined> {
  const name = reviewFiles.get(path)
  return name === undefined ? undefined : builtFile(name)
}

async function builtFile(name: string): Promise<PageFile | undefined> {
  const type = types[name.slice(name.lastIndexOf('.') + 1)]
  if (type === undefined) return undefined
  const body = await readFile(new URL(name, directory)).catch(() => undefined)
  return body && { body: new Uint8Array(body), type }
}

export async function pageFileText(name: 'report.js' | 'page.css'): Promise<string> {
  return readFile(new URL(name, directory), 'utf8')
}
