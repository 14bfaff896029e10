import type { Vote } from '@jurist/core'
import { type JudgeFromConfig, judgeDescriptionOf, votes } from '@jurist/core/internal'

/** The name of a factory in YAML and JSON: `fileExists` is `file-exists`. */
function configName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Makes a vote of its options. */
type MakeVote = (options?: object) => Vote

/** The votes of core's catalogue by their names in YAML and JSON. */
export const votesByName: ReadonlyMap<string, MakeVote> = new Map(
  Object.entries(votes).map(([name, make]) => [configName(name), make]),
)

/** Where the judges come from that a config can describe. A module is loaded when a judge is looked for in it. */
const modules: readonly (() => Promise<object>)[] = [
  () => import('@jurist/core'),
  () => import('@jurist/workspace/commands'),
  () => import('@jurist/workspace/files'),
  () => import('@jurist/workspace/coverage'),
  () => import('@jurist/experiment/calibrate'),
]

/** Makes the judges of one `type`, whose factory says how a config describes it; `undefined` for an unknown type. */
export async function judgeOfType(type: string): Promise<JudgeFromConfig | undefined> {
  for (const load of modules) {
    const found = judgesIn(await load()).get(type)
    if (found !== undefined) return found
  }
  return undefined
}

/** Every `type` of a judge. */
export async function judgeTypes(): Promise<readonly string[]> {
  const loaded = await Promise.all(modules.map((load) => load()))
  return loaded.flatMap((exports) => [...judgesIn(exports).keys()])
}

function judgesIn(exports: object): ReadonlyMap<string, JudgeFromConfig> {
  return new Map(
    Object.entries(exports).flatMap(([name, factory]) => {
      const make = judgeDescriptionOf(factory)
      return make === undefined ? [] : [[configName(name), make] as const]
    }),
  )
}
