import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './source.js'

/** A step of a job of GitHub Actions. */
export interface Step {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
}

/** Makes a checkout of a project with one experiment over twelve rows, whose agent greets. */
export function checkoutOf(directory: string, name: string, greeting: string): string {
  const checkout = join(directory, name)
  mkdirSync(checkout, { recursive: true })
  const lines = Array.from({ length: 12 }, (_, index) => `{"id":"i${index}","task":"you"}\n`)
  const manifest = { name: 'project', version: '1.0.0', private: true }
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { '': manifest } }
  writeFileSync(join(checkout, 'rows.jsonl'), lines.join(''))
  writeFileSync(join(checkout, 'jurist.config.mjs'), config(greeting))
  writeFileSync(join(checkout, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock))
  return checkout
}

const config = (greeting: string) => `
export default { experiments: { 'add-readme': {
  dataset: 'rows.jsonl',
  agent: ({ prompt }) => ({ status: 'completed', costUsd: 0, output: { type: 'text', text: '${greeting} ' + prompt } }),
  jury: ({ agentOutput, metadata }) => agentOutput.text.startsWith('hello') || Number(metadata.itemId.slice(1)) < 3,
} } }`

/** What `npm ci` does in a project that depends on jurist. */
export function install(checkout: string): void {
  mkdirSync(join(checkout, 'node_modules/.bin'), { recursive: true })
  const command = join(root, 'packages/jurist/dist/command/main.js')
  writeFileSync(join(checkout, 'node_modules/.bin/jurist'), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`)
  chmodSync(join(checkout, 'node_modules/.bin/jurist'), 0o755)
  symlinkSync(join(root, 'packages/jurist'), join(checkout, 'node_modules/jurist'))
}

/** What a command printed. */
interface Ran {
  readonly code: number
  readonly text: string
}

/** Finds the command as npx does, without starting npm for each step; the guides run through npx itself. */
const npx = 'npx() { local name="$1"; shift; "node_modules/.bin/$name" "$@"; }'

/** Runs the command of a step as GitHub does: the first part that fails ends it. */
export function shell(command: string, cwd: string, more: Readonly<Record<string, string>>): Promise<Ran> {
  const env = {
    PATH: process.env.PATH,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
    ...more,
  }
  return new Promise((resolve) => {
    execFile('bash', ['-e', '-c', `${npx}\n${command}`], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: `$ ${command}\n${stdout}${stderr}` }),
    )
  })
}
