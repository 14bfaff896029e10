import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Changes of files since watching began, or since they were last asked for. */
export interface Changes extends Disposable {
  /** The first path that changed, once the changes have come to rest; `undefined` when the signal fires first. */
  next(signal: AbortSignal): Promise<string | undefined>
}

/** Milliseconds after a change: whoever saves several files, or one in several steps, means one change. */
const restMs = 200
const neverWatched = ['.git', 'node_modules']

/**
 * Watches files, and directories with everything below them. What lies in `ignored`, in `.git` or `node_modules` does
 * not count; neither does what is missing.
 */
export function watchPaths(paths: readonly string[], ignored: readonly string[]): Changes {
  let first: string | undefined
  let wake = () => {}
  const notice = (path: string) => {
    const isOurs = ignored.some((directory) => path === directory || path.startsWith(`${directory}${sep}`))
    if (isOurs || path.split(sep).some((name) => neverWatched.includes(name))) return
    first ??= path
    wake()
  }
  const watchers = paths.flatMap((path) => watcherOf(path, notice))
  return {
    async next(signal) {
      await new Promise<void>((resolve) => {
        wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
        if (first !== undefined || signal.aborted) resolve()
      })
      if (!signal.aborted) await sleep(restMs)
      const changed = first
      first = undefined
      return signal.aborted ? undefined : changed
    },
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** Editors put a new file in the place of the old one, so that a file is watched through its directory. */
function watcherOf(path: string, notice: (path: string) => void): readonly FSWatcher[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  const watcher = found.isDirectory()
    ? watch(path, { recursive: true }, (_, name) => notice(name === null ? path : join(path, name)))
    : watch(dirname(path), (_, name) => {
        if (name === null || name === basename(path)) notice(path)
      })
  // A directory that is deleted ends its watching, and nothing else.
  watcher.on('error', () => undefined)
  return [watcher]
}
