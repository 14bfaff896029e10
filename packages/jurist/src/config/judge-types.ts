import { resolve } from 'node:path'
import { type DescribingConfig, type JudgeFromConfig, judgeDescriptionOf } from '@jurist/core/internal'

type Door = () => Promise<object>

const core: Door = () => import('@jurist/core')
const commands: Door = () => import('@jurist/workspace/commands')
const coverage: Door = () => import('@jurist/workspace/coverage')
const files: Door = () => import('@jurist/workspace/files')
const calibrate: Door = () => import('@jurist/experiment/calibrate')

/** Every built-in judge that a config can name, with the door that exports its factory. Doors are imported on first use. */
const doors: Readonly<Record<string, Door>> = {
  'file-exists': core,
  'file-content': core,
  'output-text': core,
  'superset-of': core,
  recorded: calibrate,
  'command-succeeds': commands,
  'build-succeeds': commands,
  'tests-pass': commands,
  'class-version': commands,
  'matches-reference': files,
  'java-file': files,
  'script-file': files,
  'python-file': files,
  'maven-pom': files,
  'xml-file': files,
  'json-file': files,
  'yaml-file': files,
  'toml-file': files,
  'properties-file': files,
  'package-json': files,
  'text-file': files,
  'coverage-preserved': coverage,
  'coverage-improved': coverage,
  'coverage-at-least': coverage,
}

/** The names of the built-in judges in YAML and JSON: those of their factories, in kebab case. */
export const builtInJudges: readonly string[] = Object.keys(doors)

/** How the factory of a built-in judge reads its description; `undefined` for an unknown name. */
export async function builtInJudge(type: unknown): Promise<JudgeFromConfig | undefined> {
  if (typeof type !== 'string' || !Object.hasOwn(doors, type)) return undefined
  const factory: unknown = Reflect.get((await doors[type]?.()) ?? {}, camelCase(type))
  return judgeDescriptionOf(factory)
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** What descriptions know of the config in a directory. */
export function describingConfig(directory: string): DescribingConfig {
  return {
    path: (path) => resolve(directory, path),
    async workspace(path) {
      const { localWorkspace, readOnly } = await import('@jurist/workspace')
      return readOnly(localWorkspace(resolve(directory, path)))
    },
  }
}
