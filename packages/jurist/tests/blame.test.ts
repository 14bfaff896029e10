import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from './project.js'

/** Ten items, of which an agent can solve two; MODE says what it leaves where it cannot. */
const config = `
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allOf, completed, defineConfig, fileContent, fileExists, jury, outputText } from 'jurist'
import { commandAgent } from 'jurist/command'
const mode = process.env.MODE
const half = Array(25).fill('d'.repeat(100)).join('/')
const leave = {
  nul: (at) => writeFileSync(at, 'x\\0'),
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
const files = async ({ workspace, metadata }) => {
  const at = join(workspace.root, 'answer.txt')
  if (Number(metadata.itemId) < 2) writeFileSync(at, 'right')
  else leave[mode]?.(at, workspace.root)
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
const ways = {
  alone: right,
  custom,
  jury: jury({ judges: { right, custom, always: () => true } }),
  said,
  beside: jury({ judges: { said, readme: fileExists('.', { type: 'directory' }) } }),
}
export default defineConfig({
  experiments: {
    demo: {
      dataset: Array.from({ length: 10 }, (_, at) => ({ id: String(at), task: 'x' })),
      agent: mode === 'garbled' ? talks : mode === 'silent' ? silent : files,
      jury: ways[process.env.WAY],
    },
  },
  thresholds: { passRate: 0.8 },
})`

let made: Project
beforeAll(() => {
  made = project({ 'jurist.config.mjs': config })
})
afterAll(() => made[Symbol.dispose]())

async function run(mode: string, way: string): Promise<unknown> {
  const { code, stdout } = await made.juristWith(
    { MODE: mode, WAY: way },
    'run',
    '--json',
    '--results',
    `${mode}-${way}`,
  )
  const { results } = JSON.parse(stdout) as { readonly results: readonly { readonly counts: Record<string, number> }[] }
  const counts = results[0]?.counts
  return { code, passes: counts?.passes, fails: counts?.fails, undecided: counts?.undecided }
}

describe('an agent that solves 2 of 10 has 20 %, whatever it leaves for the others', () => {
  test.each(['nul', 'text', 'directory', 'fifo', 'link', 'loop', 'large', 'deep', 'gone', 'file', 'outside'])(
    '%s',
    async (mode) => {
      for (const way of ['alone', 'custom', 'jury'])
        expect([way, await run(mode, way)]).toEqual([way, { code: 1, passes: 2, fails: 8, undecided: 0 }])
    },
  )
  test.each(['garbled', 'silent'])('%s', async (mode) => {
    for (const way of ['said', 'beside'])
      expect([way, await run(mode, way)]).toEqual([way, { code: 1, passes: 2, fails: 8, undecided: 0 }])
  })
})

test('what cannot be read of an agent is not asked for again', async () => {
  await run('garbled', 'said')
  const shown = await made.jurist('show', 'demo', '--results', 'garbled-said', '--json')
  expect(shown.stdout).toContain('agent-protocol')
  expect(shown.stdout).not.toMatch(/"attempt":[ ]*[23]/)
})
