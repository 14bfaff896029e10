import type { Json } from '@jurist/core'
import { failureOf, isPlainObject, normalizePath } from '@jurist/core/internal'
import { shellWord } from '@jurist/kit/shell-word'

/** The judge of an item, as far as a script can do its work. */
export interface ScriptedJudge {
  /** What runs the tests, as a line of a shell. */
  readonly line: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number | undefined
  readonly exitCodes: readonly number[]
  /** What of the reference is laid over the workspace first. */
  readonly hidden: readonly string[]
  /** An image that has the tool. */
  readonly image: string
  /** What the script does not do of what the judge does. */
  readonly lost: readonly string[]
}

/** A judge, what keeps an item from being exported, or the directory of the task it was imported from. */
export type Exportable = { readonly judge: ScriptedJudge } | { readonly task: string } | { readonly problem: string }

type Options = Readonly<Record<string, unknown>>

/** What can be exported of the judges that an item describes. */
export function exportable(judges: Json): Exportable {
  const described = describedIn(judges)
  const [only] = described
  if (only === undefined || described.length !== 1)
    return { problem: `has ${described.length} judges of its own; a verifier is made of one` }
  const { type, ...options } = only
  if (type === 'harbor-verifier') return { task: String(options['task']) }
  if (type !== 'tests-pass' && type !== 'command-succeeds')
    return {
      problem: `is judged by ${String(type)}, which no script can do; only tests-pass and command-succeeds are exported`,
    }
  const line = lineOf(options)
  if (line === undefined) return { problem: `its judge ${type} has no command` }
  const overlay = isPlainObject(options['overlay']) ? options['overlay'] : {}
  if (overlay['from'] !== undefined) return { problem: 'its tests are laid from another directory than the reference' }
  try {
    return { judge: scripted(line, options, overlay) }
  } catch (thrown) {
    return { problem: `its judge ${type}: ${failureOf(thrown).message}` }
  }
}

const unscripted = ['expect', 'mustPass', 'mustStayPassing', 'mustFail', 'isolate', 'matches', 'notMatches', 'cpuMs']

/** @throws `path-invalid` and `path-escape` for a path that is not one of the workspace */
function scripted(line: string, options: Options, overlay: Options): ScriptedJudge {
  const { cwd, env, timeoutMs, exitCode = 0 } = options
  const variables = isPlainObject(env) ? Object.entries(env) : []
  return {
    line,
    cwd: cwd === undefined ? '.' : normalizePath(String(cwd)),
    env: Object.fromEntries(
      variables.flatMap(([name, value]) => (/^[A-Za-z_]\w*$/.test(name) ? [[name, String(value)]] : [])),
    ),
    timeoutMs: typeof timeoutMs === 'number' ? timeoutMs : undefined,
    exitCodes: [exitCode].flat().map(Number).filter(Number.isSafeInteger),
    hidden: (Array.isArray(overlay['paths']) ? overlay['paths'] : []).map((path) => normalizePath(String(path))),
    image: imageFor(line),
    lost: unscripted.filter((name) => options[name] !== undefined),
  }
}

function describedIn(judges: unknown): readonly Options[] {
  if (Array.isArray(judges)) return judges.filter(isPlainObject)
  if (!isPlainObject(judges)) return []
  return typeof judges['type'] === 'string' ? [judges] : Object.values(judges).filter(isPlainObject)
}

const tools: Readonly<Record<string, string>> = {
  maven: 'mvn',
  gradle: 'gradle',
  npm: 'npm run',
  pnpm: 'pnpm run',
  yarn: 'yarn run',
  cargo: 'cargo',
  go: 'go',
  pytest: 'pytest',
}

function lineOf({ command, tool, arguments: words }: Options): string | undefined {
  if (typeof command === 'string') return command
  if (Array.isArray(command) && command.length > 0) return command.map((word) => shellWord(String(word))).join(' ')
  const program = typeof tool === 'string' ? tools[tool] : undefined
  if (program === undefined) return undefined
  const given = Array.isArray(words) ? words.map((word) => shellWord(String(word))) : []
  const usual = tool === 'go' ? ['test', './...'] : tool === 'pytest' ? [] : ['test']
  return [program, ...(given.length === 0 ? usual : given)].join(' ')
}

const images: readonly (readonly [program: RegExp, image: string])[] = [
  [/\b(?:pytest|python3?)\b/, 'python:3.12-bookworm'],
  [/\b(?:npm|npx|pnpm|yarn|node)\b/, 'node:22-bookworm'],
  [/\bcargo\b/, 'rust:1-bookworm'],
  [/^go\b/, 'golang:1-bookworm'],
  [/\bmvnw?\b/, 'maven:3-eclipse-temurin-21'],
  [/\bgradlew?\b/, 'gradle:8-jdk21'],
]

function imageFor(line: string): string {
  return images.find(([program]) => program.test(line))?.[1] ?? 'debian:bookworm-slim'
}

/** The verifier: it lays the hidden tests over the workspace, runs them, and writes 1 or 0. */
export function testScript({ line, cwd, env, exitCodes, hidden }: ScriptedJudge): string {
  const lay = hidden.flatMap((path) => {
    const [target, source] = [shellWord(`./${path}`), shellWord(`/tests/files/${path}`)]
    return [`rm -rf ${target}`, `mkdir -p "$(dirname ${target})"`, `cp -a ${source} ${target}`]
  })
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`)
  return `#!/bin/bash
cd /app || exit 1
${[...lay, ...variables, `cd ${shellWord(`./${cwd}`)} || exit 1`].join('\n')}
(
${line}
)
code=$?
case "$code" in
  ${exitCodes.join(' | ')}) reward=1 ;;
  *) reward=0 ;;
esac
echo "$reward" > /logs/verifier/reward.txt
`
}
