import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/**
 * Four items, of which an agent can solve two. There is a variant for each thing that it leaves where it cannot, and an
 * experiment for each way to judge it.
 */
const config = `
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allOf, completed, defineConfig, fileContent, fileExists, jury, outputText } from 'jurist'
import { commandAgent } from 'jurist/command'
const half = Array(25).fill('d'.repeat(100)).join('/')
const leave = {
  zero: (at) => writeFileSync(at, 'x\\0'),
  text: (at) => writeFileSync(at, Buffer.from([0xff])),
  directory: (at) => mkdirSync(at),
  fifo: (at) => execFileSync('mkfifo', [at]),
  link: (at) => symlinkSync('/etc/hostname', at),
  loop: (at) => symlinkSync(at, at),
  large: (at) => (writeFileSync(at, ''), truncateSync(at, 11 * 1024 ** 2)),
  deep: (at, root) => {
    for (const name of ['one', 'other']) mkdirSync(join(root, name, half), { recursive: true })
    renameSync(join(root, 'other'), join(root, 'one', half, 'other'))
  },
  gone: (at, root) => rmSync(root, { recursive: true }),
  file: (at, root) => (rmSync(root, { recursive: true }), writeFileSync(root, 'x')),
  outside: (at, root) => (rmSync(root, { recursive: true }), symlinkSync('/tmp', root)),
}
const files = (mode) => async ({ workspace, metadata }) => {
  const at = join(workspace.root, 'answer.txt')
  if (Number(metadata.itemId) < 2) writeFileSync(at, 'right')
  else leave[mode](at, workspace.root)
  return completed('done')
}
const talks = commandAgent({
  command: ['node', '-e', 'console.log(process.argv[1] < 2 ? JSON.stringify("right") : "{")', '{{metadata.itemId}}'],
  read: 'json',
})
const silent = async ({ metadata }) => (Number(metadata.itemId) < 2 ? completed('right') : completed())
const right = fileContent('answer.txt', { equals: 'right' })
const custom = async ({ workspace }) => (await workspace.read('answer.txt')) === 'right'
const said = outputText({ matches: /^"?right"?$/ })
const ofFiles = {
  alone: right,
  custom,
  jury: jury({ judges: { right, custom, always: () => true } }),
}
const ofOutputs = {
  said,
  beside: jury({ judges: { said, readme: fileExists('.', { type: 'directory' }) } }),
}
const dataset = Array.from({ length: 4 }, (_, at) => ({ id: String(at), task: 'x' }))
const judgedBy = (juries, agents) => {
  const variants = Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, { agent }]))
  const agent = Object.values(agents)[0]
  return Object.fromEntries(Object.entries(juries).map(([name, jury]) => [name, { dataset, agent, variants, jury }]))
}
export default defineConfig({
  experiments: {
    ...judgedBy(ofFiles, Object.fromEntries(Object.keys(leave).map((mode) => [mode, files(mode)]))),
    ...judgedBy(ofOutputs, { garbled: talks, silent }),
  },
  thresholds: { passRate: 0.8 },
})`

let made: Project
beforeAll(() => {
  made = project({ 'jurist.config.mjs': config })
})
afterAll(() => made[Symbol.dispose]())

const leftovers = ['zero', 'text', 'directory', 'fifo', 'link', 'loop', 'large', 'deep', 'gone', 'file', 'outside']

test.each<[string, string[]]>([
  ['alone', leftovers],
  ['custom', leftovers],
  ['jury', leftovers],
  ['said', ['garbled', 'silent']],
  ['beside', ['garbled', 'silent']],
])('an agent that solves 2 of 4 passes 2 and fails 2, whatever it leaves, judged by %s', async (way, variants) => {
  const { code, stdout } = await made.jurist('run', way, '--json')
  const { results } = JSON.parse(stdout) as { readonly results: readonly Result[] }
  expect(code).toBe(1)
  expect(
    results.map(({ variant, counts: { passes, fails, undecided } }) => [variant, passes, fails, undecided]),
  ).toEqual(variants.map((variant) => [variant, 2, 2, 0]))
})

interface Result {
  readonly variant: string
  readonly counts: Readonly<Record<'passes' | 'fails' | 'undecided', number>>
}

test('what is behind a link in the place of the workspace is not stored, and a warning says so', async () => {
  const { stderr } = await made.jurist(
    'run',
    'alone',
    '--variant',
    'outside',
    '--preserve',
    'all',
    '--item',
    '0',
    '--item',
    '3',
  )
  expect(stderr.match(/could not be kept: The workspace is no longer a directory of its own/g)).toHaveLength(1)
  const id = /run (\S+):/.exec(stderr)?.[1] ?? ''
  expect(readdirSync(join(made.directory, 'results/alone', id, 'workspaces'))).toEqual(['0--1'])
})

test('what cannot be read of an agent is not asked for again', async () => {
  await made.jurist('run', 'said', '--variant', 'garbled')
  const shown = await made.jurist('show', 'said', '--json')
  expect(shown.stdout).toContain('agent-protocol')
  expect(shown.stdout).not.toMatch(/"attempt":[ ]*[23]/)
})
