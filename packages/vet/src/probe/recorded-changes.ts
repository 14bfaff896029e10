import type { JsonObject, WritableWorkspace } from '@jurist/core'
import { lineDiff } from '@jurist/kit/text-diff'

/** The change that a probe made to a file. */
export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
  /** Removed lines begin with `-` and added lines with `+`; truncated after 30 lines. */
  readonly diff: string
}

/** The actions of a probe in its workspace, as plain data. */
interface SiteChanges {
  /** At most 20 files. */
  readonly files: readonly FileChange[]
  /** The number of further changed files. */
  readonly more: number
  /** The commands that it ran, at most 10. */
  readonly commands: readonly string[]
}

export interface RecordedWorkspace {
  readonly workspace: WritableWorkspace
  changes(): Promise<SiteChanges & JsonObject>
}

const mostFiles = 20
const mostLines = 30
const mostCommands = 10
const longestLine = 200

/** Wraps a workspace, and records the files that are written and removed and the commands that run. */
export function recordedWorkspace(workspace: WritableWorkspace): RecordedWorkspace {
  const before = new Map<string, string | null>()
  const commands: string[] = []
  const note = async (path: string) => {
    if (!before.has(path)) before.set(path, await textOf(workspace, path))
  }
  const recorded: WritableWorkspace = Object.create(workspace, {
    write: {
      value: async (path: string, content: string | Uint8Array) => {
        await note(path)
        await workspace.write(path, content)
      },
    },
    remove: {
      value: async (path: string) => {
        await note(path)
        await workspace.remove(path)
      },
    },
    run: {
      value: async (...given: Parameters<WritableWorkspace['run']>) => {
        commands.push([given[0]].flat().join(' ').slice(0, longestLine))
        return await workspace.run(...given)
      },
    },
  })
  return {
    workspace: recorded,
    async changes() {
      const all = await Promise.all(
        [...before].map(async ([path, text]) => changeOf(path, text, await textOf(workspace, path))),
      )
      const files = all.flatMap((one) => one ?? [])
      return {
        files: files.slice(0, mostFiles),
        more: Math.max(0, files.length - mostFiles),
        commands: commands.slice(0, mostCommands),
      }
    },
  }
}

/** `null` if the file does not exist. */
async function textOf(workspace: WritableWorkspace, path: string): Promise<string | null> {
  if (!(await workspace.exists(path).catch(() => false))) return null
  return workspace.read(path).catch(() => 'a file that is not text')
}

function changeOf(path: string, before: string | null, after: string | null): (FileChange & JsonObject) | undefined {
  if (before === after) return undefined
  const change = before === null ? 'added' : after === null ? 'removed' : 'changed'
  const lines = lineDiff(linesOf(before), linesOf(after)).filter(({ kind }) => kind !== 'same')
  const shown = lines
    .slice(0, mostLines)
    .map(({ kind, text }) => `${kind === 'added' ? '+' : '-'}${text.slice(0, longestLine)}`)
  const rest = lines.length - shown.length
  return { path, change, diff: [...shown, ...(rest > 0 ? [`… ${rest} more lines`] : [])].join('\n') }
}

function linesOf(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
