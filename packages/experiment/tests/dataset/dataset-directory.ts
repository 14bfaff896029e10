import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'

/** A fresh directory with these files, deleted when all tests are done; objects become JSON. */
export function directoryWith(files: Readonly<Record<string, unknown>>): string {
  const directory = realpathSync(mkdtempSync(join(inject('workingDirectory'), 'dataset-')))
  for (const [path, content] of Object.entries(files)) put(directory, path, content)
  return directory
}

/** Writes one file below a directory. */
export function put(directory: string, path: string, content: unknown): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content))
}

/** A `dataset.json` with these items. */
export function manifestOf(...items: readonly object[]): object {
  return { schemaVersion: 1, name: 'tasks', version: '1.0.0', items }
}

/** The files of a dataset with one item, `first`, changed as given. */
export function oneItem(item: object = {}, entry: object = {}): Record<string, unknown> {
  return {
    'dataset.json': manifestOf({ id: 'first', path: 'items/first', ...entry }),
    'items/first/item.json': { developerTask: 'Say hello', ...item },
    'items/first/before/a.txt': 'hello',
  }
}
