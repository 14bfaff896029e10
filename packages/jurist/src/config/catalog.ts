import type { Vote } from '@jurist/core'
import { type JudgeDescription, judgeDescriptionOf, votes } from '@jurist/core/internal'

/** Converts the name of a factory for YAML and JSON: `fileExists` is `file-exists`. */
function configName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Sorts the exports of a module by name, as Node does, regardless of the compiler. */
function inOrder<Value>(exports: Readonly<Record<string, Value>> | object): readonly (readonly [string, Value])[] {
  return Object.entries<Value>(exports as Readonly<Record<string, Value>>).sort(([a], [b]) => (a < b ? -1 : 1))
}

type MakeVote = (options?: object) => Vote

/** The votes of core's catalogue by their names in YAML and JSON. */
export const votesByName: ReadonlyMap<string, MakeVote> = new Map(
  inOrder(votes).map(([name, make]) => [configName(name), make]),
)

/** The modules with judges that a config can describe. A module is loaded when a judge is searched in it. */
const modules: readonly (() => Promise<object>)[] = [
  () => import('@jurist/core'),
  () => import('@jurist/core/answers'),
  () => import('@jurist/core/llm'),
  () => import('@jurist/core/rag'),
  () => import('@jurist/core/conversation'),
  () => import('@jurist/core/tools'),
  () => import('@jurist/workspace/commands'),
  () => import('@jurist/workspace/files'),
  () => import('@jurist/workspace/coverage'),
  () => import('@jurist/experiment/calibrate'),
  () => import('@jurist/experiment/label'),
]

/** Returns the description of the judge with a `type`; `undefined` for an unknown type. */
export async function judgeOfType(type: string): Promise<JudgeDescription | undefined> {
  for (const load of modules) {
    const found = judgesIn(await load()).get(type)
    if (found !== undefined) return found
  }
  return undefined
}

export async function judgesByType(): Promise<ReadonlyMap<string, JudgeDescription>> {
  const loaded = await Promise.all(modules.map((load) => load()))
  return new Map(loaded.flatMap((exports) => [...judgesIn(exports)]))
}

function judgesIn(exports: object): ReadonlyMap<string, JudgeDescription> {
  return new Map(
    inOrder(exports).flatMap(([name, factory]) => {
      const description = judgeDescriptionOf(factory)
      return description === undefined ? [] : [[configName(name), description] as const]
    }),
  )
}
