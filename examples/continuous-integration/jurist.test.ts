import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../tests/structure/source.js'
import { checkoutOf, install, type Step, shell } from '../../tests/structure/workflow.js'

const file = join(root, 'examples/continuous-integration/jurist.yml')
const { jobs } = parse(readFileSync(file, 'utf8')) as { jobs: { experiment: { steps: readonly Step[] } } }
const { steps } = jobs.experiment

/** A stand-in for GitHub's own command: it keeps what it was asked, and has the artefact that main left. */
const gh = `#!/bin/sh
echo "$@" >> "$GH_LOG"
if [ "$1 $2" = "run download" ]; then cp "$ARTEFACT" baseline.jurist.tgz 2>/dev/null; fi
`

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
  const checkout = checkoutOf(directory, name, greeting)
  let failed = false
  const outputs: string[] = []
  for (const step of steps) {
    if (step.run === undefined || !applies(step, event, failed, checkout)) continue
    const { code, text } = await inCheckout(step.run, checkout)
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

function inCheckout(command: string, checkout: string) {
  return shell(command, checkout, {
    PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
    HOME: directory,
    PULL_REQUEST: '7',
    GH_LOG: join(directory, 'gh.log'),
    ARTEFACT: join(directory, 'main/baseline.jurist.tgz'),
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
