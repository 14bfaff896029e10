import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'

/** The test tools that a project shows by a file. A `package.json` counts if it has a test script. */
const tools: readonly (readonly [file: string, tool: string])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package.json', 'npm'],
  ['pyproject.toml', 'pytest'],
  ['pytest.ini', 'pytest'],
  ['pom.xml', 'maven'],
  ['build.gradle', 'gradle'],
  ['build.gradle.kts', 'gradle'],
  ['go.mod', 'go'],
  ['Cargo.toml', 'cargo'],
]
const node: ReadonlySet<string> = new Set(['pnpm', 'yarn', 'npm'])

/** A config with one jury, for a project without a config: its tests pass, or else it has a README with a title. */
export function starterConfig(directory: string, jury: string): string {
  const found = tools.find(
    ([file, tool]) => existsSync(join(directory, file)) && (!node.has(tool) || hasTestScript(directory)),
  )
  const judges =
    found === undefined
      ? 'readme: { type: file-content, path: README.md, matches: "^# \\\\w" }'
      : `tests: { type: tests-pass, tool: ${found[1]}, timeoutMs: 80000 }`
  return `# The agent may stop when every judge passes. Commit this file: a commit judges as it is, whatever happens to the file.
juries:
  ${jury}:
    judges:
      ${judges}
    vote: consensus
`
}

/** Whether `package.json` has a test script that is not the one that npm writes into a new project. */
function hasTestScript(directory: string): boolean {
  try {
    const scripts = parseObject(readFileSync(join(directory, 'package.json'), 'utf8'))?.scripts
    const script = isPlainObject(scripts) ? scripts.test : undefined
    return typeof script === 'string' && !script.includes('no test specified')
  } catch {
    return false
  }
}
