import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from './structure/source.js'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
}

const file = join(root, 'examples/continuous-integration/jurist.yml')
const { jobs } = parse(readFileSync(file, 'utf8')) as { jobs: { experiment: { steps: readonly Step[] } } }
const { steps } = jobs.experiment

/** A stand-in for GitHub's own command: it keeps what it was asked, and has the artefact that main left. */
const gh = `#!/bin/sh
echo "$@" >> "$GH_LOG"
if [ "$1 $2" = "run download" ]; then cp "$ARTEFACT" baseline.jurist.tgz 2>/dev/null; fi
`
const config = (greeting: string) => `
export default { experiments: { 'add-readme': {
  dataset: 'rows.jsonl',
  agent: ({ prompt }) => ({ status: 'completed', costUsd: 0, output: { type: 'text', text: '${greeting} ' + prompt } }),
  jury: ({ agentOutput, metadata }) => agentOutput.text.startsWith('hello') || Number(metadata.itemId.slice(1)) < 3,
} } }`

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-ci-'))
  mkdirSync(join(directory, 'bin'))
  writeFileSync(join(directory, 'bin/gh'), gh)
  chmodSync(join(directory, 'bin/gh'), 0o755)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** A checkout of a project, and the steps of one event run in it, one after the other. */
async function workflow(event: 'push' | 'pull_request', name: string, greeting: string) {
  const checkout = join(directory, name)
  mkdirSync(checkout)
  const lines = Array.from({ length: 12 }, (_, index) => `{"id":"i${index}","task":"you"}\n`)
  const manifest = { name, version: '1.0.0', private: true }
  const lock = { name, version: '1.0.0', lockfileVersion: 3, requires: true, packages: { '': manifest } }
  writeFileSync(join(checkout, 'rows.jsonl'), lines.join(''))
  writeFileSync(join(checkout, 'jurist.config.mjs'), config(greeting))
  writeFileSync(join(checkout, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock))
  let failed = false
  const outputs: string[] = []
  for (const step of steps) {
    if (step.run === undefined || !applies(step, event, failed, checkout)) continue
    const { code, text } = await shell(step.run, checkout)
    outputs.push(text)
    failed ||= code !== 0
    if (step.run === 'npm ci') install(checkout)
  }
  return { checkout, failed, text: outputs.join('\n') }
}

/** The few expressions that the workflow uses. */
function applies(step: Step, event: string, failed: boolean, checkout: string): boolean {
  const parts = (step.if ?? '').split('&&').map((part) => part.trim())
  if (failed && !parts.includes('always()')) return false
  return parts.every((part) => {
    if (part === '' || part === 'always()') return true
    const [, wanted] = /^github\.event_name == '(\w+)'$/.exec(part) ?? []
    if (wanted !== undefined) return wanted === event
    const [, path] = /^hashFiles\('([^']+)'\) != ''$/.exec(part) ?? []
    if (path !== undefined) return existsSync(join(checkout, path))
    throw new Error(`the test does not know the expression ${part}`)
  })
}

/** What \`npm ci\` does in a project that depends on jurist. */
function install(checkout: string): void {
  mkdirSync(join(checkout, 'node_modules/.bin'), { recursive: true })
  const command = join(root, 'packages/jurist/dist/command/main.js')
  writeFileSync(join(checkout, 'node_modules/.bin/jurist'), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`)
  chmodSync(join(checkout, 'node_modules/.bin/jurist'), 0o755)
  symlinkSync(join(root, 'packages/jurist'), join(checkout, 'node_modules/jurist'))
}

function shell(command: string, cwd: string): Promise<{ readonly code: number; readonly text: string }> {
  const env = {
    PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
    HOME: directory,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
    PULL_REQUEST: '7',
    GH_LOG: join(directory, 'gh.log'),
    ARTEFACT: join(directory, 'main/baseline.jurist.tgz'),
  }
  return new Promise((resolve) => {
    // As GitHub runs a step: the first command that fails ends it.
    execFile('bash', ['-e', '-c', command], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: `$ ${command}\n${stdout}${stderr}` }),
    )
  })
}

describe('the workflow of examples/continuous-integration', () => {
  test('main keeps its run as the baseline', async () => {
    const { checkout, failed, text } = await workflow('push', 'main', 'hello')
    expect([failed, text]).toEqual([false, text])
    for (const name of ['baseline.jurist.tgz', 'report.xml', 'report.html', 'summary.md'])
      expect(existsSync(join(checkout, name))).toBe(true)
  })

  test('a pull request that is as good passes, with a comment', async () => {
    const { checkout, failed, text } = await workflow('pull_request', 'same', 'hello')
    expect([failed, text]).toEqual([false, text])
    expect(readFileSync(join(checkout, 'comparison.md'), 'utf8')).toMatch(/100\.0 %/)
    expect(readFileSync(join(directory, 'gh.log'), 'utf8')).toContain('pr comment 7 --edit-last --create-if-none')
  })

  test('a pull request that is worse fails, and the comment is there all the same', async () => {
    const { checkout, failed } = await workflow('pull_request', 'worse', 'goodbye')
    expect(failed).toBe(true)
    const comment = readFileSync(join(checkout, 'comparison.md'), 'utf8')
    expect(comment).toMatch(/25\.0 %/)
    expect(comment).toMatch(/9 (worse|regressed)/)
  })

  test('every command of the workflow was run', () => {
    const commands = steps.flatMap(({ run }) => run ?? [])
    expect(commands.join('\n').match(/npx jurist \w+/g)?.length).toBeGreaterThanOrEqual(4)
    expect(steps.every(({ run, uses }) => (run === undefined) !== (uses === undefined))).toBe(true)
  })
})
