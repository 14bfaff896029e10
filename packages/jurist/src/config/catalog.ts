import { type JudgeDescription, judgeDescriptionOf } from '@jurist/core/internal'

/**
 * The exports of a module by their names for YAML and JSON: `fileExists` is `file-exists`. They are sorted, as Node does,
 * regardless of the compiler.
 */
export function byConfigName<Value>(exports: Readonly<Record<string, Value>>): readonly (readonly [string, Value])[] {
  return Object.entries(exports)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value])
}

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
    byConfigName(exports as Readonly<Record<string, unknown>>).flatMap(([name, factory]) => {
      const description = judgeDescriptionOf(factory)
      return description === undefined ? [] : [[name, description] as const]
    }),
  )
}
