import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** The absolute file that a program's name stands for, found as `execvp` does; `undefined` when there is none. */
export function findExecutable(name: string, cwd: string, path: string | undefined): string | undefined {
  const places = name.includes('/') ? [''] : (path ?? '/usr/bin:/bin').split(':')
  return places.map((directory) => resolve(cwd, directory, name)).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
